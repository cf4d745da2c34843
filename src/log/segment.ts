/**
 * Segments: the files of a directory log that hold its records, one frame each. A segment belongs to one epoch, is named
 * after its first order and that epoch, and is only ever appended to.
 *
 * A frame is `length (4) | CRC-32 of what follows (4) | order (8) | epoch (8) | record`, little endian; the length
 * counts the record. A process that dies leaves at most a torn last frame; what follows a bad frame is not part of
 * the log.
 * @module
 */
import type { FileHandle } from 'node:fs/promises';
import { readU32, readU64, writeU32, writeU64 } from '../base/bytes/bigint.ts';
import { crc32 } from '../store/crc32.ts';
import type { LogRecord } from './commit-log.ts';
import type { StartedEpoch } from './epoch-files.ts';
import { RECORD_BYTES_MAX } from './record.ts';

const HEADER_BYTES = 24;
const CHECKED_FROM = 8;
/** Bytes read from a segment at a time. */
const PIECE_BYTES = 1_048_576;
const NAME = /^(\d{20})-(\d{10})\.segment$/;

/** Which part of a log a segment holds. */
export interface SegmentName {
  readonly name: string;
  readonly firstOrder: bigint;
  readonly epoch: bigint;
}

/** The file of the segment of `epoch` that begins at `firstOrder`. */
export function segmentName(firstOrder: bigint, epoch: bigint): SegmentName {
  const name = `${String(firstOrder).padStart(20, '0')}-${String(epoch).padStart(10, '0')}.segment`;
  return { name, firstOrder, epoch };
}

/** Parses a file name; undefined for a file that is not a segment. */
export function parseSegmentName(name: string): SegmentName | undefined {
  const [, firstOrder, epoch] = NAME.exec(name) ?? [];
  if (firstOrder === undefined || epoch === undefined) return undefined;
  return { name, firstOrder: BigInt(firstOrder), epoch: BigInt(epoch) };
}

/**
 * The last order of a segment, given all segments of a log in record order, the newest of which ends at `newest`. It is
 * below the segment's first order if nothing in the segment counts, because a later epoch began earlier.
 */
export function lastOrderOf(
  segment: SegmentName,
  segments: readonly SegmentName[],
  epochs: readonly StartedEpoch[],
  newest: bigint,
): bigint {
  const next = segments.find(({ epoch, firstOrder }) => epoch === segment.epoch && firstOrder > segment.firstOrder);
  const ends = epochs.find(({ epoch }) => epoch > segment.epoch)?.start.order ?? newest;
  return next === undefined || next.firstOrder > ends ? ends : next.firstOrder - 1n;
}

/** The bytes of a record in a segment. */
export function frameOf({ order, epoch, bytes }: LogRecord): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + bytes.length);
  writeU32(frame, 0, bytes.length);
  writeU64(frame, 8, order);
  writeU64(frame, 16, epoch);
  frame.set(bytes, HEADER_BYTES);
  writeU32(frame, 4, crc32(frame.subarray(CHECKED_FROM)));
  return frame;
}

/** A record of a segment, and where the next one begins. */
export interface PlacedRecord {
  readonly record: LogRecord;
  readonly end: number;
}

/** The records from `start` on, an offset between two frames; ends where no complete, valid frame follows. */
export async function* framesFrom(file: FileHandle, start: number): AsyncGenerator<PlacedRecord, void, undefined> {
  let held = new Uint8Array(0);
  let at = start;
  for (;;) {
    const wanted = frameLength(held);
    if (wanted !== undefined && wanted > HEADER_BYTES + RECORD_BYTES_MAX) return;
    if (wanted === undefined || wanted > held.length) {
      const piece = await readPiece(file, at + held.length, (wanted ?? 0) - held.length);
      if (piece.length === 0) return;
      const joined = new Uint8Array(held.length + piece.length);
      joined.set(held);
      joined.set(piece, held.length);
      held = joined;
      continue;
    }
    const record = decodeFrame(held.subarray(0, wanted));
    if (record === undefined) return;
    at += wanted;
    held = held.subarray(wanted);
    yield { record, end: at };
  }
}

async function readPiece(file: FileHandle, at: number, wanted: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(Math.max(wanted, PIECE_BYTES));
  const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
  return buffer.subarray(0, bytesRead);
}

/** Undefined if there are too few bytes to know. */
function frameLength(held: Uint8Array): number | undefined {
  return held.length < HEADER_BYTES ? undefined : HEADER_BYTES + readU32(held, 0);
}

function decodeFrame(frame: Uint8Array): LogRecord | undefined {
  if (readU32(frame, 4) !== crc32(frame.subarray(CHECKED_FROM))) return undefined;
  return { order: readU64(frame, 8), epoch: readU64(frame, 16), bytes: frame.slice(HEADER_BYTES) };
}
