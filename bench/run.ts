/**
 * Runs benches and prints what they measured: `npm run bench [-- NAME...] [--short] [--json]`.
 *
 * Every file beside this one that exports `run` is a bench, named after its file. Each line shows its value, the ratio
 * to a baseline measured in the same run, and the target, below the machine and the Node version: a figure without
 * these means nothing. A slow figure never fails the run; a bench that throws does.
 */
import { readdirSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { basename } from 'node:path';
import type { Bench, BenchLine } from './line.ts';

interface Report {
  readonly bench: string;
  readonly lines: readonly BenchLine[];
}

const flags = process.argv.slice(2).filter((argument) => argument.startsWith('-'));
const names = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const isShort = flags.includes('--short');
const isJson = flags.includes('--json');

const benches = readdirSync(new URL('.', import.meta.url))
  .filter((file) => file.endsWith('.js') && !['run.js', 'line.js'].includes(file))
  .map((file) => basename(file, '.js'))
  .sort();

function refuse(message: string): never {
  process.stderr.write(
    `${message}\nusage: npm run bench [-- NAME...] [--short] [--json]\nbenches: ${benches.join(', ')}\n`,
  );
  process.exit(2);
}

for (const flag of flags) if (!['--short', '--json'].includes(flag)) refuse(`unknown option ${flag}`);
for (const name of names) if (!benches.includes(name)) refuse(`unknown bench ${name}`);

const machine = {
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGib: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  date: new Date().toISOString().slice(0, 10),
  short: isShort,
};

if (!isJson) {
  const { processor, cores, memoryGib, node, platform, date } = machine;
  print(
    `${processor}, ${cores} cores, ${memoryGib} GiB; Node ${node}, ${platform}; ${date}${isShort ? '; short' : ''}`,
  );
}

const reports: Report[] = [];
for (const bench of names.length > 0 ? names : benches) {
  try {
    const { run } = (await import(`./${bench}.js`)) as { run?: Bench };
    if (run === undefined) {
      if (names.includes(bench)) throw new Error(`${bench} exports no run`);
      continue;
    }
    const lines = await run(isShort);
    reports.push({ bench, lines });
    if (!isJson) printRows(bench, lines);
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`${bench} failed: ${error instanceof Error ? error.stack : String(error)}\n`);
  }
}
if (isJson) print(JSON.stringify({ machine, reports }, undefined, 2));

/** The rows of a bench, as part of one table: its columns have the same width in all benches. */
function printRows(bench: string, lines: readonly BenchLine[]): void {
  print(`\n${bench}`);
  for (const { name, value, unit, baseline, target } of lines) {
    const ratio = baseline === undefined ? '' : `${digits(value / baseline.value)}x`;
    const notes = [
      ...(baseline === undefined ? [] : [`of ${baseline.name}, ${digits(baseline.value)} ${unit}`]),
      ...(target === undefined ? [] : [`target ${target}`]),
    ];
    const columns = [digits(value).padStart(10), unit.padEnd(4), ratio.padStart(8), name, notes.join('; ')];
    print(columns.join('  ').trimEnd());
  }
}

/** Three significant digits, with thousands separators. */
function digits(value: number): string {
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 6 });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
