import { Level } from 'level';
import { describe, expect, it } from 'vitest';
import { openDirectory, type Row, type Store } from '../../src/store/index.ts';
import { openValue, sealedLength, sealValueInto } from '../../src/store/row-checksum.ts';
import { temporaryDirectories } from './temporary.ts';

const directory = temporaryDirectories();
const bytes = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 37 + seed) & 0xff);
const rows: Row[] = [
  { key: Uint8Array.of(0x10, 1, 2, 3), value: bytes(40, 1) },
  { key: Uint8Array.of(0x10, 1, 2, 4), value: new Uint8Array(0) },
  { key: Uint8Array.of(0x20, 9), value: bytes(300, 7) },
];

/** Changes stored forms behind the store's back, as a bad disk would. */
async function rewrite(path: string, change: (key: Uint8Array, stored: Uint8Array) => Uint8Array): Promise<void> {
  const database = new Level<Uint8Array, Uint8Array>(path, { keyEncoding: 'view', valueEncoding: 'view' });
  for await (const [key, stored] of database.iterator()) await database.put(key, change(key, stored.slice()));
  await database.close();
}

async function withStore(path: string, use: (store: Store) => Promise<void>): Promise<void> {
  const store = await openDirectory(path);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

async function filled(): Promise<string> {
  const path = directory();
  await withStore(path, (store) => store.batch(rows.map((row) => ({ type: 'put', ...row }))));
  return path;
}

const sealValue = (key: Uint8Array, value: Uint8Array): Uint8Array =>
  sealValueInto(new Uint8Array(sealedLength(value)), 0, key, value);

const corrupt = expect.objectContaining({ code: 'corrupt' });

describe('a damaged row is reported and never served', () => {
  it('whichever bit of its stored form is flipped', () => {
    for (const { key, value } of rows) {
      const sealed = sealValue(key, value);
      expect(openValue(key, sealed)).toEqual(value);
      for (let bit = 0; bit < sealed.length * 8; bit++) {
        const flipped = sealed.slice();
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        expect(() => openValue(key, flipped)).toThrow(corrupt);
      }
      for (let length = 0; length < sealed.length; length++) {
        expect(() => openValue(key, sealed.subarray(0, length))).toThrow(corrupt);
      }
    }
  });

  it('when it stands under another key, whether longer, shorter or equal in joined bytes', () => {
    const sealed = sealValue(Uint8Array.of(1, 2), Uint8Array.of(3, 4));
    for (const key of [[1, 3], [1], [1, 2, 0], [2, 1]])
      expect(() => openValue(Uint8Array.from(key), sealed)).toThrow(corrupt);
    const moved = Uint8Array.of(4, ...sealed.subarray(2));
    expect(() => openValue(Uint8Array.of(1, 2, 3), moved)).toThrow(corrupt);
  });

  it('through get, range and scan of a directory, naming column and key', async () => {
    const path = await filled();
    for (const at of [0, 17, -1]) {
      await rewrite(path, (key, stored) => {
        if (key[0] === 0x10 && key[3] === 3) stored[at < 0 ? stored.length + at : at]! ^= 0x40;
        return stored;
      });
      await withStore(path, async (store) => {
        expect(() => store.get(rows[0]!.key)).toThrow(
          expect.objectContaining({
            code: 'corrupt',
            message: expect.stringMatching(/column 0x10 with key 0x10010203 .*checksum/),
            details: { column: '0x10', key: '10010203' },
          }),
        );
        await expect(store.range({ limit: 10 })).rejects.toEqual(corrupt);
        await expect(
          (async () => {
            for await (const row of store.scan({})) expect(row).toEqual(undefined);
          })(),
        ).rejects.toEqual(corrupt);
        expect(store.get(rows[2]!.key)).toEqual(rows[2]!.value);
        expect(await store.range({ gte: Uint8Array.of(0x10, 1, 2, 4), limit: 10 })).toEqual(rows.slice(1));
        const view = store.view();
        expect(() => view.get(rows[0]!.key)).toThrow(corrupt);
        view.release();
        const fork = store.fork();
        expect(() => fork.get(rows[0]!.key)).toThrow(corrupt);
        await fork.close();
      });
      await rewrite(path, (key, stored) => {
        if (key[0] === 0x10 && key[3] === 3) stored[at < 0 ? stored.length + at : at]! ^= 0x40;
        return stored;
      });
    }
    await withStore(path, async (store) => expect(await store.range({ limit: 10 })).toEqual(rows));
  });
});
