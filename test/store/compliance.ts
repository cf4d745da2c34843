/**
 * What every store must do, as a suite to run for each of them: `compliance('memory', async () => new MemoryStore())`.
 *
 * The properties compare a store with a plain sorted list of rows.
 */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { compareBytes, equalBytes } from '../../src/bytes/compare.ts';
import { toHex } from '../../src/bytes/hex.ts';
import { STORE_KEY_BYTES_MAX, STORE_RANGE_ROWS_MAX } from '../../src/config.ts';
import { beginBatch } from '../../src/store/gathered-batch.ts';
import {
  type Checkpoint,
  isRevertible,
  type KeyRange,
  type Operation,
  type ReadableStore,
  type RevertibleStore,
  type Row,
  type Store,
  type StoreView,
} from '../../src/store/store.ts';

/** A store as it should be: every operation on a fresh sorted array. */
class Model {
  rows: readonly Row[] = [];

  apply(operations: readonly Operation[]): void {
    for (const operation of operations) {
      const others = this.rows.filter((row) => !equalBytes(row.key, operation.key));
      this.rows =
        operation.type === 'delete'
          ? others
          : [...others, { key: operation.key, value: operation.value }].sort((a, b) => compareBytes(a.key, b.key));
    }
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.rows.find((row) => equalBytes(row.key, key))?.value;
  }

  range(range: KeyRange): readonly Row[] {
    const inside = this.rows.filter(
      ({ key }) =>
        (range.gte === undefined || compareBytes(key, range.gte) >= 0) &&
        (range.gt === undefined || compareBytes(key, range.gt) > 0) &&
        (range.lte === undefined || compareBytes(key, range.lte) <= 0) &&
        (range.lt === undefined || compareBytes(key, range.lt) < 0),
    );
    const ordered = range.reverse === true ? inside.toReversed() : inside;
    return ordered.slice(0, range.limit);
  }
}

/** Few distinct bytes and short keys, so that keys collide, nest as prefixes, and lie on both sides of 0x80. */
const byteArbitrary: fc.Arbitrary<number> = fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0xff);
export const keyArbitrary: fc.Arbitrary<Uint8Array> = fc
  .array(byteArbitrary, { minLength: 1, maxLength: 4 })
  .map((bytes) => Uint8Array.from(bytes));
const valueArbitrary = fc.uint8Array({ maxLength: 80 });
export const batchArbitrary: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({ type: fc.constant('put' as const), key: keyArbitrary, value: valueArbitrary }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('delete' as const), key: keyArbitrary }) },
  ),
  { maxLength: 12 },
);
const lowerArbitrary: fc.Arbitrary<KeyRange> = fc.oneof(
  fc.constant({}),
  keyArbitrary.map((gte) => ({ gte })),
  keyArbitrary.map((gt) => ({ gt })),
);
const upperArbitrary: fc.Arbitrary<KeyRange> = fc.oneof(
  fc.constant({}),
  keyArbitrary.map((lte) => ({ lte })),
  keyArbitrary.map((lt) => ({ lt })),
);
const rangeArbitrary: fc.Arbitrary<KeyRange & { limit: number }> = fc
  .record({ lower: lowerArbitrary, upper: upperArbitrary, reverse: fc.boolean(), limit: fc.nat({ max: 12 }) })
  .map(({ lower, upper, reverse, limit }) => ({ ...lower, ...upper, reverse, limit }));

/** Stands for a value that should be there; no generated value is as long. */
const absent = new Uint8Array(100).fill(0xee);

const show = (rows: readonly Row[]): string[] => rows.map(({ key, value }) => `${toHex(key)}=${toHex(value)}`);

async function scanned(store: ReadableStore, range: KeyRange): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of store.scan(range)) rows.push(row);
  return rows;
}

async function expectEqual(store: ReadableStore, model: Model): Promise<void> {
  expect(show(await scanned(store, {}))).toEqual(show(model.rows));
  const read = model.rows.map(({ key }) => ({ key, value: store.get(key) ?? absent }));
  expect(show(read)).toEqual(show(model.rows));
}

