/**
 * Receives every call of an execution: the function, its arguments and results, and the gas left; and, if it asks for
 * them, every instruction.
 *
 * Only the interpreter reports calls, so a traced execution is interpreted from start to end; values, status, location
 * and gas are those of translated code. Values are passed as they are in the machine, and change when it continues: to
 * keep one, keep its BCS.
 * @module
 */
import type { Failure } from './failure.ts';
import type { FunctionInstance } from './link/function-instance.ts';

/** A frame of the interpreter, as a tracer sees it. */
export interface TracedFrame {
  /** Offset of the running instruction, or of the waiting call. */
  readonly offset: number;
}

export interface CallTracer {
  /**
   * A call begins, inside the last one that began and has not ended.
   * @param frame undefined for a native, which has none
   * @param gasLeft units, after the call instruction was paid for
   */
  enter(
    instance: FunctionInstance,
    parameters: readonly unknown[],
    frame: TracedFrame | undefined,
    gasLeft: bigint,
  ): void;
  /** The call that began last ends. */
  leave(values: readonly unknown[], gasLeft: bigint): void;
  /** The instruction at `offset` is about to be paid for. */
  step?(instance: FunctionInstance, offset: number): void;
  /** The call from outside failed, and with it all calls that have not ended. */
  fail(failure: Failure, gasLeft: bigint): void;
}
