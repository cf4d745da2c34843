/**
 * Traces and failures on the wire. A trace always has the text, gas by function, and what was read, written, emitted and
 * printed; the calls and the gas profile on request. A failure of Move code has the same members wherever it is reported.
 * @module
 */
import { plainJson } from '../../chain/value/readable.ts';
import type { TraceCall } from '../../execution/trace/call.ts';
import type { TraceAccess, TraceEvent } from '../../execution/trace/effects.ts';
import type { ExplainedFailure } from '../../execution/trace/explain-failure.ts';
import type { TraceValue } from '../../execution/trace/kept-value.ts';
import type { StackFrame } from '../../execution/trace/place.ts';
import type { FunctionGas, Trace, TraceFailure } from '../../execution/trace/trace.ts';
import { displayType } from '../../move/type-tag.ts';
import type { JsonValue } from './json.ts';
import type { JsonObject, MethodContext } from './method.ts';
import type { Schema } from './param.ts';

export interface TraceParts {
  /** Whether the text shows the inner calls of the framework too, and addresses and hashes in full. */
  readonly all: boolean;
  readonly calls: boolean;
  readonly profile: boolean;
}

export const NO_TRACE_PARTS: TraceParts = { all: false, calls: false, profile: false };

export function traceJson(trace: Trace, { all, calls, profile }: TraceParts): JsonObject {
  return {
    text: trace.text({ all }),
    gas_used: trace.gasUsed.toString(),
    gas_before: trace.gasBefore.toString(),
    is_truncated: trace.isTruncated,
    omitted_calls: trace.omittedCalls,
    failure: trace.failure === undefined ? null : traceFailureJson(trace.failure),
    functions: trace.functions.map(functionJson),
    accesses: trace.accesses.map(accessJson),
    events: trace.events.map(eventJson),
    prints: trace.prints.map(valueJson),
    calls: calls ? trace.calls.map(callJson) : null,
    profile: profile ? (trace.profile() as unknown as JsonValue) : null,
  };
}

function traceFailureJson({ status, abortCode, abortMeaning, message, callStack }: TraceFailure): JsonValue {
  return {
    status,
    abort_code: abortCode?.toString() ?? null,
    abort_meaning: abortMeaning ?? null,
    message,
    call_stack: callStack.map(frameJson),
  };
}

function functionJson({ function: name, calls, gasSelf }: FunctionGas): JsonValue {
  return { function: name, calls, gas_self: gasSelf.toString() };
}

function accessJson({ kind, operation, object, key, name, isFailed }: TraceAccess): JsonValue {
  return {
    kind,
    operation,
    object_id: object,
    field_key: key ?? null,
    field_name: name === undefined ? null : (plainJson(name) as JsonValue),
    is_failed: isFailed,
  };
}

function eventJson({ handle, data }: TraceEvent): JsonValue {
  const { type, value } = valueJson(data);
  return { event_handle_id: handle ?? null, event_type: type, value };
}

/** A value in a trace or a printed one; null if it was too long to keep. */
export function valueJson(kept: TraceValue): { readonly type: string; readonly value: JsonValue } {
  const { value } = kept;
  return { type: displayType(kept.inside), value: value === undefined ? null : (plainJson(value) as JsonValue) };
}

function callJson(call: TraceCall): JsonValue {
  return {
    module: call.module,
    function: call.function,
    type_arguments: call.inside.map(displayType),
    arguments: call.arguments.map(valueJson),
    results: call.results?.map(valueJson) ?? null,
    gas_used: call.gasUsed.toString(),
    gas_self: call.gasSelf.toString(),
    is_failed: call.isFailed,
    omitted_calls: call.omittedCalls,
    calls: call.calls.map(callJson),
  };
}

export const FAILURE: Schema = {
  type: 'object',
  title:
    'status, module, function, code_offset, instruction, abort_code, abort_name, abort_meaning, call_stack; null what is not known',
};

/**
 * Everything known about a failure. The call stack is found only if `context` allows it, since that takes a second run
 * for which no gas is paid.
 */
export function failureJson(failure: ExplainedFailure, context?: Pick<MethodContext, 'findsCallStacks'>): JsonValue {
  const { status, module, function: name, codeOffset, instruction } = failure;
  const callStack = context?.findsCallStacks === true ? failure.callStack : undefined;
  return {
    status,
    module: module ?? null,
    function: name ?? null,
    code_offset: codeOffset ?? null,
    instruction: instruction ?? null,
    ...(failure.source === undefined ? {} : { source: failure.source }),
    abort_code: failure.abortCode?.toString() ?? null,
    abort_name: failure.abortName ?? null,
    abort_meaning: failure.abortMeaning ?? null,
    call_stack: callStack?.map(frameJson) ?? null,
  };
}

/** From the outermost function to the one that failed. */
function frameJson({ module, function: name, codeOffset, instruction, source }: StackFrame): JsonValue {
  const frame = { module, function: name, code_offset: codeOffset, instruction: instruction ?? null };
  return source === undefined ? frame : { ...frame, source };
}
