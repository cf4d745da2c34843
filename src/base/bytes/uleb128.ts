/**
 * Unsigned LEB128 at a place in bytes, of numbers below 2^53.
 * @module
 */

/** How many bytes a number takes. */
export function uleb128Length(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
  return length;
}

/** Writes a number, for which there must be room, and returns where it ends. */
export function writeUleb128(target: Uint8Array, at: number, value: number): number {
  let to = at;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) target[to++] = (rest % 0x80) | 0x80;
  target[to++] = rest;
  return to;
}

/** The number at `at` and where it ends, in any form; undefined if it does not end within `bytesMax` bytes. */
export function readUleb128(
  bytes: Uint8Array,
  at: number,
  bytesMax: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = at, scale = 1; index < bytes.length && index < at + bytesMax; scale *= 0x80) {
    const byte = bytes[index++]!;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, end: index };
  }
  return undefined;
}
