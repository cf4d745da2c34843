/**
 * Traces: what an execution did, call by call, for people who want to know why.
 *
 * A trace is asked for, and then the execution runs on the interpreter, which tells a recorder of each call; translated
 * code knows nothing of it, so who does not ask pays nothing. Both engines agree on value, status, place and gas, and a
 * traced execution that is repeated from the ledger has to end with what the ledger says: it is the same execution.
 *
 * What is kept is a tree of calls with the BCS of their arguments and results, and nothing else. Reads, writes, events and
 * what was printed are calls of natives, since Move code reaches the world in no other way; so they are told by the
 * tree when somebody looks, as are the values. Instructions are not kept, but the one at which each function stood
 * when the execution failed is. Gas is what the counter says before and after a call: what a call used by itself, what
 * calls used that were not kept, and what the size cost add up to the total.
 *
 * It is bounded (TRACE_CALLS_MAX, TRACE_BYTES_MAX), which leaves out the latest calls and never the way to the failure;
 * `isTruncated` says so. It holds what it needs of the code that ran: the chain may go on, or back.
 * @module
 */

import { A_BOOLEAN, assertOptions } from '../argument.ts';
import { printAs } from '../value/byte-value.ts';
import { LazyReadable } from '../value/readable.ts';
import type { Failure } from '../vm/failure.ts';
import { StatusCode, statusName } from '../vm/status.ts';
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
  /** One sentence. */
  readonly message: string;
  /** From the outermost function to the one that failed; empty where it failed outside of code. */
  readonly callStack: readonly StackFrame[];
}

/** What one function used by itself in all of its calls, those that are not kept among them. */
export interface FunctionGas {
  /** `0x3::coin::withdraw`. */
  readonly function: string;
  readonly calls: number;
  readonly gasSelf: bigint;
}

/** How a traced execution ended. */
export interface TraceOutcome {
  readonly gasUsed: bigint;
  /** With what is said of it. */
  readonly failed: { readonly failure: Failure; readonly message: string } | undefined;
}

/** What an execution did. `String(trace)` is an indented text, `JSON.stringify(trace)` has all calls. */
export class Trace extends LazyReadable {
  readonly gasUsed: bigint;
  /** Gas that no code used: what the transaction's size costs. */
  readonly gasBefore: bigint;
  /** Whether there were more calls, or larger values, than a trace keeps. */
  readonly isTruncated: boolean;
  /** Calls that are not kept. */
  readonly omittedCalls: number;
  /** Undefined where it did all that it was to do. */
  readonly failure: TraceFailure | undefined;
  /** What was called from outside, in order: the action, and the chain's own code before and after it. */
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

  /** Looks at objects and fields, and changes of them, in order; those of kept calls. */
  get accesses(): readonly TraceAccess[] {
    return [...this.#each(accessOf)];
  }

  get reads(): readonly TraceAccess[] {
    return this.accesses.filter(({ kind }) => kind === 'read');
  }

  get writes(): readonly TraceAccess[] {
    return this.accesses.filter(({ kind }) => kind === 'write');
  }

  /** As they were emitted; those of an action that failed are lost with all else that it did. */
  get events(): readonly TraceEvent[] {
    return [...this.#each(eventOf)];
  }

  /** What `0x1::debug::print` was given. */
  get prints(): readonly TraceValue[] {
    return [...this.#each(printOf)];
  }

  /** Gas by function, the dearest first. */
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

  /** In short, as `text()`. */
  override toString(): string {
    return this.text();
  }

  /**
   * An indented text, a line for each call.
   * @throws {EngineError} `invalid-argument` for an option that is none
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

function failureOf({ failed }: Recorder, { failure, message }: NonNullable<TraceOutcome['failed']>): TraceFailure {
  const stack = failed?.failure === failure ? failed.stack : [];
  return {
    status: statusName(failure.status),
    abortCode: failure.status === StatusCode.ABORTED ? failure.subStatus : undefined,
    message,
    callStack: stack.map(stackFrame),
  };
}
