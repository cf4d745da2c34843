/**
 * What sources of a compilation are typed against: the modules that they use and that are not compiled with them.
 *
 * Many compilations use the same dependencies, most of them little of these. So dependencies are read, resolved and typed
 * once, and of those that say what they use only what is needed.
 * @module
 */
import { toHex } from '../base/bytes/bytes.ts';
import { checkTypes } from './check/check-types.ts';
import type { TypedModule, TypedProgram } from './check/typed-tree.ts';
import { type CompilerDependency, type CompilerInput, type CompilerSources, readDependency } from './compiler-input.ts';
import type { ModuleUses } from './names/module-order.ts';
import { collectSources, type ParsedPackage, type SourceMode } from './names/module-source.ts';
import { resolveNames } from './names/resolve.ts';
import type { ResolvedProgram } from './names/resolved-tree.ts';
import { Diagnostics } from './text/diagnostic.ts';
import { Names } from './text/diagnostic-kind.ts';

/** A typed program, and what each of its modules uses. */
export interface TypedSources {
  readonly program: TypedProgram;
  readonly uses: readonly ModuleUses[];
  /** All modules of sources, those of dependencies too. */
  readonly modules: readonly TypedModule[];
}

/** The typed program of the targets with all that they may use; undefined if a source of that cannot be read. */
export function typeProgram(
  input: CompilerInput,
  targets: readonly ParsedPackage[],
  diagnostics: Diagnostics,
): TypedSources | undefined {
  return withLibrary(input, targets, diagnostics) ?? fromAllSources(input, targets, diagnostics);
}

function fromAllSources(
  input: CompilerInput,
  targets: readonly ParsedPackage[],
  diagnostics: Diagnostics,
): TypedSources | undefined {
  const dependencies = input.dependencies.map((each) => readDependency(each, diagnostics));
  if (dependencies.some(({ files }) => files.some((file) => !file.isComplete))) return undefined;
  const resolved = resolveNames({ ...input, targets, dependencies }, diagnostics);
  const program = checkTypes(resolved, diagnostics);
  return { program, uses: resolved.uses, modules: program.modules };
}

/** Dependencies that were resolved and typed once, for all compilations that use them. */
interface Library {
  readonly dependencies: readonly CompilerDependency[];
  readonly mode: SourceMode;
  /** The files that are in it, of those that may be left out. */
  readonly files: ReadonlySet<string>;
  /** Undefined if there is something to be reported, which each compilation does. */
  readonly resolved: ResolvedProgram | undefined;
  readonly modules: readonly TypedModule[];
  /** Those with inline functions, and these functions alone. */
  readonly inlined: readonly TypedModule[];
}

/** By the last of the dependencies. */
const libraries = new WeakMap<CompilerDependency, Library>();

/** The typed program if the dependencies are a library, and no target takes the place of one of its modules. */
function withLibrary(
  { targets: sources, dependencies, mode }: CompilerInput,
  targets: readonly ParsedPackage[],
  diagnostics: Diagnostics,
): TypedSources | undefined {
  const last = dependencies.at(-1);
  if (last === undefined) return undefined;
  const files = neededFiles(sources, dependencies);
  let library = libraries.get(last);
  if (library === undefined || !isLibraryOf(library, dependencies, mode) || !isSubset(files, library.files)) {
    library = newLibrary(dependencies, mode, files);
    libraries.set(last, library);
  }
  const { resolved } = library;
  if (resolved === undefined) return undefined;
  const { modules } = collectSources(targets, [], mode, new Diagnostics());
  if (modules.some(({ identity }) => resolved.declarations.has(identity.key))) return undefined;
  const input = { targets, dependencies: [], library: resolved, mode };
  const own = new Diagnostics();
  const found = resolveNames(input, own);
  // It may be that words did not tell what is needed; and what is misspelled is looked for in all modules.
  if (own.sorted().some(({ kind }) => kind === Names.module || kind === Names.type)) return undefined;
  diagnostics.addAll(own);
  const typed = checkTypes(found, diagnostics);
  return {
    program: { ...typed, modules: [...library.inlined, ...typed.modules] },
    uses: found.uses,
    modules: [...library.modules, ...typed.modules],
  };
}