/** Every pair of bounds over the model's keys and their neighbours would be too many; these touch each kind. */
async function expectEqualRanges(store: ReadableStore, model: Model, ranges: readonly KeyRange[]): Promise<void> {
  for (const range of ranges) {
    expect(show(await store.range(range))).toEqual(show(model.range(range)));
    const { limit: _, ...unlimited } = range;
    expect(show(await scanned(store, unlimited))).toEqual(show(model.range(unlimited)));
    expect(show(await scanned(store, range))).toEqual(show(model.range(range)));
  }
}

const put = (key: number[], value: number[]): Operation => ({
  type: 'put',
  key: Uint8Array.from(key),
  value: Uint8Array.from(value),
});

export interface ComplianceOptions {
  /** Random runs of each property; durable stores take fewer. */
  readonly runs?: number;
}

/** Runs the suite for stores that `create` makes; each must be empty. */
export function compliance(name: string, create: () => Promise<Store>, { runs = 100 }: ComplianceOptions = {}): void {
  describe(`${name} complies with the contract of Store`, () => {
    const opened: Store[] = [];
    const open = async (): Promise<Store> => {
      const store = await create();
      opened.push(store);
      return store;
    };
    afterEach(async () => {
      for (const store of opened.splice(0)) await store.close();
    });
    readsAndWrites(open, runs);
    viewsAndForks(open, runs);
    largeBatches(open, runs);
    refusals(open);
  });
}

/** Steps of a large batch: operations, and whether their adding is waited for. */
const addsArbitrary = fc.array(fc.tuple(batchArbitrary, fc.boolean()), { maxLength: 10 });

function largeBatches(open: () => Promise<Store>, runs: number): void {
  it('makes a large batch visible whole, or not at all, and keeps everybody else at the content before it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(addsArbitrary, batchArbitrary, fc.boolean(), batchArbitrary), { maxLength: 3 }),
        fc.array(rangeArbitrary, { minLength: 2, maxLength: 4 }),
        async (batches, ranges) => {
          const store = await open();
          const model = new Model();
          for (const [adds, last, isCommitted, ordinary] of batches) {
            const called = store.batch(ordinary);
            model.apply(ordinary);
            if (!store.supports.largeBatches) await called;
            const changed = await playLargeBatch(store, model, called, adds, last, isCommitted, ranges);
            model.rows = changed.rows;
            await expectEqual(store, model);
          }
          await store.close();
        },
      ),
      { numRuns: runs },
    );
  });

  it('takes no other batch while a large one is open, and goes on after it has ended', async () => {
    const store = await open();
    if (!store.supports.largeBatches) return;
    const refused = { code: 'batch-open' };
    for (const end of ['commit', 'abandon'] as const) {
      const large = beginBatch(store);
      await expect(store.batch([put([1], [1])])).rejects.toMatchObject(refused);
      expect(() => beginBatch(store)).toThrow(expect.objectContaining(refused));
      if (isRevertible(store)) {
        const checkpoint = store.checkpoint();
        expect(() => store.apply([])).toThrow(expect.objectContaining(refused));
        expect(() => store.restore(checkpoint)).toThrow(expect.objectContaining(refused));
      }
      await (end === 'commit' ? large.commit([put([2], [2])]) : large.abandon());
      await store.batch([put([1], [1])]);
    }
    expect(show(await scanned(store, {}))).toEqual(['01=01', '02=02']);
  });

  it('refuses what no store takes, keeps the rest, and ends once', async () => {
    const store = await open();
    const large = beginBatch(store);
    await large.add([put([1], [1])]);
    const bad = { type: 'put', key: new Uint8Array(0), value: Uint8Array.of(1) } as const;
    await expect(large.add([put([3], [3]), bad])).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(large.get(Uint8Array.of(3))).toBeUndefined();
    await large.commit([put([2], [2])]);
    await large.abandon();
    expect(() => large.get(Uint8Array.of(1))).toThrow(expect.objectContaining({ code: 'closed' }));
    await expect(large.add([])).rejects.toMatchObject({ code: 'closed' });
    await expect(large.commit([])).rejects.toMatchObject({ code: 'closed' });
    expect(show(await scanned(store, {}))).toEqual(['01=01', '02=02']);

    const other = beginBatch(store);
    await other.add([put([3], [3]), { type: 'delete', key: Uint8Array.of(1) }]);
    await expect(other.commit([bad])).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(show(await scanned(store, {}))).toEqual(['01=01', '02=02']);
    await store.batch([]);
  });

  it('is closed with a large batch open, of which nothing stays', async () => {
    const store = await open();
    const large = beginBatch(store);
    await large.add([put([1], [1])]);
    await store.close();
    await expect(large.commit([])).rejects.toMatchObject({ code: 'closed' });
  });
}

