/**
 * A function at given type arguments: the unit that is translated, interpreted and called.
 *
 * A pure function has the same result, for the same gas, whenever it is called with the same arguments. A function is
 * pure if everything that it calls is pure: Move functions that are pure themselves, and natives that are declared pure
 * (`NativeTable.pure`), with types that are not large. What it does to its locals does not matter, and it cannot reach
 * anything else as long as neither its parameters nor its results are references.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import type { ModuleId } from '../binary/module.ts';
import { GLOBAL_STORAGE } from '../binary/opcode.ts';
import type { SignatureToken } from '../binary/signature-token.ts';
import type { NativeSignature } from '../native.ts';
import type { Type } from '../value/type.ts';
import type { FunctionBody } from './function-body.ts';
import type { LoadedFunction, LoadedModule } from './loaded-module.ts';
import { bodyUnits, instanceUnits } from './preparation.ts';

/** Runs the function: depth and operand height of the caller (natives have none), then the arguments. */
export type Runnable = (...args: unknown[]) => unknown;

/** Bounds on the resources that a call of a pure function uses. */
export interface Purity {
  /** Frames above its own. */
  readonly depth: number;
  /** Values on the operand stack, all of these frames together. */
  readonly height: number;
  /** Whether it calls a native that takes longer than a look-up of its result. */
  readonly isCostly: boolean;
  /** Units of preparing it and its callees (`preparation.ts`). */
  readonly units: number;
}

/** Resolves the types of locals. */
interface LocalTypes {
  resolveAll(module: LoadedModule, tokens: readonly SignatureToken[], typeArguments: readonly Type[]): readonly Type[];
}

function notLinked(): never {
  throw new EngineError('invariant-violation', 'a function was called that was not linked');
}

export class FunctionInstance {
  readonly loaded: LoadedFunction;
  readonly typeArguments: readonly Type[];
  readonly parameters: readonly Type[];
  readonly returns: readonly Type[];
  readonly #types: LocalTypes;
  #localTypes: readonly Type[] | undefined;
  /** Resolved instructions; made on first use. */
  body: FunctionBody | undefined;
  /** Units that it counts while it is kept: its own, and those of its body once that is resolved. */
  units = 0;
  /** The last execution that counted it for a cached result. */
  countedIn = 0;
  /** Entry point for callers, read at every call. The first call creates the code and stores it here. */
  run: Runnable;
  /** Calls and loop iterations that the interpreter has run; they decide when it is translated. */
  heat = 0;
  /** Translated code for the rest of a call from a code offset; `undefined` if it cannot be translated from there. */
  entries: Map<number, Runnable | undefined> | undefined = undefined;
  /** `undefined` for a function that is not pure. */
  purity: Purity | undefined | 'unknown' = 'unknown';
  #signature: NativeSignature | undefined;

  constructor(
    loaded: LoadedFunction,
    typeArguments: readonly Type[],
    signature: { parameters: readonly Type[]; returns: readonly Type[]; types: LocalTypes },
  ) {
    this.loaded = loaded;
    this.typeArguments = typeArguments;
    this.parameters = signature.parameters;
    this.returns = signature.returns;
    this.#types = signature.types;
    this.run = notLinked;
  }

  /** Types of parameters and locals. Resolved on first use: a caller only needs the signature. */
  get localTypes(): readonly Type[] {
    this.#localTypes ??= this.#resolveLocals();
    return this.#localTypes;
  }

  #resolveLocals(): readonly Type[] {
    const { loaded, parameters, typeArguments } = this;
    if (loaded.locals.length === 0) return parameters;
    return parameters.concat(this.#types.resolveAll(loaded.module, loaded.locals, typeArguments));
  }

  get isNative(): boolean {
    return this.loaded.code === undefined;
  }

  /** The signature that a native receives. */
  get signature(): NativeSignature {
    const { loaded, typeArguments, parameters, returns } = this;
    this.#signature ??= { module: loaded.module.id!, name: loaded.name, typeArguments, parameters, returns };
    return this.#signature;
  }
}

/**
 * Nodes of a type argument up to which natives may be pure: larger types have names of many kB, which count as work.
 */
export const PURE_TYPE_NODES_MAX = 16;

/** The part of the machine that the analysis uses. */
export interface PurityContext {
  bodyOf(instance: FunctionInstance): FunctionBody;
  /** `undefined` for a native that is not pure. */
  pureNative(module: ModuleId, name: string): { readonly isCostly: boolean } | undefined;
}

/** Units up to which a function's results are worth caching: those of the framework take two hundred. */
const PURE_UNITS_MAX = 10_000;

/**
 * `undefined` for a function that is not pure, is recursive, directly or through others, or takes too much code.
 */
export function purityOf(instance: FunctionInstance, context: PurityContext): Purity | undefined {
  if (instance.purity === 'unknown') {
    // Preliminary, so that recursion ends.
    instance.purity = undefined;
    instance.purity = instance.isNative ? ofNative(instance, context) : ofFunction(instance, context);
  }
  return instance.purity;
}

function ofNative({ signature, returns }: FunctionInstance, context: PurityContext): Purity | undefined {
  if (signature.typeArguments.some(({ nodes }) => nodes > PURE_TYPE_NODES_MAX)) return undefined;
  const native = context.pureNative(signature.module, signature.name);
  return native === undefined ? undefined : { depth: 0, height: returns.length, isCostly: native.isCostly, units: 0 };
}

function ofFunction(instance: FunctionInstance, context: PurityContext): Purity | undefined {
  const known = instance.body;
  const body = context.bodyOf(instance);
  // Bodies are large: one that was resolved for this is not kept.
  instance.body = known;
  let depth = 0;
  let height = 0;
  let isCostly = false;
  let units = instanceUnits(instance.loaded) + bodyUnits(instance.loaded);
  for (const step of body.steps) {
    if (step === undefined) continue;
    if (GLOBAL_STORAGE.has(step.op)) return undefined;
    if (step.callee === undefined) continue;
    const callee = purityOf(step.callee, context);
    if (callee === undefined) return undefined;
    depth = Math.max(depth, callee.depth + (step.callee.isNative ? 0 : 1));
    height = Math.max(height, callee.height);
    isCostly ||= callee.isCostly;
    units += callee.units + instanceUnits(step.callee.loaded);
    if (units > PURE_UNITS_MAX) return undefined;
  }
  return { depth, height: height + body.heightMax, isCostly, units };
}
