/**
 * What importing the package costs a program: `import('movelet')` in a fresh process, against `import('level')` alone,
 * which any program that keeps its chain in a directory pays anyway. Medians of processes run in turn, so that a busy
 * moment of the machine falls on all of them.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchLine } from './line.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Milliseconds of importing `specifier`, the start of Node not included, measured inside a new process. */
function importMilliseconds(specifier: string): number {
  const program = `const start = performance.now();
    await import(${JSON.stringify(specifier)});
    process.stdout.write(String(performance.now() - start));`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: ROOT }));
}

/** Milliseconds of a whole process that imports `specifier`, or nothing, and ends. */
function processMilliseconds(specifier: string | undefined): number {
  const program = specifier === undefined ? '' : `await import(${JSON.stringify(specifier)});`;
  const start = performance.now();
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: ROOT });
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)]!;
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const rounds = short ? 5 : 31;
  const measured = { movelet: [] as number[], level: [] as number[], process: [] as number[], empty: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    measured.movelet.push(importMilliseconds('movelet'));
    measured.level.push(importMilliseconds('level'));
    measured.process.push(processMilliseconds('movelet'));
    measured.empty.push(processMilliseconds(undefined));
  }
  return [
    {
      name: 'import the package',
      value: median(measured.movelet),
      unit: 'ms',
      baseline: { name: 'importing level', value: median(measured.level) },
      target: '60 ms, stretch 30',
    },
    {
      name: 'a process that imports it and ends',
      value: median(measured.process),
      unit: 'ms',
      baseline: { name: 'an empty process', value: median(measured.empty) },
    },
  ];
}
