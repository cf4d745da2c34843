/**
 * Traces on the wire: always the text, gas by function, and what was read, written, emitted and printed; the calls and
 * the gas profile on request.
 * @module
 */
import { plainJson } from '../../chain/value/readable.ts';
import type { TraceCall } from '../../execution/trace/call.ts';
import type { TraceAccess, TraceEvent } from '../../execution/trace/effects.ts';
import type { TraceValue } from '../../execution/trace/kept-value.ts';
import type { FunctionGas, Trace, TraceFailure } from '../../execution/trace/trace.ts';
import { displayType } from '../../move/type-tag.ts';
import { frameJson } from './failure.ts';
import type { JsonValue } from './json.ts';
import type { JsonObject } from './method.ts';

/** The optional parts of a trace in an answer. */
export interface TraceParts {
  readonly calls: boolean;
  readonly profile: boolean;
}

export function traceJson(trace: Trace, { calls, profile }: TraceParts): JsonObject {
  return {
    text: String(trace),
    gas_used: trace.gasUsed.toString(),
    gas_before: trace.gasBefore.toString(),
    is_truncated: trace.isTruncated,
    omitted_calls: trace.omittedCalls,
    failure: trace.failure === undefined ? null : failureJson(trace.failure),
    functions: trace.functions.map(functionJson),
    accesses: trace.accesses.map(accessJson),
    events: trace.events.map(eventJson),
    prints: trace.prints.map(valueJson),
    calls: calls ? trace.calls.map(callJson) : null,
    profile: profile ? (trace.profile() as unknown as JsonValue) : null,
  };
}

function failureJson({ status, abortCode, abortMeaning, message, callStack }: TraceFailure): JsonValue {
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
