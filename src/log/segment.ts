/**
 * Segments: the files of a directory log that hold its records, one frame each. A segment belongs to one epoch, is named
 * after its first order and that epoch, and is only ever appended to.
 *
 * A frame is `length (4) | CRC-32 of what follows (4) | order (8) | epoch (8) | record`, little endian; the length
 * counts the record. A process that dies leaves at most a torn last frame; what follows a bad frame is not part of
 * the log.
 *
 * Small files of a directory log record its writer and how far it is durable:
 *
 * - `EPOCH.claim`: a writer has claimed this epoch. The file is created exclusively (the call fails if it exists), so
 *   each epoch has one claimant.
 * - `EPOCH.start`: the record after which the epoch begins. It appears once and whole (`link`); anything older epochs
 *   wrote after that record is not part of the log.
 * - `EPOCH.mark`: the newest durable record of the epoch; written in place, with a checksum.
 * - `pruned-ORDER`: the newest pruned record. It appears whole before any record is deleted, and the highest one counts, so
 *   that of two processes that prune at once, the one behind takes nothing back.
 *
 * Why this fences: a writer appends, syncs, and only then checks whether the next epoch is claimed. A claimant looks
 * for the end of the log only after its claim exists. So either the claimant sees the records, or the writer sees the
 * claim; in the second case the start file decides. Any process that needs the start may write it, and the first one
 * counts. This holds for processes on one machine, where all see the same file system.
 * @module
 */
