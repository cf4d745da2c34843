/**
 * Collects the chunks of one request up to a bound.
 *
 * A sender may split a request into one-byte chunks, which would take a hundred times their size in a list. The first
 * chunk, usually the whole request, is kept as is; further ones are copied into a buffer that doubles.
 * @module
 */
export class RequestBuffer {
  readonly #bytesMax: number;
  #bytes: Buffer = EMPTY;
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a chunk. Returns false if that would exceed the limit; the buffer is then useless. */
  append(chunk: Buffer): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#bytesMax) return false;
    if (this.#length === 0) {
      this.#bytes = chunk;
    } else {
      if (length > this.#bytes.length) this.#grow(length);
      chunk.copy(this.#bytes, this.#length);
    }
    this.#length = length;
    return true;
  }

  /** Returns the collected bytes and empties the buffer. */
  take(): Buffer {
    const bytes = this.#bytes.length === this.#length ? this.#bytes : this.#bytes.subarray(0, this.#length);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#bytes = EMPTY;
    this.#length = 0;
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafe(Math.min(Math.max(length, this.#bytes.length * 2), this.#bytesMax));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

const EMPTY = Buffer.alloc(0);
