/**
 * Views of a database: no snapshot of it outlives the batch after the one during which it began. A compaction of LevelDB 1.20
 * that knows of an older one may bring back rows that were deleted (google/leveldb issue 320).
 */
import type { AbstractSnapshot } from 'abstract-level';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { scanned } from '../../src/store/compliance/case.ts';
import { LevelStore } from '../../src/store/level.ts';
import type { Operation, Row, Store, StoreView } from '../../src/store/store.ts';
import { compliance } from './compliance.ts';
import { TestLevel } from './test-level.ts';

const bound = vi.hoisted(() => ({ bytes: Number.POSITIVE_INFINITY }));

// Batches in small pieces and scans in small pages.
vi.mock('../../src/store/limits.ts', async (original) => ({
  ...(await original<typeof import('../../src/store/limits.ts')>()),
  LARGE_BATCH_HELD_OPERATIONS_MAX: 6,
  LARGE_BATCH_PIECE_OPERATIONS_MAX: 4,
  LARGE_BATCH_PIECE_BYTES_MAX: 120,
  SCAN_FIRST_PAGE_ROWS: 1,
  SCAN_PAGE_BYTES_MAX: 60,
  SCAN_PAGE_ROWS_MAX: 3,
  get VIEWS_BYTES_MAX() {
    return bound.bytes;
  },
}));

/** Notes which snapshots there are as each batch begins, those of iterators and of reads of several keys included. */
class WatchedLevel extends TestLevel {
  /** Batches of which nothing is written yet do not count, like those that have not begun. */
  #written = 0;
  readonly #held = new Set<{ readonly written: number }>();
  /** Snapshots that a batch met that were older than the batch before it. */
  old = 0;
  /** Those that were not older. */
  young = 0;

  constructor() {
    super({ getSync: true });
  }

  #hold(): () => void {
    const held = { written: this.#written };
    this.#held.add(held);
    return () => this.#held.delete(held);
  }

  override snapshot(): AbstractSnapshot {
    const snapshot = super.snapshot();
    const release = this.#hold();
    const close = snapshot.close.bind(snapshot);
    snapshot.close = () => close().finally(release);
    return snapshot;
  }

  override _iterator(...given: Parameters<TestLevel['_iterator']>): ReturnType<TestLevel['_iterator']> {
    const iterator = super._iterator(...given);
    if (given[0].snapshot !== undefined) return iterator;
    const release = this.#hold();
    const close = iterator._close.bind(iterator);
    iterator._close = () => close().finally(release);
    return iterator;
  }

  override async _getMany(...given: Parameters<TestLevel['_getMany']>): ReturnType<TestLevel['_getMany']> {
    const release = given[1].snapshot === undefined ? this.#hold() : () => {};
    try {
      await new Promise(setImmediate);
      return await super._getMany(...given);
    } finally {
      release();
    }
  }

  override async _batch(...given: Parameters<TestLevel['_batch']>): Promise<void> {
    for (const { written } of this.#held) {
      if (written < this.#written) this.old++;
      else this.young++;
    }
    await super._batch(...given);
    // It is there, but nobody has been told yet.
    await new Promise((resolve) => setTimeout(resolve, 2));
    this.#written++;
  }
}

const watched: WatchedLevel[] = [];

async function openWatched(): Promise<Store> {
  const database = new WatchedLevel();
  watched.push(database);
  return LevelStore.over(database);
}

compliance('level on a database that is watched', openWatched, { cases: /view|large|scan/ });

const count = (of: (database: WatchedLevel) => number): number =>
  watched.reduce((sum, database) => sum + of(database), 0);

describe('the snapshots of a database', () => {
  it('are there while a batch is written, but no longer while the next one is', async () => {
    const database = new WatchedLevel();
    const store = await LevelStore.over(database);
    const view = store.view();
    await store.batch([row(1)]);
    expect(database).toMatchObject({ young: 1, old: 0 });
    await store.batch([row(2)]);
    expect(database).toMatchObject({ young: 1, old: 0 });
    view.release();
    await store.close();
  });

  // How many there are depends on how the batches of the compliance cases and their reads fall together.
  it('are all gone while the next one is written: whatever the other cases did', () => {
    expect(count(({ young }) => young)).toBeGreaterThan(0);
    expect(count(({ old }) => old)).toBe(0);
  });
});

const row = (key: number, length = 1): Operation => ({
  type: 'put',
  key: Uint8Array.of(key),
  value: new Uint8Array(length).fill(key),
});

/** Every third change of a key deletes it. */
const change = (key: number, step: number): Operation =>
  (key + step) % 3 === 0
    ? { type: 'delete', key: Uint8Array.of(key) }
    : { type: 'put', key: Uint8Array.of(key), value: Uint8Array.of(key, step) };

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]));
}