/** Plays a large batch to its end beside readers of before; gives the content after it. */
async function playLargeBatch(
  store: Store,
  before: Model,
  called: Promise<void>,
  adds: readonly (readonly [Operation[], boolean])[],
  last: Operation[],
  isCommitted: boolean,
  ranges: readonly KeyRange[],
): Promise<Model> {
  const after = new Model();
  after.rows = before.rows;
  const large = beginBatch(store);
  const pending: Promise<void>[] = [];
  for (const [operations, isAwaited] of adds) {
    const added = large.add(operations);
    after.apply(operations);
    for (const { key } of operations) expect(large.get(key)).toEqual(after.get(key));
    pending.push(added);
    if (isAwaited) await added;
  }
  await called;
  // The last one may still be waiting for room when the batch ends.
  await Promise.all(pending.slice(0, -1));
  for (const { key } of [...before.rows, ...after.rows]) expect(large.get(key)).toEqual(after.get(key));
  // Taken before the end, read after it.
  const view = store.view();
  const fork = store.fork();
  const scan = store.scan({})[Symbol.asyncIterator]();
  const first = await scan.next();
  await expectEqual(store, before);
  await expectEqualRanges(store, before, ranges);
  await (isCommitted ? large.commit(last) : large.abandon());
  after.apply(last);
  for (const reader of [view, fork]) await expectEqual(reader, before);
  const rest: Row[] = first.done === true ? [] : [first.value];
  for (let next = first; next.done !== true; ) {
    next = await scan.next();
    if (next.done !== true) rest.push(next.value);
  }
  expect(show(rest)).toEqual(show(before.rows));
  view.release();
  await fork.close();
  return isCommitted ? after : before;
}

function readsAndWrites(open: () => Promise<Store>, runs: number): void {
  it('equals a sorted list after any batches, for any range', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(batchArbitrary, { maxLength: 6 }),
        fc.array(rangeArbitrary, { minLength: 4, maxLength: 10 }),
        async (batches, ranges) => {
          const store = await open();
          const model = new Model();
          for (const batch of batches) {
            await store.batch(batch);
            model.apply(batch);
          }
          await expectEqual(store, model);
          await expectEqualRanges(store, model, ranges);
          await store.close();
        },
      ),
      { numRuns: runs },
    );
  });

  it('keeps the order of batches that are called without waiting', async () => {
    const store = await open();
    const model = new Model();
    const pending: Promise<void>[] = [];
    for (let round = 0; round < 200; round++) {
      const batch = [put([round % 7], [round]), put([7 + (round % 3)], [round, 1])];
      if (round % 5 === 0) batch.push({ type: 'delete', key: Uint8Array.of(round % 7) });
      pending.push(store.batch(batch));
      model.apply(batch);
    }
    await Promise.all(pending);
    await expectEqual(store, model);
  });

  it('reads thousands of rows in order, up and down, across pages', async () => {
    const store = await open();
    const key = (index: number): number[] => [5, index >> 8, index & 0xff];
    const rows = Array.from({ length: 3000 }, (_, index) => put(key(index), key(index)));
    await store.batch([put([4], []), ...rows.toReversed(), put([6], [])]);
    const range = { gte: Uint8Array.of(5), lt: Uint8Array.of(6) };
    const expected = rows.map((row) => `${toHex(row.key)}=${toHex(row.key)}`);
    expect(show(await scanned(store, range))).toEqual(expected);
    expect(show(await scanned(store, { ...range, reverse: true }))).toEqual(expected.toReversed());
    expect(show(await scanned(store, { ...range, limit: 1000 }))).toEqual(expected.slice(0, 1000));
    expect(show(await scanned(store, { ...range, limit: 2500 }))).toEqual(expected.slice(0, 2500));
    expect(show(await store.range({ ...range, limit: 1500, reverse: true }))).toEqual(
      expected.toReversed().slice(0, 1500),
    );
  });

  it('scans one moment while batches arrive', async () => {
    const store = await open();
    const rows = Array.from({ length: 2500 }, (_, index) => put([index >> 8, index & 0xff, 1], [1]));
    await store.batch(rows);
    let seen = 0;
    for await (const { key, value } of store.scan({})) {
      if (key.length !== 3 || value.length !== 1 || value[0] !== 1) expect({ key, value }).toEqual('a row of before');
      if (seen++ === 10) {
        await store.batch(
          rows.map(({ key }, index) => (index % 2 === 0 ? { type: 'delete', key } : put([...key], [2]))),
        );
        await store.batch([put([9, 9], [3])]);
      }
    }
    expect(seen).toBe(2500);
    expect(await scanned(store, {})).toHaveLength(1251);
  });

  it('frees a scan that is left early, and keeps no hold on arrays that were handed to a settled batch', async () => {
    const store = await open();
    const key = Uint8Array.of(1, 2);
    const value = Uint8Array.of(3, 4);
    await store.batch([{ type: 'put', key, value }, put([2], [5])]);
    for await (const row of store.scan({})) {
      expect(row.key).toEqual(key);
      break;
    }
    const shared = Uint8Array.of(0, 7, 8, 0).subarray(1, 3);
    await store.batch([{ type: 'put', key: shared, value: shared }]);
    expect(store.get(Uint8Array.of(7, 8))).toEqual(Uint8Array.of(7, 8));
  });
}

