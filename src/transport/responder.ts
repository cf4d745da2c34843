/**
 * The one way from a transport to the RPC: never rejects, and never passes on an answer over the bound.
 * @module
 */
import { A_FUNCTION, bound, type Expectation } from '../argument.ts';
import { RESPONSE_BYTES_MAX } from '../config.ts';
import { type Log, type LogEntry, SILENT_LOG } from '../log.ts';
import type { RpcContext } from '../rpc/context.ts';
import type { RpcHandler } from './handler.ts';
import { internalError, refusalText, responseTooBig } from './refusal.ts';

/** Options that every transport takes. */
export interface ResponderOptions {
  /** Bytes of UTF-8 in one answer; a longer one is replaced by error -32008. Default RESPONSE_BYTES_MAX. */
  readonly responseBytesMax?: number | undefined;
  /** Receives what the host should know: a handler or a listener that failed. Default: nothing is said. */
  readonly log?: Log | undefined;
}

export const RESPONDER_OPTIONS: Readonly<Record<keyof ResponderOptions, Expectation>> = {
  responseBytesMax: bound(0),
  log: A_FUNCTION,
};

export class Responder {
  readonly #handler: RpcHandler;
  readonly #bytesMax: number;
  readonly #log: Log;

  constructor(handler: RpcHandler, options: ResponderOptions) {
    this.#handler = handler;
    this.#bytesMax = options.responseBytesMax ?? RESPONSE_BYTES_MAX;
    this.#log = options.log ?? SILENT_LOG;
  }

  /** The answer to `text`, or `undefined` when there is none to give. Does not reject. */
  async respond(text: string, context: RpcContext): Promise<string | undefined> {
    try {
      const answer = await this.#handler.handle(text, context);
      if (answer === undefined || !utf8LongerThan(answer, this.#bytesMax)) return answer;
      return refusalText(responseTooBig(this.#bytesMax));
    } catch (cause) {
      this.#log(failureEntry('the RPC handler failed', cause));
      return refusalText(internalError());
    }
  }
}

/** An unforeseen failure as the log tells it, with its stack; never the wire. */
export function failureEntry(what: string, cause: unknown): LogEntry {
  if (!(cause instanceof Error)) return { level: 'error', message: `${what}: ${String(cause)}` };
  return { level: 'error', message: `${what}: ${cause.message}`, details: { stack: cause.stack ?? '' } };
}

/** Whether the UTF-8 form of `text` takes more than `bytesMax`. A code unit takes one to three bytes, so most texts are not encoded. */
export function utf8LongerThan(text: string, bytesMax: number): boolean {
  if (text.length * 3 <= bytesMax) return false;
  return text.length > bytesMax || new TextEncoder().encode(text).length > bytesMax;
}
