/**
 * Integers of 32 to 256 bits, little endian unless stated otherwise.
 *
 * The only file that uses `bigint-buffer`, for integers beyond 64 bits. Only its pure JavaScript entry is loaded: the
 * native encoder of version 1.1.5 overflows for wide numbers (CVE-2025-3194) and prints a warning if it was not built.
 * The build bundles that entry, so the package is a development dependency: installing movelet does not pull in the
 * rest.
 *
 * Shorter ones, and most amounts of 128 and 256 bits are short, are assembled from single bytes: creating a DataView
 * takes as long as reading ten of them, and a DataView of a short array makes V8 move that array out of its heap.
 * @module
 */
import bigintBuffer from 'bigint-buffer/dist/browser.js';
import { assert, EngineError } from '../error.ts';

const WORD_BYTES = 8;
const U64_MAX = (1n << 64n) - 1n;
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
  for (let index = at + WORD_BYTES; index < at + width; index++) {
    if (bytes[index] !== 0) return bigintBuffer.toBigIntLE(Buffer.from(bytes.buffer, bytes.byteOffset + at, width));
  }
  return readU64(bytes, at);
}

function writeWide(bytes: Uint8Array, at: number, value: bigint, width: 16 | 32): void {
  assert(at >= 0 && at + width <= bytes.length, 'a wide integer is written inside its buffer');
  if (value > U64_MAX) {
    bytes.set(bigintBuffer.toBufferLE(value, width), at);
    return;
  }
  bytes.fill(0, at + WORD_BYTES, at + width);
  writeU64(bytes, at, value);
}
