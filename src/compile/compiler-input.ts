/**
 * What the compiler takes: sources that are compiled, and what they may use.
 * @module
 */
import type { EmittedModuleCache } from './module-cache.ts';
import type { ModuleIdentity } from './names/declaration.ts';
import type { ParsedPackage, SourceMode } from './names/module-source.ts';
import { parseFile } from './syntax/parser.ts';
import type { SyntaxFile } from './syntax/tree.ts';
import { Diagnostics } from './text/diagnostic.ts';

/** Sources with the values of the names of addresses that hold in them. */
export interface CompilerSources {
  /** Text by path, with `/` between folders. */
  readonly files: ReadonlyMap<string, string>;
  readonly addresses: ReadonlyMap<string, Uint8Array>;
}

/** Sources that are only used. */
export interface CompilerDependency extends CompilerSources {
  /** By key of a module: the keys of those that it uses, for sources that do not show it, since they have no bodies. */
  readonly uses?: ReadonlyMap<string, readonly string[]> | undefined;
  /** How many locals its own inlined calls have; the numbers of those of the targets go on from there. */
  readonly inlinedLocals?: number | undefined;
}

export interface CompilerInput {
  /** What is compiled. */
  readonly targets: readonly CompilerSources[];
  /** What is only used, from its sources. */
  readonly dependencies: readonly CompilerDependency[];
  readonly mode: SourceMode;
  /** The package that would have a module, if it were among the dependencies; for a hint. */
  readonly absentPackageOf?: ((module: ModuleIdentity) => string | undefined) | undefined;
  /** What is known of the targets from the last compilation, to be used again. */
  readonly cache?: EmittedModuleCache | undefined;
}

/** Diagnostics about dependencies come after all others. */
const DEPENDENCY_INDEX = 1_000_000;

export function readDependency(
  { files, addresses, uses }: CompilerDependency,
  diagnostics: Diagnostics,
): ParsedPackage {
  return { files: readFiles(files, DEPENDENCY_INDEX, diagnostics), addresses, uses };
}

/** Reads files in the order of their paths. */
export function readFiles(
  files: ReadonlyMap<string, string>,
  first: number,
  diagnostics: Diagnostics,
  cache?: EmittedModuleCache,
): SyntaxFile[] {
  const sorted = [...files].sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([path, text], position) => {
    const index = first + position;
    const known = cache?.file(path, text, index);
    if (known !== undefined) return known;
    const own = new Diagnostics();
    const file = parseFile({ path, text, index }, own);
    if (!own.has('warning')) cache?.keepFile(file);
    diagnostics.addAll(own);
    return file;
  });
}
