/**
 * Numbers of 256 bits as 32 bytes and as signed digits.
 * @module
 */

const BYTES = 32;
const scratch = new Uint8Array(BYTES);
const words = new DataView(scratch.buffer);

/** The number in the 32 bytes from `at` on, highest byte first. They must exist. */
export function readScalar(bytes: Uint8Array, at = 0): bigint {
  for (let index = 0; index < BYTES; index++) scratch[index] = bytes[at + index]!;
  const high = (words.getBigUint64(0) << 64n) | words.getBigUint64(8);
  return (high << 128n) | (words.getBigUint64(16) << 64n) | words.getBigUint64(24);
}

/** The same, lowest byte first. */
export function readLittleEndian(bytes: Uint8Array, at = 0): bigint {
  for (let index = 0; index < BYTES; index++) scratch[index] = bytes[at + index]!;
  const low = (words.getBigUint64(8, true) << 64n) | words.getBigUint64(0, true);
  return (words.getBigUint64(24, true) << 192n) | (words.getBigUint64(16, true) << 128n) | low;
}

/** Writes a number below 2^256 at `at`, highest byte first. There must be room. */
export function writeScalar(bytes: Uint8Array, at: number, value: bigint): void {
  putWords(value);
  for (let index = 0; index < BYTES; index++) bytes[at + index] = scratch[index]!;
}

function putWords(value: bigint): void {
  words.setBigUint64(0, value >> 192n);
  words.setBigUint64(8, value >> 128n);
  words.setBigUint64(16, value >> 64n);
  words.setBigUint64(24, value);
}

/** How many digits `oddDigits` makes. */
export function digitCount(bits: number): number {
  return Math.ceil((8 * BYTES) / bits);
}

/**
 * Writes an odd number below 2^256 in base `2^bits`, lowest first, with digits that are all odd: from `1 - 2^bits` to
 * `2^bits - 1`. So none of them is 0, and multiples for the positive digits are enough, since they can be negated.
 * @param bits 8 at most
 */
export function oddDigits(digits: Int16Array, value: bigint, bits: number): void {
  putWords(value);
  const count = digitCount(bits);
  const radix = 1 << bits;
  for (let digit = 0; digit < count - 1; digit++) {
    const bit = digit * bits;
    const byte = BYTES - 1 - (bit >>> 3);
    const window = ((scratch[byte]! | ((scratch[byte - 1] ?? 0) << 8)) >>> (bit & 7)) & (radix - 1);
    const next = bit + bits;
    const isNextOdd = (scratch[BYTES - 1 - (next >>> 3)]! >>> (next & 7)) & 1;
    // The rest above this digit is made odd by adding one there and subtracting as much here.
    digits[digit] = (window | 1) - (isNextOdd === 1 ? 0 : radix);
  }
  const last = (count - 1) * bits;
  digits[count - 1] = (scratch[BYTES - 1 - (last >>> 3)]! >>> (last & 7)) | 1;
}
