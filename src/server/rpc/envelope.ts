/**
 * Answers as text, and the errors raised before any method is called.
 * Source: https://www.jsonrpc.org/specification.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import { INVALID_REQUEST, PARSE_ERROR } from '../../base/json-rpc.ts';
import { type RpcError, rpcError } from './error.ts';
import { stringifyJson } from './json.ts';
import type { RequestId } from './request.ts';

/** `result` is JSON. */
export function resultText(id: RequestId, result: string): string {
  return `${resultHead(id)}${result}${RESULT_END}`;
}

/** The text before a result. */
export function resultHead(id: RequestId): string {
  return `${head(id)},"result":`;
}

/** The text after a result. */
export const RESULT_END = '}';

export function errorText(id: RequestId, { code, message, data }: RpcError): string {
  return `${head(id)},"error":${stringifyJson({ code, message, data })}}`;
}

export function invalidRequest(reason: string): RpcError {
  return rpcError(INVALID_REQUEST, `Invalid Request: ${reason}`, 'invalid-request', { expected: reason });
}

/** For text that is not JSON, or exceeds the parser's limits. */
export function parseError(error: unknown): RpcError {
  const isLimit = error instanceof EngineError && error.code === 'limit-exceeded';
  const reason = error instanceof Error ? error.message : 'expected JSON';
  return rpcError(PARSE_ERROR, `Parse error: ${reason}`, isLimit ? 'limit-exceeded' : 'malformed-json');
}

function head(id: RequestId): string {
  // The one number that JSON can express but JSON.stringify cannot write.
  return `{"jsonrpc":"2.0","id":${Object.is(id, -0) ? '-0' : stringifyJson(id)}`;
}
