import { expect } from 'vitest';
import { openDirectory } from '../../src/store/directory.ts';
import { verifyStore } from '../../src/verify/verify.ts';

/** Checks a directory as `movelet verify` does. */
export async function expectSound(path: string): Promise<void> {
  const store = await openDirectory(path);
  try {
    expect((await verifyStore(store)).problems).toEqual([]);
  } finally {
    await store.close();
  }
}
