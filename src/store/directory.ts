/**
 * A directory as a store: LevelDB with its files checked beforehand and a record of the last commits beside it.
 *
 * LevelDB writes when it opens: a lock, a manifest, a table of what the log holds. So for a directory that cannot be
 * written, on a read-only file system or without the rights, a private directory is made among
 * the system's temporary files, with links to the tables, which never change, and copies of the rest, some megabytes;
 * it is removed when the store is closed, along with what was written to the store.
 * @module
 */
import {
  accessSync,
  constants,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { A_BOOLEAN, A_FUNCTION, argumentError, assertOptions, oneOf, wholeNumber } from '../base/argument.ts';
import { EngineError } from '../base/error.ts';
import { COMMIT_RECORD_FILE, CommitRecord } from './commit-record.ts';
import { type Database, databaseError } from './database.ts';
import { DirectoryOwner } from './directory-owner.ts';
import { makeDirectory, syncFile, syncName, whereSyncable } from './file-sync.ts';
import { type DatabaseHome, type Durability, LevelStore } from './level.ts';
import { type Cut, checkLevelFiles, findDamagedTables, WrittenLog } from './level-files.ts';
import { loadLevel, makeDirectBatches } from './level-library.ts';
import { LEVEL_CACHE_BYTES, LEVEL_WRITE_BUFFER_BYTES } from './limits.ts';

/**
 * Bytes of rows that LevelDB compresses together, before compression. With its default of 4 KiB, a Bitcoin block takes a
 * tenth more on the disk with a bounded history; a row that is in no cache is read in 7 us instead of 4.5.
 */
const LEVEL_BLOCK_BYTES = 16_384;

/** How a directory is opened. */
export interface DirectoryOptions {
  /** Default: 'fsync'. */
  readonly durability?: Durability | undefined;
  /** Memory for uncompressed table blocks, in bytes. */
  readonly cacheBytes?: number | undefined;
  /** Reads every table before the database is opened, however the directory was left. Default: false. */
  readonly checkTables?: boolean | undefined;
  /** Called once, after the database is closed. */
  readonly onClose?: (() => void) | undefined;
}

const DIRECTORY_OPTIONS = {
  durability: oneOf(['fsync', 'os']),
  cacheBytes: wholeNumber(0),
  checkTables: A_BOOLEAN,
  onClose: A_FUNCTION,
};

/**
 * Opens a directory, creating it if necessary. If its last owner did not close it, all of its tables are read first,
 * which takes two seconds per gigabyte.
 * @throws {EngineError} `corrupt` naming a damaged file, `store-locked` when another process or engine holds it,
 * `store-failed`.
 */
export async function openDirectory(path: string, options: DirectoryOptions = {}): Promise<LevelStore> {
  if (typeof path !== 'string' || path === '') throw argumentError('path', 'the path of a directory', path);
  assertOptions(options, DIRECTORY_OPTIONS);
  const directory = await realDirectory(path);
  const owner = takeDirectory(directory, path);
  let database: Database | undefined;
  let home: OpenDirectory | undefined;
  try {
    const cuts = checkLevelFiles(directory);
    if (!owner.isAfterCleanEnd || options.checkTables === true) await checkTables(directory);
    const { Level } = await loadLevel();
    if (cuts.length > 0) {
      await assertUnlocked(new Level(directory, { errorIfExists: true }) as Database, path);
      for (const cut of cuts) await cutOff(cut);
    }
    database = new Level(directory, {
      keyEncoding: 'view',
      valueEncoding: 'view',
      cacheSize: options.cacheBytes ?? LEVEL_CACHE_BYTES,
      writeBufferSize: LEVEL_WRITE_BUFFER_BYTES,
      blockSize: LEVEL_BLOCK_BYTES,
    }) as Database;
    makeDirectBatches(database);
    await database.open();
    owner.confirm();
    home = homeIn(path, directory, owner, cuts, options.onClose);
    return await LevelStore.over(database, { durability: options.durability, home });
  } catch (error) {
    home?.closeRecord();
    if (database?.status === 'open') await database.close();
    owner.leave(owner.isAfterCleanEnd);
    throw databaseError(error, `open ${path}`);
  }
}

/** What the store calls around its writes. */
interface OpenDirectory extends DatabaseHome {
  closeRecord(): void;
}

function homeIn(
  path: string,
  directory: string,
  owner: DirectoryOwner,
  cuts: readonly Cut[],
  onClose: DirectoryOptions['onClose'],
): OpenDirectory {
  const log = new WrittenLog(directory);
  const record = new CommitRecord(directory);
  return {
    cutOff: cuts.map(describeCut),
    commits: record.before,
    opened: () => log.settle(),
    beforeWrite: (isSynced) => {
      owner.assertHeld();
      if (!isSynced) record.noteUnsynced();
    },
    afterWrite: async (isSynced) => {
      await log.wrote(isSynced);
      owner.assertHeld();
    },
    note: (order, isSynced) => record.note(order, isSynced ? log.position : undefined),
    beforeClose: async () => {
      if (!record.hasUnsynced) return;
      await log.settle();
      record.noteAllSynced(log.position);
    },
    closed: (isClosed) => {
      owner.leave(isClosed);
      try {
        record.close();
      } catch (error) {
        throw databaseError(error, `close ${path}`);
      } finally {
        onClose?.();
      }
    },
    closeRecord: () => record.close(),
  };
}

/**
 * Asks LevelDB, whose lock counts where an owner cannot be judged, whether another process has the directory open.
 * @param probe a database of it that opens only if there is none
 * @throws {EngineError} `store-locked`
 */
async function assertUnlocked(probe: Database, path: string): Promise<void> {
  try {
    await probe.open();
  } catch (error) {
    const failure = databaseError(error, `open ${path}`);
    if (failure.code === 'store-locked') throw failure;
  }
  await probe.close();
}

/** Each cut is on the disk before the next. */
async function cutOff({ path, bytes }: Cut): Promise<void> {
  if (bytes === undefined) {
    rmSync(path, { force: true });
    await syncName(path);
    return;
  }
  const file = await open(path, 'r+');
  try {
    await file.truncate(bytes);
    await whereSyncable(() => syncFile(file));
  } finally {
    await file.close();
  }
}

function describeCut({ path, bytes, reason }: Cut): string {
  return `${path} was ${bytes === undefined ? 'removed' : `cut to ${bytes} bytes`}: ${reason}`;
}

/** A process or machine that stopped abruptly may have left pages that were never written. */
async function checkTables(directory: string): Promise<void> {
  const [damage, ...more] = await findDamagedTables(directory);
  if (damage === undefined) return;
  if (more.length === 0) throw damage;
  const files = [damage, ...more].map(({ details }) => details['file']);
  throw new EngineError('corrupt', [damage, ...more].map(({ message }) => message).join('\n'), {
    details: { ...damage.details, files },
  });
}

function takeDirectory(directory: string, path: string): DirectoryOwner {
  try {
    return DirectoryOwner.take(directory);
  } catch (error) {
    throw databaseError(error, `open ${path}`);
  }
}

async function realDirectory(path: string): Promise<string> {
  try {
    await makeDirectory(path);
    return realpathSync(path);
  } catch (error) {
    throw databaseError(error, `open ${path}`);
  }
}

/** Files of a database that LevelDB never writes again. */
const TABLE = /^\d+\.(?:ldb|sst)$/;

/** The other files that an opening needs. */
const COPIED = new RegExp(`^(?:CURRENT|MANIFEST-\\d+|\\d+\\.log|owner-\\d+|${COMMIT_RECORD_FILE})$`);

/**
 * Opens a directory for reading; one that cannot be written is opened through links and copies.
 * @throws {EngineError} as `openDirectory`; `store-failed` also where no temporary directory can be made.
 */
export async function openForReading(path: string, options: DirectoryOptions = {}): Promise<LevelStore> {
  return isWritable(path) ? openDirectory(path, options) : openLinked(path, options);
}

/** Opens a directory through links and copies; it must not change meanwhile, or changes are missed or seen in part. */
export async function openLinked(path: string, options: DirectoryOptions = {}): Promise<LevelStore> {
  let linked: string | undefined;
  try {
    const directory = realpathSync(path);
    DirectoryOwner.assertFree(directory);
    linked = linkedCopy(directory);
    const place = linked;
    return await openDirectory(place, {
      ...options,
      onClose: () => {
        rmSync(place, { recursive: true, force: true });
        options.onClose?.();
      },
    });
  } catch (error) {
    if (linked !== undefined) rmSync(linked, { recursive: true, force: true });
    throw databaseError(error, `open ${path} to read it`);
  }
}

function linkedCopy(directory: string): string {
  const linked = mkdtempSync(join(tmpdir(), 'movelet-linked-'));
  try {
    for (const name of readdirSync(directory)) {
      if (TABLE.test(name)) symlinkSync(join(directory, name), join(linked, name));
      else if (COPIED.test(name)) copyFileSync(join(directory, name), join(linked, name));
    }
  } catch (error) {
    rmSync(linked, { recursive: true, force: true });
    throw error;
  }
  return linked;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return true;
    return false;
  }
}
