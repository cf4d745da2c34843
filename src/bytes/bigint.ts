/**
 * 128-bit and 256-bit integers, little endian, in words of 64 bits.
 *
 * Most amounts are small: words that are zero cost no arithmetic on large integers.
 * @module
 */
import { assert, EngineError } from '../error.ts';

const WORD_BYTES = 8;
const WORD_BITS = 64n;
const U128_MAX = (1n << 128n) - 1n;
const U256_MAX = (1n << 256n) - 1n;

export function readU128(bytes: Uint8Array, at: number): bigint {
  return readWide(bytes, at, 16);
}

export function readU256(bytes: Uint8Array, at: number): bigint {
  return readWide(bytes, at, 32);
}

/** @throws {EngineError} `invalid-argument` for a number that does not fit. */
export function writeU128(bytes: Uint8Array, at: number, value: bigint): void {
  if (value < 0n || value > U128_MAX) throw new EngineError('invalid-argument', `expected a u128, got ${value}`);
  writeWide(bytes, at, value, 16);
}

/** @throws {EngineError} `invalid-argument` for a number that does not fit. */
export function writeU256(bytes: Uint8Array, at: number, value: bigint): void {
  if (value < 0n || value > U256_MAX) throw new EngineError('invalid-argument', `expected a u256, got ${value}`);
  writeWide(bytes, at, value, 32);
}

function readWide(bytes: Uint8Array, at: number, width: 16 | 32): bigint {
  if (at < 0 || at + width > bytes.length) {
    throw new EngineError('malformed-bytes', `expected ${width} bytes at byte ${at}, got ${bytes.length - at}`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, width);
  let value = 0n;
  for (let word = width - WORD_BYTES; word >= 0; word -= WORD_BYTES) {
    const low = view.getBigUint64(word, true);
    value = value === 0n ? low : (value << WORD_BITS) | low;
  }
  return value;
}

function writeWide(bytes: Uint8Array, at: number, value: bigint, width: 16 | 32): void {
  assert(at >= 0 && at + width <= bytes.length, 'a wide integer is written inside its buffer');
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, width);
  let rest = value;
  for (let word = 0; word < width; word += WORD_BYTES) {
    // Of what is too wide, the low word is stored.
    view.setBigUint64(word, rest, true);
    if (rest !== 0n) rest >>= WORD_BITS;
  }
}
