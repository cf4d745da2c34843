/**
 * Opens what a caller passes as a store.
 * @module
 */
import { argumentError } from '../base/argument.ts';
import type { Database } from './database.ts';
import { LevelStore, type LevelStoreOptions } from './level.ts';
import { MemoryStore } from './memory.ts';
import { MirrorStore } from './mirror.ts';
import { isStore, type Store } from './store.ts';

/** A directory, a database of abstract-level (which the store then owns and closes), a store of your own, or memory. */
type StoreTarget = string | Database | Store | undefined;

/**
 * Opens a store. LevelDB and node:fs are loaded only when the target is a directory.
 * @throws {EngineError} `store-locked`, `corrupt`, `store-failed`, `invalid-argument` for anything that is not a target
 */
export async function openStore(
  target: StoreTarget,
  options: Pick<LevelStoreOptions, 'durability'> = {},
): Promise<Store> {
  if (target === undefined) return new MemoryStore();
  if (typeof target === 'string') {
    if (target === '') throw argumentError('store', 'the path of a directory', target);
    const { openDirectory } = await import('./directory.ts');
    return openDirectory(target, options);
  }
  if (isStore(target)) return target;
  if (isDatabase(target)) {
    const { getSync, explicitSnapshots } = target.supports;
    if (getSync === true && explicitSnapshots === true) return LevelStore.over(target, options);
    return MirrorStore.over(target);
  }
  throw argumentError(
    'store',
    'a directory, a database of abstract-level 3, or a store with supports, get, range, scan, batch, view, fork and close',
    target,
  );
}

function isDatabase(target: unknown): target is Database {
  const { supports, iterator } = (target ?? {}) as { supports?: unknown; iterator?: unknown };
  return typeof supports === 'object' && supports !== null && typeof iterator === 'function';
}
