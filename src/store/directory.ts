/**
 * A directory as a store: LevelDB with its files checked beforehand and a record of the last commits beside it.
 * @module
 */
import { join } from 'node:path';
import { Level } from 'level';
import { EngineError } from '../error.ts';
import { CommitRecord } from './commit-record.ts';
import { type Database, databaseError } from './database.ts';
import { type Durability, LevelStore } from './level.ts';
import { checkLevelFiles } from './level-files.ts';
import { LEVEL_CACHE_BYTES } from './limit.ts';

/** Name of the record of the last commits, among LevelDB's own files, which leave it alone. */
export const COMMIT_RECORD_FILE = 'commit-record';

export interface DirectoryOptions {
  /** Default: 'fsync'. */
  readonly durability?: Durability | undefined;
  /** Memory for uncompressed blocks of the tables, in bytes. */
  readonly cacheBytes?: number | undefined;
}

/**
 * Opens a directory, which is made if it does not exist.
 * @throws {EngineError} `corrupt` naming a damaged file, `store-locked` when another process or engine holds it,
 * `store-failed`.
 */
export async function openDirectory(path: string, options: DirectoryOptions = {}): Promise<LevelStore> {
  let database: Database | undefined;
  try {
    checkLevelFiles(path);
    database = new Level(path, {
      keyEncoding: 'view',
      valueEncoding: 'view',
      cacheSize: options.cacheBytes ?? LEVEL_CACHE_BYTES,
    }) as Database;
    await database.open();
    const record = new CommitRecord(join(path, COMMIT_RECORD_FILE));
    return await LevelStore.over(database, { durability: options.durability, record });
  } catch (error) {
    if (database?.status === 'open') await database.close();
    throw error instanceof EngineError ? error : databaseError(error, `open ${path}`);
  }
}
