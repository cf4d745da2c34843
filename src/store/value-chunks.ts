/**
 * Values of a store in memory, one behind the other in chunks.
 *
 * As a string or an array of its own a value would be copied twice by the collector before it is old, and a store makes
 * seventy in a commit: that is most of what a collection finds alive. A chunk is outside of the heap and lives as long as
 * any value in it is in a store, a view or a checkpoint; what else stands in it is lost until then, which is little, since
 * most rows are kept for good.
 * @module
 */

/** Where a value stands. */
export interface StoredValue {
  readonly chunk: Uint8Array;
  readonly at: number;
  readonly length: number;
}

/** The first chunk: a fork that writes one transaction takes no more. */
const CHUNK_BYTES_MIN = 16 * 1024;
const CHUNK_BYTES_MAX = 512 * 1024;

/** Longer ones get a chunk of their own, so that no more than an eighth of one is left unused. */
const SHARED_BYTES_MAX = CHUNK_BYTES_MIN / 8;

export class ValueChunks {
  #chunk = new Uint8Array(0);
  #at = 0;

  /** A copy of `value`. */
  put(value: Uint8Array): StoredValue {
    const { length } = value;
    if (length > SHARED_BYTES_MAX) return { chunk: value.slice(), at: 0, length };
    if (this.#at + length > this.#chunk.length) {
      this.#chunk = new Uint8Array(Math.min(Math.max(CHUNK_BYTES_MIN, 2 * this.#chunk.length), CHUNK_BYTES_MAX));
      this.#at = 0;
    }
    const at = this.#at;
    this.#chunk.set(value, at);
    this.#at = at + length;
    return { chunk: this.#chunk, at, length };
  }
}

/** The value, in an array of its own. */
export function readStored({ chunk, at, length }: StoredValue): Uint8Array {
  return chunk.slice(at, at + length);
}
