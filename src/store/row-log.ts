/**
 * The rows of a mirror in one file that only grows, for hosts whose files are read and written synchronously but without
 * a database: the private file system of a page (directory.browser.ts).
 *
 * The file is `mvltrow1`, then a frame for each batch: `length of the rows (4) | their CRC-32 (4) | CRC-32 of these eight
 * bytes (4) | rows`, little endian, the rows as memory keeps them (row-chunks.ts), deletions among them. Opening it reads
 * all of it into memory; nothing is read later.
 *
 * A write that a crash interrupts leaves a part of the last frame, or zeros, which are cut off at the next opening: it was
 * never acknowledged. Any other damage cannot come from that, and the file is refused.
 *
 * A file that has grown to twice its rows, by what replaced them, is written anew under the next number. It gets
 * its first eight bytes last, once all else is on the disk: a file without them was never finished, and the one before it counts.
 * @module
 */
import { readU32, writeU32 } from '../base/bytes/bigint.ts';
import { equalBytes } from '../base/bytes/bytes.ts';
import { EngineError, messageOf } from '../base/error.ts';
import type { PendingBatch } from './batch-queue.ts';
import type { Durability } from './level.ts';
import { MemoryStore } from './memory.ts';
import type { MirroredRows } from './mirror.ts';
import { OrderedMap } from './ordered-map.ts';
import { crc32 } from './row-checksum.ts';
import { rowBytes, writeRow } from './row-chunks.ts';

/** A file with synchronous access: a FileSystemSyncAccessHandle. */
export interface SyncFile {
  /** Returns how many bytes there were. */
  read(into: Uint8Array, options: { readonly at: number }): number;
  /** Returns how many bytes were written. */
  write(bytes: Uint8Array, options: { readonly at: number }): number;
  truncate(size: number): void;
  getSize(): number;
  flush(): void;
  close(): void;
}

/** The folder of the file. */
export interface LogFolder {
  names(): Promise<readonly string[]>;
  /** Opens a file, creating it if necessary. */
  open(name: string): Promise<SyncFile>;
  remove(name: string): Promise<void>;
}

const START = new TextEncoder().encode('mvltrow1');
const HEAD_BYTES = 12;
const NAME = /^rows-(\d{8})$/;
const nameOf = (number: number): string => `rows-${String(number).padStart(8, '0')}`;

/** Bytes that are read, and of rows that are written anew, at a time. */
const PIECE_BYTES = 4 * 2 ** 20;

/** A file that is shorter is not written anew, however little of it counts. */
const REWRITTEN_BYTES_MIN = 16 * 2 ** 20;

export interface RowLogOptions {
  /** Whether each write waits for the disk. */
  readonly durability: Durability;
  /** Bytes below which a file is not written anew. Default REWRITTEN_BYTES_MIN. */
  readonly rewrittenBytesMin?: number;
}

interface Change {
  readonly key: Uint8Array;
  readonly value?: Uint8Array | undefined;
}

export class RowLog implements MirroredRows {
  readonly #folder: LogFolder;
  readonly #options: RowLogOptions;
  #file: SyncFile;
  #number: number;
  #end = 0;
  /** The length of the file when it was last known to hold little else than its rows. */
  #rowsEnd = 0;

  private constructor(folder: LogFolder, options: RowLogOptions, number: number, file: SyncFile) {
    this.#folder = folder;
    this.#options = options;
    this.#number = number;
    this.#file = file;
  }

  /**
   * Opens the log of a folder, and reads its rows.
   * @throws {EngineError} `corrupt`; errors of the folder
   */
  static async open(folder: LogFolder, options: RowLogOptions): Promise<{ log: RowLog; memory: MemoryStore }> {
    const numbers = (await folder.names()).flatMap((name) => Number(NAME.exec(name)?.[1] ?? [])).sort((a, b) => b - a);
    let log: RowLog | undefined;
    for (const number of numbers) {
      const file = log === undefined ? await folder.open(nameOf(number)) : undefined;
      if (file !== undefined && isFinished(file)) {
        log = new RowLog(folder, options, number, file);
        continue;
      }
      file?.close();
      await folder.remove(nameOf(number));
    }
    if (log === undefined) {
      log = new RowLog(folder, options, 1, await folder.open(nameOf(1)));
      log.#begin();
    }
    try {
      const rows = new OrderedMap();
      log.#end = log.#read(rows);
      log.#rowsEnd = log.#end;
      return { log, memory: MemoryStore.of(rows) };
    } catch (error) {
      log.#file.close();
      throw error;
    }
  }

