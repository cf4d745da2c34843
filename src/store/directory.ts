/**
 * A directory as a store: LevelDB with its files checked beforehand and a record of the last commits beside it.
 * @module
 */

import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { A_BOOLEAN, A_FUNCTION, argumentError, assertOptions, oneOf, wholeNumber } from '../argument.ts';
import { LEVEL_BLOCK_BYTES, LEVEL_CACHE_BYTES, LEVEL_WRITE_BUFFER_BYTES } from '../config.ts';
import { EngineError } from '../error.ts';
import { CommitRecord } from './commit-record.ts';
import { type Database, databaseError } from './database.ts';
import { DirectoryOwner } from './directory-owner.ts';
import { makeDirectory } from './file-sync.ts';
import { type Durability, LevelStore } from './level.ts';
import { makeDirectBatches } from './level-batch.ts';
import { checkLevelFiles, verifyLevelFiles } from './level-files.ts';
import { loadLevel } from './level-library.ts';

/** Name of the commit record. It lies among LevelDB's own files; LevelDB leaves it alone. */
export const COMMIT_RECORD_FILE = 'commit-record';

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
  let record: CommitRecord | undefined;
  try {
    if (owner.isAfterCleanEnd && options.checkTables !== true) checkLevelFiles(directory);
    else await checkTables(directory);
    const { Level } = await loadLevel();
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
    const opened = new CommitRecord(join(directory, COMMIT_RECORD_FILE));
    record = opened;
    const onClose = (isClosed: boolean): void => {
      owner.leave(isClosed);
      try {
        opened.close();
      } catch (error) {
        throw databaseError(error, `close ${path}`);
      } finally {
        options.onClose?.();
      }
    };
    return await LevelStore.over(database, {
      durability: options.durability,
      record: opened,
      assertHeld: () => owner.assertHeld(),
      onClose,
    });
  } catch (error) {
    record?.close();
    if (database?.status === 'open') await database.close();
    owner.leave(owner.isAfterCleanEnd);
    throw databaseError(error, `open ${path}`);
  }
}

/** A process or machine that stopped abruptly may have left pages that were never written. */
async function checkTables(directory: string): Promise<void> {
  const [damage, ...more] = await verifyLevelFiles(directory);
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
