/**
 * A key as a path: 64 nibbles, the high half of each byte first.
 *
 * Also the bits of the 16-bit maps that say which nibbles of a branch are taken.
 * Source: moveos/smt/src/jellyfish_merkle/nibble.rs of the reference.
 * @module
 */
import { EngineError } from '../../base/error.ts';

/** Bytes of a key, and of a hash. */
export const KEY_BYTES = 32;

/** Nibbles of a key: the deepest leaf is below 64 branches. */
export const KEY_NIBBLES = 64;

/** Bits of a key: the levels of the binary tree. */
export const KEY_BITS = 256;

export function nibbleAt(key: Uint8Array, depth: number): number {
  const byte = key[depth >> 1]!;
  return (depth & 1) === 0 ? byte >> 4 : byte & 15;
}

/** Whether the bit of `key` at `index` is set; bit 0 is the highest of the first byte. */
export function bitAt(key: Uint8Array, index: number): boolean {
  return ((key[index >> 3]! >> (7 - (index & 7))) & 1) === 1;
}

/** How many leading bits two keys share, 0 to 256. */
export function commonBits(left: Uint8Array, right: Uint8Array): number {
  for (let index = 0; index < KEY_BYTES; index++) {
    const difference = left[index]! ^ right[index]!;
    if (difference !== 0) return index * 8 + Math.clz32(difference) - 24;
  }
  return KEY_BITS;
}

/** How many bits of a 32-bit number are set. */
export function countBits(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The index of the lowest set bit of a nonzero number. */
export function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

/** @throws {EngineError} `invalid-argument` unless `key` has 32 bytes; `name` is what the message calls it. */
export function assertKey(key: Uint8Array, name: string): void {
  if (key.length !== KEY_BYTES) {
    throw new EngineError('invalid-argument', `expected a ${name} of ${KEY_BYTES} bytes, got ${key.length}`);
  }
}
