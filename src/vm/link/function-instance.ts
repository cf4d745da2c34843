/**
 * A function at given type arguments: the unit that is translated, interpreted and called.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import type { SignatureToken } from '../binary/signature-token.ts';
import type { NativeSignature } from '../native.ts';
import type { Type } from '../value/type.ts';
import type { FunctionBody } from './function-body.ts';
import type { LoadedFunction, LoadedModule } from './loaded-module.ts';

/** Runs the function: depth and operand height of the caller (natives have none), then the arguments. */
export type Runnable = (...args: unknown[]) => unknown;

/** The most that a call of a pure function takes. */
export interface Purity {
  /** Frames above its own. */
  readonly depth: number;
  /** Values on the operand stack, all of these frames together. */
  readonly height: number;
  /** Whether it calls a native that takes longer than looking up its result. */
  readonly isCostly: boolean;
  /** Units of preparing it and everything that it calls (`preparation.ts`). */
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
  /**
   * What callers call. The first call creates the code and stores it here. Translated callers read it at every call.
   */
  run: Runnable;
  /** Calls and turns of loops that the interpreter has seen; they decide when it is translated. */
  heat = 0;
  /** Translated code for the rest of a call from a code offset; `undefined` if it cannot be translated from there. */
  entries: Map<number, Runnable | undefined> | undefined = undefined;
  /** `undefined` for a function that is not pure; see `purity.ts`. */
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
