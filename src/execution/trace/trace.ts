/**
 * Traces: an execution call by call, for debugging.
 *
 * A traced execution runs on the interpreter, which reports each call to a recorder; translated code knows nothing
 * about traces, so untraced executions pay nothing. Both engines agree on value, status, place and gas, and a traced
 * execution that is repeated from the ledger must end as the ledger says: it is the same execution.
 *
 * Only a tree of calls is kept, with the BCS of their arguments and results. Reads, writes, events and prints are calls
 * of natives, since Move code has no other way to reach the world; they are derived from the tree on demand, and values
 * are decoded on demand. Instructions are not kept, except the one that each function had reached when the execution
 * failed. Gas is the difference of the counter before and after a call: the gas of each call by itself, of calls that
 * were not kept, and of the size add up to the total.
 *
 * A trace is bounded (TRACE_CALLS_MAX, TRACE_BYTES_MAX): the latest calls are left out, but never those that lead to
 * the failure; `isTruncated` says so. It holds what it needs of the code that ran, so the chain may advance or revert.
 *
 * As text it is indented, one line per call: its gas with all calls inside it, its arguments and its results.
 *
 * Natives that access objects, emit events or print are shown as effects. In the short form, each call of the framework
 * (`0x1` to `0x4`) is one line, followed by what it accessed and emitted, and addresses and hashes are shortened in the
 * middle. The chain's own code before and after the action costs nothing and is the same in every transaction: one line
 * each.
 * @module
 */

import { A_BOOLEAN, assertOptions } from '../../base/argument.ts';
import { EngineError, type ErrorCode } from '../../base/error.ts';
import type { DecodedValue } from '../../chain/value/decoded.ts';
import { LazyReadable, printAs } from '../../chain/value/readable.ts';
import type { ModuleLookup } from '../../vm/binary/module.ts';
import type { Failure } from '../../vm/failure.ts';
import { StatusCode, statusName } from '../../vm/status.ts';
import { TraceCall, walkCalls } from './call.ts';
import { accessOf, eventOf, printOf, type TraceAccess, type TraceEvent } from './effects.ts';
import { explainFailure, failureLines } from './explain-failure.ts';
import { type TraceValue, valueText } from './kept-value.ts';
import { functionName, type StackFrame, stackFrame } from './place.ts';
import { type GasProfile, gasProfile } from './profile.ts';
import type { Recorder } from './recorder.ts';
import { shortText } from './short-text.ts';

/** Characters of a value in the text of a trace. */
const TRACE_TEXT_CHARACTERS_MAX = 160;

/** Options for the text of a trace. */
export interface TraceTextOptions {
  /** Whether to show the inner calls of the framework too, and addresses and hashes in full. Default: false. */
  readonly all?: boolean | undefined;
}

/** A line: its depth, its gas, its text. */
interface Line {
  readonly depth: number;
  readonly gas: bigint | undefined;
  readonly text: string;
}

/** The lines of calls and of all calls inside them. */
function callLines(calls: readonly TraceCall[], { all = false }: TraceTextOptions): string[] {
  const writer = new LineWriter(all);
  for (const call of calls) writer.call(call);
  const width = writer.lines.reduce((most, { gas }) => Math.max(most, String(gas ?? '').length), 0);
  return writer.lines.map(
    ({ depth, gas, text }) => `${String(gas ?? '').padStart(width)}  ${'  '.repeat(depth)}${text}`,
  );
}

class LineWriter {
  readonly lines: Line[] = [];
  readonly #all: boolean;
  /** Whether the action failed: the chain's own code then runs again, on the state before the action. */
  #hasFailed = false;

  constructor(all: boolean) {
    this.#all = all;
  }

  call(call: TraceCall, depth = 0): void {
    if (isUnmetered(call)) {
      const count = [...walkCalls(call.calls)].length + call.omittedCalls;
      const again = this.#hasFailed && call.function === 'pre_execute' ? ', again after the changes were undone' : '';
      this.#add(depth, undefined, `${call.module}::${call.function}()  unmetered, ${count} calls${again}`);
      return;
    }
    this.#hasFailed ||= call.isFailed;
    const failed = call.isFailed ? '  failed' : '';
    this.#add(depth, call.gasUsed, `${this.#effect(call) ?? this.#callText(call)}${failed}`);
    const isFolded = !this.#all && isFramework(call);
    for (const inner of call.calls) {
      if (isFolded) this.#effects(inner, depth + 1);
      else this.call(inner, depth + 1);
    }
    const { omittedCalls, omittedGas } = call;
    if (omittedCalls > 0) this.#add(depth + 1, omittedGas, `${omittedCalls} calls that are not kept`);
  }

