/**
 * The stores: what a read, a commit of sixty rows, a checkpoint and a fork cost, what checksums cost, and what joining
 * batches saves. The baseline is `Map.get` with as many keys, as strings.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Level } from 'level';
import type { Database } from '../src/store/database.ts';
import { openDirectory } from '../src/store/directory.ts';
import { dumpStore, loadDump } from '../src/store/dump.ts';
import { LevelStore } from '../src/store/level.ts';
import { MemoryStore } from '../src/store/memory.ts';
import { openValue, sealedLength, sealValueInto } from '../src/store/row-checksum.ts';
import type { Operation, Store } from '../src/store/store.ts';
import { type BenchLine, line } from './line.ts';
import { counted, inDirectory, timer } from './measure.ts';

const KEY_BYTES = 33;
const VALUE_BYTES = 120;
const COMMIT_ROWS = 60;

const newKey = (): Uint8Array => new Uint8Array(randomBytes(KEY_BYTES));
const newValue = (): Uint8Array => new Uint8Array(randomBytes(VALUE_BYTES));
const put = (key: Uint8Array): Operation => ({ type: 'put', key, value: newValue() });

async function filled(store: Store, keys: readonly Uint8Array[]): Promise<void> {
  for (let at = 0; at < keys.length; at += 1000) await store.batch(keys.slice(at, at + 1000).map(put));
}

async function measured(short: boolean, directory: string): Promise<BenchLine[]> {
  const rows = short ? 20_000 : 200_000;
  const timed = timer(short);
  const time = (call: (index: number) => unknown): Promise<number> => timed(counted(call));
  const keys = Array.from({ length: rows }, newKey);
  const anyKey = (index: number): Uint8Array => keys[(index * 7919) % rows]!;
  const commits = Array.from({ length: 100 }, () => Array.from({ length: COMMIT_ROWS }, () => put(newKey())));
  const anyCommit = (index: number): Operation[] => commits[index % commits.length]!;
  const lines: BenchLine[] = [];

  const map = new Map(keys.map((key) => [Buffer.from(key).toString('latin1'), newValue()]));
  const texts = [...map.keys()];
  const mapGet = await time((index) => map.get(texts[(index * 7919) % rows]!));
  const baseline = { name: 'Map.get', value: mapGet };
  const add = (name: string, value: number, target?: string): void => {
    lines.push(line(name, value, 'us', baseline, target));
  };

  const memory = new MemoryStore();
  await filled(memory, keys);
  add('memory: get', await time((index) => memory.get(anyKey(index))));
  add('memory: commit of 60 new rows', await time((index) => memory.batch(anyCommit(index))));
  for (const size of [1_000, rows]) {
    const store = new MemoryStore();
    await filled(store, keys.slice(0, size));
    const first = store.checkpoint();
    add(`memory: checkpoint at ${size} rows`, await time(() => store.checkpoint()), '50, stretch 10');
    add(`memory: restore at ${size} rows`, await time(() => store.restore(first)), '50, stretch 10');
    add(`memory: fork at ${size} rows`, await time(() => store.fork()));
    add(`memory: fork and commit 60 rows at ${size} rows`, await time((index) => store.fork().batch(anyCommit(index))));
  }

  const level = await openDirectory(join(directory, 'level'), { durability: 'os' });
  await filled(level, keys);
  add('level: get', await time((index) => level.get(anyKey(index))));
  add('level: get of an absent key', await time(() => level.get(commits[0]![0]!.key)));
  add('level: commit of 60 rows, os', await time((index) => level.batch(anyCommit(index))));
  add('level: the same, fsync', await time((index) => level.batch(anyCommit(index), { sync: true })));
  const together = (index: number): Promise<unknown> =>
    Promise.all(Array.from({ length: 16 }, (_, at) => level.batch(anyCommit(index * 16 + at), { sync: true })));
  add('level: the same, fsync, 16 at a time, each', (await time(together)) / 16);
  const range = { gte: Uint8Array.of(0x80), limit: 21 };
  add('level: page of 21 rows', await time(() => level.range(range)));
  const fork = level.fork();
  await fork.batch(anyCommit(0));
  add('fork of level: get', await time((index) => fork.get(anyKey(index))));
  add('fork of level: page of 21 rows', await time(() => fork.range(range)));
  add('fork of level: fork and close', await time(() => level.fork().close()));
  await fork.close();

  const chunks: Uint8Array[] = [];
  const dump = async (): Promise<void> => {
    chunks.length = 0;
    for await (const chunk of dumpStore(level)) chunks.push(chunk);
  };
  add('level: dump, a row', (await time(dump)) / rows);
  const load = (): Promise<number> => loadDump(new MemoryStore(), chunks, { headKey: keys[0]! });
  add('memory: load of that dump, a row', (await time(load)) / rows);
  await level.close();

  const bare = new Level<Uint8Array, Uint8Array>(join(directory, 'level'), {
    keyEncoding: 'view',
    valueEncoding: 'view',
  });
  const over = await LevelStore.over(bare as Database);
  add('getSync alone', await time((index) => bare.getSync(anyKey(index))));
  add('level: get over it', await time((index) => over.get(anyKey(index))));
  await over.close();
  const [key, value] = [newKey(), newValue()];
  const slab = new Uint8Array(sealedLength(value));
  const sealed = sealValueInto(slab, 0, key, value);
  add('checksum: seal a row', await time(() => sealValueInto(slab, 0, key, value)));
  add('checksum: check a row', await time(() => openValue(key, sealed)));
  return lines;
}

export function run(short: boolean): Promise<BenchLine[]> {
  return inDirectory((directory) => measured(short, directory));
}
