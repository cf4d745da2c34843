/** Making files durable when the host's file handles can sync, and when they cannot. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArchiveWriter } from '../../src/log/archive/archive-writer.ts';
import { openDirectoryLog } from '../../src/log/index.ts';
import { makeDirectory, syncData, syncFile } from '../../src/store/file-sync.ts';
import { openDirectory } from '../../src/store/index.ts';
import { WrittenLog } from '../../src/store/level-files.ts';
import { StagedDirectory } from '../../src/store/staged-directory.ts';
import { listsOpenFiles, openFiles } from './open-files.ts';
import { syncedInodes } from './synced-inodes.ts';
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

const isWindows = process.platform === 'win32';

const inode = (path: string): number => statSync(path).ino;

describe.skipIf(isWindows)(`a new directory${isWindows ? ' (skipped: Windows cannot sync a folder)' : ''}`, () => {
  it.each([
    ['a data directory', async (path: string) => (await openDirectory(path)).close()],
    ['a log', async (path: string) => (await openDirectoryLog(path)).close()],
    ['an archive', async (path: string) => (await ArchiveWriter.open(path)).close()],
  ])('has a durable name at every level: %s', async (_, make) => {
    const place = directory();
    const synced = await syncedInodes();
    const path = join(place, 'above', 'own');
    await make(path);
    expect(synced.slice(0, 2)).toEqual([inode(place), inode(join(place, 'above'))]);
  });

  it.skipIf(!listsOpenFiles)(
    `is refused where the system makes none${listsOpenFiles ? '' : ' (skipped: there is no /proc)'}`,
    async () => {
      const nowhere = '/proc/nothing/own';
      await expect(openDirectory(nowhere)).rejects.toMatchObject({ code: 'store-failed' });
      await expect(openDirectoryLog(nowhere)).rejects.toMatchObject({ code: 'log-failed' });
      await expect(ArchiveWriter.open(nowhere)).rejects.toMatchObject({ code: 'store-failed' });
    },
  );

  it('has the names of its files on the disk before anything is written, and that of each log before its first batch', async () => {
    const path = join(directory(), 'own');
    const synced = await syncedInodes();
    const store = await openDirectory(path);
    expect(synced).toContain(inode(path));
    const logs = (): string[] => readdirSync(path).filter((name) => name.endsWith('.log'));
    let known = logs();
    let begun = 0;
    for (let key = 0; begun < 2; key++) {
      synced.length = 0;
      await store.batch([{ type: 'put', key: Uint8Array.of(key), value: new Uint8Array(2_000_000) }]);
      const isNew = logs().some((name) => !known.includes(name));
      known = logs();
      expect(synced.includes(inode(path))).toBe(isNew);
      if (isNew) begun++;
    }
    await store.close();
  });

  it('has one too if it was made a moment ago, wherever a link leads', async () => {
    const place = directory();
    mkdirSync(join(place, 'real', 'own'), { recursive: true });
    symlinkSync(join(place, 'real', 'own'), join(place, 'link'));
    const synced = await syncedInodes();
    await makeDirectory(join(place, 'link'));
    expect(synced).toEqual([inode(join(place, 'real'))]);
    mkdirSync(join(place, 'real', 'own', 'in'));
    await makeDirectory(join(place, 'link'));
    expect(synced).toHaveLength(1);
    expect(listsOpenFiles ? openFiles(place) : []).toEqual([]);
  });

  it('is made where a folder cannot be synced, and not where the disk fails', async () => {
    const place = directory();
    let code: string | undefined = 'EINVAL';
    const synced = await syncedInodes(() =>
      code === undefined ? undefined : Object.assign(new Error(code), { code }),
    );
    await makeDirectory(join(place, 'first'));
    expect(existsSync(join(place, 'first'))).toBe(true);
    code = 'EIO';
    await expect(openDirectory(join(place, 'second'))).rejects.toMatchObject({ code: 'store-failed' });
    await expect(openDirectoryLog(join(place, 'third'))).rejects.toMatchObject({ code: 'log-failed' });
    // The next one syncs what this one could not.
    code = undefined;
    await makeDirectory(join(place, 'second'));
    expect(synced).toEqual([inode(place)]);
  });

  it('has its name in a folder that may be written to and not read', async () => {
    const place = directory();
    await syncedInodes((ino) =>
      ino === inode(place) ? Object.assign(new Error('EACCES'), { code: 'EACCES' }) : undefined,
    );
    const staged = await StagedDirectory.at(join(place, 'data'), '.staged');
    await (await staged.open()).close();
    await staged.finish();
    expect(readdirSync(place)).toEqual(['data']);
  });
});

describe.skipIf(isWindows)(`logs of a database${isWindows ? ' (skipped: LevelDB syncs them there)' : ''}`, () => {
  it('are on the disk, with those before them, once the first synced write of a new one counts', async () => {
    const place = directory();
    const [older, newer] = ['000003.log', '000007.log'].map((name) => join(place, name)) as [string, string];
    const synced = await syncedInodes(undefined, 'datasync');
    const names = await syncedInodes();
    const logs = new WrittenLog(place);
    writeFileSync(older, 'batch');
    await logs.wrote(false);
    expect([logs.position, synced]).toEqual([{ log: 3, bytes: 5 }, []]);
    await logs.wrote(true);
    expect([synced, names]).toEqual([[inode(older)], [inode(place)]]);
    // LevelDB has synced what it wrote to a log that is known.
    appendFileSync(older, ' and batch');
    await logs.wrote(true);
    expect([logs.position, synced.length]).toEqual([{ log: 3, bytes: 15 }, 1]);
    appendFileSync(older, ' and one that is not synced');
    await logs.wrote(false);
    writeFileSync(newer, 'next');
    await logs.wrote(false);
    expect([logs.position, synced.length]).toEqual([{ log: 7, bytes: 4 }, 1]);
    appendFileSync(newer, ' batch');
    await logs.wrote(true);
    expect([synced, names]).toEqual([
      [inode(older), inode(older), inode(newer)],
      [inode(place), inode(place)],
    ]);
    await logs.settle();
    expect(synced.slice(3)).toEqual([inode(older), inode(newer)]);
  });

  it('need no sync where they are gone, or the host cannot; any other failure is thrown', async () => {
    const place = directory();
    const log = join(place, '000007.log');
    writeFileSync(log, 'batch');
    symlinkSync(join(place, 'nowhere'), join(place, '000003.log'));
    let code = 'EACCES';
    const asked: number[] = [];
    await syncedInodes((ino) => {
      asked.push(ino);
      return Object.assign(new Error(code), { code });
    }, 'datasync');
    await new WrittenLog(place).wrote(true);
    expect(asked).toEqual([inode(log)]);
    code = 'EIO';
    await expect(new WrittenLog(place).wrote(true)).rejects.toMatchObject({ code });
    mkdirSync(join(place, '000005.log'));
    await expect(new WrittenLog(place).wrote(true)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
