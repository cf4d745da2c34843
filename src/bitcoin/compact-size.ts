/**
 * Bitcoin's variable-length counts: one byte below 253, else a marker and 2, 4 or 8 bytes, in the shortest form only.
 * @module
 */
import type { ByteReader } from '../base/bytes/reader.ts';
import type { ByteWriter } from '../base/bytes/writer.ts';
import { malformedBytes } from '../base/error.ts';

const MARKER_U16 = 0xfd;
const MARKER_U32 = 0xfe;
const MARKER_U64 = 0xff;

/**
 * A count of `what`. Each takes at least `bytesMin` bytes, so the count is bounded by the remaining input.
 * @throws {EngineError} `malformed-bytes` for a non-minimal encoding or more items than can follow.
 */
export function readCount(reader: ByteReader, what: string, bytesMin: number): number {
  const start = reader.offset;
  const first = reader.u8();
  if (first < MARKER_U16) return boundedCount(reader, start, what, bytesMin, first);
  let count: number | bigint;
  let least: number;
  if (first === MARKER_U16) [count, least] = [reader.u16(), MARKER_U16];
  else if (first === MARKER_U32) [count, least] = [reader.u32(), 0x1_0000];
  else [count, least] = [reader.u64(), 0x1_0000_0000];
  if (count < least) throw malformedBytes(`expected the shortest form of a count at byte ${start}`);
  return boundedCount(reader, start, what, bytesMin, count);
}

function boundedCount(
  reader: ByteReader,
  start: number,
  what: string,
  bytesMin: number,
  count: number | bigint,
): number {
  if (Number(count) * bytesMin > reader.remaining) {
    throw malformedBytes(`expected ${count} ${what} after byte ${start}, got only ${reader.remaining} more bytes`);
  }
  return Number(count);
}

/** A count and that many bytes, as a view of the input. */
export function readSizedBytes(reader: ByteReader): Uint8Array {
  return reader.view(readCount(reader, 'bytes', 1));
}

export function writeCount(writer: ByteWriter, count: number): void {
  if (count < MARKER_U16) {
    writer.u8(count);
  } else if (count <= 0xffff) {
    writer.u8(MARKER_U16);
    writer.u16(count);
  } else if (count <= 0xffff_ffff) {
    writer.u8(MARKER_U32);
    writer.u32(count);
  } else {
    writer.u8(MARKER_U64);
    writer.u64(BigInt(count));
  }
}

/** The length of a count in bytes. Counts of a block fit 32 bits. */
export function countLength(count: number): number {
  if (count < MARKER_U16) return 1;
  return count <= 0xffff ? 3 : 5;
}

export function writeSizedBytes(writer: ByteWriter, bytes: Uint8Array): void {
  writeCount(writer, bytes.length);
  writer.bytes(bytes);
}
