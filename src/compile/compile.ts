/**
 * Compiles a Move package: a folder with `Move.toml`.
 * @module
 */

import { relative, sep } from 'node:path';
import { join } from 'node:path/posix';
import { A_BOOLEAN, assertOptions, assertText } from '../base/argument.ts';
import { keepRecent } from '../base/recent.ts';
import {
  ADDRESSES,
  type CompiledModule,
  compiled,
  compiledModule,
  type SourceDiagnostic,
  warningsOf,
} from './compile-sources.ts';
import { absentPackageOf, frameworkDependency } from './framework.ts';
import { EmittedModuleCache } from './module-cache.ts';
import type { CompilerSources } from './move-compiler.ts';
import { type PackageTree, readTree, type SourcePackage } from './package.ts';
import type { UnitTest } from './unit-test/test-plan.ts';

/** How a package is compiled. */
export interface CompileOptions {
  /** Whether test code is compiled too: `#[test]`, `#[test_only]` and the folder `tests`. */
  readonly test?: boolean | undefined;
  /** Named addresses by name; they take precedence over those of `Move.toml`. */
  readonly addresses?: Readonly<Record<string, string>> | undefined;
}

/** A compiled package. */
export interface CompiledPackage {
  readonly name: string;
  /** Ordered so that each follows the modules of the package that it depends on. */
  readonly modules: readonly CompiledModule[];
  /** Those of the packages that it depends on, in the same order, without the framework's: every chain has those. */
  readonly dependencies: readonly CompiledModule[];
  /** The test functions that the modules contain: none unless `test` was set. */
  readonly tests: readonly UnitTest[];
  readonly warnings: readonly SourceDiagnostic[];
}

/**
 * Compiles the Move package in a folder. The framework's packages are the engine's, wherever `Move.toml` points.
 *
 * ```ts
 * const counter = await compile('contracts/counter', { addresses: { counter: '0x42' } });
 * await engine.publish('0x42', counter);
 * ```
 * @throws {EngineError} `not-found` for a folder without `Move.toml`; `malformed-source` for a manifest; `compile-failed`
 * with all errors of the sources, as text in the message and as data in `details.diagnostics`; `not-supported` for a
 * dependency that would have to be fetched; `invalid-argument`; `limit-exceeded`
 */
export async function compile(directory: string, options: CompileOptions = {}): Promise<CompiledPackage> {
  assertText(directory, 'directory', 'the folder of a package');
  assertOptions(options, { test: A_BOOLEAN, addresses: ADDRESSES });
  const { test = false, addresses = {} } = options;
  const tree = await readTree(directory, { test, addresses });
  const { name } = tree.root.manifest;
  const packages = [tree.root, ...tree.dependencies.values()];
  const targets = packages.map((each) => sourcesOf(each, tree));
  const input = { targets, dependencies: tree.framework.map((each) => frameworkDependency(each, test)) };
  const mode = { hasTests: test, hasVerification: false };
  const cache = cacheOf(tree.root.directory, test);
  const output = compiled(
    { ...input, mode, cache, absentPackageOf: absentPackageOf(tree.framework) },
    `${name} does not compile`,
  );
  const own = new Set(targets[0]!.files.keys());
  const isOwn = (path: string): boolean => own.has(path);
  const modules = output.modules.map(compiledModule);
  return {
    name,
    modules: modules.filter(({ lines }) => isOwn(lines.path)),
    dependencies: modules.filter(({ lines }) => !isOwn(lines.path)),
    tests: output.tests,
    warnings: warningsOf(output.diagnostics).filter(({ place }) => isOwn(place.path)),
  };
}

/** Packages of which trees and code are kept: those that one suite of tests or one watching command compiles. */
const PACKAGES_KEPT_MAX = 16;

/** By mode and folder, the one used last at the end. */
const caches = new Map<string, EmittedModuleCache>();

/** What is known of a package from the last time it was compiled, so that a change costs no more than what it changes. */
function cacheOf(directory: string, test: boolean): EmittedModuleCache {
  const key = `${test ? 'test' : 'build'} ${directory}`;
  const cache = caches.get(key) ?? new EmittedModuleCache();
  keepRecent(caches, key, cache, PACKAGES_KEPT_MAX);
  return cache;
}

/** Sources by their paths as seen from the folder of the package that is compiled. */
function sourcesOf({ directory, sources }: SourcePackage, { root, addresses }: PackageTree): CompilerSources {
  const folder = relative(root.directory, directory).replaceAll(sep, '/');
  return { files: new Map(sources.map(({ path, text }) => [join(folder, path), text])), addresses };
}
