/**
 * A store by name in a page: a folder of its origin's private file system (OPFS), with all rows in memory and a log of
 * the batches in a file (row-log.ts). One engine at a time has it, by a Web Lock.
 *
 * Only workers have synchronous access to that file system. The browser may remove it when space is short, unless the
 * user has granted `navigator.storage.persist()`.
 * @module
 */
import { argumentError } from '../base/argument.ts';
import { EngineError, messageOf } from '../base/error.ts';
import type { Durability } from './level.ts';
import { MirrorStore } from './mirror.ts';
import { type LogFolder, RowLog, type SyncFile } from './row-log.ts';

/** The parts of the standards that are used here: File System, and Web Locks. */
interface FileHandle {
  createSyncAccessHandle?(): Promise<SyncFile>;
}

interface DirectoryHandle {
  getDirectoryHandle(name: string, options: { readonly create: boolean }): Promise<DirectoryHandle>;
  getFileHandle(name: string, options: { readonly create: boolean }): Promise<FileHandle>;
  removeEntry(name: string): Promise<void>;
  keys(): AsyncIterable<string>;
}

interface PageNavigator {
  readonly storage?: { getDirectory?(): Promise<DirectoryHandle> };
  readonly locks?: {
    request(
      name: string,
      options: { readonly ifAvailable: boolean },
      use: (lock: unknown) => Promise<void> | undefined,
    ): Promise<void>;
  };
}

/** The folder that holds all stores of an origin. */
const ROOT = 'movelet';

/** How long the file of a worker that has ended may stay locked after its Web Lock, in milliseconds. */
const RELEASE_MS_MAX = 10_000;
const RELEASE_RETRY_MS = 50;

/**
 * Opens the store of this name, creating it if necessary. `./data` and `data` are the same.
 * @throws {EngineError} `store-locked` if another tab or worker has it; `not-supported` outside of a worker, and in pages
 * that are not served securely; `corrupt`, `store-failed`, `invalid-argument`
 */
export async function openDirectory(
  path: string,
  { durability = 'fsync' }: { readonly durability?: Durability | undefined } = {},
): Promise<MirrorStore> {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.length === 0 || names.includes('..')) throw argumentError('store', 'a name', path);
  const release = await lock([ROOT, ...names].join('/'));
  try {
    const { log, memory } = await RowLog.open(await folderOf(names), { durability });
    return MirrorStore.of(memory, {
      write: (batch, rows) => log.write(batch, rows),
      close: async () => {
        await log.close();
        release();
      },
    });
  } catch (error) {
    release();
    if (error instanceof EngineError) throw error;
    throw new EngineError('store-failed', `cannot open the store ${path}: ${messageOf(error)}`, { cause: error });
  }
}

const page = (): PageNavigator => (globalThis as { readonly navigator?: PageNavigator }).navigator ?? {};

function notSupported(what: string): EngineError {
  return new EngineError('not-supported', `store: ${what}; leave the option out for a chain in memory`);
}

/** Holds the lock of a store until the returned function is called, or the worker ends. */
function lock(name: string): Promise<() => void> {
  const { locks } = page();
  if (locks === undefined) throw notSupported('a page that is not served over HTTPS or from localhost keeps nothing');
  return new Promise((resolve, reject) => {
    const held = locks.request(name, { ifAvailable: true }, (granted) => {
      if (granted !== null) return new Promise<void>(resolve as (release: () => void) => void);
      const message = `another tab or worker has the store ${name}; close it there first`;
      reject(new EngineError('store-locked', message));
      return undefined;
    });
    held.catch(reject);
  });
}

async function folderOf(names: readonly string[]): Promise<LogFolder> {
  const { storage } = page();
  if (storage?.getDirectory === undefined) throw notSupported('this browser has no private file system');
  let folder = await storage.getDirectory();
  for (const name of [ROOT, ...names]) folder = await folder.getDirectoryHandle(name, { create: true });
  return {
    names: async () => {
      const found: string[] = [];
      for await (const name of folder.keys()) found.push(name);
      return found;
    },
    open: async (name) => opened(await folder.getFileHandle(name, { create: true })),
    remove: (name) => folder.removeEntry(name),
  };
}

async function opened(file: FileHandle): Promise<SyncFile> {
  if (file.createSyncAccessHandle === undefined) {
    throw notSupported('only a worker (new Worker) has synchronous access to files: open the engine there');
  }
  for (const end = performance.now() + RELEASE_MS_MAX; ; ) {
    try {
      return await file.createSyncAccessHandle();
    } catch (error) {
      // A worker that was killed gives its lock back a little before its file.
      const isHeld = (error as Error).name === 'NoModificationAllowedError';
      if (!isHeld || performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, RELEASE_RETRY_MS));
    }
  }
}
