/**
 * What programs tell of the sources of modules, so that failures and traces have the names of constants and the lines of
 * sources. Nothing of it is stored, and nothing that is executed depends on it.
 *
 * It is found by the code itself: all engines and forks of the process know it, and code that was upgraded since keeps its
 * own lines.
 * @module
 */
import { argumentError } from './argument.ts';
import { textOfBytes } from './bytes/byte-text.ts';
import { MODULE_SOURCES_MAX } from './config.ts';
import { EngineError } from './error.ts';
import { sha3 } from './hash/sha3.ts';

/** The lines of the instructions of one module. Plain data: it can be written as JSON. */
export interface SourceLines {
  /** The source, from the folder of the package that was compiled, also where the module is one of another package. */
  readonly path: string;
  /** By the function's index in its module: pairs of a code offset and the line from there on, ascending. */
  readonly functions: Readonly<Record<string, readonly (readonly [offset: number, line: number])[]>>;
}

/** The line of an instruction; undefined where the map has none. */
export function lineAt({ functions }: SourceLines, functionIndex: number, codeOffset: number): number | undefined {
  return functions[functionIndex]?.findLast(([offset]) => offset <= codeOffset)?.[1];
}

/** What is known of a module's source; `compile` of `movelet/compile` gives such. */
export interface ModuleSource {
  /** The compiled module, as it is published. */
  readonly bytes: Uint8Array;
  readonly lines?: SourceLines | undefined;
  /** Constants that are whole numbers, by name, in decimal. */
  readonly constants?: Readonly<Record<string, string>> | undefined;
  /** What the comments on these constants say, by name. */
  readonly constantDocs?: Readonly<Record<string, string>> | undefined;
}

/** By digest of the code. */
const known = new Map<string, ModuleSource>();

/** Replaced whenever something is told, so that who has passed it on knows. */
let toldModules: readonly ModuleSource[] = [];

/**
 * Tells the engines of this process where modules come from: receipts, views, traces, tests and JSON-RPC then name the
 * constant of an abort code, say what its comment says, and have the source line of each frame.
 *
 * ```ts
 * const { modules } = await compile('contracts/counter');
 * addSources(modules);
 * ```
 * @throws {EngineError} `invalid-argument`; `limit-exceeded` for more than MODULE_SOURCES_MAX modules
 */
export function addSources(modules: readonly ModuleSource[]): void {
  if (!Array.isArray(modules)) throw argumentError('modules', 'an array of modules with bytes', modules);
  for (const [index, module] of modules.entries()) {
    if (!(module?.bytes instanceof Uint8Array)) {
      throw argumentError(`modules[${index}].bytes`, 'the bytes of a compiled module', module?.bytes);
    }
    const digest = textOfBytes(sha3(module.bytes));
    if (!known.has(digest) && known.size >= MODULE_SOURCES_MAX) {
      throw new EngineError(
        'limit-exceeded',
        `the sources of ${MODULE_SOURCES_MAX} modules are known (MODULE_SOURCES_MAX)`,
      );
    }
    known.set(digest, module);
    toldModules = [];
  }
}

/**
 * All that is known, for threads, which have a memory of their own: equal by `===` until more is told. Plain data only,
 * whatever else the modules have that `addSources` was given.
 */
export function knownSources(): readonly ModuleSource[] {
  if (toldModules.length === 0 && known.size > 0) {
    toldModules = [...known.values()].map(({ bytes, lines, constants, constantDocs }) => ({
      bytes,
      lines,
      constants,
      constantDocs,
    }));
  }
  return toldModules;
}

/** Whether any source is known. */
export function hasSources(): boolean {
  return known.size > 0;
}

/** What is known of the module whose code has this digest. */
export function sourceOfDigest(digest: string): ModuleSource | undefined {
  return known.get(digest);
}

/** The name of the constant with this value; one that is called after an error rather than another. */
export function constantOf(constants: Readonly<Record<string, string>>, code: string): string | undefined {
  const equal = Object.entries(constants).flatMap(([name, value]) => (value === code ? [name] : []));
  return equal.find((name) => /^E/.test(name)) ?? equal[0];
}
