/**
 * View functions: Move functions run for their results.
 *
 * Any function can be called, including private ones, with sender `0x0` and a gas limit. It can read all of one state;
 * a function that would change it ends with an error. Views are synchronous and do not involve the writer.
 * Source: crates/rooch-rpc-server/src/server/rooch_server.rs of the reference.
 * @module
 */
import { A_BOOLEAN, assertOptions } from '../base/argument.ts';
import { ARGUMENT_BYTES_PER_MS, CALL_STACK_MS_MAX, VIEW_GAS_MAX } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import type { State } from '../chain/state/state.ts';
import type { Location } from '../chain/transaction/execution-info.ts';
import { type DecodedValue, decodedValue } from '../chain/value/decoded.ts';
import { LazyReadable } from '../chain/value/readable.ts';
import { type StatusOf, statusValue } from '../chain/value/status.ts';
import { placeOf } from '../execution/runtime/kept-status.ts';
import { StateModules } from '../execution/runtime/module-source.ts';
import { runSession, type Session, type SessionCall, type SessionSettings } from '../execution/runtime/session.ts';
import { PrintLog } from '../execution/runtime/session-host.ts';
import type { TxContext } from '../execution/runtime/tx-context.ts';
import {
  type ExplainedFailure,
  explainFailure,
  type FindCallStack,
  moduleLookup,
} from '../execution/trace/explain-failure.ts';
import { TraceValue } from '../execution/trace/kept-value.ts';
import type { StackFrame } from '../execution/trace/place.ts';
import { Recorder } from '../execution/trace/recorder.ts';
import { callStackBy, type Ended, type Trace, traceOf } from '../execution/trace/trace.ts';
import { SYSTEM_ADDRESS } from '../move/address.ts';
import { annotate, type Layout, type LayoutSource, type MoveValue } from '../move/layout.ts';
import { type TypeTag, typeName } from '../move/type-tag.ts';
import type { Returned } from '../vm/call.ts';
import { Deadline, type DeadlineClock } from '../vm/deadline.ts';
import type { Failure } from '../vm/failure.ts';
import { StatusCode, statusClass } from '../vm/status.ts';
import { type CallInput, encodeArguments, findCalled, readCall } from './function-call.ts';
import { type Reader, type ReaderSource, stateOf } from './reader.ts';

/** Bytes of BCS from which a view's values are shown in a millisecond; short texts and booleans take longest. */
const SHOWN_BYTES_PER_MS = 500;

/** The same for byte strings, which are shown as one text. */
const SHOWN_BYTE_STRING_BYTES_PER_MS = 50_000;

/**
 * Microseconds of work that natives may do in one view function, by measured cost: the gas of a view would pay for hours
 * of some natives.
 */
export const VIEW_NATIVE_WORK_MAX = 10_000_000;

/** What to call. */
export type ViewCall = CallInput;

/** How a view function ended. */
export type ViewStatus =
  | { readonly kind: 'executed' }
  | { readonly kind: 'move-abort'; readonly location: Location; readonly code: bigint }
  | {
      readonly kind: 'execution-failure';
      readonly location: Location;
      readonly function: number;
      readonly codeOffset: number;
      readonly statusCode: number;
    }
  /** Everything else: arguments that do not fit, a function that changes the state. */
  | { readonly kind: 'error'; readonly statusCode: number; readonly message: string };

/** A returned value; for a returned reference, the value behind it. */
export class ViewValue extends LazyReadable {
  readonly type: string;
  /** BCS. */
  readonly bytes: Uint8Array;
  readonly #tag: TypeTag;
  readonly #value: MoveValue;
  #decoded: DecodedValue | undefined;

  constructor(tag: TypeTag, layout: Layout, bytes: Uint8Array) {
    super();
    this.type = typeName(tag);
    this.#tag = tag;
    this.#value = annotate(layout, bytes);
    this.bytes = bytes;
  }

  /** The type, and the value with the type of every part. @internal */
  get inside(): { readonly tag: TypeTag; readonly value: MoveValue } {
    return { tag: this.#tag, value: this.#value };
  }

  /** As a JavaScript value (value/decoded.ts). */
  get decoded(): DecodedValue {
    this.#decoded ??= decodedValue(this.#value);
    return this.#decoded;
  }

  override shown(): object {
    const { type, decoded, bytes } = this;
    return { type, decoded, bytes };
  }
}

/** Options of a view, besides its call. */
export interface ViewOptions {
  /** Whether its calls are traced. Default: false. A traced view takes three to four times as long. */
  readonly trace?: boolean | undefined;
}

/** What a view returned, or how it failed. `Results` is what the values decode to, if known from `movelet types`. */
export class ViewResult<Results extends readonly unknown[] = readonly DecodedValue[]> extends LazyReadable {
  readonly status: StatusOf<ViewStatus>;
  /** Why it failed, in words; undefined if it was executed, or if it did something a view may not. */
  readonly failure: ExplainedFailure | undefined;
  /** In the order of the function's results; none unless it was executed. */
  readonly values: readonly ViewValue[];
  readonly gasUsed: bigint;
  /** What it printed by `0x1::debug::print`; the first PRINTS_MAX values. */
  readonly prints: readonly TraceValue[];
  /** What it did, call by call, if requested. */
  readonly trace: Trace | undefined;
  readonly #status: ViewStatus;

