/**
 * LevelDB's log format: the form of its write-ahead logs and of its manifests.
 *
 * A log is a sequence of blocks of 32 KiB. A record is stored in one or more fragments, none of which crosses a block:
 * `masked CRC-32C of type and data (4) | length (2) | type (1) | data`, little endian, with type 1 for a whole record
 * and 2, 3, 4 for its first, middle and last part. Fewer than 7 bytes at the end of a block are zeros.
 * Source: LevelDB 1.20, doc/log_format.md.
 *
 * LevelDB silently opens a log with a torn end and, worse, one with damage in the middle: it drops the rest of that
 * block and continues, so a commit is missing while later ones remain. `readLog` distinguishes the two.
 *
 * @module
 */

import { readU32 } from '../base/bytes/bigint.ts';
import { joinBytes } from '../base/bytes/bytes.ts';
import { crc32c } from './row-checksum.ts';

const BLOCK_BYTES = 32_768;
const HEADER_BYTES = 7;
const MASK_DELTA = 0xa282ead8;
const FULL = 1;
const FIRST = 2;
const MIDDLE = 3;
const LAST = 4;

export interface LogReading {
  /** Contents of the whole records before the first damage. */
  readonly records: readonly Uint8Array[];
  /** Bytes up to the end of the last whole record. */
  readonly wholeBytes: number;
  /** Bytes up to the end of the one before it. */
  readonly bytesBeforeLast: number;
  /** Position of the first fragment that is damaged or torn; undefined if the log ends with a whole record. */
  readonly damagedAt: number | undefined;
  /** Whether another record begins after the damage: then it is more than an unfinished last write. */
  readonly isFollowed: boolean;
}

interface Fragment {
  readonly type: number;
  readonly data: Uint8Array;
  readonly end: number;
}

/** Reads a log until its end or its first damage. */
export function readLog(bytes: Uint8Array): LogReading {
  const records: Uint8Array[] = [];
  let parts: Uint8Array[] = [];
  let wholeBytes = 0;
  let bytesBeforeLast = 0;
  let at = skipTrailer(0);
  while (at < bytes.length) {
    const fragment = fragmentAt(bytes, at);
    const continues = parts.length > 0;
    if (fragment === undefined || (fragment.type === MIDDLE || fragment.type === LAST) !== continues) {
      return { records, wholeBytes, bytesBeforeLast, damagedAt: at, isFollowed: hasRecordAfter(bytes, at) };
    }
    parts.push(fragment.data);
    if (fragment.type === FULL || fragment.type === LAST) {
      records.push(parts.length === 1 ? parts[0]! : joinBytes(parts));
      parts = [];
      bytesBeforeLast = wholeBytes;
      wholeBytes = fragment.end;
    }
    at = skipTrailer(fragment.end);
  }
  const damagedAt = parts.length > 0 ? wholeBytes : undefined;
  return { records, wholeBytes, bytesBeforeLast, damagedAt, isFollowed: false };
}

/** The next position at which a fragment can begin. */
function skipTrailer(at: number): number {
  const left = BLOCK_BYTES - (at % BLOCK_BYTES);
  return left < HEADER_BYTES ? at + left : at;
}

function fragmentAt(bytes: Uint8Array, at: number): Fragment | undefined {
  if (at + HEADER_BYTES > bytes.length) return undefined;
  const length = bytes[at + 4]! | (bytes[at + 5]! << 8);
  const type = bytes[at + 6]!;
  const end = at + HEADER_BYTES + length;
  if (type < FULL || type > LAST || end > bytes.length || (at % BLOCK_BYTES) + HEADER_BYTES + length > BLOCK_BYTES) {
    return undefined;
  }
  if (readU32(bytes, at) !== maskedCrc(bytes.subarray(at + 6, end))) return undefined;
  return { type, data: bytes.subarray(at + HEADER_BYTES, end), end };
}

/** LevelDB masks checksums, since the data may itself contain checksums. */
export function maskedCrc(data: Uint8Array): number {
  const crc = crc32c(data);
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
}

/**
 * Whether any record begins at or after the damage. Pages reach the disk in any order, so middle and last parts without
 * a first one are left over from the damaged record.
 */
function hasRecordAfter(bytes: Uint8Array, damaged: number): boolean {
  for (let at = damaged; at < bytes.length; ) {
    const fragment = fragmentAt(bytes, at);
    if (fragment?.type === FULL || fragment?.type === FIRST) return true;
    at = fragment?.end ?? at + 1;
  }
  return false;
}
