/**
 * The entry point `movelet/vitest-plugin`: tests import Move packages.
 *
 * ```ts
 * // vitest.config.ts
 * import { movelet } from 'movelet/vitest-plugin';
 * import { defineConfig } from 'vitest/config';
 *
 * export default defineConfig({ plugins: [movelet({ coverage: 'coverage/move.lcov', gas: 'gas.txt' })] });
 * ```
 *
 * A test has `import counter from '../contracts/counter/Move.toml'`, and publishes it: `engine.publish(alice, counter)`.
 * The package is compiled once for all test files. When one of its sources changes, Vitest's watch mode compiles it again
 * and reruns the tests that import it.
 * @module
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Plugin } from 'vitest/config';
import type { TestModule, Vitest } from 'vitest/node';
import { assertOptions, type Expectation } from '../base/argument.ts';
import { toHex } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { ADDRESSES } from '../compile/compile-sources.ts';
import { type CompiledPackage, compile } from '../compile/index.ts';
import { watchedPackages } from '../compile/package.ts';
import { coverageLcov, coverageOf } from '../compile/unit-test/coverage.ts';
import { CoveredCode, type FunctionCount } from '../execution/trace/covered-code.ts';
import { COVERAGE_META, GAS_META } from './covered-tests.ts';
import { type GasReport, gasDifferences, gasReport, gasText, readGasText } from './gas-report.ts';

/** The options of the plugin. */
export interface MoveletOptions {
  /** Named addresses by name; they take precedence over those of `Move.toml`. */
  readonly addresses?: Readonly<Record<string, string>> | undefined;
  /**
   * A file for the lines of imported packages that the tests ran, as a path relative to the root of the tests. It is an LCOV
   * tracefile like the one that `movelet test --lcov` writes, with paths relative to that root. Move code is then interpreted,
   * which takes longer. Default: nothing is counted.
   */
  readonly coverage?: string | undefined;
  /**
   * A file for the gas of the transactions that tests send, as a path relative to the root of the tests: for each function,
   * how often it was called, and the least, median and largest gas. A run of all test files in which all tests pass is
   * compared with the file and then written to it. Transactions that were not executed and functions of the framework do not
   * count.
   */
  readonly gas?: string | undefined;
  /**
   * The fraction by which the gas of a function may differ from the file, in either direction: 0.05 for five percent. A larger
   * difference fails the run, and only functions that the file lacks are added to it, unless Vitest runs with `--update`.
   * Default: nothing fails, and the file is written each time.
   */
  readonly gasTolerance?: number | undefined;
}

const A_PATH: Expectation = ['the path of a file', (value) => typeof value === 'string' && value !== ''];
const A_PART: Expectation = ['a number of at least 0', (value) => typeof value === 'number' && value >= 0];
const MANIFEST = 'Move.toml';
/** A setup file for every test file. It exists only here. */
const SETUP = 'movelet.setup.js';

/**
 * The plugin.
 * @throws {EngineError} `invalid-argument`
 */
