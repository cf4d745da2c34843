import { cpSync, lstatSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDirectory, openForReading, openLinked } from '../../src/store/directory.ts';
import { randomBytes, seed } from '../effort.ts';
import { temporaryDirectories } from './temporary.ts';

const directory = temporaryDirectories();
const bytesOf = randomBytes(seed);

async function filled(): Promise<string> {
  const path = directory();
  const store = await openDirectory(path, { durability: 'os' });
  for (let round = 0; round < 50; round++) {
    await store.batch(
      Array.from({ length: 50 }, (_, index) => ({
        type: 'put',
        key: Uint8Array.of(round, index),
        value: bytesOf(2_000),
      })),
      { order: BigInt(round) },
    );
  }
  await store.close();
  return path;
}

const filesOf = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(path).map((name) => [
      name,
      `${statSync(join(path, name)).mtimeMs} ${readFileSync(join(path, name), 'latin1')}`,
    ]),
  );

const linkedCopies = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('movelet-linked-'));

/** What is created for a directory that is only read. */
beforeEach(() => vi.stubEnv('TMPDIR', directory()));
afterEach(() => vi.unstubAllEnvs());

describe('a directory that is only read', () => {
  it('gives all rows, and stays as it was; what was created for it is removed with it', async () => {
    const path = await filled();
    writeFileSync(join(path, 'letter'), '');
    const before = filesOf(path);
    const store = await openLinked(path);
    expect(linkedCopies()).toHaveLength(1);
    const [linked] = linkedCopies().map((name) => join(tmpdir(), name)) as [string];
    const links = readdirSync(linked).filter((name) => lstatSync(join(linked, name)).isSymbolicLink());
    expect(links.filter((name) => !name.endsWith('.ldb'))).toEqual([]);
    expect(links.length).toBeGreaterThan(0);
    expect(readdirSync(linked)).not.toContain('letter');
    expect(store.lastWrittenOrder).toBe(49n);
    let rows = 0;
    for await (const { value } of store.scan({})) if (value.length === 2_000) rows++;
    expect(rows).toBe(2_500);
    await store.batch([{ type: 'put', key: Uint8Array.of(1, 2), value: new Uint8Array(1) }]);
    await store.close();
    expect(filesOf(path)).toEqual(before);
    expect(linkedCopies()).toEqual([]);
  });

  it('is not opened while an engine of this machine has it, and is refused if damaged', async () => {
    const path = await filled();
    const owner = await openDirectory(path);
    await expect(openLinked(path)).rejects.toMatchObject({ code: 'store-locked' });
    const copy = join(directory(), 'copy');
    cpSync(path, copy, { recursive: true });
    await owner.close();
    const unclean = await openLinked(copy);
    expect(unclean.get(Uint8Array.of(3, 3))).toHaveLength(2_000);
    await unclean.close();
    await expect(openLinked(join(path, 'absent'))).rejects.toMatchObject({ code: 'store-failed' });
  });

  it('is opened like any other if it can be written', async () => {
    const path = await filled();
    const store = await openForReading(path);
    await expect(openDirectory(path)).rejects.toMatchObject({ code: 'store-locked' });
    await store.close();
  });
});
