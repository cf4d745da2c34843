/** A directory that cannot be opened to the end: nothing of it stays open. */
import { expect, it, vi } from 'vitest';
import { openDirectory } from '../../src/store/directory.ts';
import { sweepUndo } from '../../src/store/undo.ts';
import { listsOpenFiles, openFiles } from './open-files.ts';
import { temporaryDirectories } from './temporary.ts';

vi.mock('../../src/store/undo.ts', async (original) => {
  const actual = await original<typeof import('../../src/store/undo.ts')>();
  return { ...actual, sweepUndo: vi.fn(actual.sweepUndo) };
});

const directory = temporaryDirectories();

const note = listsOpenFiles ? '' : ' (skipped: open files are listed on Linux only)';

it.skipIf(!listsOpenFiles)(`has no file open after its open failed, and opens later${note}`, async () => {
  const path = directory();
  await (await openDirectory(path)).close();
  vi.mocked(sweepUndo).mockRejectedValueOnce(new Error('the disk does not answer'));
  await expect(openDirectory(path)).rejects.toMatchObject({ code: 'store-failed' });
  expect(openFiles(path)).toEqual([]);
  await (await openDirectory(path)).close();
});
