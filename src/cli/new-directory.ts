/**
 * A data directory that a command fills. It gets its name when it is complete (store/staged-directory.ts), since the next
 * command would take one that is half full for a chain, and one that is still empty for a new one.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { readHead } from '../chain/ledger/head.ts';
import { openDirectory } from '../store/directory.ts';
import { clearStore } from '../store/dump.ts';
import type { LevelStore } from '../store/level.ts';
import { StagedDirectory } from '../store/staged-directory.ts';

export interface FillOptions {
  /** What the name of the directory ends in until it is complete. */
  readonly ending: string;
  /** Whether `fill` writes the head last, so that a directory which cannot be replaced can be filled where it is. */
  readonly inPlace?: boolean | undefined;
}

/**
 * Fills a directory that is empty or missing. If that fails, nothing is left; what a killed process left is removed.
 * @throws {EngineError} as `StagedDirectory.at` and `openDirectory`, and what `fill` throws
 */
export async function fillDirectory<T>(
  path: string,
  { ending, inPlace = false }: FillOptions,
  fill: (store: LevelStore) => Promise<T>,
): Promise<T> {
  let staged: StagedDirectory;
  try {
    staged = await StagedDirectory.at(path, ending);
  } catch (error) {
    if (inPlace && error instanceof EngineError && error.code === 'invalid-argument') return fillInPlace(path, fill);
    throw error;
  }
  const store = await openEmpty(staged);
  try {
    const filled = await fill(store);
    await store.close();
    await staged.finish();
    return filled;
  } catch (error) {
    await store.close().catch(() => undefined);
    // Then it is somebody else's.
    if (!(error instanceof EngineError) || error.code !== 'store-lost') await staged.clear();
    throw error;
  }
}

async function openEmpty(staged: StagedDirectory): Promise<LevelStore> {
  const store = await staged.open();
  const [row] = await store.range({ limit: 1 });
  if (row === undefined) return store;
  await store.close();
  await staged.clear();
  return staged.open();
}

async function fillInPlace<T>(path: string, fill: (store: LevelStore) => Promise<T>): Promise<T> {
  const store = await openDirectory(path);
  try {
    // Rows without a head were left by a process that was killed during this.
    if (readHead(store) === undefined) await clearStore(store);
    const filled = await fill(store);
    await store.close();
    return filled;
  } catch (error) {
    await store.close().catch(() => undefined);
    throw error;
  }
}
