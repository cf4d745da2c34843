/** Pages of zeros in tables, on which LevelDB would end the process, are found before it reads them. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EngineError } from '../../src/base/error.ts';
import { openDirectory } from '../../src/store/index.ts';
import { randomBytes, randomNumbers, runs, seed } from '../effort.ts';
import { temporaryDirectories } from './temporary.ts';

const directory = temporaryDirectories();
const bytesOf = randomBytes(seed);
const below = randomNumbers(seed);
const PAGE_BYTES = 4_096;

/** One left open, by a copy, as a killed process leaves it; one closed. */
let left: string;
let closed: string;

beforeAll(async () => {
  closed = directory();
  left = join(directory(), 'left');
  for (let table = 0; table < 2; table++) {
    const store = await openDirectory(closed, { durability: 'os' });
    for (let round = 0; round < 60; round++) {
      const rows = Array.from({ length: 30 }, () => ({
        key: Uint8Array.of(0x30, ...bytesOf(24)),
        value: bytesOf(2_000),
      }));
      await store.batch(rows.map((row) => ({ type: 'put', ...row })));
    }
    await store.close();
  }
  const again = await openDirectory(closed);
  cpSync(closed, left, { recursive: true });
  await again.close();
});

const tablesOf = (path: string): string[] => readdirSync(path).filter((name) => name.endsWith('.ldb'));

describe('a page of zeros in a table', () => {
  it('is refused after an end without closing, each time, naming the table and what is left of it', async () => {
    const path = join(directory(), 'copy');
    cpSync(left, path, { recursive: true });
    const [name] = tablesOf(path) as [string];
    const file = join(path, name);
    const whole = readFileSync(file);
    for (let round = 0; round < runs(12, 200); round++) {
      const page = below(Math.ceil(whole.length / PAGE_BYTES)) * PAGE_BYTES;
      const damaged = Buffer.from(whole);
      damaged.fill(0, page, Math.min(page + PAGE_BYTES, damaged.length));
      writeFileSync(file, damaged);
      for (const _time of ['first', 'again']) {
        await expect(openDirectory(path), `page at ${page}, seed ${seed}`).rejects.toMatchObject({
          code: 'corrupt',
          message: expect.stringContaining(name) as string,
          details: { file },
        });
      }
    }
    const damaged = Buffer.from(whole);
    damaged.fill(0, 0, PAGE_BYTES);
    writeFileSync(file, damaged);
    await expect(openDirectory(path)).rejects.toMatchObject({
      message: expect.stringMatching(
        /at byte 0; .*; \d+ of its \d+ blocks are whole; the others held rows of column 0x30(, 0x30-0x31)?$/,
      ) as string,
      details: { columns: expect.arrayContaining(['0x30']) as string[] },
    });
    writeFileSync(file, whole);
    const store = await openDirectory(path);
    expect((await store.range({ limit: 10 })).length).toBe(10);
    await store.close();
  });

  it('is refused in a directory that was closed if asked to, in all tables at once', async () => {
    for (const name of tablesOf(closed)) {
      const bytes = readFileSync(join(closed, name));
      writeFileSync(join(closed, name), bytes.fill(0, PAGE_BYTES, 2 * PAGE_BYTES));
    }
    const refused = openDirectory(closed, { checkTables: true });
    await expect(refused).rejects.toMatchObject({ code: 'corrupt' });
    const details = await refused.then(
      () => ({}),
      (error: EngineError) => error.details,
    );
    const { files } = details as { readonly files?: readonly string[] };
    expect(tablesOf(closed).length).toBeGreaterThan(1);
    expect(files).toEqual(tablesOf(closed).map((name) => join(closed, name)));
  });
});
