/**
 * Compiles a Move package with an available compiler.
 * @module
 */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { A_BOOLEAN, A_FUNCTION, assertOptions, assertText, type Expectation, TEXT } from '../base/argument.ts';
import { EngineError } from '../base/error.ts';
import type { Log } from '../base/log.ts';
import type { SourceLines } from '../execution/module-sources.ts';
import { formatAddressShort } from '../move/address.ts';
import { dependenciesOf, type Module, type ModuleId, selfIdOf } from '../vm/binary/module.ts';
import { readModule } from '../vm/binary/read.ts';
import { type ModuleMetadata, moduleMetadata } from '../vm/verify/module-metadata.ts';
import { type Built, build, type Compiler, findCompiler } from './compilers.ts';
import { constantNumber } from './constant.ts';
import { CHAIN_ATTRIBUTES, metadataOfSource, withMetadata } from './module-metadata.ts';
import {
  isFramework,
  named,
  type PackageTree,
  readTree,
  type SourceFile,
  type SourcePackage,
  STAGED_TESTS,
  stage,
} from './package.ts';
import { readSource, type SourceModule } from './source.ts';
import { readSourceMap } from './source-map.ts';
import { isForTests, withoutAttributes, withTestsOpened } from './test-attributes.ts';
import { addressIn, type UnitTest, unitTestsOf } from './unit-test.ts';

/** How a package is compiled. */
export interface CompileOptions {
  /**
   * `rooch`, the program on the PATH; `initia`, the npm package `@initia/builder.js`; or a folder in which that package
   * is installed. Default: whichever is found, in this order.
   */
  readonly compiler?: string | undefined;
  /** Whether test code is compiled too: `#[test]`, `#[test_only]` and the folder `tests`. */
  readonly test?: boolean | undefined;
  /** Named addresses by name; they take precedence over those of `Move.toml`. */
  readonly addresses?: Readonly<Record<string, string>> | undefined;
  /** Receives what users of the compiler must know about its licence, once per process. */
  readonly log?: Log | undefined;
}

/** A module of a compiled package. */
export interface CompiledModule {
  /** `0x42`. */
  readonly address: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What the chain's attributes say; the bytes contain it too. */
  readonly metadata: ModuleMetadata;
  /** The line of each instruction; undefined if the compiler left no source map. */
  readonly lines: SourceLines | undefined;
  /** Constants that are whole numbers, by name, in decimal: abort codes among them. */
  readonly constants: Readonly<Record<string, string>>;
  /** Those of them that the module's code aborts with, by `abort` or `assert!`. */
  readonly abortConstants: readonly string[];
  /** The comments on these constants, by name. */
  readonly constantDocs: Readonly<Record<string, string>>;
}

/** A compiled package. */
export interface CompiledPackage {
  readonly name: string;
  readonly compiler: Compiler;
  /** Ordered so that each follows the modules of the package that it depends on. */
  readonly modules: readonly CompiledModule[];
  /** Those of the packages that it depends on, in the same order, without the framework's: every chain has those. */
  readonly dependencies: readonly CompiledModule[];
  /** The test functions that the modules contain: none unless `test` was set. */
  readonly tests: readonly UnitTest[];
}

const ADDRESSES: Expectation = [
  'addresses as text, by name',
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === 'string'),
];
const OPTIONS = { compiler: TEXT, test: A_BOOLEAN, addresses: ADDRESSES, log: A_FUNCTION };
const noticed = new Set<string>();

/**
 * Compiles the Move package in a folder. The framework's packages are the engine's, wherever `Move.toml` points.
 *
 * ```ts
 * const { modules } = await compile('contracts/counter', { addresses: { counter: '0x42' } });
 * await engine.publish('0x42', modules.map(({ bytes }) => bytes));
 * ```
 * @throws {EngineError} `not-found` for a folder without `Move.toml`; `malformed-source`; `compile-failed` if there is
 * no compiler or it rejects the package; `not-supported` for a dependency that would have to be fetched;
 * `invalid-argument`; `limit-exceeded`, `deadline-exceeded`
 */