function viewsAndForks(open: () => Promise<Store>, runs: number): void {
  it('keeps views and forks apart from the store and from each other', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat(), batchArbitrary), { maxLength: 14 }),
        playForks(open),
      ),
      { numRuns: runs },
    );
  });

  it('answers ranges of forks of forks as a sorted list does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(batchArbitrary, batchArbitrary, batchArbitrary),
        fc.array(rangeArbitrary, { minLength: 4, maxLength: 10 }),
        async (batches, ranges) => {
          const model = new Model();
          const stores: Store[] = [await open()];
          for (const batch of batches) {
            const store = stores.at(-1)!;
            await store.batch(batch);
            model.apply(batch);
            await expectEqualRanges(store, model, ranges);
            stores.push(store.fork());
          }
          await expectEqualRanges(stores.at(-1)!, model, ranges);
          for (const store of stores.toReversed()) await store.close();
        },
      ),
      { numRuns: runs },
    );
  });

  it('goes back to any checkpoint, in any order, any number of times', async () => {
    await fc.assert(
      fc.asyncProperty(
        batchArbitrary,
        fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat(), batchArbitrary), { maxLength: 20 }),
        playCheckpoints(open),
      ),
      { numRuns: runs },
    );
  });

  it('refuses a checkpoint of another store', async () => {
    const store = await open();
    const [one, other] = [store.fork(), store.fork()];
    const checkpoint = one.checkpoint();
    expect(() => other.restore(checkpoint)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    await one.close();
    expect(() => one.restore(checkpoint)).toThrow(expect.objectContaining({ code: 'closed' }));
    await other.close();
  });
}

/** Steps on any of the open stores: write, fork, view; in the end each equals its own model. */
function playForks(open: () => Promise<Store>): (steps: [number, number, Operation[]][]) => Promise<void> {
  return async (steps) => {
    const base = await open();
    const stores: { store: Store; model: Model }[] = [{ store: base, model: new Model() }];
    const views: { view: StoreView; model: Model }[] = [];
    for (const [step, pick, batch] of steps) {
      const { store, model } = stores[pick % stores.length]!;
      const copy = new Model();
      copy.rows = model.rows;
      if (step === 0) stores.push({ store: store.fork(), model: copy });
      else if (step === 1) views.push({ view: store.view(), model: copy });
      else {
        await store.batch(batch);
        model.apply(batch);
      }
    }
    for (const { view, model } of views) await expectEqual(view, model);
    for (const { store, model } of stores) await expectEqual(store, model);
    for (const { view } of views) {
      view.release();
      view.release();
      expect(() => view.get(Uint8Array.of(1))).toThrow(expect.objectContaining({ code: 'closed' }));
    }
    for (const { store, model } of stores) await expectEqual(store, model);
    for (const { store } of stores.toReversed()) await store.close();
  };
}