describe('views held for long', () => {
  afterAll(() => {
    bound.bytes = Number.POSITIVE_INFINITY;
  });

  it('are given up, the oldest first, when they would remember too much', async () => {
    bound.bytes = 1_000;
    const store = await LevelStore.over(new TestLevel({ getSync: true }));
    await store.batch([row(1, 600), row(2, 600), row(3, 600)]);
    const oldest = store.view();
    await store.batch([row(1)]);
    const fork = store.fork();
    await store.batch([row(2)]);
    const newest = store.view();
    await store.batch([row(3)]);
    await store.batch([row(4)]);
    const lost = expect.objectContaining({
      code: 'limit-exceeded',
      message: expect.stringContaining('VIEWS_BYTES_MAX'),
    });
    expect(() => oldest.get(Uint8Array.of(3))).toThrow(lost);
    await expect(oldest.range({ limit: 1 })).rejects.toEqual(lost);
    expect(() => fork.get(Uint8Array.of(3))).toThrow(lost);
    expect(newest.get(Uint8Array.of(3))).toHaveLength(600);
    expect(store.get(Uint8Array.of(3))).toHaveLength(1);
    oldest.release();
    await fork.close();
    newest.release();
    await store.close();
  });

  it('are given up no further than the bound asks', async () => {
    bound.bytes = 1_000;
    const store = await LevelStore.over(new TestLevel({ getSync: true }));
    await store.batch([row(1, 400), row(2, 400)]);
    const oldest = store.view();
    await store.batch([row(1)]);
    const newest = store.view();
    for (const key of [2, 3, 4]) await store.batch([row(key)]);
    expect(() => oldest.get(Uint8Array.of(1))).toThrow(expect.objectContaining({ code: 'limit-exceeded' }));
    expect(newest.get(Uint8Array.of(2))).toHaveLength(400);
    oldest.release();
    newest.release();
    await store.close();
  });

  it('are lost for a read that goes on meanwhile too', async () => {
    bound.bytes = 1_000;
    const database = new TestLevel({ getSync: true });
    const store = await LevelStore.over(database);
    const rows = [1, 2, 3, 4, 5, 6];
    await store.batch(rows.map((key) => row(key, 600)));
    const view = store.view();
    await store.batch([row(7)]);
    await store.batch([row(8)]);
    const lost = expect(view.range({ limit: 10 })).rejects.toMatchObject({ code: 'limit-exceeded' });
    await store.batch(rows.map((key) => row(key)));
    await lost;
    view.release();
    await store.close();
  });

  it('are kept for the readers beside a large batch, whatever that replaces', async () => {
    bound.bytes = 1_000;
    const store = await LevelStore.over(new TestLevel({ getSync: true }));
    const rows = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    await store.batch(rows.map((key) => row(key, 600)));
    const large = store.begin();
    await large.add(rows.map((key) => row(key)));
    await large.add(rows.map((key) => row(key, 2)));
    expect(rows.map((key) => store.get(Uint8Array.of(key))!.length)).toEqual(rows.map(() => 600));
    expect(await store.range({ limit: 20 })).toHaveLength(rows.length);
    await large.commit([]);
    expect(rows.map((key) => store.get(Uint8Array.of(key))!.length)).toEqual(rows.map(() => 2));
    await store.close();
  });

  it('are what they were, in whatever order the others are released', async () => {
    const store = await openWatched();
    // Which of six keys each batch writes, as bits: few and many, the same and different ones.
    const batches = [0b111100, 0b000001, 0b110111, 0b000010, 0b111111, 0b001000];
    for (const order of permutations([0, 1, 2, 3])) {
      const held: { readonly view: StoreView; readonly rows: readonly Row[] }[] = [];
      for (const [step, keys] of batches.entries()) {
        await store.batch([0, 1, 2, 3, 4, 5].filter((key) => keys & (1 << key)).map((key) => change(key, step)));
        if (step < 4) held.push({ view: store.view(), rows: await scanned(store) });
      }
      const left = new Set(held.keys());
      for (const index of order) {
        for (const other of left) {
          const { view, rows } = held[other]!;
          expect(await view.range({ limit: 100 })).toEqual(rows);
          expect(await view.range({ limit: 100, reverse: true })).toEqual(rows.toReversed());
          for (const key of [0, 1, 2, 3, 4, 5].map((byte) => Uint8Array.of(byte)))
            expect(view.get(key)).toEqual(rows.find((row) => row.key[0] === key[0])?.value);
        }
        held[index]!.view.release();
        left.delete(index);
        await store.batch([change(index, 9)]);
      }
    }
    await store.close();
  });

  it.each([[[0]], [[1]], [[0, 1]], [[1, 0]]])(
    'may be released while what they are to remember is read: %j',
    async (released) => {
      const store = await openWatched();
      await store.batch([row(1), row(2)]);
      const views = [store.view()];
      const first = store.batch([row(1, 2)]);
      await new Promise(setImmediate);
      views.push(store.view());
      await first;
      const second = store.batch([row(1, 3)]);
      await Promise.resolve();
      for (const index of released) views[index]!.release();
      await second;
      await store.batch([row(2, 2)]);
      for (const [index, view] of views.entries()) {
        if (released.includes(index)) continue;
        const lengths = [1, 2].map((key) => view.get(Uint8Array.of(key))!.length);
        expect(lengths[1]).toBe(1);
        expect(lengths[0]).toBeLessThanOrEqual(index + 1);
        view.release();
      }
      await store.close();
    },
  );

  it('remember a row that was damaged as a damaged one', async () => {
    const database = new TestLevel({ getSync: true });
    const store = await LevelStore.over(database);
    await store.batch([row(1), row(2)]);
    database.entries = database.entries.map(({ key, value }) => ({ key, value: value.with(0, 9) }));
    const view = store.view();
    for (const key of [1, 3, 4]) await store.batch([row(key)]);
    expect(() => view.get(Uint8Array.of(1))).toThrow(expect.objectContaining({ code: 'corrupt' }));
    expect(() => view.get(Uint8Array.of(2))).toThrow(expect.objectContaining({ code: 'corrupt' }));
    expect(store.get(Uint8Array.of(1))).toEqual(Uint8Array.of(1));
    view.release();
    await store.close();
  });
});
