/**
 * Views that are held while LevelDB compacts. Were they its snapshots, this load would bring deleted rows back
 * (google/leveldb issue 320): in a long run, within some hundred batches.
 */
import { Level } from 'level';
import { expect, it } from 'vitest';
import { type Database, LevelStore, type Operation, type StoreView } from '../../src/store/index.ts';
import { randomBytes, randomNumbers, runs } from '../effort.ts';
import { temporaryDirectories } from './temporary.ts';

const KEYS = 400;
const VIEWS = 10;

const directory = temporaryDirectories();
const below = randomNumbers(3);
const bytesOf = randomBytes(3);
const keyOf = (key: number): Uint8Array => Uint8Array.of(0x30, key >> 8, key & 0xff);

it('take nothing from the rows that are there, and bring none back', { timeout: 600_000 }, async () => {
  const database = new Level(directory(), { keyEncoding: 'view', valueEncoding: 'view', writeBufferSize: 65_536 });
  const store = await LevelStore.over(database as Database, { durability: 'os' });
  const lengths = new Map<number, number>();
  const views: StoreView[] = [];
  const expectRows = (): void => {
    for (let key = 0; key < KEYS; key++) expect(store.get(keyOf(key))?.length, `key ${key}`).toBe(lengths.get(key));
  };
  for (let round = 0; round < runs(40, 3_000); round++) {
    const operations = Array.from({ length: 10 }, (): Operation => {
      const key = below(KEYS);
      const value = bytesOf(20_000 + below(20_000));
      if (below(3) === 0) lengths.delete(key);
      else lengths.set(key, value.length);
      return lengths.has(key) ? { type: 'put', key: keyOf(key), value } : { type: 'delete', key: keyOf(key) };
    });
    await store.batch(operations);
    views.push(store.view());
    if (views.length > VIEWS) views.splice(below(VIEWS), 1)[0]!.release();
    if (round % 50 === 49) expectRows();
  }
  expectRows();
  for (const view of views) view.release();
  await store.close();
});
