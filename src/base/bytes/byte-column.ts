/**
 * Many byte strings in shared chunks: a Uint8Array of 32 bytes takes 230 in V8, whose collector copies it twice. Short
 * columns are short-lived bytes (arena.ts), so do not keep a column.
 * @module
 */
import { HEAP_BYTES_MAX, shortLivedBytes } from './arena.ts';
import { compareBytes } from './bytes.ts';

/** Each chunk is twice as long as the one before, up to a limit: most columns are short, and there are many. */
const FIRST_CHUNK_BYTES = 1024;
const CHUNK_BYTES = 64 * 1024;

/** Bits of `head`, and of the integers that a number holds. */
const HEAD_BITS = 48;
const NUMBER_BITS = 53;

/** Longer strings get their own memory. */
const SHARED_BYTES_MAX = CHUNK_BYTES / 4;

export class ByteColumn {
  readonly #chunks: Uint8Array[] = [];
  /** By place: the number of the string's chunk, where it starts there, and its length. */
  readonly #chunkOf: number[] = [];
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  /** Bytes of the last chunk, and how many of them are free. */
  #size = FIRST_CHUNK_BYTES / 2;
  #left = 0;

  /** How many there are. */
  get length(): number {
    return this.#lengths.length;
  }

  /** Adds a copy of `bytes`. */
  add(bytes: Uint8Array): void {
    const { length } = bytes;
    if (length > SHARED_BYTES_MAX) {
      this.#chunks.push(bytes.slice());
      this.#left = 0;
      this.#note(0, length);
      return;
    }
    if (this.#left < length || this.#chunks.length === 0) this.#begin(length);
    const chunk = this.#chunks[this.#chunks.length - 1]!;
    const start = chunk.length - this.#left;
    chunk.set(bytes, start);
    this.#note(start, length);
    this.#left -= length;
  }

  /** The bytes at `place`: a view, which keeps the rest of the chunk alive. */
  view(place: number): Uint8Array {
    const start = this.#starts[place]!;
    return this.#chunks[this.#chunkOf[place]!]!.subarray(start, start + this.#lengths[place]!);
  }

  /** A copy of the bytes at `place`. */
  copy(place: number): Uint8Array {
    const chunk = this.#chunks[this.#chunkOf[place]!]!;
    const start = this.#starts[place]!;
    const length = this.#lengths[place]!;
    if (length > HEAP_BYTES_MAX) return chunk.slice(start, start + length);
    const bytes = new Uint8Array(length);
    for (let index = 0; index < length; index++) bytes[index] = chunk[start + index]!;
    return bytes;
  }

  /**
   * All places in the order of their bytes; equal bytes in the order of their places. All must have six bytes or more.
   */
  sorted(): Uint32Array {
    const { length } = this;
    // Sorts numbers, a hundred times faster than with a comparison function: each is as much of the head as fits in front
    // of the place.
    let scale = 1;
    while (scale < length) scale *= 2;
    const cut = Math.max(1, (2 ** HEAD_BITS * scale) / 2 ** NUMBER_BITS);
    const numbers = new Float64Array(length);
    for (let place = 0; place < length; place++) numbers[place] = Math.floor(this.head(place) / cut) * scale + place;
    numbers.sort();
    const places = Uint32Array.from(numbers, (number) => number % scale);
    const compare = (one: number, other: number): number =>
      compareBytes(this.view(one), this.view(other)) || one - other;
    for (let from = 0, to = 1; to <= length; to++) {
      if (to < length && numbers[to]! - places[to]! === numbers[from]! - places[from]!) continue;
      // Strings that begin alike are compared in full.
      if (to - from > 1) places.subarray(from, to).sort(compare);
      from = to;
    }
    return places;
  }

  /** The first six bytes at `place` as a number that sorts as they do; there must be that many. */
  head(place: number): number {
    const chunk = this.#chunks[this.#chunkOf[place]!]!;
    const at = this.#starts[place]!;
    const high = (chunk[at]! << 16) | (chunk[at + 1]! << 8) | chunk[at + 2]!;
    return high * 0x1000000 + ((chunk[at + 3]! << 16) | (chunk[at + 4]! << 8) | chunk[at + 5]!);
  }

  /** Starts a chunk with room for `length` bytes. */
  #begin(length: number): void {
    do this.#size = Math.min(2 * this.#size, CHUNK_BYTES);
    while (this.#size < length);
    this.#chunks.push(shortLivedBytes(this.#size));
    this.#left = this.#size;
  }

  #note(start: number, length: number): void {
    this.#chunkOf.push(this.#chunks.length - 1);
    this.#starts.push(start);
    this.#lengths.push(length);
  }
}
