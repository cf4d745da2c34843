/**
 * The form of a value in a database: the value, then four bytes of checksum that bind it to its key.
 *
 * The checksum is CRC-32, little endian, of the value, continued from that of the key, which itself starts from the
 * key's length. It detects a changed byte in either, and a value stored under another key.
 *
 * Cyclic redundancy checks are reflected, of 32 bits: CRC-32 of IEEE 802.3 for our rows, CRC-32C (Castagnoli, RFC 3720)
 * as LevelDB writes it in its own files. Four table look-ups process four bytes.
 * @module
 */
import { readU32 } from '../base/bytes/bigint.ts';
import { toHex, toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';

const IEEE_REVERSED = 0xedb88320;
const CASTAGNOLI_REVERSED = 0x82f63b78;

const IEEE_TABLES = makeTables(IEEE_REVERSED);
let castagnoliTables: Int32Array | undefined;

/** CRC-32 of `data`, continued from `start`, as an unsigned number. */
export function crc32(data: Uint8Array, start = 0): number {
  return checksum(IEEE_TABLES, data, start);
}

/** CRC-32C of `data`, continued from `start`, as an unsigned number. */
export function crc32c(data: Uint8Array, start = 0): number {
  castagnoliTables ??= makeTables(CASTAGNOLI_REVERSED);
  return checksum(castagnoliTables, data, start);
}

/** Four tables in one array: entry `256 * n + byte` is the effect of a byte with `n` bytes after it. */
function makeTables(polynomial: number): Int32Array {
  const tables = new Int32Array(1024);
  for (let byte = 0; byte < 256; byte++) {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = (value & 1) === 0 ? value >>> 1 : (value >>> 1) ^ polynomial;
    tables[byte] = value;
  }
  for (let entry = 256; entry < 1024; entry++) {
    const before = tables[entry - 256]!;
    tables[entry] = (before >>> 8) ^ tables[before & 0xff]!;
  }
  return tables;
}

function checksum(tables: Int32Array, data: Uint8Array, start: number): number {
  let crc = ~start;
  let at = 0;
  for (const end = data.length - 3; at < end; at += 4) {
    crc ^= data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
    crc =
      tables[768 + (crc & 0xff)]! ^
      tables[512 + ((crc >>> 8) & 0xff)]! ^
      tables[256 + ((crc >>> 16) & 0xff)]! ^
      tables[crc >>> 24]!;
  }
  for (; at < data.length; at++) crc = (crc >>> 8) ^ tables[(crc ^ data[at]!) & 0xff]!;
  return ~crc >>> 0;
}

const CHECKSUM_BYTES = 4;

/** Bytes of a key that a message shows. */
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
  const stored = readU32(sealed, length);
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