import { constants, existsSync } from 'node:fs';
import { type FileHandle, link, open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { decode, encode } from '../base/bcs.ts';
import { readU32, readU64, writeU32, writeU64 } from '../base/bytes/bigint.ts';
import { EngineError } from '../base/error.ts';
import { syncDirectory, syncFile } from '../store/file-sync.ts';
import { crc32 } from '../store/row-checksum.ts';
import { type LogHead, type LogRecord, logHead } from './commit-log.ts';
import { RECORD_BYTES_MAX } from './record.ts';

const EPOCH_NAME = /^(\d{10})\.(claim|start|mark)$/;
const PRUNED_NAME = /^pruned-\d{20}$/;
const CHECKSUM_BYTES = 4;
/** Attempts to read a mark. Writing one takes microseconds: if its checksum never matches, a power failure tore it. */
const MARK_READS_MAX = 16;

type EpochFile = 'claim' | 'start' | 'mark';

/** An epoch whose start is settled. */
export interface StartedEpoch {
  readonly epoch: bigint;
  /** The record after which it begins. */
  readonly start: LogHead;
}

export class EpochFiles {
  readonly #path: string;
  /** Starts never change. */
  readonly #starts = new Map<bigint, LogHead>();
  #mark: { readonly epoch: bigint; readonly file: FileHandle } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether an epoch has a claimant. */
  isClaimed(epoch: bigint): boolean {
    return existsSync(this.#file(epoch, 'claim'));
  }

  /** Claims the first unclaimed epoch. */
  async claim(): Promise<bigint> {
    // A claim fences the current writer, so a process that cannot sync must fail before claiming.
    await syncDirectory(this.#path);
    for (let epoch = ((await this.#claimed()).at(-1) ?? 0n) + 1n; ; epoch++) {
      if (!(await created(this.#file(epoch, 'claim')))) continue;
      await syncDirectory(this.#path);
      return epoch;
    }
  }

  /** The epochs that have begun, oldest first. */
  async started(): Promise<readonly StartedEpoch[]> {
    const epochs: StartedEpoch[] = [];
    for (const epoch of await this.#claimed()) {
      const start = await this.#start(epoch);
      if (start !== undefined) epochs.push({ epoch, start });
    }
    return epochs;
  }

  /** The first epoch that is claimed but has not begun. */
  async unstarted(): Promise<bigint | undefined> {
    for (const epoch of await this.#claimed()) if ((await this.#start(epoch)) === undefined) return epoch;
    return undefined;
  }

  /**
   * Ends the epoch of `last` there: begins the next one, unless it has begun.
   * @returns false if another writer has claimed it
   */
  async beginNext(last: LogHead): Promise<boolean> {
    const next = last.epoch + 1n;
    const isOwn = await created(this.#file(next, 'claim'));
    if (isOwn) await syncDirectory(this.#path);
    await this.begin(next, last);
    return isOwn;
  }

  /** Begins `epoch` after `last`, unless another process has already begun it. */
  async begin(epoch: bigint, last: LogHead): Promise<void> {
    const temporary = await writeTemporary(this.#file(epoch, 'start'), { ...last, epoch });
    try {
      await link(temporary, this.#file(epoch, 'start'));
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    } finally {
      await unlink(temporary);
    }
    await syncDirectory(this.#path);
  }

  /** Records that everything up to `head` is durable. */
  async mark(head: LogHead): Promise<void> {
    if (this.#mark?.epoch !== head.epoch) {
      await this.close();
      const file = await open(this.#file(head.epoch, 'mark'), constants.O_RDWR | constants.O_CREAT);
      this.#mark = { epoch: head.epoch, file };
    }
    const bytes = checked(head);
    const { bytesWritten } = await this.#mark.file.write(bytes, 0, bytes.length, 0);
    if (bytesWritten !== bytes.length) throw new Error(`only ${bytesWritten} of ${bytes.length} bytes were written`);
  }

  /** How far `epoch` is known to be durable; undefined if no mark says so. */
  async marked(epoch: bigint): Promise<LogHead | undefined> {
    for (let attempt = 0; attempt < MARK_READS_MAX; attempt++) {
      const bytes = await readFile(this.#file(epoch, 'mark')).catch(absent);
      if (bytes === undefined) return undefined;
      // It may be half written right now.
      const mark = unchecked(bytes);
      if (mark !== undefined) return mark;
    }
    return undefined;
  }

  /** Records that everything up to `last` is pruned. */
  async prune(last: LogHead): Promise<void> {
    const name = `pruned-${String(last.order).padStart(20, '0')}`;
    const path = join(this.#path, name);
    await rename(await writeTemporary(path, last), path);
    await syncDirectory(this.#path);
    for (const other of await readdir(this.#path)) {
      if (PRUNED_NAME.test(other) && other < name) await unlink(join(this.#path, other)).catch(absent);
    }
  }

  /** The newest pruned record; undefined if none was. */
  async pruned(): Promise<LogHead | undefined> {
    const newest = (await readdir(this.#path))
      .filter((file) => PRUNED_NAME.test(file))
      .sort()
      .at(-1);
    if (newest === undefined) return undefined;
    const path = join(this.#path, newest);
    const bytes = await readFile(path).catch(absent);
    // Removed in the meantime, because there is a higher one.
    return bytes === undefined ? this.pruned() : headIn(path, bytes);
  }

  async close(): Promise<void> {
    const mark = this.#mark;
    this.#mark = undefined;
    await mark?.file.close();
  }

  async #start(epoch: bigint): Promise<LogHead | undefined> {
    const known = this.#starts.get(epoch);
    if (known !== undefined) return known;
    const path = this.#file(epoch, 'start');
    const bytes = await readFile(path).catch(absent);
    if (bytes === undefined) return undefined;
    const start = headIn(path, bytes);
    this.#starts.set(epoch, start);
    return start;
  }

  async #claimed(): Promise<bigint[]> {
    const epochs = new Set<bigint>();
    for (const name of await readdir(this.#path)) {
      const epoch = EPOCH_NAME.exec(name)?.[1];
      if (epoch !== undefined) epochs.add(BigInt(epoch));
    }
    return [...epochs].sort((left, right) => (left < right ? -1 : 1));
  }

  #file(epoch: bigint, kind: EpochFile): string {
    return join(this.#path, `${String(epoch).padStart(10, '0')}.${kind}`);
  }
}

/** Creates a durable empty file; false if there is one already. */
async function created(path: string): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(path, 'wx');
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    await syncFile(file);
  } finally {
    await file.close();
  }
  return true;
}

let temporaries = 0;

/** A durable file beside `path` that holds `head`. */
async function writeTemporary(path: string, head: LogHead): Promise<string> {
  const temporary = `${path}.${process.pid}-${temporaries++}`;
  const file = await open(temporary, 'wx');
  try {
    await file.writeFile(checked(head));
    await syncFile(file);
  } finally {
    await file.close();
  }
  return temporary;
}

function checked(head: LogHead): Uint8Array {
  const body = encode(logHead, head);
  const bytes = new Uint8Array(body.length + CHECKSUM_BYTES);
  bytes.set(body);
  writeU32(bytes, body.length, crc32(body));
  return bytes;
}

function unchecked(bytes: Uint8Array): LogHead | undefined {
  if (bytes.length <= CHECKSUM_BYTES) return undefined;
  const body = bytes.subarray(0, bytes.length - CHECKSUM_BYTES);
  if (readU32(bytes, body.length) !== crc32(body)) return undefined;
  return decode(logHead, body);
}

/** @throws {EngineError} `corrupt` */
function headIn(path: string, bytes: Uint8Array): LogHead {
  const head = unchecked(bytes);
  if (head === undefined) throw new EngineError('corrupt', `${path} does not hold what it should`);
  return head;
}

function absent(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}

const HEADER_BYTES = 24;
const CHECKED_FROM = 8;
/** Bytes read from a segment at a time. */
const PIECE_BYTES = 1_048_576;
const SEGMENT_NAME = /^(\d{20})-(\d{10})\.segment$/;

/** Which part of a log a segment holds. */
export interface SegmentName {
  readonly name: string;
  readonly firstOrder: bigint;
  readonly epoch: bigint;
}

export function segmentName(firstOrder: bigint, epoch: bigint): SegmentName {
  const name = `${String(firstOrder).padStart(20, '0')}-${String(epoch).padStart(10, '0')}.segment`;
  return { name, firstOrder, epoch };
}

/** Parses a file name; undefined for a file that is not a segment. */
export function parseSegmentName(name: string): SegmentName | undefined {
  const [, firstOrder, epoch] = SEGMENT_NAME.exec(name) ?? [];
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

export function frameOf({ order, epoch, bytes }: LogRecord): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + bytes.length);
  writeU32(frame, 0, bytes.length);
  writeU64(frame, 8, order);
  writeU64(frame, 16, epoch);
  frame.set(bytes, HEADER_BYTES);
  writeU32(frame, 4, crc32(frame.subarray(CHECKED_FROM)));
  return frame;
}

interface PlacedRecord {
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

/** Undefined if there are too few bytes to tell. */
function frameLength(held: Uint8Array): number | undefined {
  return held.length < HEADER_BYTES ? undefined : HEADER_BYTES + readU32(held, 0);
}

function decodeFrame(frame: Uint8Array): LogRecord | undefined {
  if (readU32(frame, 4) !== crc32(frame.subarray(CHECKED_FROM))) return undefined;
  return { order: readU64(frame, 8), epoch: readU64(frame, 16), bytes: frame.slice(HEADER_BYTES) };
}
