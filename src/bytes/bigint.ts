/**
 * 128-bit and 256-bit integers, little endian.
 *
 * The one file that knows `bigint-buffer`. Only its pure JavaScript entry is loaded: the native encoder of version
 * 1.1.5 overflows for wide numbers (CVE-2025-3194) and prints a warning where it was not built. Widths are 16 and 32
 * bytes and nothing else. Most amounts fit 64 bits, which a DataView reads and writes in a tenth of the time.
 * @module
 */
import bigintBuffer from 'bigint-buffer/dist/browser.js';
import { assert, EngineError } from '../error.ts';

const WORD_BYTES = 8;
const U64_MAX = (1n << 64n) - 1n;
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
  for (let word = WORD_BYTES; word < width; word += WORD_BYTES) {
    if (view.getBigUint64(word, true) === 0n) continue;
    return bigintBuffer.toBigIntLE(Buffer.from(bytes.buffer, bytes.byteOffset + at, width));
  }
  return view.getBigUint64(0, true);
}

function writeWide(bytes: Uint8Array, at: number, value: bigint, width: 16 | 32): void {
  assert(at >= 0 && at + width <= bytes.length, 'a wide integer is written inside its buffer');
  if (value > U64_MAX) {
    bytes.set(bigintBuffer.toBufferLE(value, width), at);
    return;
  }
  bytes.fill(0, at + WORD_BYTES, at + width);
  new DataView(bytes.buffer, bytes.byteOffset + at, width).setBigUint64(0, value, true);
}
