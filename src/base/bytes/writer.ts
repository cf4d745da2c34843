/**
 * A growing byte buffer, little endian. A number that does not fit its width is `invalid-argument`, whatever the width.
 * @module
 */
import { argumentError } from '../argument.ts';
import { invalidArgument } from '../error.ts';
import { shortLivedBytes } from './arena.ts';
import { writeU32, writeU32BigEndian, writeU64, writeU64BigEndian, writeU128, writeU256 } from './bigint.ts';

const U32_MAX = 0xffff_ffff;

/** Up to this length, copying bytes takes less time than creating a view of them. */
const LOOP_BYTES_MAX = 40;

const U64_MAX = 0xffff_ffff_ffff_ffffn;

const HEX_DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  /** `capacity` is a guess in bytes; the buffer doubles when it is exceeded. */
  constructor(capacity = 64) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** Drops what was written, and keeps the buffer if it has at most `bytesMax` bytes. */
  clear(bytesMax: number = Number.POSITIVE_INFINITY): void {
    this.#length = 0;
    if (this.#bytes.length > bytesMax) this.#bytes = new Uint8Array(bytesMax);
  }

  /** Drops all but the first `length` bytes. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length);
  }

  /** What was written: a view of the buffer, valid until the next write. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** A short-lived copy of what was written: do not keep it (arena.ts). */
  finishShortLived(): Uint8Array {
    const bytes = shortLivedBytes(this.#length);
    bytes.set(this.#length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.#length));
    return bytes;
  }

  #reserve(length: number): number {
    const start = this.#length;
    const needed = start + length;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, start));
      this.#bytes = grown;
    }
    this.#length = needed;
    return start;
  }

  u8(value: number): void {
    requireUnsigned(value, 0xff, 'u8');
    const at = this.#reserve(1);
    this.#bytes[at] = value;
  }

  u16(value: number): void {
    requireUnsigned(value, 0xffff, 'u16');
    const at = this.#reserve(2);
    this.#bytes[at] = value;
    this.#bytes[at + 1] = value >> 8;
  }

  u32(value: number): void {
    requireUnsigned(value, U32_MAX, 'u32');
    const at = this.#reserve(4);
    writeU32(this.#bytes, at, value);
  }

  u64(value: bigint): void {
    requireU64(value);
    const at = this.#reserve(8);
    writeU64(this.#bytes, at, value);
  }

  u128(value: bigint): void {
    const at = this.#reserve(16);
    writeU128(this.#bytes, at, value);
  }

  u256(value: bigint): void {
    const at = this.#reserve(32);
    writeU256(this.#bytes, at, value);
  }

  /** A number below 2^32, most significant byte first, so that the bytes sort as the number does. */
  u32BigEndian(value: number): void {
    requireUnsigned(value, U32_MAX, 'u32');
    const at = this.#reserve(4);
    writeU32BigEndian(this.#bytes, at, value);
  }

  /** A u64, most significant byte first. */
  u64BigEndian(value: bigint): void {
    requireU64(value);
    const at = this.#reserve(8);
    writeU64BigEndian(this.#bytes, at, value);
  }

  /** The characters of `text`, which must be below 0x80, one byte each. */
  ascii(text: string): void {
    const at = this.#reserve(text.length);
    const bytes = this.#bytes;
    for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
  }

  /** The lower-case hex digits of `value`, two bytes for each. */
  hexDigits(value: Uint8Array): void {
    let at = this.#reserve(value.length * 2);
    const bytes = this.#bytes;
    for (let index = 0; index < value.length; index++) {
      const byte = value[index]!;
      bytes[at++] = HEX_DIGITS[byte >> 4]!;
      bytes[at++] = HEX_DIGITS[byte & 0xf]!;
    }
  }

  /** Raw bytes without a length. */
  bytes(value: Uint8Array): void {
    if (!(value instanceof Uint8Array)) throw argumentError('value', 'bytes (a Uint8Array)', value);
    const at = this.#reserve(value.length);
    this.#bytes.set(value, at);
  }

  /** `length` bytes of `source` from `from` on. */
  part(source: Uint8Array, from: number, length: number): void {
    const at = this.#reserve(length);
    const bytes = this.#bytes;
    if (length > LOOP_BYTES_MAX) bytes.set(source.subarray(from, from + length), at);
    else for (let index = 0; index < length; index++) bytes[at + index] = source[from + index]!;
  }

  /** Leaves room for `length` bytes, to be filled by `overwrite`, and returns where it begins. */
  skip(length: number): number {
    return this.#reserve(length);
  }

  /** Replaces the byte at `at`, which was written before. */
  overwrite(at: number, byte: number): void {
    this.#bytes[at] = byte;
  }

  /** Moves what was written from `from` on to `to`. */
  move(from: number, to: number): void {
    const end = this.#length;
    if (to > from) this.#reserve(to - from);
    this.#bytes.copyWithin(to, from, end);
    this.#length = end + to - from;
  }

  /** Unsigned LEB128 of a number below 2^32. */
  uleb128(value: number): void {
    requireUnsigned(value, U32_MAX, 'uleb128');
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest & 0x7f) | 0x80);
      rest = Math.floor(rest / 128);
    }
    this.u8(rest);
  }
}

function requireU64(value: bigint): void {
  if (typeof value !== 'bigint' || value < 0n || value > U64_MAX) throw invalidArgument(`expected a u64, got ${value}`);
}

function requireUnsigned(value: number, max: number, name: string): void {
  if (!Number.isInteger(value) || value < 0 || value > max) throw invalidArgument(`expected a ${name}, got ${value}`);
}
