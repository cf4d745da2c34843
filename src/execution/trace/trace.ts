/**
 * Traces: what an execution did, call by call, for people who want to know why.
 *
 * A traced execution runs on the interpreter, which reports each call to a recorder; translated code knows nothing
 * about traces, so untraced executions pay nothing. Both engines agree on value, status, place and gas, and a traced
 * execution that is repeated from the ledger must end as the ledger says: it is the same execution.
 *
 * Only a tree of calls is kept, with the BCS of their arguments and results. Reads, writes, events and prints are calls
 * of natives, since Move code has no other way to reach the world; they are derived from the tree on demand, and values
 * are decoded on demand. Instructions are not kept, except the one that each function had reached when the execution
 * failed. Gas is the difference of the counter before and after a call: what each call used by itself, what the calls
 * that were not kept used, and what the size cost add up to the total.
 *
 * It is bounded (TRACE_CALLS_MAX, TRACE_BYTES_MAX): the latest calls are left out, but never those that lead to the
 * failure; `isTruncated` says so. It holds what it needs of the code that ran, so the chain may advance or revert.
 * @module
 */

import { A_BOOLEAN, assertOptions } from '../../base/argument.ts';
import { printAs } from '../../chain/value/byte-value.ts';
import { LazyReadable } from '../../chain/value/readable.ts';
import type { Failure } from '../../vm/failure.ts';
import { StatusCode, statusName } from '../../vm/status.ts';
import { TraceCall, walkCalls } from './call.ts';
import { accessOf, eventOf, printOf, type TraceAccess, type TraceEvent } from './effects.ts';
import type { TraceValue } from './kept-value.ts';
import { functionName, type StackFrame, stackFrame, stackLines } from './place.ts';
import { type GasProfile, gasProfile } from './profile.ts';
import type { Recorder } from './recorder.ts';
import { callLines, type TraceTextOptions } from './text.ts';

/** Where and why a traced execution failed. */
export interface TraceFailure {
  /** Name of the Move machine's status: `ABORTED`, `OUT_OF_GAS`. */
  readonly status: string;
  readonly abortCode: bigint | undefined;
  /** The constant of that code, if the sources of its module are known. */
  readonly abortName: string | undefined;
  /** What those sources say about it. */
  readonly abortMeaning: string | undefined;
  /** One sentence. */
  readonly message: string;
  /** From the outermost function to the one that failed; empty if it failed outside code. */
  readonly callStack: readonly StackFrame[];
}

/** The gas that one function used by itself in all of its calls, including those that are not kept. */
export interface FunctionGas {
  /** `0x3::coin::withdraw`. */
  readonly function: string;
  readonly calls: number;
  readonly gasSelf: bigint;
}

/** How a traced execution ended. */
interface TraceOutcome {
  readonly gasUsed: bigint;
  /** With its explanation. */
  readonly failed:
    | ({ readonly failure: Failure } & Pick<TraceFailure, 'message' | 'abortName' | 'abortMeaning'>)
    | undefined;
}

/** What an execution did. `String(trace)` is indented text; `JSON.stringify(trace)` has all calls. */
export class Trace extends LazyReadable {
  readonly gasUsed: bigint;
  /** Gas that was not used by code: the price of the transaction's size. */
  readonly gasBefore: bigint;
  /** Whether there were more calls, or larger values, than a trace keeps. */
  readonly isTruncated: boolean;
  /** The number of calls that are not kept. */
  readonly omittedCalls: number;
  /** Undefined if it succeeded. */
  readonly failure: TraceFailure | undefined;
  /** The calls from outside, in order: the action, and the chain's own code before and after it. */
  readonly calls: readonly TraceCall[];
  readonly #recorder: Recorder;

  constructor(recorder: Recorder, { gasUsed, failed }: TraceOutcome) {
    super();
    this.gasUsed = gasUsed;
    this.calls = recorder.roots.map((node) => new TraceCall(node));
    this.gasBefore = gasUsed - this.calls.reduce((sum, call) => sum + call.gasUsed, 0n);
    this.omittedCalls = recorder.omittedCalls;
    this.isTruncated = recorder.omittedCalls > 0 || recorder.omittedValues > 0;
    this.failure = failed && failureOf(recorder, failed);
    this.#recorder = recorder;
  }

  /** Reads and changes of objects and fields, in order; only those of kept calls. */
  get accesses(): readonly TraceAccess[] {
    return [...this.#each(accessOf)];
  }

  get reads(): readonly TraceAccess[] {
    return this.accesses.filter(({ kind }) => kind === 'read');
  }

  get writes(): readonly TraceAccess[] {
    return this.accesses.filter(({ kind }) => kind === 'write');
  }

  /** Events as they were emitted; those of a failed action are lost along with everything else that it did. */
  get events(): readonly TraceEvent[] {
    return [...this.#each(eventOf)];
  }

  /** What `0x1::debug::print` printed. */
  get prints(): readonly TraceValue[] {
    return [...this.#each(printOf)];
  }

  /** Gas by function, the most expensive first. */
  get functions(): readonly FunctionGas[] {
    const totals = [...this.#recorder.functions].map(([loaded, { calls, gasSelf }]) => ({
      function: functionName(loaded),
      calls,
      gasSelf: BigInt(gasSelf),
    }));
    return totals.sort((left, right) => Number(right.gasSelf - left.gasSelf));
  }

  /** A gas profile in speedscope's format: `JSON.stringify(trace.profile())` is a file for https://www.speedscope.app. */
  profile(): GasProfile {
    const action = this.calls.find(({ gasUsed }) => gasUsed > 0n) ?? this.calls[0];
    const name = action === undefined ? 'nothing was called' : `${action.module}::${action.function}`;
    return gasProfile({ name, calls: this.calls, gasUsed: this.gasUsed, gasBefore: this.gasBefore });
  }

  override shown(): object {
    const { gasUsed, gasBefore, isTruncated, omittedCalls, failure, functions, calls } = this;
    return { gasUsed, gasBefore, isTruncated, omittedCalls, failure, functions, calls };
  }

  /** The short text, as `text()`. */
  override toString(): string {
    return this.text();
  }

  /**
   * Indented text, one line per call.
   * @throws {EngineError} `invalid-argument` for an unknown or wrong option
   */
  text(options: TraceTextOptions = {}): string {
    assertOptions(options, { all: A_BOOLEAN });
    const size = this.gasBefore === 0n ? '' : `, ${this.gasBefore} of it for the size`;
    const lines = [`${this.failure?.message ?? 'executed'}; gas ${this.gasUsed}${size}`];
    lines.push(...stackLines(this.failure?.callStack ?? []), ...callLines(this.calls, options));
    if (this.isTruncated) lines.push('This trace is not whole: TRACE_CALLS_MAX or TRACE_BYTES_MAX was reached.');
    return lines.join('\n');
  }

  *#each<T>(read: (call: TraceCall) => T | undefined): Generator<T, void, undefined> {
    for (const call of walkCalls(this.calls)) {
      const found = read(call);
      if (found !== undefined) yield found;
    }
  }
}

printAs(Trace, (trace) => String(trace));

function failureOf({ failed }: Recorder, ended: NonNullable<TraceOutcome['failed']>): TraceFailure {
  const { failure, message, abortName, abortMeaning } = ended;
  const stack = failed?.failure === failure ? failed.stack : [];
  return {
    status: statusName(failure.status),
    abortCode: failure.status === StatusCode.ABORTED ? failure.subStatus : undefined,
    abortName,
    abortMeaning,
    message,
    callStack: stack.map(stackFrame),
  };
}
