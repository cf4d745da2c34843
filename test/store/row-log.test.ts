/** The log of a page's store, on files in memory that fail as a browser's do when it is killed. */
import { describe, expect, it } from 'vitest';
import { MirrorStore } from '../../src/store/mirror.ts';
import { type LogFolder, RowLog, type SyncFile } from '../../src/store/row-log.ts';
import type { Operation, Row, Store } from '../../src/store/store.ts';
import { isLong, randomNumbers, seed } from '../effort.ts';
import { compliance } from './compliance.ts';

/** Files by name. Once `left` changes of them were made, the next one is made in part or not at all, and all after it fail. */
class Files implements LogFolder {
  readonly content = new Map<string, Uint8Array>();
  changes = 0;
  left = Number.POSITIVE_INFINITY;
  /** How much of the change that is interrupted is made, of a thousand. */
  part = 0;

  async names(): Promise<string[]> {
    return [...this.content.keys()];
  }

  async open(name: string): Promise<SyncFile> {
    if (!this.content.has(name)) this.#change(() => this.content.set(name, new Uint8Array(0)));
    const set = (bytes: Uint8Array): unknown => this.content.set(name, bytes);
    const bytes = (): Uint8Array => this.content.get(name)!;
    return {
      read: (into, { at }) => {
        const found = bytes().subarray(at, at + into.length);
        into.set(found);
        return found.length;
      },
      write: (given, { at }) => {
        const write = (part: Uint8Array): void => {
          const grown = new Uint8Array(Math.max(bytes().length, at + part.length));
          grown.set(bytes());
          grown.set(part, at);
          set(grown);
        };
        this.#change(
          () => write(given),
          () => write(given.subarray(0, Math.floor((given.length * this.part) / 1_000))),
        );
        return given.length;
      },
      truncate: (size) => this.#change(() => set(bytes().slice(0, size))),
      getSize: () => bytes().length,
      flush: () => {},
      close: () => {},
    };
  }

  async remove(name: string): Promise<void> {
    this.#change(() => this.content.delete(name));
  }

  #change(make: () => unknown, makeInPart: () => unknown = () => {}): void {
    if (this.left <= 0) throw new Error('killed');
    this.changes++;
    if (--this.left > 0) {
      make();
      return;
    }
    makeInPart();
    throw new Error('killed');
  }
}

async function openOn(files: Files, rewrittenBytesMin = 2_000): Promise<Store> {
  const { log, memory } = await RowLog.open(files, { durability: 'fsync', rewrittenBytesMin });
  return MirrorStore.of(memory, log);
}

const put = (key: number, value: number, length = 40): Operation => ({
  type: 'put',
  key: Uint8Array.of(1, key),
  value: new Uint8Array(length).fill(value),
});

/** What the batches up to number `count` leave: each puts its number under five keys, and deletes one. */
const batchOf = (number: number): Operation[] => [
  ...Array.from({ length: 5 }, (_, index) => put((number * 3 + index) % 23, number)),
  { type: 'delete', key: Uint8Array.of(1, (number * 7) % 23) },
  put(200, number, 1),
];

const rowsOf = (store: Store): Promise<readonly Row[]> => store.range({ limit: 1_000 });

async function expectedAfter(count: number): Promise<readonly Row[]> {
  const store = await openOn(new Files(), Number.POSITIVE_INFINITY);
  for (let number = 1; number <= count; number++) await store.batch(batchOf(number));
  return rowsOf(store);
}

compliance('a mirror of a log', () => openOn(new Files()));

describe('the log of rows', () => {
  it('has the rows again when it is opened again, also those written anew', async () => {
    const files = new Files();
    for (let opened = 0; opened < 4; opened++) {
      const store = await openOn(files);
      for (let number = opened * 20 + 1; number <= opened * 20 + 20; number++) await store.batch(batchOf(number));
      await store.close();
    }
    const store = await openOn(files);
    expect(await rowsOf(store)).toEqual(await expectedAfter(80));
    // 80 batches of some 300 bytes, of which 24 rows are left.
    const [[name, { length }] = ['', { length: 0 }], ...others] = [...files.content];
    expect(Number(name.slice(5))).toBeGreaterThan(1);
    expect(length).toBeLessThan(6_000);
    expect(others).toEqual([]);
  });

  it('loses nothing acknowledged wherever it is killed, also while it is opened or written anew', async () => {
    const below = randomNumbers(seed);
    for (let round = 0; round < (isLong ? 5_000 : 100); round++) {
      const files = new Files();
      let acknowledged = 0;
      for (let kill = 0; kill < 4; kill++) {
        files.left = 1 + below(40);
        files.part = below(1_001);
        try {
          const store = await openOn(files);
          for (;;) {
            await store.batch(batchOf(acknowledged + 1));
            acknowledged++;
          }
        } catch (error) {
          expect(String(error)).toContain('killed');
        }
        files.left = Number.POSITIVE_INFINITY;
        const store = await openOn(files);
        const last = store.get(Uint8Array.of(1, 200))?.[0] ?? 0;
        expect([acknowledged, acknowledged + 1]).toContain(last);
        expect(await rowsOf(store)).toEqual(await expectedAfter(last));
        acknowledged = last;
      }
    }
  });

  it('cuts off the zeros of a write whose length alone was on the disk', async () => {
    const files = new Files();
    const store = await openOn(files);
    await store.batch(batchOf(1));
    const [[name, bytes] = ['', new Uint8Array(0)]] = [...files.content];
    const longer = new Uint8Array(bytes.length + 300);
    longer.set(bytes);
    files.content.set(name, longer);
    const again = await openOn(files);
    expect(await rowsOf(again)).toEqual(await expectedAfter(1));
    await again.batch(batchOf(2));
    expect(await rowsOf(await openOn(files))).toEqual(await expectedAfter(2));
  });

  it('refuses a file in which any byte before the last frame is another', async () => {
    const files = new Files();
    const store = await openOn(files, Number.POSITIVE_INFINITY);
    for (let number = 1; number <= 3; number++) await store.batch(batchOf(number));
    const [[name, bytes] = ['', new Uint8Array(0)]] = [...files.content];
    const lastFrame = bytes.length - (bytes.length - 8) / 3;
    for (let at = 8; at < lastFrame; at++) {
      const damaged = bytes.slice();
      damaged[at]! ^= 1 << (at % 8);
      files.content.set(name, damaged);
      await expect(openOn(files), `byte ${at}`).rejects.toMatchObject({ code: 'corrupt' });
      expect(files.content.get(name), `byte ${at}`).toEqual(damaged);
    }
  });

  it('reports that a write failed, and takes no more writes', async () => {
    const files = new Files();
    const store = await openOn(files);
    files.left = 1;
    await expect(store.batch(batchOf(1))).rejects.toMatchObject({ code: 'store-failed' });
    files.left = Number.POSITIVE_INFINITY;
    await expect(store.batch(batchOf(1))).rejects.toMatchObject({ code: 'store-failed' });
    expect(await rowsOf(store)).toEqual([]);
  });
});
