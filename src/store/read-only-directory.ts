/**
 * A directory that cannot be written, opened all the same: on a read-only file system, or where the rights are missing.
 *
 * LevelDB writes when it opens: a lock, a manifest, a table of what the log holds. So a directory of its own is made among
 * the system's temporary files, with links to the tables, which are never changed, and copies of the rest, some megabytes;
 * it goes when the store is closed. What is written to the store goes with it.
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
import { databaseError } from './database.ts';
import { COMMIT_RECORD_FILE, type DirectoryOptions, openDirectory } from './directory.ts';
import { DirectoryOwner } from './directory-owner.ts';
import type { LevelStore } from './level.ts';

/** Files of a database that LevelDB never writes again. */
const TABLE = /^\d+\.(?:ldb|sst)$/;

/** The others that an opening needs. */
const COPIED = new RegExp(`^(?:CURRENT|MANIFEST-\\d+|\\d+\\.log|owner-\\d+|${COMMIT_RECORD_FILE})$`);

/**
 * Opens a directory to read it; one that cannot be written through links and copies.
 * @throws {EngineError} as `openDirectory`; `store-failed` also where no temporary directory can be made.
 */
export async function openForReading(path: string, options: DirectoryOptions = {}): Promise<LevelStore> {
  return isWritable(path) ? openDirectory(path, options) : openLinked(path, options);
}

/** Opens a directory through links and copies. What writes it at the same time is not seen, or in parts: it must stand still. */
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
