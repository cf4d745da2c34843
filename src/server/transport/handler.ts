/**
 * The JSON-RPC layer as a transport sees it: one function from text to text.
 * @module
 */
import { A_FUNCTION, assertMethods, type Expectation } from '../../base/argument.ts';
import { encodeUtf8 } from '../../base/bytes/bytes.ts';
import { messageOf } from '../../base/error.ts';
import { HOST } from '../../base/host.ts';
import { type Log, type LogEntry, SILENT_LOG } from '../../base/log.ts';
import type { Rpc, RpcContext } from '../rpc/rpc.ts';
import { boundOptions, boundsOf } from './budget.ts';
import { internalError, refusalText, responseTooBig } from './refusal.ts';

/**
 * Answers JSON-RPC requests. A connection passes the same `context` object with each of its requests, so it can serve
 * as a key for the connection's state.
 */
export interface RpcHandler
  extends Pick<Rpc, 'handle'>,
    Partial<Pick<Rpc, 'handleEncoded' | 'stream' | 'measure' | 'health'>> {}

/** @throws {EngineError} `invalid-argument` for anything that is not a handler, such as the engine itself */
export function assertHandler(handler: RpcHandler): void {
  assertMethods(handler, 'handler', 'a JSON-RPC handler, such as createRpc(engine)', ['handle']);
}

/** Options that every transport takes. */
export interface ResponderOptions {
  /** Bytes of UTF-8 in one answer; longer ones are replaced by error -32008. Default RESPONSE_BYTES_MAX. */
  readonly responseBytesMax?: number | undefined;
  /** Receives failures of a handler or a listener. Default: nothing is logged. */
  readonly log?: Log | undefined;
}

export const RESPONDER_OPTIONS: Readonly<Record<keyof ResponderOptions, Expectation>> = {
  ...boundOptions(['responseBytesMax']),
  log: A_FUNCTION,
};

/** Answers one message, with undefined if there is nothing to answer. Never rejects. */
export type Respond<Answer> = (text: string, context: RpcContext) => Promise<Answer | undefined>;

/** The only way from a transport to the RPC: replaces answers that are too long, and logs failures of the handler. */
export function responder(handler: RpcHandler, options: ResponderOptions): Respond<string> {
  return respondBy((text, context) => handler.handle(text, context), options);
}

/** As `responder`, for a transport that sends bytes; large answers may come as UTF-8. */
export function encodedResponder(handler: RpcHandler, options: ResponderOptions): Respond<string | Uint8Array> {
  if (handler.handleEncoded === undefined) return responder(handler, options);
  return respondBy((text, context) => handler.handleEncoded!(text, context), options);
}

function respondBy<Answer extends string | Uint8Array>(
  ask: Respond<Answer>,
  options: ResponderOptions,
): Respond<Answer | string> {
  const { responseBytesMax: bytesMax } = boundsOf(options);
  const { log = SILENT_LOG } = options;
  return async (text, context) => {
    try {
      const answer = await ask(text, context);
      if (answer === undefined || !isLonger(answer, bytesMax)) return answer;
      return refusalText(responseTooBig(bytesMax));
    } catch (cause) {
      log(failureEntry('the RPC handler failed', cause));
      return refusalText(internalError());
    }
  };
}

/** The log entry for an unexpected failure, with its stack, which never goes over the wire. */
export function failureEntry(what: string, cause: unknown): LogEntry {
  if (!(cause instanceof Error)) return { level: 'error', message: `${what}: ${messageOf(cause)}` };
  return { level: 'error', message: `${what}: ${cause.message}`, details: { stack: cause.stack ?? '' } };
}

function isLonger(answer: string | Uint8Array, bytesMax: number): boolean {
  return typeof answer === 'string' ? utf8LongerThan(answer, bytesMax) : answer.length > bytesMax;
}

/**
 * Whether the UTF-8 form of `text` takes more than `bytesMax`. A code unit takes one to three bytes, so most texts need
 * no counting.
 */
export function utf8LongerThan(text: string, bytesMax: number): boolean {
  if (text.length * 3 <= bytesMax) return false;
  return text.length > bytesMax || (HOST.Buffer?.byteLength(text) ?? encodeUtf8(text).length) > bytesMax;
}
