/**
 * Source information that programs register for modules, so that failures and traces can name constants and source
 * lines. It is not stored, and execution does not depend on it.
 *
 * It is keyed by the code itself: all engines and forks of the process know it, and code that has been upgraded since
 * keeps its own lines.
 * @module
 */
import { argumentError } from '../base/argument.ts';
import { textOfBytes } from '../base/bytes/bytes.ts';

import { EngineError } from '../base/error.ts';
import { sha3 } from '../base/hash/sha3.ts';

/** Number of modules whose sources a process can register: enough for many packages, about 20 kB each. */
const MODULE_SOURCES_MAX = 10_000;

/**
 * The source lines of a module's instructions, and the names of its parameters. Plain data: it can be written as JSON.
 */
export interface SourceLines {
  /** The source file, relative to the folder of the compiled package, also for modules of other packages. */
  readonly path: string;
  /** Keyed by the function's index in its module: pairs of a code offset and the line from there on, ascending. */
  readonly functions: Readonly<Record<string, readonly (readonly [offset: number, line: number])[]>>;
  /** The names of parameters, keyed likewise. */
  readonly parameters?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The line of an instruction; undefined if the map has none. */
export function lineAt({ functions }: SourceLines, functionIndex: number, codeOffset: number): number | undefined {
  return functions[functionIndex]?.findLast(([offset]) => offset <= codeOffset)?.[1];
}

/** Information about a module's source; `compile` of `movelet/compile` returns these. */
export interface ModuleSource {
  /** The compiled module, as it is published. */
  readonly bytes: Uint8Array;
  readonly lines?: SourceLines | undefined;
  /** Constants that are whole numbers, by name, in decimal. */
  readonly constants?: Readonly<Record<string, string>> | undefined;
  /** The constants with which the module's code aborts; undefined if unknown. */
  readonly abortConstants?: readonly string[] | undefined;
  /** The comments on these constants, by name. */
  readonly constantDocs?: Readonly<Record<string, string>> | undefined;
}

/** By digest of the code. */
const known = new Map<string, ModuleSource>();

/** Replaced whenever sources are added, so that additions can be detected by identity. */
let toldModules: readonly ModuleSource[] = [];

/**
 * Registers the sources of modules for all engines of this process: receipts, views, traces, tests and JSON-RPC then
 * name the constant behind an abort code, quote its comment, and give the source line of each frame.
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
 * All registered sources, for threads, which have their own memory: equal by `===` until more are added. Plain data
 * only, whatever else the modules given to `addSources` have.
 */
export function knownSources(): readonly ModuleSource[] {
  if (toldModules.length === 0 && known.size > 0) {
    toldModules = [...known.values()].map(({ bytes, lines, constants, abortConstants, constantDocs }) => ({
      bytes,
      lines,
      constants,
      abortConstants,
      constantDocs,
    }));
  }
  return toldModules;
}

/** Whether any source is known. */
export function hasSources(): boolean {
  return known.size > 0;
}

/** The sources of the module whose code has this digest. */
export function sourceOfDigest(digest: string): ModuleSource | undefined {
  return known.get(digest);
}

/**
 * The names of the parameters of each function of a module, keyed by the function's index; undefined if its sources are
 * unknown.
 */
export function parameterNames(bytes: Uint8Array): SourceLines['parameters'] {
  return hasSources() ? sourceOfDigest(textOfBytes(sha3(bytes)))?.lines?.parameters : undefined;
}

/**
 * Naming patterns of error constants, the clearest first: `ErrorX`, `ERR_X` or `E_X`; then `EX`, as `EPOCH` might be.
 */
const ERROR_NAMES: readonly RegExp[] = [/^(Err(or)?[A-Z0-9_]|ERR(OR)?_|E_)/, /^E/];

/**
 * The name of the constant for an abort code: of those with this value, the one with which code aborts, or that is
 * named like an error constant. All of them, joined with `or`, if ambiguous.
 */
export function constantOf(
  { constants = {}, abortConstants }: Pick<ModuleSource, 'constants' | 'abortConstants'>,
  code: string,
): string | undefined {
  let named = Object.keys(constants).filter((name) => constants[name] === code);
  if (abortConstants !== undefined) {
    // A constant that looks like an error but is in no abort may be passed to a function that aborts.
    const aborting = named.filter((name) => abortConstants.includes(name));
    named = aborting.length > 0 ? aborting : named.filter((name) => ERROR_NAMES.some((form) => form.test(name)));
  }
  const form = ERROR_NAMES.find((each) => named.some((name) => each.test(name)));
  const likely = form === undefined ? named : named.filter((name) => form.test(name));
  return likely.length === 0 ? undefined : likely.join(' or ');
}
