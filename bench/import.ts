/**
 * What importing the package costs a program: `import('movelet')` in a fresh process, against `import('level')` alone,
 * which any program that keeps its chain in a directory pays anyway. Medians of processes run in turn, so that a busy
 * moment of the machine affects all of them. The user's wait, from the import to the first balance and to the first
 * view, is the minimum over as many processes: anything more is due to the machine.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchLine } from './line.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** What importing a package takes, not counting Node's startup: elapsed and processor milliseconds. */
interface Import {
  readonly clock: number;
  readonly processor: number;
}

/** Measures the import of `specifier` in a new process. */
function measureImport(specifier: string): Import {
  const program = `const before = process.cpuUsage();
    const start = performance.now();
    await import(${JSON.stringify(specifier)});
    const clock = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    process.stdout.write(JSON.stringify({ clock, processor: (user + system) / 1000 }));`;
  const flags = ['--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, flags, { cwd: ROOT, encoding: 'utf8' })) as Import;
}

/** Milliseconds from the import of the package to an engine's first answers, in a new process. */
interface FirstAnswers {
  readonly balance: number;
  readonly view: number;
}

function measureFirstAnswers(): FirstAnswers {
  const program = `const start = performance.now();
    const { Engine, GAS_COIN_TYPE } = await import('movelet');
    const engine = await Engine.open();
    const account = new Uint8Array(32).fill(0x11);
    engine.balances.get(account, GAS_COIN_TYPE);
    const balance = performance.now() - start;
    engine.view({ function: '0x3::gas_coin::balance', arguments: [account] });
    const view = performance.now() - start;
    process.stdout.write(JSON.stringify({ balance, view }));
    await engine.close();`;
  const flags = ['--input-type=module', '--eval', program];
  return JSON.parse(execFileSync(process.execPath, flags, { cwd: ROOT, encoding: 'utf8' })) as FirstAnswers;
}

/** Milliseconds of an entire process that imports `specifier`, or nothing, and exits. */
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
  const answers: FirstAnswers[] = [];
  const measured = { movelet: [] as Import[], level: [] as Import[], process: [] as number[], empty: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    measured.movelet.push(measureImport('movelet'));
    measured.level.push(measureImport('level'));
    answers.push(measureFirstAnswers());
    measured.process.push(processMilliseconds('movelet'));
    measured.empty.push(processMilliseconds(undefined));
  }
  const of = (imports: readonly Import[], member: keyof Import): number => median(imports.map((it) => it[member]));
  return [
    {
      name: 'import the package',
      value: of(measured.movelet, 'clock'),
      unit: 'ms',
      baseline: { name: 'importing level', value: of(measured.level, 'clock') },
      target: '60 ms, stretch 30',
    },
    {
      name: 'processor time of importing it',
      value: of(measured.movelet, 'processor'),
      unit: 'ms',
      baseline: { name: 'importing level', value: of(measured.level, 'processor') },
    },
    {
      name: 'from its import to the first balance',
      value: Math.min(...answers.map(({ balance }) => balance)),
      unit: 'ms',
      target: '45 ms',
    },
    {
      name: 'from its import to the first view',
      value: Math.min(...answers.map(({ view }) => view)),
      unit: 'ms',
      target: '75 ms',
    },
    {
      name: 'a process that imports it and ends',
      value: median(measured.process),
      unit: 'ms',
      baseline: { name: 'an empty process', value: median(measured.empty) },
    },
  ];
}
