/**
 * A growing byte buffer, little endian. A number that does not fit its width is `invalid-argument`, whatever the width.
 * @module
 */
import { argumentError } from '../argument.ts';
import { EngineError } from '../error.ts';
import { shortLivedBytes } from './arena.ts';
import { writeU32, writeU64, writeU128, writeU256 } from './bigint.ts';

const U32_MAX = 0xffff_ffff;
const U64_MAX = 0xffff_ffff_ffff_ffffn;

const HEX_DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

export class ByteWriter {
  #bytes: Uint8Array;
  #length = 0;

  /** `capacity` is a guess in bytes; the buffer doubles when it is passed. */
  constructor(capacity = 64) {
    this.#bytes = new Uint8Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** Forgets what was written and keeps the buffer. */
  clear(): void {
    this.#length = 0;
  }

  /** What was written: a view of the buffer, good until the next write. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** A copy of what was written, not to be kept (arena.ts). */
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
    if (typeof value !== 'bigint' || value < 0n || value > U64_MAX)
      throw new EngineError('invalid-argument', `expected a u64, got ${value}`);
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

  /** The characters of `text`, one byte each; they must be below 0x80. */
  ascii(text: string): void {
    const at = this.#reserve(text.length);
    for (let index = 0; index < text.length; index++) this.#bytes[at + index] = text.charCodeAt(index);
  }

  /** The lower-case hex digits of `value`, two bytes for each. */
  hexDigits(value: Uint8Array): void {
    let at = this.#reserve(value.length * 2);
    for (let index = 0; index < value.length; index++) {
      const byte = value[index]!;
      this.#bytes[at++] = HEX_DIGITS[byte >> 4]!;
      this.#bytes[at++] = HEX_DIGITS[byte & 0xf]!;
    }
  }

  /** Raw bytes without a length. */
  bytes(value: Uint8Array): void {
    if (!(value instanceof Uint8Array)) throw argumentError('value', 'bytes (a Uint8Array)', value);
    const at = this.#reserve(value.length);
    this.#bytes.set(value, at);
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

/** How many bytes `uleb128` writes. */
export function uleb128Length(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) length++;
  return length;
}

function requireUnsigned(value: number, max: number, name: string): void {
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new EngineError('invalid-argument', `expected a ${name}, got ${value}`);
  }
}
