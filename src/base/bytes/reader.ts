/**
 * A bounded cursor over bytes, little endian.
 *
 * Every read first checks the remaining length, so no input makes it read past the end or allocate more than it holds.
 * @module
 */
import { assert, malformedBytes } from '../error.ts';
import { readU32, readU64, readU128, readU256 } from './bigint.ts';

export class ByteReader {
  readonly bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  /**
   * Reads `bytes` from `start` (inclusive) to `end` (exclusive).
   *
   * A Node Buffer is read through a plain Uint8Array over the same memory: `slice` of a Buffer shares memory instead of
   * copying, and its views would leak the subclass into decoded values.
   */
  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    assert(start >= 0 && start <= end && end <= bytes.length, 'a reader begins and ends inside its bytes');
    this.bytes =
      bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = start;
    this.#end = end;
  }

  /** Position of the next byte, counted from the start of `bytes`. */
  get offset(): number {
    return this.#at;
  }

  get remaining(): number {
    return this.#end - this.#at;
  }

  /** @throws {EngineError} `malformed-bytes` unless everything was read. */
  finish(): void {
    if (this.#at !== this.#end) {
      throw malformedBytes(`expected the end at byte ${this.#at}, got ${this.remaining} more bytes`);
    }
  }

  /** Moves past `length` bytes and returns where they start. */
  skip(length: number): number {
    const start = this.#at;
    if (length > this.#end - start) {
      throw malformedBytes(`expected ${length} bytes at byte ${start}, got ${this.#end - start} before the end`);
    }
    this.#at = start + length;
    return start;
  }

  /** Whether the next bytes are the first `length` of `bytes`. */
  isNext(bytes: Uint8Array, length: number = bytes.length): boolean {
    if (length > this.remaining) return false;
    // From the end: consecutive values begin alike more often than they end alike.
    for (let index = length - 1; index >= 0; index--) if (this.bytes[this.#at + index] !== bytes[index]) return false;
    return true;
  }

  u8(): number {
    return this.bytes[this.skip(1)]!;
  }

  u16(): number {
    const at = this.skip(2);
    return this.bytes[at]! | (this.bytes[at + 1]! << 8);
  }

  u32(): number {
    return readU32(this.bytes, this.skip(4));
  }

  u64(): bigint {
    return readU64(this.bytes, this.skip(8));
  }

  u128(): bigint {
    return readU128(this.bytes, this.skip(16));
  }

  u256(): bigint {
    return readU256(this.bytes, this.skip(32));
  }

  /** A view of the next `length` bytes, sharing memory with the input. */
  view(length: number): Uint8Array {
    const start = this.skip(length);
    return this.bytes.subarray(start, start + length);
  }

  /** A copy of the next `length` bytes. */
  copy(length: number): Uint8Array {
    const start = this.skip(length);
    return this.bytes.slice(start, start + length);
  }

  /**
   * Unsigned LEB128 below 2^32, in its shortest form only (the canonical form of BCS).
   * @throws {EngineError} `malformed-bytes` for a longer form or a larger number.
   */
  uleb128(): number {
    const start = this.#at;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.u8();
      const bits = byte & 0x7f;
      if (shift === 28 && bits > 0x0f) break;
      value += bits * 2 ** shift;
      if ((byte & 0x80) === 0) {
        if (bits === 0 && shift > 0) break;
        return value;
      }
    }
    throw malformedBytes(`expected a canonical uleb128 number below 2^32 at byte ${start}`);
  }
}
