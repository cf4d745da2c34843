/**
 * The function whose blocks are being written, and where its code goes: on its own, or in place of a call.
 *
 * What it calls when it cannot continue is its failure site: one for each function instance, named `e` in the code.
 * @module
 */

import { DEPTH_BITS, DEPTH_MASK, type InterpreterContext, interpret } from '../interpret/interpreter.ts';
import type { FunctionBody } from '../link/function-body.ts';
import type { FunctionInstance } from '../link/function-instance.ts';
import { StatusCode } from '../status.ts';

/** A function whose code is written in place of its call. */
export interface Inlined {
  readonly instance: FunctionInstance;
  readonly body: FunctionBody;
  readonly site: FailureSite;
}

/** The function whose block is written, and where its code goes. */
export interface Scope {
  readonly instance: FunctionInstance;
  readonly body: FunctionBody;
  /** The name of its failure site. */
  readonly site: string;
  /** The number of its first local in the code. */
  readonly firstLocal: number;
  /** Frames and operands that the functions around it have, if it is inlined. */
  readonly frames: number;
  readonly height: number;
  /** Where an inlined function leaves its results, and the label that it leaves. */
  readonly exit: { readonly label: string; readonly results: readonly string[] } | undefined;
  /** The function that it is inlined in. */
  readonly outer: Scope | undefined;
}

/** What a block's code may rely on. */
export interface Entry {
  /** Whether gas is checked at the start of the block. */
  readonly looksAtGas: boolean;
  /** Whether each call must check the depth, because the function does not at its entry. */
  readonly checksDepth: boolean;
}

/**
 * The failing methods throw; they return `never`, so callers may write `throw` before the call. `refund` is what the
 * segment has charged for instructions that were not reached; it is refunded first, so that OUT_OF_GAS is reported
 * correctly.
 */
export class FailureSite {
  readonly #instance: FunctionInstance;
  readonly #interpreter: InterpreterContext;

  constructor(instance: FunctionInstance, interpreter: InterpreterContext) {
    this.#instance = instance;
    this.#interpreter = interpreter;
  }

  arithmetic(refund: number, offset: number): never {
    return this.#fail(refund, offset, StatusCode.ARITHMETIC_ERROR, 'arithmetic error');
  }

  vector(refund: number, offset: number, fault: bigint): never {
    return this.#fail(refund, offset, StatusCode.VECTOR_OPERATION_ERROR, 'vector operation error', fault);
  }

  abort(refund: number, offset: number, code: bigint): never {
    return this.#fail(refund, offset, StatusCode.ABORTED, `abort ${code}`, code);
  }

  depth(offset: number): never {
    return this.#fail(0, offset, StatusCode.CALL_STACK_OVERFLOW, 'call stack overflow');
  }

  fault(refund: number, offset: number, status: StatusCode): never {
    return this.#fail(refund, offset, status, 'a type passes a bound');
  }

  /** Runs the whole function on the interpreter, because operand stack or call stack could overflow in it. */
  interpret(base: number, parameters: readonly unknown[]): unknown {
    // To the end: if its callees ran as translated code, they would come here again.
    const values = interpret({ ...this.#interpreter, tiers: undefined }, this.#instance, parameters, {
      depth: base & DEPTH_MASK,
      height: base >>> DEPTH_BITS,
    });
    return values.length > 1 ? values : values[0];
  }

  #fail(refund: number, offset: number, status: StatusCode, message: string, subStatus?: bigint): never {
    const { processor } = this.#interpreter;
    processor.gas.giveBack(refund);
    return processor.fail(this.#instance.loaded, offset, status, message, subStatus);
  }
}