/** Steps: write, take a checkpoint, go back to one. A durable store is played through its fork. */
function playCheckpoints(
  open: () => Promise<Store>,
): (first: Operation[], steps: [number, number, Operation[]][]) => Promise<void> {
  return async (first, steps) => {
    const base = await open();
    await base.batch(first);
    const store: RevertibleStore = isRevertible(base) ? base : base.fork();
    const model = new Model();
    model.apply(first);
    const kept: { checkpoint: Checkpoint; rows: readonly Row[] }[] = [];
    for (const [step, pick, batch] of steps) {
      const chosen = kept[pick % Math.max(1, kept.length)];
      if (step === 0) kept.push({ checkpoint: store.checkpoint(), rows: model.rows });
      else if (step === 1 && chosen !== undefined) {
        store.restore(chosen.checkpoint);
        model.rows = chosen.rows;
      } else {
        await store.batch(batch);
        model.apply(batch);
      }
      await expectEqual(store, model);
    }
    for (const { checkpoint, rows } of kept) {
      store.restore(checkpoint);
      model.rows = rows;
      await expectEqual(store, model);
    }
    await store.close();
    await base.close();
  };
}

function refusals(open: () => Promise<Store>): void {
  it('leaves nothing of a batch that it refuses', async () => {
    const store = await open();
    const bad: unknown[] = [
      { type: 'put', key: Uint8Array.of(2), value: 'text' },
      { type: 'put', key: new Uint8Array(0), value: Uint8Array.of(1) },
      { type: 'put', key: undefined, value: Uint8Array.of(1) },
      { type: 'clear', key: Uint8Array.of(2) },
      { type: 'delete', key: [1] },
    ];
    for (const operation of bad) {
      const batch = [put([1], [1]), operation as Operation];
      await expect(store.batch(batch)).rejects.toMatchObject({ code: 'invalid-argument' });
      expect(store.get(Uint8Array.of(1))).toBeUndefined();
    }
    const long = { type: 'put', key: new Uint8Array(STORE_KEY_BYTES_MAX + 1), value: Uint8Array.of(1) } as const;
    await expect(store.batch([put([1], [1]), long])).rejects.toMatchObject({ code: 'limit-exceeded' });
    expect(store.get(Uint8Array.of(1))).toBeUndefined();
    await store.batch([]);
    await store.batch([put([1], [1])]);
    expect(store.get(Uint8Array.of(1))).toEqual(Uint8Array.of(1));
  });

  it('refuses pages without a bound and bounds that contradict', async () => {
    const store = await open();
    const key = Uint8Array.of(1);
    const invalid: KeyRange[] = [
      {},
      { limit: -1 },
      { limit: 1.5 },
      { gte: key, gt: key, limit: 1 },
      { lte: key, lt: key, limit: 1 },
    ];
    for (const range of invalid) await expect(store.range(range)).rejects.toMatchObject({ code: 'invalid-argument' });
    const wide = { limit: STORE_RANGE_ROWS_MAX + 1 };
    await expect(store.range(wide)).rejects.toMatchObject({ code: 'limit-exceeded' });
    await expect(scanned(store, { gte: key, gt: key })).rejects.toMatchObject({ code: 'invalid-argument' });
    expect(await store.range({ limit: 0 })).toEqual([]);
  });

  it('answers closed after close, and closes twice', async () => {
    const store = await open();
    const pending = store.batch([put([1], [1])]);
    const closing = store.close();
    await pending;
    await closing;
    await store.close();
    const closed = { code: 'closed' };
    expect(() => store.get(Uint8Array.of(1))).toThrow(expect.objectContaining(closed));
    expect(() => store.view()).toThrow(expect.objectContaining(closed));
    expect(() => store.fork()).toThrow(expect.objectContaining(closed));
    await expect(store.range({ limit: 1 })).rejects.toMatchObject(closed);
    await expect(scanned(store, {})).rejects.toMatchObject(closed);
    await expect(store.batch([])).rejects.toMatchObject(closed);
  });
}
