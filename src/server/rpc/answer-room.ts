/**
 * How much an answer may still hold, counted while it is made.
 *
 * The length of an answer is known for certain only once it is text. But a request of a few kilobytes can name one large
 * object a hundred times, or one large transaction a thousand times: made whole and then refused, such answers held the
 * thread for more than a minute and took gigabytes. So what makes an answer long is counted before it is made: the
 * hexadecimal digits of bytes, and the parts of decoded values.
 * @module
 */

import { toHexPrefixed } from '../../base/bytes/hex.ts';
import { VALUE_NODES_MAX } from '../../base/config.ts';

import { responseTooBig, tooManyParts } from './error.ts';
import type { Room } from './method.ts';

/**
 * Parts of the decoded values in one answer: as many as one value may have. A part takes a microsecond and up to a hundred
 * bytes, so that an answer of this many is made in a second.
 */
export const ANSWER_PARTS_MAX: number = VALUE_NODES_MAX;

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
