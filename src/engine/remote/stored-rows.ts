/**
 * Rows on disk, kept for later forks: names and values that belong together for good, so nothing is ever out of date.
 *
 * A folder holds segments, files that one process each appends to, so several may use it; each sees what existed when
 * it opened the folder. A segment begins with `MAGIC`; a record is `CRC-32 of the rest (4) | length of the name (4) |
 * length of the value (4), or 2^32 - 1 if there is none | name | value`, little endian. A record that a process left
 * half written ends its segment. Nothing here is trusted: rows are checked when they are read, as if they came from the
 * network.
 *
 * The oldest segments go when the folder has grown beyond its bound; many small ones become one.
 * @module
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOfText, equalBytes, textOfBytes } from '../../base/bytes/bytes.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { crc32 } from '../../store/row-checksum.ts';

/** Bytes of the segments in one folder. */
export const STORED_BYTES_MAX: number = 256 * 2 ** 20;

/** Segments in a folder before they are joined. */
const SEGMENTS_MAX = 16;

const MAGIC = 'movelet1';
const SEGMENT = /^\d+-\d+-\d+\.rows$/;
const HEAD_BYTES = 12;
const NO_VALUE = 0xffff_ffff;

/** What is stored under a name. */
export interface StoredRow {
  readonly value: Uint8Array | undefined;
}

export interface NamedRow extends StoredRow {
  readonly name: string;
}

let opened = 0;

export class StoredRows {
  readonly #folder: string;
  readonly #rows = new Map<string, StoredRow>();
  /** The segment of this process, created at its first write. */
  #segment: string | undefined;
  readonly #bytesMax: number;
  #written = 0;
  readonly #report: (problem: EngineError) => void;
  /** Whether a write has failed: nothing is written any more. */
  #hasFailed = false;

  /**
   * Opens a folder, which is made if it is missing.
   * @param report called once, if rows cannot be written any more: a fork goes on without
   * @throws {EngineError} `store-failed` if it cannot be read or made
   */
  constructor(folder: string, report: (problem: EngineError) => void = () => {}, bytesMax: number = STORED_BYTES_MAX) {
    this.#folder = folder;
    this.#report = report;
    this.#bytesMax = bytesMax;
    try {
      mkdirSync(folder, { recursive: true });
      const segments = segmentsIn(folder);
      let bytes = 0;
      const kept: string[] = [];
      for (const { path, size } of segments.reverse()) {
        bytes += size;
        if (bytes > bytesMax) rmSync(path, { force: true });
        else kept.push(path);
      }
      for (const path of kept.reverse()) this.#readSegment(path);
      if (kept.length > SEGMENTS_MAX) this.#join(kept);
    } catch (cause) {
      throw storeFailed(folder, cause);
    }
  }

  get(name: string): StoredRow | undefined {
    return this.#rows.get(name);
  }

  names(): Iterable<string> {
    return this.#rows.keys();
  }

  /** Keeps rows. A name should never change its value; if it does, the new one is kept. */
  put(rows: readonly NamedRow[]): void {
    const parts: Uint8Array[] = [];
    for (const { name, value } of rows) {
      const known = this.#rows.get(name);
      if (known !== undefined && areSame(known.value, value)) continue;
      this.#rows.set(name, { value });
      parts.push(recordOf({ name, value }));
    }
    if (parts.length > 0) this.#append(parts);
  }

  /** Forgets a wrong row, which the next one of its name replaces. */
  forget(name: string): void {
    this.#rows.delete(name);
  }

  #append(parts: readonly Uint8Array[]): void {
    if (this.#hasFailed || this.#written > this.#bytesMax) return;
    try {
      if (this.#segment === undefined) {
        const path = join(this.#folder, `${Date.now()}-${process.pid}-${++opened}.rows`);
        writeFileSync(path, MAGIC, { flag: 'wx' });
        this.#segment = path;
      }
      const bytes = Buffer.concat(parts);
      this.#written += bytes.length;
      appendFileSync(this.#segment, bytes);
    } catch (cause) {
      this.#hasFailed = true;
      this.#report(storeFailed(this.#folder, cause));
    }
  }

  #readSegment(path: string): void {
    let file: Uint8Array;
    try {
      file = readFileSync(path);
    } catch {
      // Another process has joined or removed it.
      return;
    }
    for (const { name, value } of storedRecords(file)) this.#rows.set(name, { value });
  }

  /** Joins segments into one. */
  #join(paths: readonly string[]): void {
    const parts = [...this.#rows].map(([name, { value }]) => recordOf({ name, value }));
    this.#append(parts);
    if (!this.#hasFailed) for (const path of paths) rmSync(path, { force: true });
  }
}

function areSame(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  return left === undefined || right === undefined ? left === right : equalBytes(left, right);
}

/** The whole records of a segment, up to the first torn one. */
export function* storedRecords(file: Uint8Array): Generator<NamedRow, void, undefined> {
  if (textOfBytes(file.subarray(0, MAGIC.length)) !== MAGIC) return;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = MAGIC.length; at + HEAD_BYTES <= file.length; ) {
    const nameLength = view.getUint32(at + 4, true);
    const valueLength = view.getUint32(at + 8, true);
    const nameAt = at + HEAD_BYTES;
    const valueAt = nameAt + nameLength;
    const end = valueAt + (valueLength === NO_VALUE ? 0 : valueLength);
    if (end > file.length || crc32(file.subarray(at + 4, end)) !== view.getUint32(at, true)) return;
    const name = textOfBytes(file.subarray(nameAt, valueAt));
    yield { name, value: valueLength === NO_VALUE ? undefined : file.subarray(valueAt, end) };
    at = end;
  }
}

export function segmentOf(rows: Iterable<NamedRow>): Uint8Array {
  return Buffer.concat([bytesOfText(MAGIC), ...Array.from(rows, recordOf)]);
}

function recordOf({ name, value }: NamedRow): Uint8Array {
  const record = new Uint8Array(HEAD_BYTES + name.length + (value?.length ?? 0));
  const view = new DataView(record.buffer);
  view.setUint32(4, name.length, true);
  view.setUint32(8, value === undefined ? NO_VALUE : value.length, true);
  record.set(bytesOfText(name), HEAD_BYTES);
  if (value !== undefined) record.set(value, HEAD_BYTES + name.length);
  view.setUint32(0, crc32(record.subarray(4)), true);
  return record;
}

/** Oldest first: names begin with the time of creation. */
function segmentsIn(folder: string): { readonly path: string; readonly size: number }[] {
  return readdirSync(folder)
    .filter((name) => SEGMENT.test(name))
    .sort((left, right) => Number.parseInt(left, 10) - Number.parseInt(right, 10))
    .flatMap((name) => {
      const path = join(folder, name);
      const size = statSync(path, { throwIfNoEntry: false })?.size;
      return size === undefined ? [] : [{ path, size }];
    });
}

function storeFailed(folder: string, cause: unknown): EngineError {
  return new EngineError(
    'store-failed',
    `the rows of forks cannot be kept in ${folder}: ${messageOf(cause)}; name another folder, or keep none (cache: false)`,
    { cause, details: { folder } },
  );
}
