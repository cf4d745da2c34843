/**
 * movelet test: runs the unit tests of a Move package.
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { VIEW_GAS_MAX } from '../base/config.ts';
import type { UnitTest } from '../compile/index.ts';
import { coverageLcov, coverageOf, coverageText } from '../compile/unit-test/coverage.ts';
import type { UnitTestResult } from '../compile/unit-test/run.ts';
import type { TestedPackage } from '../compile/unit-test/tested-package.ts';
import { CoveredCode } from '../execution/trace/covered-code.ts';
import { type Arguments, type Command, command, readNumber, UsageError } from './arguments.ts';
import { COMPILE_OPTIONS, packageAt } from './packages.ts';
import { workOnChanges } from './source-watch.ts';

async function run(args: Arguments): Promise<number> {
  const [directory = ''] = args.positionals;
  if (!args.flag('watch')) return runOnce(directory, args);
  return workOnChanges([directory], () => runOnce(directory, args));
}

async function runOnce(directory: string, args: Arguments): Promise<number> {
  const tested = await packageAt(directory, args, true);
  const filter = args.string('filter') ?? '';
  const tests = tested.tests.filter((test) => nameOf(test).includes(filter));
  if (tests.length === 0) {
    const which =
      filter === '' ? 'no function with #[test]' : `none of ${tested.tests.length} tests has ${filter} in its name`;
    process.stdout.write(`${tested.name}: ${which}\n`);
    return 1;
  }
  if (args.flag('list')) {
    for (const test of tests) process.stdout.write(`${nameOf(test)}\n`);
    return 0;
  }
  return report(tested, tests, args);
}

async function report(tested: TestedPackage, tests: readonly UnitTest[], args: Arguments): Promise<number> {
  // Loaded late, like all code that runs Move.
  const [{ UnitTestChain }, { RANDOM_RUNS_DEFAULT, runUnitTest }] = await Promise.all([
    import('../compile/unit-test/unit-test-chain.ts'),
    import('../compile/unit-test/run.ts'),
  ]);
  const chain = new UnitTestChain(tested);
  const lcov = args.string('lcov');
  const covered = args.flag('coverage') || lcov !== undefined ? new CoveredCode() : undefined;
  const gasMax = BigInt(readNumber(args, 'max-gas', Number(VIEW_GAS_MAX), Number.MAX_SAFE_INTEGER));
  const isRandom = tests.some((test) => test.arguments.includes(null));
  const seed = seedOf(args);
  const randomRuns = readNumber(args, 'rand-num-iters', RANDOM_RUNS_DEFAULT, Number.MAX_SAFE_INTEGER, 1);
  const results: UnitTestResult[] = [];
  const lineText = linesIn(tested.directory);
  for (const test of tests) {
    const result = runUnitTest(chain, tested, test, { gasMax, covered, lineText, seed, randomRuns });
    results.push(result);
    const gas = args.flag('gas') ? `  gas ${result.gasUsed}` : '';
    const runs = result.passed && result.runs !== undefined ? `  ${runsText(result.runs, randomRuns)}` : '';
    const lines = [`${result.passed ? 'pass' : 'FAIL'}  ${nameOf(test)}${gas}${runs}`];
    for (const line of result.complaint) lines.push(`      ${line}`);
    if (!result.passed && result.runs !== undefined)
      lines.push(`      again: ${repeating(args, test, seed, result.runs)}`);
    for (const line of result.prints) lines.push(`      printed: ${line}`);
    process.stdout.write(`${lines.map(shortened).join('\n')}\n`);
  }
  const failed = results.filter(({ passed }) => !passed).length;
  const seeded = isRandom ? `, random arguments of --seed ${seed}` : '';
  process.stdout.write(`${results.length - failed} passed, ${failed} failed${seeded}\n`);
  if (covered !== undefined) {
    const coverage = coverageOf(tested, covered);
    if (args.flag('coverage')) for (const line of coverageText(coverage)) process.stdout.write(`${shortened(line)}\n`);
    const { directory } = tested;
    const placeOf = (path: string): string =>
      directory === undefined ? path : relative('', join(directory, path)).replaceAll(sep, '/');
    if (lcov !== undefined) await writeFile(lcov, coverageLcov(coverage, placeOf));
  }
  return failed === 0 ? 0 : 1;
}

const SEED_MAX = 2n ** 64n - 1n;

/** The given seed, or another one each time. */
function seedOf(args: Arguments): bigint {
  const text = args.string('seed');
  if (text === undefined) return BigInt(Math.floor(Math.random() * 2 ** 32));
  if (/^\d{1,20}$/.test(text) && BigInt(text) <= SEED_MAX) return BigInt(text);
  throw new UsageError(`--seed: expected a whole number up to ${SEED_MAX}, got ${text}`);
}

