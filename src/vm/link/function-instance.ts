/**
 * A function at given type arguments: the unit that is translated, interpreted and called.
 * @module
 */
import { EngineError } from '../../error.ts';
import type { NativeSignature } from '../native.ts';
import type { Type } from '../value/type.ts';
import type { FunctionBody } from './function-body.ts';
import type { LoadedFunction } from './loaded-module.ts';

/** Runs the function: depth and operand height of the caller (natives have none), then the arguments. */
export type Runnable = (...args: unknown[]) => unknown;

/** What a call of a pure function takes at most. */
export interface Purity {
  /** Frames above its own. */
  readonly depth: number;
  /** Values on the operand stack, all of these frames together. */
  readonly height: number;
  /** Whether it calls a native that takes longer than to look its result up. */
  readonly isCostly: boolean;
  /** What it counts to prepare it and all that it calls (`preparation.ts`). */
  readonly units: number;
}

export class FunctionInstance {
  readonly loaded: LoadedFunction;
  readonly typeArguments: readonly Type[];
  readonly parameters: readonly Type[];
  readonly returns: readonly Type[];
  readonly #resolveLocals: () => readonly Type[];
  #localTypes: readonly Type[] | undefined;
  /** Resolved instructions; made on first use. */
  body: FunctionBody | undefined;
  /** Units that it is kept with: of itself, and of its body once that was resolved. */
  units = 0;
  /** The last execution that counted it for a result that was kept. */
  countedIn = 0;
  /** What callers call. At first it makes the code and puts it here. Translated callers read it at every call. */
  run: Runnable;
  /** Calls and turns of loops that the interpreter has seen; how it decides that translating pays. */
  heat = 0;
  /** Translated code for the rest of a call from a code offset on; `undefined` where there can be none. */
  readonly entries: Map<number, Runnable | undefined> = new Map();
  /** `undefined` for a function that is not pure; see `purity.ts`. */
  purity: Purity | undefined | 'unknown' = 'unknown';
  #signature: NativeSignature | undefined;

  constructor(
    loaded: LoadedFunction,
    typeArguments: readonly Type[],
    types: { parameters: readonly Type[]; returns: readonly Type[]; resolveLocals: () => readonly Type[] },
  ) {
    this.loaded = loaded;
    this.typeArguments = typeArguments;
    this.parameters = types.parameters;
    this.returns = types.returns;
    this.#resolveLocals = types.resolveLocals;
    this.run = () => {
      throw new EngineError('invariant-violation', `function ${loaded.name} was not linked`);
    };
  }

  /** Types of parameters and locals. Resolved on first use: a caller only needs the signature. */
  get localTypes(): readonly Type[] {
    this.#localTypes ??= [...this.parameters, ...this.#resolveLocals()];
    return this.#localTypes;
  }

  get isNative(): boolean {
    return this.loaded.code === undefined;
  }

  /** What a native is told of itself. */
  get signature(): NativeSignature {
    const { loaded, typeArguments, parameters, returns } = this;
    this.#signature ??= { module: loaded.module.id!, name: loaded.name, typeArguments, parameters, returns };
    return this.#signature;
  }
}
