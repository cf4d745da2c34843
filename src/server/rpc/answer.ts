/**
 * Answers in their wire form, and how much one may still hold while it is made.
 * Source: https://www.jsonrpc.org/specification.
 * @module
 */

import { toHexPrefixed } from '../../base/bytes/hex.ts';
import { VALUE_NODES_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { INVALID_REQUEST, PARSE_ERROR } from '../../base/json-rpc.ts';
import { type RpcError, responseTooBig, rpcError, tooManyParts } from './error.ts';
import { stringifyJson } from './json.ts';
import type { Room } from './method.ts';
import type { RequestId } from './request.ts';

/** The text of an answer, or its UTF-8; undefined if there is none. */
export type Answer = string | Uint8Array | undefined;

/** A result in its wire form, as text. */
export class WrittenResult {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A whole answer, including its id, as UTF-8. Used for large answers: copying, wrapping and encoding 16 MB of text held
 * the engine's thread for a tenth of a second.
 */
export class EncodedAnswer {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

const DECODER = new TextDecoder();

export function textOf(answer: string | Uint8Array): string {
  return typeof answer === 'string' ? answer : DECODER.decode(answer);
}

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

/**
 * Parts of the decoded values in one answer: as many as one value may have. A part takes a microsecond and up to a hundred
 * bytes, so that an answer of this many is made in a second.
 */
export const ANSWER_PARTS_MAX: number = VALUE_NODES_MAX;

/**
 * How much an answer may still hold, counted while it is made.
 *
 * The length of an answer is known for certain only once it is text. But a request of a few kilobytes can name one large
 * object a hundred times, or one large transaction a thousand times: made whole and then refused, such answers held the
 * thread for more than a minute and took gigabytes. So what makes an answer long is counted before it is made: the
 * hexadecimal digits of bytes, and the parts of decoded values.
 */
export class AnswerRoom implements Room {
  readonly #charactersMax: number;
  readonly #partsMax: number;
  #characters = 0;
  #parts = 0;

  /** `charactersMax`: of an answer that becomes text. Without it there is room for anything. */
  constructor(charactersMax?: number) {
    this.#charactersMax = charactersMax ?? Number.POSITIVE_INFINITY;
    this.#partsMax = charactersMax === undefined ? Number.POSITIVE_INFINITY : ANSWER_PARTS_MAX;
  }

  /** `0x` and the digits of bytes. */
  hex(bytes: Uint8Array): string {
    this.takeCharacters(2 * bytes.length);
    return toHexPrefixed(bytes);
  }

  /**
   * Counts characters that the answer will have at least.
   * @throws {RpcError} if there is no room for them
   */
  takeCharacters(count: number): void {
    this.#characters += count;
    if (this.#characters > this.#charactersMax) throw responseTooBig(this.#characters, this.#charactersMax);
  }

  /**
   * Counts parts of decoded values: each number, text, list or struct, at all levels.
   * @throws {RpcError} if there is no room for them
   */
  takeParts(count: number): void {
    this.#parts += count;
    if (this.#parts > this.#partsMax) throw tooManyParts(this.#partsMax);
  }
}