export async function compile(directory: string, options: CompileOptions = {}): Promise<CompiledPackage> {
  assertText(directory, 'directory', 'the folder of a package');
  assertOptions(options, OPTIONS);
  const { test = false, addresses = {}, log } = options;
  const tree = await readTree(directory, { test, addresses });
  const tests = test ? unitTestsOf(tree) : [];
  const compiler = findCompiler(options.compiler, tree.root.directory);
  if (compiler.notice !== undefined && log !== undefined && !noticed.has(compiler.name)) {
    noticed.add(compiler.name);
    log({ level: 'warning', message: compiler.notice });
  }
  const workspace = await mkdtemp(join(tmpdir(), 'movelet-compile-'));
  try {
    const rewritten = (source: SourceFile, isRoot: boolean): string => rewrite(source, compiler, test && isRoot);
    const folder = await stage(tree, workspace, rewritten);
    const built = await asked(tree, folder, () => build(compiler, workspace, folder, tree.root.manifest.name));
    const modules = inOrder(await collect(tree.root, tree, built, test));
    const needed: Found[] = [];
    for (const each of tree.dependencies.values()) {
      if (!isFramework(each)) needed.push(...(await collect(each, tree, built, false)));
    }
    return { name: tree.root.manifest.name, compiler, modules, dependencies: inOrder(needed), tests };
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

/** The npm package warns about attributes that it does not know; the program needs them. */
function rewrite(source: SourceFile, { name }: Compiler, opensTests: boolean): string {
  const text = opensTests ? withTestsOpened(source) : source.text;
  return name === 'rooch' ? text : withoutAttributes(opensTests ? readSource(text) : source, CHAIN_ATTRIBUTES);
}

/** Paths in the compiler's messages become those of the package, not those of its copy. */
async function asked(tree: PackageTree, folder: string, work: () => Promise<Built>): Promise<Built> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof EngineError) || cause.code !== 'compile-failed') throw cause;
    const { directory, manifest } = tree.root;
    const message = cause.message
      .replaceAll(folder, directory)
      .replace(/\S+/g, (word) => originalPlace(word, tree))
      .replaceAll(`${directory}/${STAGED_TESTS}`, `${directory}/tests/`);
    throw new EngineError(cause.code, `${manifest.name} does not compile:\n${message}`, { cause });
  }
}

/** A word of a compiler message; a path in the copy of a package becomes the path in the package itself. */
function originalPlace(word: string, { root, dependencies }: PackageTree): string {
  const [, name = '', path = ''] = /(?:^|\/)packages\/([^/]+)\/(.*)$/.exec(word) ?? [];
  const found = [root, ...dependencies.values()].find(({ manifest }) => manifest.name === name);
  return found === undefined ? word : `${found.directory}/${path}`;
}

interface Found {
  readonly compiled: CompiledModule;
  readonly module: Module;
}

async function collect(
  { directory, manifest, sources }: SourcePackage,
  { root, addresses }: PackageTree,
  place: Built,
  test: boolean,
): Promise<Found[]> {
  const built = place(manifest.name);
  const files = existsSync(built.modules) ? (await readdir(built.modules)).filter((name) => name.endsWith('.mv')) : [];
  const found: Found[] = [];
  for (const file of files.sort()) {
    const bytes = new Uint8Array(await readFile(join(built.modules, file)));
    const id = selfIdOf(readModule(bytes));
    const { source, module } = sourceOf(sources, id, addresses);
    const whole = named(source.path, () => complete(bytes, module, id, test));
    const mapPath = join(built.sourceMaps, file.replace(/\.mv$/, '.mvsm'));
    const map = existsSync(mapPath) ? await readFile(mapPath) : undefined;
    const read = readModule(whole);
    const metadata = moduleMetadata(read);
    if (metadata === 'malformed') throw new EngineError('compile-failed', `${file}: its metadata cannot be read`);
    const constants = constantsOf(module);
    const compiled = {
      address: formatAddressShort(id.address),
      name: id.name,
      bytes: whole,
      metadata,
      lines: map && readSourceMap(new Uint8Array(map), pathFrom(root.directory, directory, source.path), source.text),
      constants,
      abortConstants: Object.keys(constants).filter((name) => module.aborts.has(name)),
      constantDocs: constantDocsOf(module, source.text),
    };
    found.push({ compiled, module: read });
  }
  const declared = sources.flatMap(({ modules }) => modules).filter((each) => test || !isForTests(each));
  assertNoneReplaced(declared, found, addresses);
  return found;
}

