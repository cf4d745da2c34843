/**
 * Why Move code failed, in its wire form: the same members wherever a failure is reported.
 * @module
 */
import type { ExplainedFailure } from '../../execution/trace/explain-failure.ts';
import type { StackFrame } from '../../execution/trace/place.ts';
import type { JsonValue } from './json.ts';
import type { MethodContext } from './method.ts';
import type { Schema } from './param.ts';

/** The members of a failure. */
export const FAILURE: Schema = {
  type: 'object',
  title:
    'status, module, function, code_offset, instruction, abort_code, abort_name, abort_meaning, call_stack; null what is not known',
};

/**
 * Everything known about a failure. The call stack is found only if `context` says so, since that takes a second run,
 * which nobody pays for.
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
export function frameJson({ module, function: name, codeOffset, instruction, source }: StackFrame): JsonValue {
  const frame = { module, function: name, code_offset: codeOffset, instruction: instruction ?? null };
  return source === undefined ? frame : { ...frame, source };
}