  constructor({ status, values = [], gasUsed, failure, prints = [], trace }: ViewEnd) {
    super();
    this.status = statusValue(status);
    this.#status = status;
    this.values = values;
    this.gasUsed = gasUsed;
    this.failure = failure;
    this.prints = prints;
    this.trace = trace;
  }

  /** The status in bytes. @internal */
  get inside(): ViewStatus {
    return this.#status;
  }

  /** What the function returned, decoded; undefined unless it was executed. */
  get returned(): Results | undefined {
    if (this.status.kind !== 'executed') return undefined;
    return this.values.map(({ decoded }) => decoded) as readonly unknown[] as Results;
  }

  override shown(): object {
    const { status, values, gasUsed, failure, prints, trace } = this;
    const printed = prints.length === 0 ? {} : { prints };
    return { status, values, gasUsed, ...(failure && { failure }), ...printed, ...(trace && { trace }) };
  }
}

interface ViewEnd {
  readonly status: ViewStatus;
  readonly values?: readonly ViewValue[];
  readonly gasUsed: bigint;
  readonly failure?: ExplainedFailure | undefined;
  readonly prints?: readonly TraceValue[];
  readonly trace?: Trace | undefined;
}

/** The time that a view may take. */
export interface ViewTime {
  readonly msMax: number;
  /** Default: the host's. */
  readonly clock: DeadlineClock | undefined;
}

/**
 * Calls a function for its results.
 * @throws {EngineError} `not-found` for a module that does not exist; `invalid-argument` for malformed names and
 * values; `state-not-loaded`; `limit-exceeded` for a returned value too large to show, for more native work than
 * VIEW_NATIVE_WORK_MAX, or if the JavaScript stack has no room; `deadline-exceeded` for a call that takes longer than
 * `viewMsMax`.
 */
export function callView(
  source: ReaderSource,
  call: CallInput,
  options: ViewOptions = {},
  { msMax, clock }: ViewTime,
): ViewResult<readonly unknown[]> {
  assertOptions(options, VIEW_OPTIONS);
  const deadline = new Deadline(msMax, clock);
  const reader = source.current();
  const { state } = reader;
  const machines = reader.machines();
  const modules = new StateModules(state, machines.modules);
  const { target, values } = readCall(call);
  const called = findCalled(target, machines.at(state), modules);
  const recorder = options.trace === true ? new Recorder() : undefined;
  const prepared = { call: { ...target, arguments: [] as readonly Uint8Array[] }, reader, state, deadline, recorder };
  if ('status' in called) return failed(called, 0n, { ...prepared, findCallStack: () => [] });
  const given = { ...target, arguments: encodeArguments(called, values, modules) };
  const argumentBytes = given.arguments.reduce((length, { length: more }) => length + more, 0);
  deadline.checkBrief(argumentBytes / ARGUMENT_BYTES_PER_MS);
  // Repeats the call with tracing, possibly on a later view of the chain.
  const findCallStack = (): readonly StackFrame[] | undefined =>
    callStackBy(() => {
      const later = source.present();
      const again = { call: given, reader: later, state: stateOf(later, state.root) };
      const traced = { deadline: new Deadline(CALL_STACK_MS_MAX, clock), recorder: new Recorder() };
      return view({ ...again, ...traced, findCallStack: () => undefined }).trace!;
    });
  return view({ ...prepared, call: given, findCallStack });
}

const VIEW_OPTIONS = { trace: A_BOOLEAN };

interface PreparedView {
  readonly call: SessionCall;
  readonly reader: Reader;
  readonly state: State;
  readonly deadline: Deadline;
  readonly recorder: Recorder | undefined;
  /** Finds the call stack of a failure if there is no recorder. */
  readonly findCallStack: FindCallStack;
}

function view(prepared: PreparedView): ViewResult {
  return runSession(settingsOf(prepared), (session) => run(session, prepared.call, prepared));
}

function settingsOf({ reader, state, deadline, recorder }: PreparedView): SessionSettings {
  const machines = reader.machines();
  return {
    state,
    machine: machines.at(state),
    modules: machines.modules,
    context: NOBODY,
    gasBudget: VIEW_GAS_MAX,
    isReadOnly: true,
    nativeWorkMax: VIEW_NATIVE_WORK_MAX,
    deadline,
    tracer: recorder,
    prints: new PrintLog(),
  };
}

/** The sender of view functions. */
const NOBODY: TxContext = {
  sender: SYSTEM_ADDRESS,
  sequenceNumber: 0n,
  maxGasAmount: VIEW_GAS_MAX,
  txHash: new Uint8Array(32),
  txSize: 0n,
  idsCreated: 0n,
  entries: [],
};

function run(session: Session, call: SessionCall, prepared: PreparedView): ViewResult {
  const outcome = session.call(call);
  const gasUsed = VIEW_GAS_MAX - session.gas.left;
  if (outcome.kind === 'failed') {
    assertWithinLimits(outcome.failure);
    return failed(outcome.failure, gasUsed, prepared, printsOf(session));
  }
  const trace = traceOfView(prepared, { gasUsed });
  const { changeSet, context } = session.finish();
  if (changeSet.changes.length > 0 || context.idsCreated > 0n) {
    const what = changeSet.changes.length > 0 ? 'changes the state' : 'makes fresh ids';
    const message = `${call.function} ${what}, which a view function may not: send a transaction`;
    const status = { kind: 'error', statusCode: StatusCode.UNKNOWN_VALIDATION_STATUS, message } as const;
    return new ViewResult({ status, gasUsed, prints: printsOf(session), trace });
  }
  const { reader, state, deadline } = prepared;
  const layouts = reader.layouts(state);
  const values = outcome.values.map((value) => show(value, layouts, deadline));
  // Rendering the values takes as long again.
  deadline.check();
  return new ViewResult({ status: { kind: 'executed' }, values, gasUsed, prints: printsOf(session), trace });
}

/**
 * Adds the instruction at which the gas ran out. Only interpreted code knows it, so an untraced view runs once more, under
 * the same deadline.
 */
function withPlace(failure: Failure, prepared: PreparedView): Failure {
  if (failure.status !== StatusCode.OUT_OF_GAS) return failure;
  const { call, recorder = new Recorder() } = prepared;
  if (prepared.recorder === undefined) {
    runSession(settingsOf({ ...prepared, recorder }), (session) => session.call(call));
  }
  const last = recorder.failed?.stack.at(-1);
  if (last === undefined) return failure;
  const { loaded, codeOffset } = last;
  return { ...failure, location: { module: loaded.module.id, functionIndex: loaded.index, codeOffset } };
}

function traceOfView({ recorder, reader, state }: PreparedView, ended: Ended): Trace | undefined {
  return recorder && traceOf(recorder, ended, moduleLookup({ state, machines: reader.machines() }));
}

/** Stopping at the limit on native work is not an outcome of the function: in a transaction natives may do more. */
function assertWithinLimits({ status, message }: Failure): void {
  if (status !== StatusCode.EXECUTION_LIMIT_REACHED) return;
  throw new EngineError('limit-exceeded', `${message} (VIEW_NATIVE_WORK_MAX): ask for less in one view`);
}

function show({ type, value }: Returned, layouts: LayoutSource, deadline: Deadline): ViewValue {
  const { tag } = type;
  deadline.check();
  const bytes = type.encode(value);
  const isByteString = tag.kind === 'vector' && tag.item.kind === 'u8';
  deadline.checkBrief(bytes.length / (isByteString ? SHOWN_BYTE_STRING_BYTES_PER_MS : SHOWN_BYTES_PER_MS));
  return new ViewValue(tag, layouts.layout(tag), bytes);
}

function printsOf({ prints }: Session): readonly TraceValue[] {
  return (prints?.printed ?? []).map(({ type, bytes }) => new TraceValue(type, bytes));
}

function failed(
  failure: Failure,
  gasUsed: bigint,
  prepared: PreparedView,
  prints: readonly TraceValue[] = [],
): ViewResult {
  const { reader, state, findCallStack } = prepared;
  const trace = traceOfView(prepared, { gasUsed, failure });
  const findModule = moduleLookup({ state, machines: reader.machines() });
  const placed = withPlace(failure, prepared);
  const explained = explainFailure(placed, findModule, trace ? () => trace.failure?.callStack : findCallStack);
  return new ViewResult({ status: statusOf(placed), gasUsed, failure: explained, prints, trace });
}

function statusOf({ status, subStatus, location, message }: Failure): ViewStatus {
  if (location !== undefined && status === StatusCode.ABORTED && subStatus !== undefined) {
    return { kind: 'move-abort', location: placeOf(location), code: subStatus };
  }
  const isExecution = status === StatusCode.OUT_OF_GAS || statusClass(status) === 'execution';
  if (location !== undefined && isExecution) {
    return {
      kind: 'execution-failure',
      location: placeOf(location),
      function: location.functionIndex,
      codeOffset: location.codeOffset,
      statusCode: status,
    };
  }
  return { kind: 'error', statusCode: status, message };
}