/**
 * Compilers name the file of a module after it alone, so of two modules with one name, one replaces the other.
 * @throws {EngineError} `compile-failed`
 */
function assertNoneReplaced(
  declared: readonly SourceModule[],
  found: readonly Found[],
  addresses: PackageTree['addresses'],
): void {
  for (const { address, name } of declared) {
    const owner = formatAddressShort(addressIn(address, addresses));
    const named = found.filter(({ compiled }) => compiled.name === name);
    if (named.length === 0 || named.some(({ compiled }) => compiled.address === owner)) continue;
    throw new EngineError(
      'compile-failed',
      `the compiler left out ${owner}::${name}: modules of one package need names of their own, and ${named[0]!.compiled.address}::${name} has this one`,
    );
  }
}

/** Where a source of a package is, as seen from the folder of the package being compiled. */
function pathFrom(root: string, directory: string, path: string): string {
  return relative(root, join(directory, path)).replaceAll(sep, '/');
}

/** A module with its metadata, which the program writes and the npm package does not. */
function complete(bytes: Uint8Array, module: SourceModule, { address }: ModuleId, test: boolean): Uint8Array {
  if (readModule(bytes).metadata.length > 0) return bytes;
  return withMetadata(bytes, metadataOfSource(module, address, test));
}

function sourceOf(
  sources: readonly SourceFile[],
  { address, name }: ModuleId,
  addresses: PackageTree['addresses'],
): { readonly source: SourceFile; readonly module: SourceModule } {
  const owner = formatAddressShort(address);
  for (const source of sources) {
    const isIt = (each: SourceModule): boolean =>
      each.name === name && formatAddressShort(addressIn(each.address, addresses)) === owner;
    const module = source.modules.find(isIt);
    if (module !== undefined) return { source, module };
  }
  throw new EngineError(
    'compile-failed',
    `the compiler made ${owner}::${name}, which no source of the package declares`,
  );
}

function constantsOf({ declarations }: SourceModule): Record<string, string> {
  const numbers = declarations.flatMap(({ kind, name, value }) => {
    const number = kind === 'constant' && value !== undefined ? constantNumber(value) : undefined;
    return number === undefined ? [] : [[name, number] as const];
  });
  return Object.fromEntries(numbers);
}

function constantDocsOf({ declarations }: SourceModule, text: string): Record<string, string> {
  const lines = text.split('\n');
  const docs = declarations.flatMap(({ kind, name, line }) => {
    const doc = kind === 'constant' ? docAbove(lines, line - 1) : '';
    return doc === '' ? [] : [[name, doc] as const];
  });
  return Object.fromEntries(docs);
}

/** The `///` comment that ends above the line at `index`, in one line. */
function docAbove(lines: readonly string[], index: number): string {
  let first = index;
  while (first > 0 && /^\s*\/\/\//.test(lines[first - 1]!)) first--;
  return lines
    .slice(first, index)
    .map((line) => line.trim().slice(3).trim())
    .join(' ');
}

/** Sorts modules so that each follows those that it depends on. */
function inOrder(found: readonly Found[]): CompiledModule[] {
  const byId = new Map(found.map((each) => [`${each.compiled.address}::${each.compiled.name}`, each]));
  const ordered = new Set<CompiledModule>();
  const visit = ({ compiled, module }: Found): void => {
    if (ordered.has(compiled)) return;
    for (const { address, name } of dependenciesOf(module)) {
      const needed = byId.get(`${formatAddressShort(address)}::${name}`);
      if (needed !== undefined && needed.compiled !== compiled) visit(needed);
    }
    ordered.add(compiled);
  };
  for (const each of found) visit(each);
  return [...ordered];
}
