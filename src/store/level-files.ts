/**
 * Checks of a LevelDB directory from outside, before it is opened.
 *
 * LevelDB opens a directory whose tables are truncated, as long as they exist, and only notices when a read happens to
 * hit the gap; it opens a log with damage in the middle and drops what that part held. So the files are checked first,
 * by the manifest: every table that it lists is there, with the size that it lists and a sound footer; the log that it
 * names is there, and the logs are whole.
 *
 * Except at their end: a power cut may leave any part of what was not synced. The last record of a log, or of the
 * manifest, is cut off if it is not whole, since nothing after it was written, let alone acknowledged. Batches that
 * were not synced may leave more than one such record: beyond what the commit record (commit-record.ts) knows to be on
 * disk, everything from the first damage on is cut off, if the last owner wrote any. All other damage is refused.
 *
 * Nothing is written here, and the directory may be in use by another process: a table that is gone because the manifest
 * moved on is looked for again under the new one.
 *
 * Cost: one `stat` and one read of 8 bytes for each table (2 MB each), and a CRC over the log (4 MB at most, 6 ms).
 * `findDamagedTables` reads all of it: where the last owner of a directory ended without closing it, and in `movelet
 * verify`.
 * Source: LevelDB 1.20, doc/impl.md, doc/table_format.md, db/version_edit.cc.
 *
 * The manifest has the edits that lead to the present set of tables. Each record of its log is one edit, a sequence of
 * tagged fields. Numbers are base-128 varints; keys and names are prefixed with their length. Source: LevelDB 1.20,
 * db/version_edit.cc.
 *
 * While a directory is open, its log is watched, so that what is acknowledged is found again after a power cut. LevelDB
 * syncs the log that a batch went to, and nothing else: neither the name of a log that it has just begun, nor
 * the log before, which may hold batches that were not synced. A power cut could then take a whole log of acknowledged
 * commits, or keep a commit and lose an earlier one. So before the first synced batch of a new log counts as written, the
 * logs and their names in the directory are synced. Source: LevelDB 1.20, util/env_posix.cc, db/db_impl.cc.
 *
 * Cost: one `stat` after each write, 3 us.
 * @module
 */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readUleb128 } from '../base/bytes/uleb128.ts';
import { EngineError } from '../base/error.ts';
import { type Commits, type LogPosition, readCommits } from './commit-record.ts';
import { syncData, syncName, whereSyncable } from './file-sync.ts';
import { type LogReading, readLog } from './level-log.ts';
import { findTableDamage, restOfTable, TABLE_FOOTER_BYTES, TABLE_MAGIC } from './level-table.ts';

/** A live table: the number in its file name and its size. */
interface Table {
  readonly number: number;
  readonly bytes: number;
}

interface Manifest {
  readonly tables: readonly Table[];
  /** Logs below this number are in tables already. */
  readonly logNumber: number;
  readonly previousLogNumber: number;
}

const COMPARATOR = 1;
const LOG_NUMBER = 2;
const NEXT_FILE_NUMBER = 3;
const LAST_SEQUENCE = 4;
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;
const PREVIOUS_LOG_NUMBER = 9;

/** Bytes of a varint of 64 bits. Numbers of files and sizes stay far below 2^53. */
const NUMBER_BYTES_MAX = 10;

/** Replays the edits; undefined if one cannot be parsed, or no log number is given. */
export function readLevelManifest(edits: readonly Uint8Array[]): Manifest | undefined {
  const sizes = new Map<number, number>();
  let logNumber: number | undefined;
  let previousLogNumber = 0;
  for (const edit of edits) {
    const deleted: number[] = [];
    const added: Table[] = [];
    let at = 0;
    // NaN past the end: no tag is that.
    const number = (): number => {
      const found = readUleb128(edit, at, NUMBER_BYTES_MAX);
      at = found?.end ?? Number.NaN;
      return found?.value ?? Number.NaN;
    };
    const skipBytes = (): void => {
      const length = number();
      at += length;
    };
    while (at < edit.length) {
      const tag = number();
      if (tag === COMPARATOR) skipBytes();
      else if (tag === LOG_NUMBER) logNumber = number();
      else if (tag === PREVIOUS_LOG_NUMBER) previousLogNumber = number();
      else if (tag === NEXT_FILE_NUMBER || tag === LAST_SEQUENCE) number();
      else if (tag === COMPACT_POINTER) {
        number();
        skipBytes();
      } else if (tag === DELETED_FILE) {
        number();
        deleted.push(number());
      } else if (tag === NEW_FILE) {
        number();
        added.push({ number: number(), bytes: number() });
        skipBytes();
        skipBytes();
      } else return undefined;
    }
    if (at !== edit.length) return undefined;
    // A table that only moves to another level is deleted and added by one edit.
    for (const number of deleted) sizes.delete(number);
    for (const { number, bytes } of added) sizes.set(number, bytes);
  }
  if (logNumber === undefined) return undefined;
  return { tables: Array.from(sizes, ([number, bytes]) => ({ number, bytes })), logNumber, previousLogNumber };
}

