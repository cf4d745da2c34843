import { expect } from 'vitest';
import { verifyStore } from '../../src/query/verify/verify.ts';
import { openDirectory } from '../../src/store/directory.ts';

/** What is missing if a version that kept no lists of detached trees wrote a directory. `movelet verify --repair` mends it. */
export const WITHOUT_LISTS: RegExp =
  /^the (detachedTrees row \w+ is missing|tree node \w+ is not in the present state, and no list has it pruned)$/;

/** Checks a directory as `movelet verify` does, except for what `known` describes. */
export async function expectSound(path: string, known?: RegExp): Promise<void> {
  const store = await openDirectory(path);
  try {
    const { problems } = await verifyStore(store);
    expect(problems.filter((problem) => known?.test(problem) !== true)).toEqual([]);
  } finally {
    await store.close();
  }
}
