/**
 * What translated code calls when it cannot continue: one object for each function instance, named `e` in the code.
 * @module
 */
import { DEPTH_BITS, DEPTH_MASK, type InterpreterContext, interpret } from '../interpret/interpreter.ts';
import type { FunctionInstance } from '../link/function-instance.ts';
import { StatusCode } from '../status.ts';

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
