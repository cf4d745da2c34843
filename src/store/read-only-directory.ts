/**
 * Opens a directory that cannot be written: on a read-only file system, or without the rights.
 *
 * LevelDB writes when it opens: a lock, a manifest, a table of what the log holds. So a private directory is made among
 * the system's temporary files, with links to the tables, which never change, and copies of the rest, some megabytes;
 * it is removed when the store is closed, along with what was written to the store.
 *
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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMIT_RECORD_FILE } from './commit-record.ts';
import { databaseError } from './database.ts';
import { type DirectoryOptions, openDirectory } from './directory.ts';
import { DirectoryOwner } from './directory-owner.ts';
import type { LevelStore } from './level.ts';

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
