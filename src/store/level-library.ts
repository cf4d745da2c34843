/**
 * LevelDB as this package uses it: its native library, which is never unloaded, and batches that skip most of
 * abstract-level.
 *
 * A Node worker thread, when it ends, unloads the native libraries that it loaded, unless another thread has loaded
 * them too. For each load, LevelDB has a thread that compacts tables and never ends. If that thread is not asleep when
 * the library is unloaded, it continues in memory that is gone, and the process segfaults.
 *
 * So a worker thread asks the system to keep the library. Linux and macOS support that; Windows has no such flag for
 * `dlopen`: there, import `level` in the main thread before opening directories in worker threads.
 *
 * The `put` of abstract-level makes two eight-field objects for each row, looks up encodings and checks for hooks and
 * listeners: nine tenths of the time it takes to add a row to a batch. None of that is needed if keys and values are
 * bytes and the database has no other user. In the end it calls a method that each backend implements, so the rows
 * after the first go there directly. (The first one tells it that there is something to write.)
 * @module
 */
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { isMainThread } from 'node:worker_threads';
import { EngineError } from '../base/error.ts';
import type { BytesOptions, Database, DatabaseBatch } from './database.ts';

/** RTLD_NODELETE of dlopen, by platform: glibc's and musl's <dlfcn.h>, Apple's. Node does not name it. */
const NO_DELETE: Partial<Record<NodeJS.Platform, number>> = { linux: 0x1000, darwin: 0x80 };

/** Error codes of Node's permission model: for these, the caller names the flag that would allow it. */
const DENIED: readonly unknown[] = ['ERR_DLOPEN_DISABLED', 'ERR_ACCESS_DENIED'];

/**
 * Loads LevelDB on demand: it is half the cost of importing the engine, and chains in memory do without it.
 * @throws {EngineError} `store-failed` if there is no build for this machine, or if it was left out of a bundle
 */
export async function loadLevel(): Promise<typeof import('level')> {
  const level = await import('level').catch((error: unknown) => {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    if (DENIED.includes(code)) throw error;
    throw new EngineError(
      'store-failed',
      `LevelDB, which has a native part, cannot be loaded (${String(message).split('\n', 1)[0]}): in a bundle, leave the package level outside (external), and install it where the program runs`,
      { cause: error },
    );
  });
  const flag = NO_DELETE[process.platform];
  if (!isMainThread && flag !== undefined) keepLoaded(flag);
  return level;
}

/** Loading a library again with the flag adds it. */
function keepLoaded(flag: number): void {
  const { cache } = createRequire('/');
  const addon = Object.values(cache).find((module) => module?.filename.endsWith('.node') && isLevel(module.exports));
  if (addon !== undefined) process.dlopen({ exports: {} }, addon.filename, constants.dlopen.RTLD_LAZY | flag);
}

function isLevel(exports: Readonly<Record<string, unknown>>): boolean {
  return typeof exports['db_open'] === 'function';
}

/** The methods that abstract-level requires of a backend's batches. */
interface BackendBatch extends DatabaseBatch {
  _put(key: Uint8Array, value: Uint8Array): void;
  _del(key: Uint8Array): void;
}

/** Replaces the batches of a LevelDB database that has no other user. */
export function makeDirectBatches(database: Database): void {
  const begin = database.batch.bind(database);
  database.batch = () => {
    const batch = begin();
    return isBackendBatch(batch) ? new LevelBatch(batch) : batch;
  };
}

function isBackendBatch(batch: DatabaseBatch): batch is BackendBatch {
  return '_put' in batch && '_del' in batch;
}

class LevelBatch implements DatabaseBatch {
  readonly #batch: BackendBatch;
  #isEmpty = true;

  constructor(batch: BackendBatch) {
    this.#batch = batch;
  }

  put(key: Uint8Array, value: Uint8Array, options: BytesOptions): void {
    if (this.#isEmpty) this.#batch.put(key, value, options);
    else this.#batch._put(key, value);
    this.#isEmpty = false;
  }

  del(key: Uint8Array, options: Pick<BytesOptions, 'keyEncoding'>): void {
    if (this.#isEmpty) this.#batch.del(key, options);
    else this.#batch._del(key);
    this.#isEmpty = false;
  }

  write(options: { readonly sync?: boolean }): Promise<void> {
    return this.#batch.write(options);
  }

  close(): Promise<void> {
    return this.#batch.close();
  }
}
