/**
 * Gathers the chunks of one request under a bound.
 *
 * A sender may cut a request into pieces of one byte; kept as a list they would cost a hundred times their size. The
 * first chunk is kept as it came, which is the usual whole; more are copied into one buffer that doubles.
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

  /** Adds a chunk. False when the bound is passed: nothing was added, and what was gathered is of no more use. */
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

  /** What was gathered; the buffer is empty afterwards. */
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
