/**
 * Byte strings by the ten thousand, one behind the other: for V8 an array of 32 bytes takes 230, and one that lives for
 * some time is copied twice by its collector.
 * @module
 */

const CHUNK_BYTES = 64 * 1024;

/** Longer ones get memory of their own. */
const SHARED_BYTES_MAX = CHUNK_BYTES / 4;

export class ByteColumn {
  readonly #chunks: Uint8Array[] = [];
  /** By place: the number of its chunk, where it starts there, and its length. */
  readonly #chunkOf: number[] = [];
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];
  /** Bytes taken of the last chunk. */
  #taken = CHUNK_BYTES;

  /** How many there are. */
  get length(): number {
    return this.#lengths.length;
  }

  /** Adds a copy of `bytes`. */
  add(bytes: Uint8Array): void {
    const { length } = bytes;
    if (length > SHARED_BYTES_MAX) {
      this.#chunks.push(bytes.slice());
      this.#taken = CHUNK_BYTES;
      this.#note(0, length);
      return;
    }
    if (this.#taken + length >= CHUNK_BYTES) {
      this.#chunks.push(new Uint8Array(CHUNK_BYTES));
      this.#taken = 0;
    }
    const chunk = this.#chunks[this.#chunks.length - 1]!;
    chunk.set(bytes, this.#taken);
    this.#note(this.#taken, length);
    this.#taken += length;
  }

  /** Those at `place`: a view that keeps what stands beside them, too. */
  view(place: number): Uint8Array {
    const start = this.#starts[place]!;
    return this.#chunks[this.#chunkOf[place]!]!.subarray(start, start + this.#lengths[place]!);
  }

  /** A copy of those at `place`. */
  copy(place: number): Uint8Array {
    const start = this.#starts[place]!;
    return this.#chunks[this.#chunkOf[place]!]!.slice(start, start + this.#lengths[place]!);
  }

  /** The first six bytes at `place` as a number, whose order is theirs; there must be as many. */
  head(place: number): number {
    const chunk = this.#chunks[this.#chunkOf[place]!]!;
    const at = this.#starts[place]!;
    const high = (chunk[at]! << 16) | (chunk[at + 1]! << 8) | chunk[at + 2]!;
    return high * 0x1000000 + ((chunk[at + 3]! << 16) | (chunk[at + 4]! << 8) | chunk[at + 5]!);
  }

  #note(start: number, length: number): void {
    this.#chunkOf.push(this.#chunks.length - 1);
    this.#starts.push(start);
    this.#lengths.push(length);
  }
}