function runsText(runs: number, wanted: number): string {
  return runs === wanted ? `${runs} runs` : `${runs} of ${wanted} runs, as many as the time allowed`;
}

/** The command that runs a test with the same random arguments, up to those with which it failed. */
function repeating(args: Arguments, test: UnitTest, seed: bigint, runs: number): string {
  const [directory = ''] = args.positionals;
  const addresses = args.strings('address').map((each) => ` --address ${each}`);
  const many = args.given.has('rand-num-iters') ? ` --rand-num-iters ${runs}` : '';
  return `movelet test ${directory}${addresses.join('')} --filter ${test.name} --seed ${seed}${many}`;
}

/** Reads lines of the sources of a package; undefined for a missing file. */
function linesIn(directory: string | undefined): (path: string, line: number) => string | undefined {
  const read = new Map<string, readonly string[]>();
  return (path, line) => {
    const file = directory === undefined ? path : join(directory, path);
    let lines = read.get(file);
    if (lines === undefined) {
      lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
      read.set(file, lines);
    }
    return lines[line - 1];
  };
}

/** Shortens long addresses to their first and last digits, as in traces. */
function shortened(line: string): string {
  return line.replace(/\b(0x[0-9a-f]{6})[0-9a-f]{8,}([0-9a-f]{4})(?=::)/g, '$1..$2');
}

const nameOf = ({ module, name }: UnitTest): string => `${module}::${name}`;

export const testCommand: Command = command({
  name: 'test',
  summary: 'run the unit tests of a Move package',
  usage: 'DIRECTORY [--filter TEXT] [--list] [--gas] [--coverage] [--lcov FILE] [--watch]',
  example: 'examples/counter --coverage',
  min: 1,
  help: `DIRECTORY is a Move package, or the output of movelet build --test. Each #[test] function runs by itself, on a
chain that has the modules and on which nothing has run, not even init functions. A #[random_test] function runs many
times with different arguments; those that make it fail are simplified before they are printed. Exit codes: 0 all
passed, 1 one failed or there was none, 2 wrong usage.`,
  options: {
    filter: { value: 'TEXT', help: 'only tests with this text in their name, 0x42::module::function' },
    list: { help: 'print the names and run nothing' },
    gas: { help: 'print the gas that each test used' },
    'max-gas': { value: 'N', help: `gas units that a test may use (default: ${VIEW_GAS_MAX})` },
    coverage: { help: 'print the functions that no test called, and the lines that did not run' },
    lcov: {
      value: 'FILE',
      completes: 'file',
      help: 'write the same for editors and coverage services, as an LCOV tracefile with paths from here',
    },
    'rand-num-iters': { value: 'N', help: 'how often each #[random_test] is run (default: 100)' },
    seed: { value: 'N', help: 'the seed of their arguments, to repeat a run (default: another one each time)' },
    watch: { help: 'run again whenever a source changes' },
    ...COMPILE_OPTIONS,
  },
  completes: 'directory',
  run,
});
