/** `movelet dump`: which file names it writes to, and that nothing under any other is lost. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { dumpCommand } from '../../src/cli/dump.ts';
import { Engine } from '../../src/index.ts';
import { syncedInodes } from '../store/synced-inodes.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { cli, isBuilt, note } from './built.ts';

const isWindows = process.platform === 'win32';
const directory = temporaryDirectories()();
const data = join(directory, 'data');
let place = '';
let whole: Buffer;

beforeAll(async () => {
  await (await Engine.open({ store: data })).close();
  await dumpCommand.run([join(directory, 'whole'), '--data', data]);
  whole = readFileSync(join(directory, 'whole'));
});
beforeEach(() => {
  place = mkdtempSync(join(directory, 'place-'));
});

it.skipIf(isWindows)(
  `makes the name of the dump durable, as it has made its content${isWindows ? ' (skipped: Windows cannot sync a folder)' : ''}`,
  async () => {
    const file = await open(place);
    const handle = Object.getPrototypeOf(file) as FileHandle;
    await file.close();
    const { sync } = handle;
    const synced: string[] = [];
    const spy = vi.spyOn(handle, 'sync').mockImplementation(async function (this: FileHandle) {
      synced.push((await this.stat()).isDirectory() ? `a folder with ${readdirSync(place)}` : 'a file');
      return sync.call(this);
    });
    await dumpCommand.run([join(place, 'new'), '--data', data]);
    spy.mockRestore();
    // Before it, the data directory was opened, which syncs its names.
    expect(synced.slice(-2)).toEqual(['a file', 'a folder with new']);
  },
);

const dump = (name: string, ...rest: string[]): Promise<number> =>
  dumpCommand.run([join(place, name), '--data', data, ...rest]);

describe('a dump', () => {
  it('is made in a folder that may be written to and not read', async () => {
    const { ino } = lstatSync(place);
    await syncedInodes((one) => (one === ino ? Object.assign(new Error('EACCES'), { code: 'EACCES' }) : undefined));
    await dump('new');
    expect(readFileSync(join(place, 'new')).equals(whole)).toBe(true);
  });

  it('replaces a file only with --force, and leaves nothing else behind', async () => {
    writeFileSync(join(place, 'old'), 'an older dump');
    await expect(dump('old')).rejects.toThrow(/old exists; --force replaces it/);
    await expect(dump(join('none', 'new'))).rejects.toThrow(`dump: there is no folder ${join(place, 'none')}`);
    expect(readFileSync(join(place, 'old'), 'utf8')).toBe('an older dump');
    await dump('old', '--force');
    expect(readFileSync(join(place, 'old')).equals(whole)).toBe(true);
    expect(readdirSync(place)).toEqual(['old']);
  });

  it('follows links, to files that exist and to files that do not', async () => {
    mkdirSync(join(place, 'elsewhere'));
    symlinkSync('second', join(place, 'first'));
    symlinkSync(join('elsewhere', 'dump'), join(place, 'second'));
    await dump('first');
    expect(readFileSync(join(place, 'elsewhere', 'dump')).equals(whole)).toBe(true);
    await expect(dump('first')).rejects.toThrow(/first exists/);
    writeFileSync(join(place, 'elsewhere', 'dump'), '');
    await dump('first', '--force');
    expect(readFileSync(join(place, 'elsewhere', 'dump')).equals(whole)).toBe(true);
    for (const link of ['first', 'second']) expect(lstatSync(join(place, link)).isSymbolicLink()).toBe(true);
  });

  it.each(['a directory', 'a pipe', 'a device', 'a link to a device', 'a link to itself'])(
    'is not written to %s, forced or not',
    async (what) => {
      const path = join(place, 'name');
      if (what === 'a directory') mkdirSync(path);
      if (what === 'a pipe') spawnSync('mkfifo', [path]);
      if (what === 'a link to a device') symlinkSync('/dev/null', path);
      if (what === 'a link to itself') symlinkSync('name', path);
      const name = what === 'a device' ? '/dev/null' : path;
      for (const force of [[], ['--force']]) {
        await expect(dumpCommand.run([name, '--data', data, ...force])).rejects.toThrow(UsageError);
      }
      expect(lstatSync(name).isFile()).toBe(false);
    },
  );
});

describe.skipIf(!isBuilt)(`a dump on the standard output${note}`, () => {
  it('whose reader stops early is reported as incomplete', async () => {
    const child = spawn(process.execPath, [cli, 'dump', '-', '--data', data], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let told = '';
    child.stderr.on('data', (text) => {
      told += String(text);
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(told).toBe(
      'movelet: the program that reads standard output has ended before the dump: what it has is no complete dump\n',
    );
  });

  it('is the same, and loads from the standard input', () => {
    const dumped = spawnSync(process.execPath, [cli, 'dump', '-', '--data', data], { maxBuffer: 1e8 });
    expect(dumped.stderr.toString()).toMatch(/^dumped order 0 in \d+ bytes\n$/);
    expect(dumped.stdout.equals(whole)).toBe(true);
    const copy = join(place, 'copy');
    const loaded = spawnSync(process.execPath, [cli, 'load', '-', '--data', copy], { input: dumped.stdout });
    expect([loaded.status, loaded.stderr.toString()]).toEqual([0, expect.stringMatching(/^loaded \d+ rows, order 0/)]);
    const cut = spawnSync(process.execPath, [cli, 'load', '-', '--data', join(place, 'cut')], {
      input: dumped.stdout.subarray(0, -1),
    });
    expect([cut.status, cut.stderr.toString()]).toEqual([1, expect.stringContaining('it ends in the middle')]);
  });
});
