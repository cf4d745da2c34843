/**
 * Errors on the wire: makes a JSON-RPC error object of any thrown value.
 *
 * `data` tells programs more than the number: the engine's stable code, the parameter's path, the expected and received
 * values; for a rejected transaction, the failure and its location in the code. Anything that is not an EngineError is
 * a bug: the client learns only that an error occurred, and the log gets the details.
 * Source: JSON-RPC 2.0; crates/rooch-types/src/error.rs of the reference.
 * @module
 */
import { argumentError, assertText } from '../../base/argument.ts';
import { EngineError, type ErrorCode } from '../../base/error.ts';
import {
  BCS_ERROR,
  HANDLER_ERROR,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  RESPONSE_TOO_BIG,
  SERVICE_UNAVAILABLE,
} from '../../base/json-rpc.ts';
import type { ExplainedFailure } from '../../execution/trace/explain-failure.ts';
import type { JsonValue } from './json.ts';
import { failureJson } from './trace.ts';

/** An error in its wire form; `request` rejects with it. */
export class RpcError extends Error {
  /** The JSON-RPC error number. */
  readonly code: number;
  /** `{ code, path?, expected?, received?, hint? }`, where `code` is a stable word. */
  readonly data: JsonValue;

  constructor(code: number, message: string, data: JsonValue, cause?: unknown) {
    if (!Number.isInteger(code)) throw argumentError('code', 'a whole number', code);
    assertText(message, 'message');
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }
}

/**
 * The JSON-RPC number for an error thrown by a handler. Malformed parameters are caught earlier and are INVALID_PARAMS;
 * anything a handler refuses is HANDLER_ERROR, as in the reference.
 */
const NUMBERS: Readonly<Partial<Record<ErrorCode, number>>> = {
  'malformed-bytes': BCS_ERROR,
  closed: SERVICE_UNAVAILABLE,
  'invariant-violation': INTERNAL_ERROR,
};

/** Members of an error's details that belong on the wire. */
const DATA_MEMBERS = ['path', 'expected', 'received', 'hint'] as const;

/** Whether this is the failure in the error of a rejected transaction. */
function isExplained(failure: unknown): failure is ExplainedFailure {
  return typeof failure === 'object' && failure !== null && 'abortCode' in failure;
}

/** `word` is the stable code; only members of `details` that belong on the wire are used. */
export function rpcError(
  code: number,
  message: string,
  word: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): RpcError {
  const data: Record<string, JsonValue> = { code: word };
  for (const name of DATA_MEMBERS) {
    const value = details[name];
    if (typeof value === 'string' || typeof value === 'number') data[name] = value;
  }
  const { failure } = details;
  if (isExplained(failure)) data['failure'] = failureJson(failure);
  return new RpcError(code, message, data, cause);
}

/** The error object for anything that a handler threw. */
export function errorOf(thrown: unknown): RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (!(thrown instanceof EngineError)) return rpcError(INTERNAL_ERROR, 'Internal error', 'internal', {}, thrown);
  const number = NUMBERS[thrown.code] ?? HANDLER_ERROR;
  return rpcError(number, thrown.message, thrown.code, thrown.details, thrown);
}

/** The error object for an answer of `length` characters when `max` are allowed. */
export function answerTooLong(length: number, max: number): RpcError {
  const expected = `an answer of at most ${max} characters`;
  return rpcError(RESPONSE_TOO_BIG, 'Response is too big: ask for a smaller page', 'limit-exceeded', {
    expected,
    received: length,
  });
}

/** The error object for an answer with more than `max` parts of decoded values. */
export function tooManyParts(max: number): RpcError {
  const expected = `an answer of at most ${max} decoded values, those inside others included`;
  return rpcError(RESPONSE_TOO_BIG, 'Response is too big: ask for fewer, or without decode', 'limit-exceeded', {
    expected,
  });
}

/** The error object for a parameter that its parser refused; `name` is its position and name. */
export function paramError(thrown: unknown, name: string): RpcError {
  if (!(thrown instanceof EngineError)) return errorOf(thrown);
  const inner = typeof thrown.details['path'] === 'string' ? thrown.details['path'] : '';
  const path = `${name}${inner}`;
  const message = `Invalid params: ${path}: ${thrown.message}`;
  return rpcError(INVALID_PARAMS, message, thrown.code, { ...thrown.details, path }, thrown);
}

/** A thrown value that is not an Error may be anything, even an object that cannot be turned into text. */
export function describeThrown(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null
    ? `thrown: an object with ${Object.keys(thrown).join()}`
    : `thrown: ${String(thrown)}`;
}