export function movelet(options: MoveletOptions = {}): Plugin {
  assertOptions(options, { addresses: ADDRESSES, coverage: A_PATH, gas: A_PATH, gasTolerance: A_PART });
  const { addresses, coverage, gas, gasTolerance } = options;
  const calls = [...(coverage === undefined ? [] : ['coverMoveCode']), ...(gas === undefined ? [] : ['meterGas'])];
  const isSetup = (path: string): boolean => calls.length > 0 && basename(path) === SETUP;
  /** By folder; undefined for a package that does not compile. */
  const packages = new Map<string, CompiledPackage | undefined>();
  /** What the tests of each file did when they last ran, by the path of the file. */
  const counts = new Map<string, readonly FunctionCount[]>();
  const metered = new Map<string, readonly MeteredFunction[]>();
  return {
    name: 'movelet',
    enforce: 'pre',
    config: () => (calls.length === 0 ? undefined : { test: { setupFiles: [SETUP] } }),
    resolveId: (id) => (isSetup(id) ? id : undefined),
    async load(id) {
      const path = id.replace(/[?#].*/, '');
      if (isSetup(path))
        return `import * as tests from 'movelet/vitest';\n${calls.map((call) => `tests.${call}();`).join('\n')}\n`;
      if (basename(path) !== MANIFEST) return undefined;
      for (const file of await filesOf(path)) this.addWatchFile(file);
      packages.set(dirname(path), undefined);
      try {
        const built = await compile(dirname(path), { addresses });
        if (built.warnings.length > 0) this.warn(built.warnings.map(({ text }) => text).join('\n\n'));
        packages.set(dirname(path), built);
        return `export default ${codeOf(built)};\n`;
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        // Thrown by the import instead: the files that a failed `load` asks to watch are not watched.
        return `throw Object.assign(new Error(${JSON.stringify(error.message)}), { stack: '' });\n`;
      }
    },
    configureServer({ watcher }) {
      // A file that is added or removed changes the package too, but is not watched.
      const onFile = (file: string): void => {
        if (!file.endsWith('.move')) return;
        const folder = [...packages.keys()].find((each) => !relative(each, file).startsWith('..'));
        if (folder !== undefined) watcher.emit('change', join(folder, MANIFEST));
      };
      watcher.on('add', onFile).on('unlink', onFile);
    },
    configureVitest({ vitest }) {
      if (calls.length === 0) return;
      const onTestRunEnd = async (modules: readonly TestModule[]): Promise<void> => {
        for (const module of modules) {
          counts.set(module.moduleId, metaOf(module, COVERAGE_META));
          metered.set(module.moduleId, metaOf(module, GAS_META));
        }
        const { root } = vitest.config;
        if (coverage !== undefined) writeCoverage(root, coverage, packages, [...counts.values()].flat());
        if (gas === undefined || !(await isWhole(vitest, modules, metered))) return;
        const report = gasReport([...metered.values()].flat());
        compareGas(vitest, { path: resolve(root, gas), name: gas, report, tolerance: gasTolerance });
      };
      vitest.config.reporters.push({ onTestRunEnd } as never);
    },
  };
}

/** The manifests and sources of a package and of the local packages that it depends on. */
async function filesOf(manifest: string): Promise<string[]> {
  const found = await watchedPackages(dirname(manifest), false);
  return found.flatMap(({ directory, sources }) => [
    join(directory, MANIFEST),
    ...sources.map(({ path }) => join(directory, path)),
  ]);
}

/** Data as JavaScript, including bytes. */
function codeOf(value: unknown): string {
  if (value instanceof Uint8Array)
    return `Uint8Array.from(${JSON.stringify(toHex(value))}.match(/../g), (hex) => Number.parseInt(hex, 16))`;
  if (value === undefined || typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(codeOf).join(',')}]`;
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${codeOf(member)}`)
    .join(',')}}`;
}

type MeteredFunction = readonly [name: string, gas: readonly number[]];

function metaOf<T>(module: TestModule, name: string): readonly T[] {
  return (module.meta() as Readonly<Record<string, readonly T[] | undefined>>)[name] ?? [];
}

/** Whether the last run of every test file passed: a report of some of them would say nothing about the others. */
async function isWhole(
  vitest: Vitest,
  modules: readonly TestModule[],
  ran: ReadonlyMap<string, unknown>,
): Promise<boolean> {
  if (vitest.config.testNamePattern !== undefined || modules.some((module) => !module.ok())) return false;
  const files = await vitest.globTestSpecifications();
  return files.every(({ moduleId }) => ran.has(moduleId));
}

interface ComparedGas {
  readonly path: string;
  /** For messages. */
  readonly name: string;
  readonly report: GasReport;
  readonly tolerance: number | undefined;
}

/** Prints the differences from the file, and writes the file or fails the run. */
function compareGas(vitest: Vitest, { path, name, report, tolerance }: ComparedGas): void {
  const before = existsSync(path) ? readGasText(readFileSync(path, 'utf8')) : new Map();
  const differences = gasDifferences(report, before, tolerance ?? 0);
  const isKept = tolerance !== undefined && vitest.config.snapshotOptions.updateSnapshot !== 'all';
  const title = differences.length === 0 ? 'Gas' : `Gas that differs from ${name}:\n  ${differences.join('\n  ')}\nGas`;
  vitest.logger.log(`\n${title} by function:\n${gasText(report)}`);
  const kept = isKept ? new Map([...report, ...before]) : report;
  writeText(path, gasText(kept));
  if (!isKept || differences.length === 0) return;
  vitest.logger.error(`more than the tolerance of ${tolerance}: if it is meant to be, run vitest --update`);
  process.exitCode = 1;
}

function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function writeCoverage(
  root: string,
  file: string,
  packages: ReadonlyMap<string, CompiledPackage | undefined>,
  counts: readonly FunctionCount[],
): void {
  const covered = new CoveredCode();
  covered.addCounts(counts);
  const lcov = [...packages].map(([folder, built]) => {
    if (built === undefined) return '';
    const tested = { ...built, modules: [...built.dependencies, ...built.modules] };
    const placeOf = (source: string): string => relative(root, join(folder, source)).replaceAll(sep, '/');
    return coverageLcov(coverageOf(tested, covered), placeOf);
  });
  writeText(resolve(root, file), lcov.join(''));
}
