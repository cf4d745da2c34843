/** Making files durable when the host's file handles can sync, and when they cannot. */
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { syncData, syncFile } from '../../src/store/file-sync.ts';
import { temporaryDirectories } from './temporary.ts';

const directory = temporaryDirectories();

/** As Yarn's Plug'n'Play has it. */
function withoutSync({ fd }: FileHandle): Pick<FileHandle, 'fd' | 'sync' | 'datasync'> {
  const sync = async (): Promise<void> => {
    throw new Error('Method not implemented.');
  };
  return { fd, sync, datasync: sync };
}

describe.each([
  ['syncFile', syncFile],
  ['syncData', syncData],
])('%s', (_, sync) => {
  it('syncs by the descriptor when the handle cannot', async () => {
    const file = await open(join(directory(), 'file'), 'w');
    await sync(file);
    await sync(withoutSync(file));
    const handle = { ...withoutSync(file), fd: 1_000_000 };
    await file.close();
    await expect(sync(handle)).rejects.toMatchObject({ code: 'EBADF' });
  });

  it('passes on why a file cannot be synced', async () => {
    const denied = Object.assign(new Error('no'), { code: 'EIO' });
    const fail = () => Promise.reject(denied);
    await expect(sync({ fd: 0, sync: fail, datasync: fail })).rejects.toBe(denied);
  });
});
