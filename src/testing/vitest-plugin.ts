/**
 * The entry point `movelet/vitest-plugin`: tests import Move packages.
 *
 * ```ts
 * // vitest.config.ts
 * import { movelet } from 'movelet/vitest-plugin';
 * import { defineConfig } from 'vitest/config';
 *
 * export default defineConfig({ plugins: [movelet({ coverage: 'coverage/move.lcov' })] });
 * ```
 *
 * A test has `import counter from '../contracts/counter/Move.toml'`, and publishes it: `engine.publish(alice, counter)`.
 * The package is compiled once for all test files. When a source of it changes, Vitest's watch mode compiles it again and
 * runs the tests again that import it.
 * @module
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Plugin } from 'vitest/config';
import type { TestModule } from 'vitest/node';
import { assertOptions, type Expectation } from '../base/argument.ts';
import { toHex } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { ADDRESSES } from '../compile/compile-sources.ts';
import { type CompiledPackage, compile } from '../compile/index.ts';
import { watchedPackages } from '../compile/package.ts';
import { coverageLcov, coverageOf } from '../compile/unit-test/coverage.ts';
import { CoveredCode, type FunctionCount } from '../execution/trace/covered-code.ts';
import { COVERAGE_META } from './covered-tests.ts';

/** What the plugin does. */
export interface MoveletOptions {
  /** Named addresses by name; they take precedence over those of `Move.toml`. */
  readonly addresses?: Readonly<Record<string, string>> | undefined;
  /**
   * The path of a file, from the root of the tests, for the lines of imported packages that they ran: an LCOV tracefile, as
   * `movelet test --lcov` writes it, with paths from that root. Move code is then interpreted, which takes longer. Default:
   * nothing is counted.
   */
  readonly coverage?: string | undefined;
}

const A_PATH: Expectation = ['the path of a file', (value) => typeof value === 'string' && value !== ''];
const MANIFEST = 'Move.toml';
/** A setup file of every test file; it exists only here. */
const SETUP = 'movelet-coverage.setup.js';
const SETUP_CODE = `import { coverMoveCode } from 'movelet/vitest';\ncoverMoveCode();\n`;

/**
 * The plugin.
 * @throws {EngineError} `invalid-argument`
 */
export function movelet(options: MoveletOptions = {}): Plugin {
  assertOptions(options, { addresses: ADDRESSES, coverage: A_PATH });
  const { addresses, coverage } = options;
  /** By folder; undefined if it does not compile. */
  const packages = new Map<string, CompiledPackage | undefined>();
  /** What the tests of each file ran last, by the path of the file. */
  const counts = new Map<string, readonly FunctionCount[]>();
  return {
    name: 'movelet',
    enforce: 'pre',
    config: () => (coverage === undefined ? undefined : { test: { setupFiles: [SETUP] } }),
    resolveId: (id) => (coverage !== undefined && basename(id) === SETUP ? id : undefined),
    async load(id) {
      const path = id.replace(/[?#].*/, '');
      if (coverage !== undefined && basename(path) === SETUP) return SETUP_CODE;
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
        // Thrown where it is imported: what a failed `load` asked to watch is not watched.
        return `throw Object.assign(new Error(${JSON.stringify(error.message)}), { stack: '' });\n`;
      }
    },
    configureServer({ watcher }) {
      // A file that comes or goes is not among those that are watched, and changes the package too.
      const onFile = (file: string): void => {
        if (!file.endsWith('.move')) return;
        const folder = [...packages.keys()].find((each) => !relative(each, file).startsWith('..'));
        if (folder !== undefined) watcher.emit('change', join(folder, MANIFEST));
      };
      watcher.on('add', onFile).on('unlink', onFile);
    },
    configureVitest({ vitest }) {
      if (coverage === undefined) return;
      const onTestRunEnd = (modules: readonly TestModule[]): void => {
        for (const module of modules) counts.set(module.moduleId, countsOf(module));
        writeCoverage(vitest.config.root, coverage, packages, [...counts.values()].flat());
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

/** A value as JavaScript: data, among it bytes. */
function codeOf(value: unknown): string {
  if (value instanceof Uint8Array)
    return `Uint8Array.from(${JSON.stringify(toHex(value))}.match(/../g), (hex) => Number.parseInt(hex, 16))`;
  if (value === undefined || typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(codeOf).join(',')}]`;
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${codeOf(member)}`)
    .join(',')}}`;
}

function countsOf(module: TestModule): readonly FunctionCount[] {
  const meta = module.meta() as Readonly<Record<string, readonly FunctionCount[] | undefined>>;
  return meta[COVERAGE_META] ?? [];
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
  const path = resolve(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lcov.join(''));
}
