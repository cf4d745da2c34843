/** Every step at which the file system may stop the process leaves the directory that is replaced as it was. */
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openDirectory } from '../../src/store/directory.ts';
import { StagedDirectory } from '../../src/store/staged-directory.ts';
import { temporaryDirectories } from './temporary.ts';

vi.mock('node:fs/promises', async (original) => {
  const actual = await original<typeof files>();
  return { ...actual, rename: vi.fn(actual.rename), rmdir: vi.fn(actual.rmdir), mkdtemp: vi.fn(actual.mkdtemp) };
});

const directory = temporaryDirectories();
const { rename: renameNow } = await vi.importActual<typeof files>('node:fs/promises');

beforeEach(() => {
  vi.mocked(files.rename).mockReset().mockImplementation(renameNow);
});

const failure = (code: string): Error => Object.assign(new Error(`${code}: as the test wants it`), { code });

/** An empty directory with unusual permissions. */
function emptyDirectory(): string {
  const path = join(directory(), 'data');
  mkdirSync(path);
  chmodSync(path, 0o2750);
  return path;
}

const modeOf = (path: string): number => statSync(path).mode & 0o7777;

async function fill(path: string): Promise<StagedDirectory> {
  const staged = await StagedDirectory.at(path, '.filling');
  const store = await staged.open();
  await store.batch([{ type: 'put', key: Uint8Array.of(2), value: Uint8Array.of(1) }]);
  await store.close();
  return staged;
}

describe('a directory that is filled', () => {
  it('gets its name at the end, and has another one until then', async () => {
    const place = directory();
    const path = join(place, 'data');
    const staged = await fill(path);
    expect(readdirSync(place)).toEqual(['data.filling']);
    await staged.finish();
    expect(readdirSync(place)).toEqual(['data']);
    const store = await openDirectory(path);
    expect(store.get(Uint8Array.of(2))).toEqual(Uint8Array.of(1));
    await store.close();
  });

  it('begins with what an earlier process left, unless that is damaged', async () => {
    const path = join(directory(), 'data');
    await fill(path);
    const staged = await StagedDirectory.at(path, '.filling');
    const store = await staged.open();
    expect(store.get(Uint8Array.of(2))).toEqual(Uint8Array.of(1));
    await store.close();
    writeFileSync(join(`${path}.filling`, 'CURRENT'), 'nothing\n');
    const again = await staged.open();
    expect(again.get(Uint8Array.of(2))).toBeUndefined();
    await again.close();
    await staged.clear();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  it.each([
    ['a link to nothing', (path: string) => symlinkSync('nowhere', path), /is a link to nothing/],
    ['a file', (path: string) => writeFileSync(path, ''), /is not a directory/],
    [
      'a directory with a file',
      (path: string) => mkdirSync(join(path, 'letter'), { recursive: true }),
      /it has letter/,
    ],
  ])('takes the place of no other thing: %s', async (_what, make, why) => {
    const path = join(directory(), 'data');
    make(path);
    await expect(StagedDirectory.at(path, '.filling')).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(why),
    });
    expect(readdirSync(join(path, '..'))).toEqual(['data']);
  });
});

describe('the directory that is replaced', () => {
  // On Windows, no directory is renamed to the name of another.
  it.skipIf(process.platform === 'win32')('is there with its permissions at every step (not on Windows)', async () => {
    const path = emptyDirectory();
    const seen: (number | string)[] = [];
    const look = (): void => void seen.push(statSync(path, { throwIfNoEntry: false })?.mode ?? 'missing');
    vi.mocked(files.rename).mockImplementation(async (from, to) => {
      look();
      await renameNow(from, to);
      look();
    });
    const { mode } = statSync(path);
    await (await fill(path)).finish();
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen)).toEqual(new Set([mode]));
    expect(vi.mocked(files.rmdir).mock.calls.filter(([removed]) => removed === path)).toEqual([]);
    expect(readdirSync(path)).toContain('CURRENT');
  });

  it('is not replaced where nothing can be made beside it, and load fills it as it is', async () => {
    const path = emptyDirectory();
    vi.mocked(files.mkdtemp).mockRejectedValueOnce(failure('EACCES'));
    await expect(StagedDirectory.at(path, '.filling')).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(modeOf(path)).toBe(0o2750);
  });

  it('stays if it cannot be replaced', async () => {
    const path = emptyDirectory();
    const staged = await fill(path);
    vi.mocked(files.rename).mockRejectedValue(failure('EIO'));
    await expect(staged.finish()).rejects.toMatchObject({ code: 'store-failed' });
    expect([modeOf(path), readdirSync(path)]).toEqual([0o2750, []]);
  });

  it('is removed first where the system replaces none in one step', async () => {
    const path = emptyDirectory();
    vi.mocked(files.rename).mockImplementation(async (from, to) => {
      if (statSync(String(to), { throwIfNoEntry: false }) !== undefined) throw failure('EPERM');
      await renameNow(from, to);
    });
    await (await fill(path)).finish();
    expect(modeOf(path)).toBe(0o2750);
    expect(readdirSync(path)).toContain('CURRENT');
  });

  it('stays with what somebody put there in the meantime', async () => {
    const path = emptyDirectory();
    const staged = await fill(path);
    writeFileSync(join(path, 'letter'), '');
    await expect(staged.finish()).rejects.toMatchObject({ code: 'store-failed' });
    expect(readdirSync(path)).toEqual(['letter']);
  });

  it('leaves nothing beside it that a process killed in the first step made', async () => {
    const path = emptyDirectory();
    vi.mocked(files.rename).mockRejectedValueOnce(failure('EIO'));
    await expect(StagedDirectory.at(path, '.filling')).rejects.toMatchObject({ code: 'invalid-argument' });
    await (await fill(path)).finish();
    expect(readdirSync(join(path, '..'))).toEqual(['data']);
  });
});
