/**
 * The form of a value in a database: the value, then four bytes of checksum that bind it to its key.
 *
 * The checksum is CRC-32, little endian, of the value, continued from that of the key, which itself starts from the
 * key's length. It detects a changed byte in either, and a value stored under another key.
 *
 * @module
 */
import { toHex, toHexPrefixed } from '../base/bytes/hex.ts';
import { EngineError } from '../base/error.ts';
import { crc32 } from './crc32.ts';

const CHECKSUM_BYTES = 4;

/** Bytes of a long key that a message shows. */
const KEY_SHOWN_BYTES_MAX = 64;

/** Length of the stored form of a value, in bytes. */
export function sealedLength(value: Uint8Array): number {
  return value.length + CHECKSUM_BYTES;
}

/**
 * The stored form of a value, written to `target` from `at`: one allocation for a whole batch takes a third of the time
 * of one for each row.
 */
export function sealValueInto(target: Uint8Array, at: number, key: Uint8Array, value: Uint8Array): Uint8Array {
  target.set(value, at);
  const checksum = crc32(value, crc32(key, key.length));
  const end = at + value.length;
  target[end] = checksum;
  target[end + 1] = checksum >>> 8;
  target[end + 2] = checksum >>> 16;
  target[end + 3] = checksum >>> 24;
  return target.subarray(at, end + CHECKSUM_BYTES);
}

/** The stored form of one value. */
export function sealValue(key: Uint8Array, value: Uint8Array): Uint8Array {
  return sealValueInto(new Uint8Array(sealedLength(value)), 0, key, value);
}

/**
 * The value of a stored form, as a view of its memory.
 * @throws {EngineError} `corrupt`, naming column and key, when the checksum does not match.
 */
export function openValue(key: Uint8Array, sealed: Uint8Array): Uint8Array {
  const length = sealed.length - CHECKSUM_BYTES;
  if (length < 0) throw corruptRow(key, `expected at least ${CHECKSUM_BYTES} bytes, got ${sealed.length}`);
  const value = new Uint8Array(sealed.buffer, sealed.byteOffset, length);
  const stored =
    (sealed[length]! | (sealed[length + 1]! << 8) | (sealed[length + 2]! << 16) | (sealed[length + 3]! << 24)) >>> 0;
  const computed = crc32(value, crc32(key, key.length));
  if (stored !== computed) {
    throw corruptRow(key, `its checksum is ${hex32(stored)}, that of its bytes ${hex32(computed)}`);
  }
  return value;
}

function corruptRow(key: Uint8Array, found: string): EngineError {
  const column = toHexPrefixed(key.subarray(0, 1));
  const shown = toHexPrefixed(key.subarray(0, KEY_SHOWN_BYTES_MAX));
  const cut = key.length > KEY_SHOWN_BYTES_MAX ? `... (${key.length} bytes)` : '';
  return new EngineError(
    'corrupt',
    `the stored row of column ${column} with key ${shown}${cut} is damaged: ${found}; restore the directory from a dump or a copy`,
    { details: { column, key: toHex(key) } },
  );
}

function hex32(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`;
}
