/** A directory that cannot be opened to the end: nothing of it stays open. */
import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { openDirectory } from '../../src/store/directory.ts';
import { sweepUndo } from '../../src/store/undo.ts';
import { temporaryDirectories } from './temporary.ts';

vi.mock('../../src/store/undo.ts', async (original) => {
  const actual = await original<typeof import('../../src/store/undo.ts')>();
  return { ...actual, sweepUndo: vi.fn(actual.sweepUndo) };
});

const directory = temporaryDirectories();

/** Files below a directory that this process has open. */
function openFiles(path: string): string[] {
  const root = realpathSync(path);
  return readdirSync('/proc/self/fd').flatMap((file) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${file}`);
      return target.startsWith(root) ? [target] : [];
    } catch {
      // The one that lists the folder is closed by now.
      return [];
    }
  });
}

const isLinux = process.platform === 'linux';
const note = isLinux ? '' : ' (skipped: open files are listed on Linux only)';

it.skipIf(!isLinux)(`has no file open after its open failed, and opens later${note}`, async () => {
  const path = directory();
  await (await openDirectory(path)).close();
  vi.mocked(sweepUndo).mockRejectedValueOnce(new Error('the disk does not answer'));
  await expect(openDirectory(path)).rejects.toMatchObject({ code: 'store-failed' });
  expect(openFiles(path)).toEqual([]);
  await (await openDirectory(path)).close();
});
