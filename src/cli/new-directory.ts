/**
 * A data directory that a command fills. If the command fails, the directory that it made is removed again, since the
 * next command would take it for an empty chain. What somebody else made in the meantime stays.
 * @module
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { EngineError } from '../error.ts';
import { openDirectory } from '../store/directory.ts';
import type { LevelStore } from '../store/level.ts';

/**
 * Opens a directory, fills it, and closes it.
 * @throws {EngineError} as `openDirectory`, and what `fill` throws
 */
export async function fillDirectory<T>(path: string, fill: (store: LevelStore) => Promise<T>): Promise<T> {
  const isMissing = !existsSync(path);
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true });
  let store: LevelStore;
  try {
    store = await openDirectory(path);
  } catch (error) {
    const isTaken = error instanceof EngineError && error.code === 'store-locked';
    if (isMissing && !isTaken) await remove();
    throw error;
  }
  // Asked while nobody else can write: it may have been filled since it was missing.
  const isOwn = isMissing && (await store.range({ limit: 1 })).length === 0;
  try {
    const filled = await fill(store);
    await store.close();
    return filled;
  } catch (error) {
    await store.close().catch(() => undefined);
    if (isOwn) await remove();
    throw error;
  }
}
