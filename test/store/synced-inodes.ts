/** What is synced, as the host sees it. */
import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { onTestFinished, vi } from 'vitest';

/** The inodes of what is synced from now on in this test, in that order; `failure` says why they cannot be. */
export async function syncedInodes(
  failure: (ino: number) => Error | undefined = () => undefined,
  method: 'sync' | 'datasync' = 'sync',
): Promise<number[]> {
  const file = await open(import.meta.dirname);
  const handle = Object.getPrototypeOf(file) as FileHandle;
  await file.close();
  const { [method]: sync } = handle;
  const synced: number[] = [];
  const spy = vi.spyOn(handle, method).mockImplementation(async function (this: FileHandle) {
    const { ino } = await this.stat();
    const failed = failure(ino);
    if (failed !== undefined) throw failed;
    synced.push(ino);
    return sync.call(this);
  });
  onTestFinished(() => spy.mockRestore());
  return synced;
}