/** How often the check restarts because the manifest moved while it ran. */
const MOVED_TRIES_MAX = 8;

const REMEDY = 'restore the directory from a dump or a copy';

/** Something to cut off a directory before LevelDB opens it, in this order. */
export interface Cut {
  readonly path: string;
  /** The remaining length of the file; undefined if it is removed. */
  readonly bytes: number | undefined;
  readonly reason: string;
}

/**
 * Asserts that the files of a LevelDB directory are whole, as far as can be seen from outside. A directory that does
 * not exist, or holds no database yet, passes.
 * @returns what a power cut left unfinished
 * @throws {EngineError} `corrupt`, naming the file; `store-failed` when a file cannot be read.
 */
export function checkLevelFiles(directory: string): Cut[] {
  if (!existsSync(directory)) return [];
  for (let tries = 1; ; tries++) {
    const commits = readCommits(directory);
    const manifest = readCurrent(directory, commits);
    if (Array.isArray(manifest)) return manifest;
    try {
      return checkListed(directory, manifest, commits);
    } catch (error) {
      const now = readCurrent(directory, commits);
      const moved = Array.isArray(now) || now.path !== manifest.path || now.bytes !== manifest.bytes;
      if (moved && tries < MOVED_TRIES_MAX) continue;
      try {
        if (manifest.before !== undefined) return checkListed(directory, manifest.before, commits);
      } catch {
        // The error of what the whole manifest lists says more.
      }
      throw error;
    }
  }
}

/**
 * Checks every byte of every table: `checkLevelFiles` leaves that to the reads, where a page of zeros would make LevelDB
 * end the process. One table is in memory at a time; it takes about two seconds per gigabyte.
 * @returns one `corrupt` error for each damaged file; empty if all are whole.
 * @throws {EngineError} as `checkLevelFiles`.
 */
export async function findDamagedTables(directory: string): Promise<readonly EngineError[]> {
  const manifest = readCurrent(directory, readCommits(directory));
  const found: EngineError[] = [];
  for (const { number } of Array.isArray(manifest) ? [] : manifest.tables) {
    const path = tablePath(directory, number);
    // A compaction may have replaced it in the meantime.
    const bytes = path === undefined ? undefined : await readFile(path).catch(() => undefined);
    if (path === undefined || bytes === undefined) continue;
    const damage = findTableDamage(bytes);
    if (damage !== undefined) found.push(damagedTable(path, bytes, damage));
  }
  return found;
}

