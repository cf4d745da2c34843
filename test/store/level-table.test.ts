import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDirectory } from '../../src/store/index.ts';
import { findDamagedTables } from '../../src/store/level-files.ts';
import { findTableDamage, readSnappy } from '../../src/store/level-table.ts';
import { randomBytes, randomNumbers, seed } from '../effort.ts';
import { temporaryDirectories } from './temporary.ts';

const directory = temporaryDirectories();
const bytesOf = randomBytes(seed);
const below = randomNumbers(seed);

/** A directory with tables of rows that compress and of rows that do not. */
async function withTables(): Promise<string> {
  const path = directory();
  const store = await openDirectory(path, { durability: 'os' });
  for (let round = 0; round < 60; round++) {
    await store.batch(
      Array.from({ length: 50 }, (_, index) => ({
        type: 'put',
        key: Uint8Array.of(round % 4, ...bytesOf(24)),
        value: index % 2 === 0 ? bytesOf(2000) : new Uint8Array(2000).fill(index),
      })),
    );
  }
  await store.close();
  // LevelDB may be stopped while it writes a table, which is then no part of the database: opening removes it.
  await (await openDirectory(path, { durability: 'os' })).close();
  return path;
}

const tablesOf = (path: string): string[] =>
  readdirSync(path)
    .filter((name) => name.endsWith('.ldb'))
    .map((name) => join(path, name));

describe('the checksums of tables', () => {
  it('hold for what LevelDB wrote, and show a flip of any byte', async () => {
    const path = await withTables();
    expect(await findDamagedTables(path)).toEqual([]);
    expect(await findDamagedTables(directory())).toEqual([]);
    const files = tablesOf(path);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const bytes = readFileSync(file);
      expect(findTableDamage(bytes)).toBeUndefined();
      const places = [
        ...Array.from({ length: 60 }, (_, index) => bytes.length - 1 - index),
        ...Array.from({ length: 40 }, (_, index) => bytes.length - 100 - index * 7),
        ...Array.from({ length: 40 }, () => below(bytes.length)),
      ];
      for (const at of places) {
        // Every bit of the footer, which has no checksum; one of each other byte.
        const bits = at >= bytes.length - 48 ? [0, 1, 2, 3, 4, 5, 6, 7] : [at % 8];
        for (const bit of bits) {
          bytes[at]! ^= 1 << bit;
          expect(findTableDamage(bytes), `bit ${bit} at ${at} of ${bytes.length}`).toBeTypeOf('string');
          bytes[at]! ^= 1 << bit;
        }
      }
      for (const length of [0, 47, 48, 1000, bytes.length - 1]) {
        expect(findTableDamage(bytes.subarray(0, length))).toBeTypeOf('string');
      }
    }
  });

  it('name every damaged table of a directory', async () => {
    const path = await withTables();
    for (const file of tablesOf(path)) {
      const bytes = readFileSync(file);
      bytes[20]! ^= 8; // In the first block, whatever the size of the table.
      writeFileSync(file, bytes);
    }
    const found = await findDamagedTables(path);
    expect(found.map(({ details }) => details['file'])).toEqual(expect.arrayContaining(tablesOf(path)));
    expect(found.every(({ code }) => code === 'corrupt')).toBe(true);
    expect(found[0]?.message).toMatch(/is damaged in its block at byte 0; restore/);
  });
});

describe('readSnappy', () => {
  const read = (hex: string, lengthMax = 1000): string | undefined => {
    const data = readSnappy(Buffer.from(hex.replaceAll(' ', ''), 'hex'), lengthMax);
    return data === undefined ? undefined : Buffer.from(data).toString('latin1');
  };

  it('reads the elements of the format', () => {
    expect(read('00')).toBe('');
    expect(read('03 08 616263')).toBe('abc');
    // A literal whose length is in one extra byte: 61 bytes.
    expect(read(`3d f0 3c ${'61'.repeat(61)}`)).toBe('a'.repeat(61));
    expect(read(`3d f4 3c00 ${'61'.repeat(61)}`)).toBe('a'.repeat(61));
    // The example of the format description: "xababab" is "xab" and a copy of offset 2, length 4.
    expect(read('07 08 786162 01 02')).toBe('xababab');
    expect(read('07 08 786162 0e 0200')).toBe('xababab');
    expect(read('07 08 786162 0f 02000000')).toBe('xababab');
    expect(read('09 08 786162 09 03')).toBe('xabxabxab');
  });

  it('refuses what cannot be read', () => {
    for (const hex of [
      '',
      '80',
      '03 08 6162',
      '02 08 616263',
      '04 08 616263',
      '07 08 786162 01 04',
      '07 08 786162 01 00',
      '07 08 786162 01',
      'ffffffffffff',
    ]) {
      expect(read(hex)).toBeUndefined();
    }
    expect(read('03 08 616263', 2)).toBeUndefined();
  });
});