function isLibraryOf(known: Library, dependencies: readonly CompilerDependency[], mode: SourceMode): boolean {
  if (known.mode.hasTests !== mode.hasTests || known.mode.hasVerification !== mode.hasVerification) return false;
  if (known.dependencies.length !== dependencies.length) return false;
  return known.dependencies.every((each, index) => each === dependencies[index]);
}

function isSubset(some: ReadonlySet<string>, all: ReadonlySet<string>): boolean {
  for (const each of some) if (!all.has(each)) return false;
  return true;
}

function newLibrary(
  dependencies: readonly CompilerDependency[],
  mode: SourceMode,
  files: ReadonlySet<string>,
): Library {
  const diagnostics = new Diagnostics();
  const needed = dependencies.map((each): CompilerDependency => {
    if (each.uses === undefined) return each;
    return { ...each, files: new Map([...each.files].filter(([path]) => files.has(path))) };
  });
  const read = needed.map((each) => readDependency(each, diagnostics));
  const nothing: Library = { dependencies, mode, files, resolved: undefined, modules: [], inlined: [] };
  if (read.some((each) => each.files.some((file) => !file.isComplete))) return nothing;
  const resolved = resolveNames({ targets: [], dependencies: read, mode }, diagnostics);
  const typed = checkTypes(resolved, diagnostics);
  if (diagnostics.has('warning')) return nothing;
  const inlined = typed.modules.flatMap(({ declaration, constants, functions }) => {
    const inline = functions.filter((each) => each.declaration.isInline);
    return inline.length === 0 ? [] : [{ declaration, constants, functions: inline }];
  });
  return { dependencies, mode, files, resolved, modules: typed.modules, inlined };
}

/** What a source declares and names, as far as its words tell without reading it. */
interface Words {
  /** Keys of modules, if all of them are at an address that is named with them. */
  readonly declared: ReadonlySet<string> | undefined;
  /** Keys that may be those of modules. */
  readonly named: ReadonlySet<string>;
}

const wordsOfDependencies = new WeakMap<CompilerDependency, ReadonlyMap<string, Words>>();

function wordsOf(text: string, addresses: ReadonlyMap<string, Uint8Array>): Words {
  const keyOf = (address: string, name: string): string | undefined => {
    if (/^\d/.test(address)) return `${BigInt(/^(?:0x[0-9a-fA-F]+|\d+)/.exec(address)![0])} ${name}`;
    const value = addresses.get(address);
    return value === undefined ? undefined : `${BigInt(`0x${toHex(value)}`)} ${name}`;
  };
  const keys = (matches: Iterable<RegExpExecArray>): Set<string> =>
    new Set([...matches].flatMap(([, address, name]) => keyOf(address!, name!) ?? []));
  const modules = text.match(/\bmodule\s/g)?.length ?? 0;
  const declared = keys(text.matchAll(/\bmodule\s+(\w{1,80})\s*::\s*(\w+)/g));
  return {
    declared: declared.size === modules ? declared : undefined,
    named: keys(text.matchAll(/\b(\w{1,80})\s*::\s*(\w+)/g)),
  };
}

function wordsOfDependency(dependency: CompilerDependency): ReadonlyMap<string, Words> {
  const known = wordsOfDependencies.get(dependency);
  if (known !== undefined) return known;
  const { files, addresses } = dependency;
  const words = new Map([...files].map(([path, text]) => [path, wordsOf(text, addresses)]));
  wordsOfDependencies.set(dependency, words);
  return words;
}

/** Of dependencies that say what they use, the files that targets need, directly or not. */
function neededFiles(
  targets: readonly CompilerSources[],
  dependencies: readonly CompilerDependency[],
): ReadonlySet<string> {
  const files = new Set<string>();
  const names = new Set<string>();
  const take = (path: string, { named }: Words): void => {
    files.add(path);
    for (const each of named) names.add(each);
  };
  const byModule = new Map<string, () => void>();
  for (const dependency of dependencies.filter(({ uses }) => uses !== undefined)) {
    for (const [path, words] of wordsOfDependency(dependency)) {
      if (words.declared === undefined) take(path, words);
      else for (const key of words.declared) byModule.set(key, () => take(path, words));
    }
  }
  for (const { files: texts, addresses } of [...targets, ...dependencies.filter(({ uses }) => uses === undefined)]) {
    for (const text of texts.values()) for (const name of wordsOf(text, addresses).named) names.add(name);
  }
  for (const name of names) byModule.get(name)?.();
  return files;
}
