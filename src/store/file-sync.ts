/**
 * Making files durable.
 *
 * Yarn's Plug'n'Play replaces Node's `FileHandle` by a class that cannot sync; there the descriptor is synced.
 * @module
 */
import { fdatasync, fsync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';

const syncDescriptor = promisify(fsync);
const syncDescriptorData = promisify(fdatasync);

/** The part of a file handle that this needs. */
export type Syncable = Pick<FileHandle, 'fd' | 'sync' | 'datasync'>;

/** Makes a file durable, or the entries of a directory. */
export const syncFile = (file: Syncable): Promise<void> =>
  orElse(
    () => file.sync(),
    () => syncDescriptor(file.fd),
  );

/** Makes the content of a file durable. */
export const syncData = (file: Syncable): Promise<void> =>
  orElse(
    () => file.datasync(),
    () => syncDescriptorData(file.fd),
  );

/** Makes the file names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await syncFile(directory);
  } finally {
    await directory.close();
  }
}

async function orElse(first: () => Promise<void>, second: () => Promise<void>): Promise<void> {
  try {
    await first();
  } catch (error) {
    if ((error as Error | null)?.message !== 'Method not implemented.') throw error;
    await second();
  }
}
