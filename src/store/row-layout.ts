/**
 * How rows in memory are laid out, one after another in a byte array.
 *
 * A row is the length of its key less one (2 bytes, big endian), the key, the length of its value plus one (ULEB128; 0
 * for a row that records a deletion), the value, and padding to a multiple of eight bytes. So rows begin at multiples
 * of eight, and a place among gigabytes of them is a 32-bit number.
 *
 * Keys to search for are part of an array, too: `length` bytes from `from` on. No array is made to search for the key
 * of a row.
 * @module
 */

/** Rows begin at multiples of this many bytes, two to the power of `ROW_UNIT_BITS`. */
export const ROW_UNIT_BITS = 3;
const ROW_UNIT = 1 << ROW_UNIT_BITS;

/** Bytes before the key. */
export const HEAD_BYTES = 2;

/** So few bytes that copying them one by one is faster than a call of `set`. */
const SHORT_BYTES_MAX = 64;

/** Bytes of a row of these lengths, up to where the next begins; without a value, of one that records a deletion. */
export function rowBytes(keyLength: number, valueLength: number | undefined): number {
  const stored = valueLength === undefined ? 0 : valueLength + 1;
  return padded(HEAD_BYTES + keyLength + numberBytes(stored) + (valueLength ?? 0));
}

/** Writes a row at `at`, a multiple of eight; without a value, one that records a deletion. */
export function writeRow(rows: Uint8Array, at: number, key: Uint8Array, value: Uint8Array | undefined): void {
  const { length } = key;
  rows[at] = (length - 1) >> 8;
  rows[at + 1] = length - 1;
  let to = at + HEAD_BYTES;
  for (let index = 0; index < length; index++) rows[to++] = key[index]!;
  let rest = value === undefined ? 0 : value.length + 1;
  for (; rest >= 0x80; rest >>>= 7) rows[to++] = rest | 0x80;
  rows[to++] = rest;
  if (value === undefined) return;
  if (value.length > SHORT_BYTES_MAX) rows.set(value, to);
  else for (let index = 0; index < value.length; index++) rows[to++] = value[index]!;
}

/** Bytes of the row at `at`, up to where the next begins. */
export function rowLength(rows: Uint8Array, at: number): number {
  const head = HEAD_BYTES + keyLength(rows, at);
  const stored = readNumber(rows, at + head);
  return padded(head + numberBytes(stored) + (stored === 0 ? 0 : stored - 1));
}

/** Where the key of the row at `at` begins. */
export function keyFrom(at: number): number {
  return at + HEAD_BYTES;
}

export function keyLength(rows: Uint8Array, at: number): number {
  return ((rows[at]! << 8) | rows[at + 1]!) + 1;
}

/** The key of a row: a view. */
export function keyViewOf(rows: Uint8Array, at: number): Uint8Array {
  const from = keyFrom(at);
  return rows.subarray(from, from + keyLength(rows, at));
}

/** The value of a row: a view; `undefined` for a deleted one. */
export function valueViewOf(rows: Uint8Array, at: number): Uint8Array | undefined {
  const lengthAt = keyFrom(at) + keyLength(rows, at);
  const stored = readNumber(rows, lengthAt);
  if (stored === 0) return undefined;
  const from = lengthAt + numberBytes(stored);
  return rows.subarray(from, from + stored - 1);
}

/** Whether a row records a deletion. */
export function isDeletion(rows: Uint8Array, at: number): boolean {
  return rows[keyFrom(at) + keyLength(rows, at)] === 0;
}

/** The key of a row, in an array of its own. */
export function readKey(rows: Uint8Array, at: number): Uint8Array {
  const from = keyFrom(at);
  return rows.slice(from, from + keyLength(rows, at));
}

/** The value of a row, in an array of its own; `undefined` for a deleted one. */
export function readValue(rows: Uint8Array, at: number): Uint8Array | undefined {
  const lengthAt = keyFrom(at) + keyLength(rows, at);
  const stored = readNumber(rows, lengthAt);
  if (stored === 0) return undefined;
  const from = lengthAt + numberBytes(stored);
  return rows.slice(from, from + stored - 1);
}

/** How many bytes a row's key and another key have in common; the first `known` are known to be equal. */
export function commonBytes(
  rows: Uint8Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  length: number,
  known: number,
): number {
  const start = keyFrom(at);
  const own = keyLength(rows, at);
  const both = own < length ? own : length;
  let common = known;
  while (common < both && rows[start + common] === bytes[from + common]) common++;
  return common;
}

/**
 * The order of a row's key and another key that have exactly `common` bytes in common: negative, zero or positive.
 */
export function orderBehind(
  rows: Uint8Array,
  at: number,
  bytes: Uint8Array,
  from: number,
  length: number,
  common: number,
): number {
  const own = keyLength(rows, at);
  return common < own && common < length ? rows[keyFrom(at) + common]! - bytes[from + common]! : own - length;
}

/** Whether the key of a row is the key at `from`. */
export function isKey(rows: Uint8Array, at: number, bytes: Uint8Array, from: number, length: number): boolean {
  if (keyLength(rows, at) !== length) return false;
  const start = keyFrom(at);
  // From the end: keys are more often alike at the beginning than at the end.
  for (let index = length - 1; index >= 0; index--) if (rows[start + index] !== bytes[from + index]) return false;
  return true;
}

/** A length in bytes, up to where the next row begins. */
export function padded(length: number): number {
  return (length + ROW_UNIT - 1) & -ROW_UNIT;
}

/** Bytes of a number as ULEB128. */
export function numberBytes(number: number): number {
  let bytes = 1;
  for (let rest = number; rest >= 0x80; rest >>>= 7) bytes++;
  return bytes;
}

/** The ULEB128 number at `at`. */
function readNumber(rows: Uint8Array, at: number): number {
  let number = 0;
  for (let index = at, shift = 0; ; index++, shift += 7) {
    const byte = rows[index]!;
    number += (byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}
