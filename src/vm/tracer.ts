/**
 * Who is told of every call of an execution: which function, with what, what came back, what was left of the gas.
 *
 * Only the interpreter tells it, so an execution that is traced is interpreted from end to end; value, status, place and
 * gas are those of translated code. Values are handed over as they are in the machine, and change when it goes on: who
 * wants to keep one keeps its BCS.
 * @module
 */
import type { Failure } from './failure.ts';
import type { FunctionInstance } from './link/function-instance.ts';

/** A frame of the interpreter, as a tracer sees it. */
export interface TracedFrame {
  /** Of the instruction that runs, or of the call that waits. */
  readonly offset: number;
}

export interface CallTracer {
  /**
   * A call begins, inside of the one that began last and has not ended.
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
  /** What was called from outside failed, and with it all calls that have not ended. */
  fail(failure: Failure, gasLeft: bigint): void;
}