  /** The effects of a folded call; if it failed, all its calls. */
  #effects(call: TraceCall, depth: number): void {
    if (call.isFailed) {
      this.call(call, depth);
      return;
    }
    const text = this.#effect(call);
    if (text !== undefined) this.#add(depth, call.gasUsed, text);
    for (const inner of call.calls) this.#effects(inner, depth);
  }

  #add(depth: number, gas: bigint | undefined, text: string): void {
    this.lines.push({ depth, gas, text: this.#all ? text : shortText(text) });
  }

  #callText(call: TraceCall): string {
    const { typeArguments, results } = call;
    const types = typeArguments.length === 0 ? '' : `<${typeArguments.join(', ')}>`;
    const given = call.arguments.map((value) => this.#value(value)).join(', ');
    const back = results?.map((value) => this.#value(value)).join(', ') ?? '';
    return `${call.module}::${call.function}${types}(${given})${back === '' ? '' : ` -> ${back}`}`;
  }

  #effect(call: TraceCall): string | undefined {
    const access = accessOf(call);
    if (access !== undefined) return this.#accessText(access, call);
    const event = eventOf(call);
    if (event !== undefined) return `emit ${event.data.type} ${this.#value(event.data)}`;
    const printed = printOf(call);
    return printed && `print ${this.#value(printed)}`;
  }

  #accessText({ kind, operation, object, key, name }: TraceAccess, call: TraceCall): string {
    const field = name === undefined ? key && `, field ${key}` : `, field ${this.#text(name)}`;
    const found = operation === 'contains' ? ` -> ${call.results?.map((value) => this.#value(value)) ?? ''}` : '';
    return `${kind} (${operation}) object ${object}${field ?? ''}${found}`;
  }

  #value({ value, bytes }: TraceValue): string {
    return bytes === undefined ? '(not kept)' : this.#text(value!);
  }

  #text(value: DecodedValue): string {
    const json = valueText(value);
    const text = this.#all ? json : shortText(json);
    return text.length <= TRACE_TEXT_CHARACTERS_MAX ? text : `${text.slice(0, TRACE_TEXT_CHARACTERS_MAX)}...`;
  }
}

/** Calls from outside other than the action cost nothing. */
function isUnmetered({ module, gasUsed, isFailed }: TraceCall): boolean {
  return module === '0x3::transaction_validator' && gasUsed === 0n && !isFailed;
}

/** Whether a call is one of the framework's, `0x1` to `0x4`. */
function isFramework({ module }: TraceCall): boolean {
  return /^0x[1-4]::/.test(module);
}

/** The failure of a traced execution. */
export interface TraceFailure {
  /** Name of the Move machine's status: `ABORTED`, `OUT_OF_GAS`. */
  readonly status: string;
  readonly abortCode: bigint | undefined;
  /** The constant of that code, if the sources of its module are known. */
  readonly abortName: string | undefined;
  /** The comment of that constant. */
  readonly abortMeaning: string | undefined;
  /** One sentence. */
  readonly message: string;
  /** From the outermost function to the one that failed; empty if it failed outside code. */
  readonly callStack: readonly StackFrame[];
}

/** The gas used by a function itself in all of its calls, including those that are not kept. */
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

/** The trace of an execution. `String(trace)` is indented text; `JSON.stringify(trace)` has all calls. */
export class Trace extends LazyReadable {
  readonly gasUsed: bigint;
  /** Gas not used by code: the price of the transaction's size. */
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

  /** The output of `0x1::debug::print`. */
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
    const [ended = 'executed', ...why] = this.failure === undefined ? [] : failureLines(this.failure);
    const head = [`${ended}; gas ${this.gasUsed}${size}`, ...why];
    const lines = [...(options.all === true ? head : head.map(shortText)), ...callLines(this.calls, options)];
    if (this.isTruncated) lines.push('This trace is incomplete: TRACE_CALLS_MAX or TRACE_BYTES_MAX was reached.');
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

/** The outcome of an execution. */
export interface Ended {
  readonly gasUsed: bigint;
  readonly failure?: Failure | undefined;
}

export function traceOf(recorder: Recorder, { gasUsed, failure }: Ended, findModule: ModuleLookup): Trace {
  if (failure === undefined) return new Trace(recorder, { gasUsed, failed: undefined });
  const { message, abortName, abortMeaning } = explainFailure(failure, findModule);
  return new Trace(recorder, { gasUsed, failed: { failure, message, abortName, abortMeaning } });
}

/** Errors after which a call stack cannot be found, or not in time. */
const UNKNOWABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'closed',
  'deadline-exceeded',
  'not-found',
  'not-supported',
  'pruned',
  'state-not-loaded',
]);

/**
 * The call stack of a failure, found by running again under trace; undefined if the chain no longer has the state or
 * the run would take longer than CALL_STACK_MS_MAX.
 */
export function callStackBy(run: () => Trace): readonly StackFrame[] | undefined {
  try {
    return run().failure?.callStack;
  } catch (error) {
    if (error instanceof EngineError && UNKNOWABLE.has(error.code)) return undefined;
    throw error;
  }
}
