/**
 * Makes files durable, and turns errors of the file system into errors of the engine.
 *
 * Yarn's Plug'n'Play replaces Node's `FileHandle` by a class that cannot sync; there the descriptor is synced.
 * @module
 */

import { fdatasync, fsync, mkdirSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { EngineError, messageOf } from '../base/error.ts';

/** Names the file in an error of the file system, such as a full disk. */
export async function orFailed<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw fileFailure(path, cause);
  }
}

/** The error for what was thrown about a file; errors of the engine stay as they are. */
export function fileFailure(path: string, cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  const reason = messageOf(cause);
  return new EngineError('store-failed', `${path}: ${reason}`, { cause });
}

const syncDescriptor = promisify(fsync);
const syncDescriptorData = promisify(fdatasync);

/** The part of a file handle that this needs. */
type Syncable = Pick<FileHandle, 'fd' | 'sync' | 'datasync'>;

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

/**
 * Makes a directory and its missing parents, so that a power failure does not take back its name with everything
 * acknowledged in it. An existing empty one is made durable too: it may have been made a moment ago.
 *
 * One level at a time: Node's own `recursive` never ends if a system refuses a name with ENOENT, as /proc does.
 */
export async function makeDirectory(path: string): Promise<void> {
  const directory = resolve(path);
  if (isDirectory(directory)) {
    if (readdirSync(directory).length === 0) await syncName(realpathSync(directory));
    return;
  }
  await makeMissing(directory);
}

async function makeMissing(directory: string): Promise<void> {
  if (isDirectory(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) await makeMissing(parent);
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!isDirectory(directory)) throw error;
  }
  await syncName(directory);
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Error codes of hosts that cannot sync a file or folder, or may not read it, as under Node's permission model. */
const UNSYNCABLE = ['ERR_ACCESS_DENIED', 'EACCES', 'EPERM', 'EINVAL', 'EBADF', 'ENOTSUP'];

/** Makes the name of a file or directory durable, as far as the host can. Windows cannot sync a folder. */
export async function syncName(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  await whereSyncable(() => syncDirectory(dirname(path)));
}

/** Syncs, unless the host cannot. */
export async function whereSyncable(sync: () => Promise<void>): Promise<void> {
  try {
    await sync();
  } catch (error) {
    if (!UNSYNCABLE.includes(String((error as NodeJS.ErrnoException).code))) throw error;
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