/** The numbers of the logs in a directory, ascending. */
function logsIn(directory: string): number[] {
  return readdirSync(directory)
    .map((name) => /^(\d+)\.log$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((left, right) => left - right);
}

function logName(number: number): string {
  return `${fileNumber(number)}.log`;
}

/** A manifest, and what must be cut off it. */
interface CutManifest extends Manifest {
  readonly cuts: readonly Cut[];
}

interface CurrentManifest extends CutManifest {
  readonly path: string;
  readonly bytes: number;
  /**
   * As it was before its last edit, which a power cut may have left without the names of the files that it lists: LevelDB
   * writes it before it syncs the directory, and removes nothing before both are on the disk.
   */
  readonly before: CutManifest | undefined;
}

function checkListed(directory: string, manifest: CutManifest, commits: Commits): Cut[] {
  checkTables(directory, manifest.tables);
  return [...manifest.cuts, ...checkLogs(directory, manifest, commits)];
}

/** The manifest that CURRENT names; without a database, the files to remove before one begins. */
function readCurrent(directory: string, commits: Commits): CurrentManifest | Cut[] {
  const current = join(directory, 'CURRENT');
  const name = existsSync(current) ? readFileSync(current, 'latin1') : undefined;
  const path = name !== undefined && /^MANIFEST-\d+\n$/.test(name) ? join(directory, name.trimEnd()) : undefined;
  const bytes = path !== undefined && existsSync(path) ? readFileSync(path) : undefined;
  const { records, isFollowed, damagedAt, wholeBytes, bytesBeforeLast } = readLog(bytes ?? new Uint8Array());
  const manifest = readLevelManifest(records);
  if (path === undefined || bytes === undefined || manifest === undefined || isFollowed) {
    const left = remains(directory, commits);
    if (left === undefined) {
      if (name === undefined) return [];
      return [
        { path: current, bytes: undefined, reason: 'the directory was never opened to the end, and begins anew' },
      ];
    }
    if (name === undefined) throw damaged(current, `is missing, though ${left}; opening would begin an empty database`);
    if (path === undefined) throw damaged(current, 'names no manifest');
    if (bytes === undefined) throw damaged(path, 'is missing, though CURRENT names it');
    throw damaged(path, damagedAt === undefined ? 'does not read as a manifest' : `is damaged at byte ${damagedAt}`);
  }
  const cuts = damagedAt === undefined ? [] : [tornEnd(path, wholeBytes, bytes.length)];
  const shorter = readLevelManifest(records.slice(0, -1));
  const before = shorter && { ...shorter, cuts: [tornEnd(path, bytesBeforeLast, bytes.length)] };
  return { path, bytes: bytes.length, ...manifest, cuts, before };
}

/** Describes what is left of a database without a manifest; undefined if none was ever written to. */
function remains(directory: string, { writtenOrder }: Commits): string | undefined {
  const table = readdirSync(directory).find((name) => /^\d+\.(ldb|sst)$/.test(name));
  if (table !== undefined) return `${table} is there`;
  const log = logsIn(directory).find((number) => readLogIn(directory, number).bytes > 0);
  if (log !== undefined) return `${logName(log)} has batches`;
  return writtenOrder === undefined ? undefined : `there were commits up to order ${writtenOrder}`;
}

function checkTables(directory: string, tables: readonly Table[]): void {
  const footer = new DataView(new ArrayBuffer(8));
  for (const { number, bytes } of tables) {
    const path = tablePath(directory, number);
    if (path === undefined) {
      throw damaged(join(directory, `${fileNumber(number)}.ldb`), 'is missing, though the manifest lists it');
    }
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      if (size !== bytes || size < TABLE_FOOTER_BYTES) throw damaged(path, `has ${size} bytes instead of ${bytes}`);
      readSync(file, footer, 0, 8, size - 8);
      if (footer.getBigUint64(0, true) !== TABLE_MAGIC) throw damaged(path, 'does not end as a table does');
    } finally {
      closeSync(file);
    }
  }
}

/** Logs hold the commits that are in no table yet. */
function checkLogs(directory: string, { logNumber, previousLogNumber }: Manifest, commits: Commits): Cut[] {
  const logs = logsIn(directory).filter((number) => number >= logNumber || number === previousLogNumber);
  // LevelDB creates a log before its manifest names it, and opens silently if that log is missing.
  if (logNumber > 0 && !logs.includes(logNumber)) {
    throw damaged(join(directory, logName(logNumber)), 'is missing, though the manifest names it');
  }
  for (const [index, log] of logs.entries()) {
    const path = join(directory, logName(log));
    const { records, wholeBytes, damagedAt, isFollowed, bytes } = readLogIn(directory, log);
    const later = logs.slice(index + 1).filter((number) => readLogIn(directory, number).bytes > 0);
    const isLacking = later[0] !== undefined && lacksBatches(records, readLogIn(directory, later[0]).records);
    if (damagedAt === undefined && !isLacking) continue;
    const at = damagedAt ?? wholeBytes;
    const next = isFollowed ? 'whole records follow' : `${later.map(logName)} may have commits that come after it`;
    const isLast = !isFollowed && later.length === 0;
    if (!isLast && !(commits.hasUnsynced && isAfter({ log, bytes: at }, commits.syncedTo))) {
      throw holed(path, at, wholeBytes, next);
    }
    // Last first: what remains must never lack something before it.
    const removed = later.reverse().map((number): Cut => {
      return { path: join(directory, logName(number)), bytes: undefined, reason: `${logName(log)} was not whole` };
    });
    return damagedAt === undefined ? removed : [...removed, tornEnd(path, wholeBytes, bytes)];
  }
  return [];
}