  async write({ operations, sync }: PendingBatch, memory: MemoryStore): Promise<void> {
    try {
      if (this.#end > Math.max(2 * this.#rowsEnd, this.#options.rewrittenBytesMin ?? REWRITTEN_BYTES_MIN))
        await this.#rewrite(memory);
      if (operations.length > 0)
        this.#append(frameOf(operations.map((each) => (each.type === 'put' ? each : { key: each.key }))));
      if (sync && this.#options.durability === 'fsync') this.#file.flush();
    } catch (cause) {
      const hint = 'free space or ask for more (navigator.storage.persist), and open the store again';
      throw new EngineError('store-failed', `cannot write the rows: ${messageOf(cause)}; ${hint}`, { cause });
    }
  }

  async close(): Promise<void> {
    this.#file.flush();
    this.#file.close();
  }

  #begin(): void {
    this.#file.truncate(0);
    this.#end = 0;
    this.#append(START);
    this.#file.flush();
  }

  #append(bytes: Uint8Array): void {
    const written = this.#file.write(bytes, { at: this.#end });
    if (written !== bytes.length) throw new Error(`expected to write ${bytes.length} bytes, wrote ${written}`);
    this.#end += bytes.length;
  }

  /** Reads all frames into `rows`, and returns where the last whole one ends; what follows that is cut off. */
  #read(rows: OrderedMap): number {
    const size = this.#file.getSize();
    let piece = new Uint8Array(0);
    /** Where the piece begins in the file, and the next frame in the piece. */
    let from = START.length;
    let at = 0;
    /** The next `length` bytes, or undefined if the file ends before. */
    const next = (length: number): Uint8Array | undefined => {
      if (from + at + length > size) return undefined;
      if (at + length > piece.length) {
        from += at;
        at = 0;
        piece = new Uint8Array(Math.min(Math.max(length, PIECE_BYTES), size - from));
        this.#file.read(piece, { at: from });
      }
      return piece.subarray(at, at + length);
    };
    for (;;) {
      const place = from + at;
      if (place === size) return size;
      const head = next(HEAD_BYTES);
      if (head === undefined || (isZero(head) && this.#isZero(place, size))) return this.#cutOff(place);
      const [length, sum] = [readU32(head, 0), readU32(head, 4)];
      if (crc32(head.subarray(0, 8)) !== readU32(head, 8)) throw damaged(place);
      const body = next(HEAD_BYTES + length)?.subarray(HEAD_BYTES);
      if (body === undefined) return this.#cutOff(place);
      if (crc32(body) !== sum) {
        if (place + HEAD_BYTES + length < size) throw damaged(place);
        return this.#cutOff(place);
      }
      rows.putRows(body, false);
      at += HEAD_BYTES + length;
    }
  }

  #cutOff(place: number): number {
    this.#file.truncate(place);
    return place;
  }

  /** Whether the rest of the file is zeros: its length was on the disk before what was written. */
  #isZero(from: number, size: number): boolean {
    const piece = new Uint8Array(Math.min(PIECE_BYTES, size - from));
    for (let at = from; at < size; at += piece.length) {
      const read = this.#file.read(piece, { at });
      if (!isZero(piece.subarray(0, read))) return false;
    }
    return true;
  }

  /** Writes the rows of memory to the next file, which then takes the place of this one. */
  async #rewrite(memory: MemoryStore): Promise<void> {
    const next = new RowLog(
      this.#folder,
      this.#options,
      this.#number + 1,
      await this.#folder.open(nameOf(this.#number + 1)),
    );
    next.#file.truncate(0);
    next.#end = START.length;
    let rows: Change[] = [];
    let bytes = 0;
    for await (const row of memory.scan({})) {
      rows.push(row);
      bytes += rowBytes(row.key.length, row.value.length);
      if (bytes < PIECE_BYTES) continue;
      next.#append(frameOf(rows));
      rows = [];
      bytes = 0;
    }
    if (rows.length > 0) next.#append(frameOf(rows));
    next.#file.flush();
    next.#file.write(START, { at: 0 });
    next.#file.flush();
    this.#file.close();
    await this.#folder.remove(nameOf(this.#number));
    this.#file = next.#file;
    this.#number = next.#number;
    this.#end = next.#end;
    this.#rowsEnd = next.#end;
  }
}

function isFinished(file: SyncFile): boolean {
  const start = new Uint8Array(START.length);
  return file.read(start, { at: 0 }) === START.length && equalBytes(start, START);
}

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

function frameOf(changes: readonly Change[]): Uint8Array {
  const length = changes.reduce((sum, { key, value }) => sum + rowBytes(key.length, value?.length), 0);
  const frame = new Uint8Array(HEAD_BYTES + length);
  const rows = frame.subarray(HEAD_BYTES);
  let at = 0;
  for (const { key, value } of changes) {
    writeRow(rows, at, key, value);
    at += rowBytes(key.length, value?.length);
  }
  writeU32(frame, 0, length);
  writeU32(frame, 4, crc32(rows));
  writeU32(frame, 8, crc32(frame.subarray(0, 8)));
  return frame;
}

function damaged(place: number): EngineError {
  return new EngineError(
    'corrupt',
    `the rows at byte ${place} are damaged, and others follow them; remove the store, or load a dump into another one`,
    { details: { place } },
  );
}
