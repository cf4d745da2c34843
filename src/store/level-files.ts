/**
 * Checks of a LevelDB directory from outside, before it is opened.
 *
 * LevelDB opens a directory whose tables are truncated, as long as they exist, and only notices when a read happens to
 * hit the gap; it opens a log with damage in the middle and drops what that part held. So the files are checked first,
 * by the manifest: every table that it lists is there, with the size that it lists and a sound footer; the log that it
 * names is there, and the logs are whole up to a torn end of the last one, which is how a stopped process or machine
 * leaves them.
 *
 * Nothing is written, and the directory may be in use by another process: a table that is gone because the manifest
 * moved on is looked for again under the new one.
 *
 * Cost: one `stat` and one read of 8 bytes for each table (2 MB each), and a CRC over the log (4 MB at most, 6 ms).
 * `verifyLevelFiles` reads all of it: where the last owner of a directory ended without closing it, and in `movelet
 * verify`.
 * Source: LevelDB 1.20, doc/impl.md, doc/table_format.md, db/version_edit.cc.
 *
 * @module
 */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EngineError } from '../error.ts';
import { readLog } from './level-log.ts';
import { readManifest, type Table } from './level-manifest.ts';
import { findTableDamage, restOfTable, TABLE_FOOTER_BYTES, TABLE_MAGIC } from './level-table.ts';

/** How often the check restarts because the manifest moved while it ran. */
const MOVED_TRIES_MAX = 8;

const REMEDY = 'restore the directory from a dump or a copy';

/**
 * Asserts that the files of a LevelDB directory are whole, as far as can be seen from outside. A directory that does
 * not exist, or holds no database yet, passes.
 * @throws {EngineError} `corrupt`, naming the file; `store-failed` when a file cannot be read.
 */
export function checkLevelFiles(directory: string): void {
  if (!existsSync(directory)) return;
  for (let tries = 1; ; tries++) {
    const manifest = readCurrent(directory);
    if (manifest === undefined) return;
    try {
      checkTables(directory, manifest.tables);
      checkLogs(directory, manifest.logNumber, manifest.previousLogNumber);
      return;
    } catch (error) {
      const now = readCurrent(directory);
      const moved = now?.path !== manifest.path || now.bytes !== manifest.bytes;
      if (!moved || tries === MOVED_TRIES_MAX) throw error;
    }
  }
}

/**
 * Also checks every byte of every table: `checkLevelFiles` leaves that to the reads, where a page of zeros would make
 * LevelDB end the process. One table is in memory at a time; it takes about two seconds per gigabyte.
 * @returns one `corrupt` error for each damaged file; empty if all are whole.
 * @throws {EngineError} as `checkLevelFiles`.
 */
export async function verifyLevelFiles(directory: string): Promise<readonly EngineError[]> {
  checkLevelFiles(directory);
  const found: EngineError[] = [];
  for (const { number } of readCurrent(directory)?.tables ?? []) {
    const path = tablePath(directory, number);
    // A compaction may have replaced it in the meantime.
    const bytes = path === undefined ? undefined : await readFile(path).catch(() => undefined);
    if (path === undefined || bytes === undefined) continue;
    const damage = findTableDamage(bytes);
    if (damage !== undefined) found.push(damagedTable(path, bytes, damage));
  }
  checkLevelFiles(directory);
  return found;
}

interface CurrentManifest {
  readonly path: string;
  readonly bytes: number;
  readonly tables: readonly Table[];
  readonly logNumber: number;
  readonly previousLogNumber: number;
}

/** The manifest that CURRENT names; undefined if there is no database yet. */
function readCurrent(directory: string): CurrentManifest | undefined {
  const current = join(directory, 'CURRENT');
  if (!existsSync(current)) {
    // A database stopped right after its creation leaves a manifest, but no table or log yet.
    const left = readdirSync(directory).find((name) => /^\d+\.(ldb|sst|log)$/.test(name));
    if (left === undefined) return undefined;
    throw damaged(current, `is missing, though ${left} is there; opening would begin an empty database`);
  }
  const name = readFileSync(current, 'latin1');
  if (!/^MANIFEST-\d+\n$/.test(name)) throw damaged(current, 'names no manifest');
  const path = join(directory, name.trimEnd());
  if (!existsSync(path)) throw damaged(path, 'is missing, though CURRENT names it');
  const bytes = readFileSync(path);
  const { records, isFollowed, damagedAt } = readLog(bytes);
  if (isFollowed) throw damaged(path, `is damaged at byte ${damagedAt}`);
  const manifest = readManifest(records);
  if (manifest === undefined) throw damaged(path, 'does not read as a manifest');
  return { path, bytes: bytes.length, ...manifest };
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

/** Logs hold the commits that are in no table yet. Only the end of the last one may be torn. */
function checkLogs(directory: string, logNumber: number, previousLogNumber: number): void {
  const logs = readdirSync(directory)
    .map((name) => /^(\d+)\.log$/.exec(name))
    .filter((match) => match !== null)
    .map(([name, digits]) => ({ name, number: Number(digits) }))
    .filter(({ number }) => number >= logNumber || number === previousLogNumber)
    .sort((left, right) => left.number - right.number);
  // LevelDB creates a log before its manifest names it, and opens silently if that log is missing.
  if (logNumber > 0 && logs.every(({ number }) => number !== logNumber)) {
    throw damaged(join(directory, `${fileNumber(logNumber)}.log`), 'is missing, though the manifest names it');
  }
  let torn: { path: string; at: number; whole: number } | undefined;
  for (const { name } of logs) {
    const path = join(directory, name);
    const { records, wholeBytes, damagedAt, isFollowed } = readLog(readFileSync(path));
    if (torn !== undefined && (records.length > 0 || isFollowed)) {
      throw holed(torn.path, torn.at, torn.whole, `${name} has commits that come after it`);
    }
    if (damagedAt === undefined) continue;
    if (isFollowed) throw holed(path, damagedAt, wholeBytes, 'whole records follow');
    torn ??= { path, at: damagedAt, whole: wholeBytes };
  }
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

/** Also says what is left: without a dump it matters whether the damage is in the chain or only in an index. */
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
