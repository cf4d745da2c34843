/**
 * Integers of 32 to 256 bits, little endian unless stated otherwise.
 *
 * They are assembled from single bytes: creating a DataView takes as long as reading ten of them, and moves a short array
 * out of V8's heap. Most amounts of 128 and 256 bits fit one word.
 * @module
 */
import { assert, invalidArgument, malformedBytes } from '../error.ts';
import { fromHex, toHex } from './bytes.ts';

const WORD_BYTES = 8;
const U128_MAX = (1n << 128n) - 1n;
export const U256_MAX: bigint = (1n << 256n) - 1n;

/** Scratch memory to combine two halves into a whole. */
const HALVES = new Uint32Array(2);
const WIDE = new BigUint64Array(HALVES.buffer);

/** The index of the low half of a number in memory on this machine. */
const LOW = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 0 : 1;

/** The caller must have checked that the bytes exist. */
export function readU32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

/** A number of `count` bytes, at most 6; those beyond the end count as zero. */
export function littleEndian(bytes: Uint8Array, at: number, count: number): number {
  let number = 0;
  for (let index = count - 1; index >= 0; index--) number = number * 256 + (bytes[at + index] ?? 0);
  return number;
}

/** As `readU32`. */
export function readU64(bytes: Uint8Array, at: number): bigint {
  HALVES[LOW] = readU32(bytes, at);
  HALVES[1 - LOW] = readU32(bytes, at + 4);
  return WIDE[0]!;
}

/** As `readU32`: the caller must have checked that there is room. */
export function writeU64(bytes: Uint8Array, at: number, value: bigint): void {
  WIDE[0] = value;
  writeU32(bytes, at, HALVES[LOW]!);
  writeU32(bytes, at + 4, HALVES[1 - LOW]!);
}

/** As `writeU64`, most significant byte first. */
export function writeU64BigEndian(bytes: Uint8Array, at: number, value: bigint): void {
  WIDE[0] = value;
  writeU32BigEndian(bytes, at, HALVES[1 - LOW]!);
  writeU32BigEndian(bytes, at + 4, HALVES[LOW]!);
}

/** As `writeU32`, most significant byte first. */
export function writeU32BigEndian(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

/** As `writeU64`; bits of `value` above 32 are dropped. */
export function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

/** The bytes of a number of 0 or more, the most significant first, without leading zeros: none for zero. */
export function bigEndian(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array(0);
  const digits = value.toString(16);
  return fromHex(digits.length % 2 === 0 ? digits : `0${digits}`);
}

export function readU128(bytes: Uint8Array, at: number): bigint {
  return readWide(bytes, at, 16);
}

export function readU256(bytes: Uint8Array, at: number): bigint {
  return readWide(bytes, at, 32);
}

/** @throws {EngineError} `invalid-argument` for a number that does not fit. */
export function writeU128(bytes: Uint8Array, at: number, value: bigint): void {
  if (value < 0n || value > U128_MAX) throw invalidArgument(`expected a u128, got ${value}`);
  writeWide(bytes, at, value, 16);
}

/** @throws {EngineError} `invalid-argument` for a number that does not fit. */
export function writeU256(bytes: Uint8Array, at: number, value: bigint): void {
  if (value < 0n || value > U256_MAX) throw invalidArgument(`expected a u256, got ${value}`);
  writeWide(bytes, at, value, 32);
}

function readWide(bytes: Uint8Array, at: number, width: 16 | 32): bigint {
  if (at < 0 || at + width > bytes.length) {
    throw malformedBytes(`expected ${width} bytes at byte ${at}, got ${bytes.length - at}`);
  }
  let value = readU64(bytes, at);
  for (let word = WORD_BYTES; word < width; word += WORD_BYTES) {
    const next = readU64(bytes, at + word);
    if (next !== 0n) value |= next << BigInt(8 * word);
  }
  return value;
}

function writeWide(bytes: Uint8Array, at: number, value: bigint, width: 16 | 32): void {
  assert(at >= 0 && at + width <= bytes.length, 'a wide integer is written inside its buffer');
  let rest = value;
  for (let word = 0; word < width; word += WORD_BYTES) {
    writeU64(bytes, at + word, rest);
    rest >>= 64n;
  }
}

/** A number of any length, most significant byte first; zero of no bytes. */
export const bytesToNumberBE = (bytes: Uint8Array): bigint => BigInt(`0x0${toHex(bytes)}`);

/** As `bytesToNumberBE`, least significant byte first. */
export const bytesToNumberLE = (bytes: Uint8Array): bigint => bytesToNumberBE(bytes.slice().reverse());

/** A number of any length, most significant byte first. */
export function numberToBytesBE(value: bigint, length: number): Uint8Array {
  const digits = value.toString(16).padStart(2 * length, '0');
  assert(value >= 0n && digits.length === 2 * length, 'a number fits the bytes that it is written to');
  return fromHex(digits);
}

/** As `numberToBytesBE`, least significant byte first. */
export const numberToBytesLE = (value: bigint, length: number): Uint8Array => numberToBytesBE(value, length).reverse();

/** `base` to the power of `exponent` followed by `zeros` zero bytes. */
export function powerModulo(base: bigint, exponent: Uint8Array, modulus: bigint, zeros = 0): bigint {
  const factor = base % modulus;
  let result = 1n % modulus;
  for (const byte of exponent) {
    for (let mask = 0x80; mask !== 0; mask >>= 1) {
      if (result > 1n) result = (result * result) % modulus;
      if ((byte & mask) !== 0) result = (result * factor) % modulus;
    }
  }
  for (let bit = 0; bit < 8 * zeros && result > 1n; bit++) result = (result * result) % modulus;
  return result;
}
