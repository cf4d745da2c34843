/**
 * Makes a trace from what a recorder saw and how the execution ended, and finds the call stack of an untraced failure.
 * @module
 */
import { EngineError, type ErrorCode } from '../../base/error.ts';
import type { Failure } from '../../vm/failure.ts';
import { explainFailure, type ModuleLookup } from './explain-failure.ts';
import type { StackFrame } from './place.ts';
import type { Recorder } from './recorder.ts';
import { Trace } from './trace.ts';

/** How an execution ended. */
export interface Ended {
  readonly gasUsed: bigint;
  readonly failure?: Failure | undefined;
}

export function traceOf(recorder: Recorder, { gasUsed, failure }: Ended, findModule: ModuleLookup): Trace {
  if (failure === undefined) return new Trace(recorder, { gasUsed, failed: undefined });
  const { message, abortName, abortMeaning } = explainFailure(failure, findModule);
  return new Trace(recorder, { gasUsed, failed: { failure, message, abortName, abortMeaning } });
}

/** Errors for which a call stack can no longer be found, or not in time. */
const UNKNOWABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'closed',
  'deadline-exceeded',
  'not-found',
  'not-supported',
  'pruned',
  'state-not-loaded',
]);

/**
 * The call stack of a failure, found by running again under trace; undefined if the chain no longer has the state or the run
 * would take longer than CALL_STACK_MS_MAX.
 */
export function callStackBy(run: () => Trace): readonly StackFrame[] | undefined {
  try {
    return run().failure?.callStack;
  } catch (error) {
    if (error instanceof EngineError && UNKNOWABLE.has(error.code)) return undefined;
    throw error;
  }
}