/**
 * Whether there were batches between two logs: a file may end with a whole record where its size never reached the disk. A
 * record begins with the sequence number of its first operation, and the number of its operations.
 */
function lacksBatches(before: readonly Uint8Array[], after: readonly Uint8Array[]): boolean {
  const [last, first] = [before.at(-1), after[0]];
  if (last === undefined || first === undefined) return false;
  const [ended, begun] = [last, first].map(({ buffer, byteOffset }) => new DataView(buffer, byteOffset));
  return ended!.getBigUint64(0, true) + BigInt(ended!.getUint32(8, true)) !== begun!.getBigUint64(0, true);
}

function isAfter(place: LogPosition, known: LogPosition): boolean {
  return place.log > known.log || (place.log === known.log && place.bytes >= known.bytes);
}

function readLogIn(directory: string, number: number): LogReading & { readonly bytes: number } {
  const bytes = readFileSync(join(directory, logName(number)));
  return { ...readLog(bytes), bytes: bytes.length };
}

function tornEnd(path: string, whole: number, bytes: number): Cut {
  return { path, bytes: whole, reason: `the rest, up to byte ${bytes}, is not whole` };
}

/** The path of a table's file, under the newer or the older extension. */
function tablePath(directory: string, number: number): string | undefined {
  return ['ldb', 'sst']
    .map((ending) => join(directory, `${fileNumber(number)}.${ending}`))
    .find((path) => existsSync(path));
}

function fileNumber(number: number): string {
  return String(number).padStart(6, '0');
}

function damaged(path: string, what: string): EngineError {
  return new EngineError('corrupt', `${path} ${what}; ${REMEDY}`, { details: { file: path } });
}

/** Also describes what is left: without a dump it matters whether the damage is in the chain or only in an index. */
function damagedTable(path: string, table: Uint8Array, what: string): EngineError {
  const rest = restOfTable(table);
  const left =
    rest.blocks === undefined
      ? 'which rows it held cannot be told'
      : `${rest.wholeBlocks} of its ${rest.blocks} blocks are whole; the others held rows of column ${rest.columns?.join(', ') || 'none'}`;
  const { message } = damaged(path, what);
  return new EngineError('corrupt', `${message}; ${left}`, { details: { file: path, ...rest } });
}

function holed(path: string, at: number, whole: number, what: string): EngineError {
  return new EngineError(
    'corrupt',
    `${path} is damaged at byte ${at}, and ${what}: opening would leave out commits from the middle of the chain; ` +
      `${REMEDY}, or, to go back to the last commit before the damage, cut this file to ${whole} bytes and remove the logs after it`,
    { details: { file: path, damagedAt: at, wholeBytes: whole } },
  );
}

export class WrittenLog {
  readonly #directory: string;
  #log = 0;
  #bytes = 0;
  /** Whether the names of all logs are on the disk, and all logs but the last as a whole. */
  #isSettled = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Where the next batch will begin, unless it begins a log. */
  get position(): LogPosition {
    return { log: this.#log, bytes: this.#bytes };
  }

  /** Call it after each write. Throws the errors of node:fs. */
  async wrote(isSynced: boolean): Promise<void> {
    const bytes = this.#size();
    if (bytes > this.#bytes) this.#bytes = bytes;
    else this.#find();
    if (isSynced && !this.#isSettled) await this.settle();
  }

  /** Makes everything durable that is in the logs. Throws the errors of node:fs. */
  async settle(): Promise<void> {
    this.#find();
    // On Windows LevelDB syncs a log when it closes it.
    if (process.platform !== 'win32') {
      for (const log of logsIn(this.#directory)) await whereSyncable(() => this.#sync(log));
    }
    await syncName(join(this.#directory, logName(this.#log)));
    this.#isSettled = true;
  }

  #find(): void {
    this.#isSettled = false;
    this.#log = logsIn(this.#directory).at(-1) ?? 0;
    this.#bytes = this.#size();
  }

  #size(): number {
    return statSync(join(this.#directory, logName(this.#log)), { throwIfNoEntry: false })?.size ?? 0;
  }

  async #sync(log: number): Promise<void> {
    // Once it is gone, what it held is in a table, which LevelDB has synced with its name.
    const file = await open(join(this.#directory, logName(log)), 'r+').catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined) return;
    try {
      await syncData(file);
    } finally {
      await file.close();
    }
  }
}
