/** A directory whose disk fails when its owner leaves it. */
import * as files from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { openDirectory } from '../../src/store/directory.ts';
import { temporaryDirectories } from './temporary.ts';

vi.mock('node:fs', async (original) => {
  const actual = await original<typeof files>();
  return {
    ...actual,
    writeSync: vi.fn(actual.writeSync),
    rmSync: vi.fn(actual.rmSync),
    linkSync: vi.fn(actual.linkSync),
    fsyncSync: vi.fn(actual.fsyncSync),
  };
});

const directory = temporaryDirectories();
const { writeSync, rmSync, linkSync, fsyncSync } = await vi.importActual<typeof files>('node:fs');

const full = (): never => {
  throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
};

/** The mark of an owner that leaves is the one thing that it writes as a word alone. */
function failMarks(): void {
  vi.mocked(files.writeSync).mockImplementation(((file: number, ...rest: [string]) =>
    /^(free|torn)$/.test(rest[0]) ? full() : writeSync(file, ...rest)) as typeof files.writeSync);
}

afterEach(() => {
  vi.mocked(files.writeSync).mockImplementation(writeSync);
  vi.mocked(files.rmSync).mockImplementation(rmSync);
  vi.mocked(files.linkSync).mockImplementation(linkSync);
  vi.mocked(files.fsyncSync).mockImplementation(fsyncSync);
});

const put = { type: 'put', key: Uint8Array.of(2), value: Uint8Array.of(7) } as const;

it('is closed, and can be opened again by the same process', async () => {
  const path = directory();
  const store = await openDirectory(path);
  await store.batch([put]);
  failMarks();
  await store.close();
  const again = await openDirectory(path);
  expect(again.get(put.key)).toEqual(put.value);
  await again.close();
});

it('is refused for what is wrong with it, and can be opened again by the same process once that is mended', async () => {
  const path = directory();
  const store = await openDirectory(path);
  await store.batch([put]);
  await store.close();
  const current = files.readFileSync(`${path}/CURRENT`);
  files.writeFileSync(`${path}/CURRENT`, 'damaged');
  failMarks();
  await expect(openDirectory(path)).rejects.toMatchObject({ name: 'EngineError', code: 'corrupt' });
  files.writeFileSync(`${path}/CURRENT`, current);
  const again = await openDirectory(path);
  expect(again.get(put.key)).toEqual(put.value);
  await again.close();
});

it('is closed without an error even if its owner’s file cannot be removed', async () => {
  const path = directory();
  const store = await openDirectory(path);
  failMarks();
  vi.mocked(files.rmSync).mockImplementation(full);
  await store.close();
  expect(vi.mocked(files.rmSync)).toHaveBeenCalled();
});

it('is closed, with an error that names it, if what was committed last cannot be made durable', async () => {
  const path = directory();
  const onClose = vi.fn();
  const store = await openDirectory(path, { onClose });
  await store.batch([put], { order: 7n });
  vi.mocked(files.fsyncSync).mockImplementation(full);
  await expect(store.close()).rejects.toMatchObject({
    name: 'EngineError',
    code: 'store-failed',
    message: expect.stringContaining(path),
  });
  expect(onClose).toHaveBeenCalledOnce();
  vi.mocked(files.fsyncSync).mockImplementation(fsyncSync);
  const again = await openDirectory(path);
  expect(again.get(put.key)).toEqual(put.value);
  await again.close();
});

it('takes no batch that is not synced before it is on the disk that there is one', async () => {
  const path = directory();
  const store = await openDirectory(path);
  vi.mocked(files.fsyncSync).mockImplementation(full);
  await expect(store.batch([put], { sync: false })).rejects.toMatchObject({ code: 'store-failed' });
  vi.mocked(files.fsyncSync).mockImplementation(fsyncSync);
  expect(store.get(put.key)).toBeUndefined();
  await store.close();
});

it('is opened although the next owner comes first and removes what this one had begun', async () => {
  const path = directory();
  vi.mocked(files.linkSync).mockImplementationOnce((draft, name) => {
    rmSync(draft);
    linkSync(draft, name);
  });
  const store = await openDirectory(path);
  await store.batch([put]);
  await store.close();
});
