/**
 * The entry point `movelet/store`: what every store must do, as a test suite for stores of your own.
 *
 * All it needs of a test runner is a function that takes a name and an asynchronous function:
 *
 * ```ts
 * import { test } from 'node:test';
 * import { storeCompliance } from 'movelet/store';
 * storeCompliance({ test, open: async () => new MyStore() });
 * ```
 *
 * Stores are compared with a sorted list of rows, in random runs that are the same for the same seed. Everything that
 * the store's `supports` claims is tested, except `permanence`, which is left to the store's author.
 * @module
 */

import { A_FUNCTION, assertFunction, assertOptions, wholeNumber } from '../../base/argument.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { beginBatch } from '../gathered-batch.ts';
import { STORE_KEY_BYTES_MAX, STORE_RANGE_ROWS_MAX } from '../limits.ts';
import {
  type Checkpoint,
  isRevertible,
  type KeyRange,
  type Operation,
  type RevertibleStore,
  type Row,
  type Store,
  type StoreView,
} from '../store.ts';
import {
  type Case,
  expectCount,
  expectError,
  expectModel,
  expectRanges,
  expectRows,
  expectValue,
  Model,
  plainCase,
  put,
  type RandomRows,
  randomCase,
  registerCases,
  scanned,
} from './case.ts';

/** Batches, and what is read after and beside them. */
const readsAndWrites: readonly Case[] = [
  randomCase('equals a sorted list after any batches, for any range', async (store, random) => {
    const model = new Model();
    for (const batch of random.list(6, () => random.batch())) {
      await store.batch(batch);
      model.apply(batch);
    }
    await expectModel(store, model, 'the store');
    await expectRanges(store, model, random.ranges(), 'the store');
  }),
  plainCase('keeps the order of batches that are called without waiting', keepsOrder),
  plainCase('reads thousands of rows in order, up and down, across pages', readsThousands),
  plainCase('scans one moment while batches arrive', scansOneMoment),
  plainCase('keeps no hold on arrays that were handed to a settled batch, and frees a scan that is left', keepsNoHold),
];

async function keepsOrder(store: Store): Promise<void> {
  const model = new Model();
  const pending: Promise<void>[] = [];
  for (let round = 0; round < 200; round++) {
    const batch = [put([round % 7], [round]), put([7 + (round % 3)], [round, 1])];
    if (round % 5 === 0) batch.push({ type: 'delete', key: Uint8Array.of(round % 7) });
    pending.push(store.batch(batch));
    model.apply(batch);
  }
  await Promise.all(pending);
  await expectModel(store, model, 'the store');
}

async function readsThousands(store: Store): Promise<void> {
  const key = (index: number): number[] => [5, index >> 8, index & 0xff];
  const model = new Model(
    Array.from({ length: 3000 }, (_, index) => ({
      key: Uint8Array.from(key(index)),
      value: Uint8Array.from(key(index)),
    })),
  );
  const batch = model.rows.toReversed().map((row): Operation => ({ type: 'put', ...row }));
  await store.batch([put([4], []), ...batch, put([6], [])]);
  const range = { gte: Uint8Array.of(5), lt: Uint8Array.of(6) };
  for (const limit of [1000, 1500, 2500, 3000, 3001]) {
    await expectRanges(
      store,
      model,
      [
        { ...range, limit },
        { ...range, limit, reverse: true },
      ],
      'thousands of rows',
    );
  }
}

async function scansOneMoment(store: Store): Promise<void> {
  const rows = Array.from({ length: 2500 }, (_, index) => put([index >> 8, index & 0xff, 1], [1]));
  await store.batch(rows);
  let seen = 0;
  for await (const { value } of store.scan({})) {
    expectValue(value, Uint8Array.of(1), 'a scan beside batches');
    if (seen++ !== 10) continue;
    await store.batch(rows.map(({ key }, index) => (index % 2 === 0 ? { type: 'delete', key } : put([...key], [2]))));
    await store.batch([put([9, 9], [3])]);
  }
  expectCount(seen, 2500, 'rows of a scan beside batches');
  expectCount((await scanned(store)).length, 1251, 'rows after the batches');
}

async function keepsNoHold(store: Store): Promise<void> {
  const key = Uint8Array.of(1, 2);
  const value = Uint8Array.of(3, 4);
  await store.batch([{ type: 'put', key, value }, put([2], [5])]);
  for await (const row of store.scan({})) {
    expectRows([row], [{ key: Uint8Array.of(1, 2), value: Uint8Array.of(3, 4) }], 'the first row of a scan');
    break;
  }
  key.fill(9);
  value.fill(9);
  expectValue(store.get(Uint8Array.of(1, 2)), Uint8Array.of(3, 4), 'a row whose arrays were written over');
  const part = Uint8Array.of(0, 7, 8, 0).subarray(1, 3);
  await store.batch([{ type: 'put', key: part, value: part }]);
  expectValue(store.get(Uint8Array.of(7, 8)), Uint8Array.of(7, 8), 'a row of a part of an array');
}

/** Views, forks and checkpoints: each shows its moment. */
const viewsAndForks: readonly Case[] = [
  randomCase('keeps views and forks apart from the store and from each other', playForks),
  randomCase('keeps views for as long as they are held, also those that are taken while a batch is written', playViews),
  randomCase('answers ranges of forks of forks as a sorted list does', playForksOfForks),
  randomCase('goes back to any checkpoint, in any order, any number of times', playCheckpoints),
  plainCase('refuses a checkpoint of another store', async (store) => {
    const [one, other] = [store.fork(), store.fork()];
    const checkpoint = one.checkpoint();
    await expectError(['invalid-argument'], () => other.restore(checkpoint), 'restore of another store');
    await one.close();
    await expectError(['closed'], () => one.restore(checkpoint), 'restore of a closed fork');
    await other.close();
  }),
];

/** Steps on any of the open stores: write, fork, view; in the end each equals its own model. */
async function playForks(base: Store, random: RandomRows): Promise<void> {
  const stores: { store: Store; model: Model }[] = [{ store: base, model: new Model() }];
  const views: { view: StoreView; model: Model }[] = [];
  const steps = random.below(15);
  for (let step = 0; step < steps; step++) {
    const { store, model } = random.pick(stores);
    const choice = random.below(6);
    if (choice === 0) stores.push({ store: store.fork(), model: new Model(model.rows) });
    else if (choice === 1) views.push({ view: store.view(), model: new Model(model.rows) });
    else {
      const batch = random.batch();
      await store.batch(batch);
      model.apply(batch);
    }
  }
  for (const { view, model } of views) await expectModel(view, model, 'a view');
  for (const { store, model } of stores) await expectModel(store, model, 'a fork');
  for (const { view } of views) {
    view.release();
    view.release();
    await expectError(['closed'], () => view.get(Uint8Array.of(1)), 'get of a released view');
  }
  for (const { store, model } of stores) await expectModel(store, model, 'a fork after the views were released');
  for (const { store } of stores.toReversed()) await store.close();
}

/** A view, and the contents it may show: those before and after the batch being written when it was taken. */
interface HeldView {
  readonly view: StoreView;
  models: readonly Model[];
}

/** Steps: write a batch, take a view before, while or after it is written, read one, release one. */
async function playViews(store: Store, random: RandomRows): Promise<void> {
  let model = new Model();
  let held: readonly HeldView[] = [];
  const take = (...models: Model[]): void => {
    held = [...held, { view: store.view(), models }];
  };
  const steps = random.below(30);
  for (let step = 0; step < steps; step++) {
    const choice = random.below(6);
    const picked = held.length === 0 ? undefined : random.pick(held);
    if (choice === 0) take(model);
    else if (choice === 1 && picked !== undefined) await expectOneOf(picked);
    else if (choice === 2 && picked !== undefined) {
      picked.view.release();
      held = held.filter((other) => other !== picked);
    } else {
      const before = model;
      model = new Model(before.rows);
      const written = store.batch(random.batch().map((operation) => applied(operation, model, random)));
      for (let count = random.below(3); count > 0; count--) {
        if (random.below(2) === 0) await new Promise((resolve) => setTimeout(resolve, random.below(3)));
        take(before, model);
      }
      // A view may be read before the batch is done, and both may take their time.
      await Promise.all([written, random.below(3) === 0 && picked !== undefined ? expectOneOf(picked) : undefined]);
    }
  }
  for (const view of held) await expectOneOf(view);
  await expectModel(store, model, 'the store beside its views');
  for (const { view } of held) view.release();
}

/** An operation that was applied to a model; it may say what it replaces there. */
function applied(operation: Operation, model: Model, random: RandomRows): Operation {
  const replaced = model.get(operation.key);
  model.apply([operation]);
  if (random.below(2) === 0) return operation;
  if (replaced !== undefined) return { ...operation, replaced };
  return operation.type === 'put' ? { ...operation, isNew: true } : operation;
}

async function expectOneOf(held: HeldView): Promise<void> {
  const { view, models } = held;
  const rows = await scanned(view);
  const equal = models.filter((model) => isEqual(rows, model.rows));
  if (equal.length === 0) expectRows(rows, models.at(-1)!.rows, 'a scan of a view that was held');
  held.models = equal;
  await expectModel(view, equal[0]!, 'a view that was held');
}

function isEqual(rows: readonly Row[], others: readonly Row[]): boolean {
  return (
    rows.length === others.length &&
    rows.every(({ key, value }, at) => equalBytes(key, others[at]!.key) && equalBytes(value, others[at]!.value))
  );
}

async function playForksOfForks(base: Store, random: RandomRows): Promise<void> {
  const model = new Model();
  const stores: Store[] = [base];
  const ranges = random.ranges();
  for (let depth = 0; depth < 3; depth++) {
    const store = stores.at(-1)!;
    const batch = random.batch();
    await store.batch(batch);
    model.apply(batch);
    await expectRanges(store, model, ranges, `a fork ${depth} deep`);
    stores.push(store.fork());
  }
  await expectRanges(stores.at(-1)!, model, ranges, 'the last fork');
  for (const store of stores.toReversed()) await store.close();
}

/** Steps: write, take a checkpoint, go back to one. A store that cannot go back is tested through its fork. */
async function playCheckpoints(base: Store, random: RandomRows): Promise<void> {
  const model = new Model();
  const first = random.batch();
  await base.batch(first);
  model.apply(first);
  const store: RevertibleStore = isRevertible(base) ? base : base.fork();
  const kept: { checkpoint: Checkpoint; rows: readonly Row[] }[] = [];
  const steps = random.below(21);
  for (let step = 0; step < steps; step++) {
    const choice = random.below(3);
    if (choice === 0) kept.push({ checkpoint: store.checkpoint(), rows: model.rows });
    else if (choice === 1 && kept.length > 0) {
      const { checkpoint, rows } = random.pick(kept);
      store.restore(checkpoint);
      model.rows = rows;
    } else {
      const batch = random.batch();
      if (choice === 1) store.apply(batch);
      else await store.batch(batch);
      model.apply(batch);
    }
    await expectModel(store, model, 'a store with checkpoints');
  }
  for (const { checkpoint, rows } of kept) {
    store.restore(checkpoint);
    await expectModel(store, new Model(rows), 'a store that went back');
  }
  await store.close();
}

const BAD: Operation = { type: 'put', key: new Uint8Array(0), value: Uint8Array.of(1) };

const ONE_AND_TWO: readonly Row[] = [1, 2].map((byte) => ({ key: Uint8Array.of(byte), value: Uint8Array.of(byte) }));

/** Large batches: all or nothing, and invisible until they end. A store without them is tested through `beginBatch`. */
const largeBatches: readonly Case[] = [
  randomCase('makes a large batch visible whole or not at all, and keeps others at the content before it', playBatches),
  plainCase('takes no other batch while a large one is open, and goes on after it has ended', takesNoOther),
  plainCase('refuses of a large batch what no store takes, and ends it once', endsOnce),
  plainCase('is closed with a large batch open, of which nothing stays', async (store) => {
    const large = beginBatch(store);
    await large.add([put([1], [1])]);
    await store.close();
    await expectError(['closed'], () => large.commit([]), 'commit after the store was closed');
  }),
];

async function playBatches(store: Store, random: RandomRows): Promise<void> {
  const model = new Model();
  for (let round = random.below(4); round > 0; round--) {
    const ordinary = random.batch();
    const called = store.batch(ordinary);
    model.apply(ordinary);
    // A gathered batch reads the store as it is.
    if (!store.supports.largeBatches) await called;
    model.rows = (await playBatch(store, model, called, random)).rows;
    await expectModel(store, model, 'the store after a large batch');
  }
}

/** Plays a large batch to its end beside readers of the content before it; returns the content after it. */
async function playBatch(store: Store, before: Model, called: Promise<void>, random: RandomRows): Promise<Model> {
  const after = new Model(before.rows);
  const large = beginBatch(store);
  const pending: Promise<void>[] = [];
  for (const operations of random.list(10, () => random.batch())) {
    const added = large.add(operations);
    after.apply(operations);
    for (const { key } of operations) expectValue(large.get(key), after.get(key), 'get of a large batch');
    pending.push(added);
    if (random.below(2) === 0) await added;
  }
  await called;
  // The last one may still be waiting for room when the batch ends.
  await Promise.all(pending.slice(0, -1));
  for (const { key } of [...before.rows, ...after.rows]) {
    expectValue(large.get(key), after.get(key), 'get of a large batch, of all keys');
  }
  // Taken before the end, read after it.
  const view = store.view();
  const fork = store.fork();
  const scan = store.scan({})[Symbol.asyncIterator]();
  const first = await scan.next();
  await expectModel(store, before, 'the store beside a large batch');
  await expectRanges(store, before, random.ranges(), 'the store beside a large batch');
  const isCommitted = random.below(2) === 0;
  const last = random.batch();
  await (isCommitted ? large.commit(last) : large.abandon());
  after.apply(last);
  await expectModel(view, before, 'a view of before the end');
  await expectModel(fork, before, 'a fork of before the end');
  const rows: Row[] = [];
  for (let next = first; next.done !== true; next = await scan.next()) rows.push(next.value);
  expectRows(rows, before.rows, 'a scan that began before the end');
  view.release();
  await fork.close();
  return isCommitted ? after : before;
}

async function takesNoOther(store: Store): Promise<void> {
  if (!store.supports.largeBatches) return;
  for (const end of ['commit', 'abandon'] as const) {
    const large = beginBatch(store);
    await expectError(['batch-open'], () => store.batch([put([1], [1])]), 'a batch beside a large one');
    await expectError(['batch-open'], () => beginBatch(store), 'a second large batch');
    if (isRevertible(store)) {
      const checkpoint = store.checkpoint();
      await expectError(['batch-open'], () => store.apply([]), 'apply beside a large batch');
      await expectError(['batch-open'], () => store.restore(checkpoint), 'restore beside a large batch');
    }
    await (end === 'commit' ? large.commit([put([2], [2])]) : large.abandon());
    await store.batch([put([1], [1])]);
  }
  expectRows(await scanned(store), ONE_AND_TWO, 'what was written');
}

async function endsOnce(store: Store): Promise<void> {
  const large = beginBatch(store);
  await large.add([put([1], [1])]);
  await expectError(['invalid-argument'], () => large.add([put([3], [3]), BAD]), 'add of an empty key');
  expectValue(large.get(Uint8Array.of(3)), undefined, 'get of what was refused');
  await large.commit([put([2], [2])]);
  await large.abandon();
  await expectError(['closed'], () => large.get(Uint8Array.of(1)), 'get after the end');
  await expectError(['closed'], () => large.add([]), 'add after the end');
  await expectError(['closed'], () => large.commit([]), 'commit after the end');
  expectRows(await scanned(store), ONE_AND_TWO, 'what was committed');

  const other = beginBatch(store);
  await other.add([put([3], [3]), { type: 'delete', key: Uint8Array.of(1) }]);
  await expectError(['invalid-argument'], () => other.commit([BAD]), 'commit of an empty key');
  expectRows(await scanned(store), ONE_AND_TWO, 'the store after a commit that was refused');
  await store.batch([]);
}

/** What a store rejects, and that none of it leaves a trace. */
const refusals: readonly Case[] = [
  plainCase('leaves nothing of a batch that it refuses', leavesNothing),
  plainCase('refuses pages without a bound and bounds that contradict', refusesRanges),
  plainCase('answers closed after close, and closes twice', answersClosed),
];

async function leavesNothing(store: Store): Promise<void> {
  const one = Uint8Array.of(1);
  const bad: readonly unknown[] = [
    { type: 'put', key: Uint8Array.of(2), value: 'text' },
    { type: 'put', key: new Uint8Array(0), value: one },
    { type: 'put', key: undefined, value: one },
    { type: 'clear', key: Uint8Array.of(2) },
    { type: 'delete', key: [1] },
  ];
  for (const operation of bad) {
    const batch = [put([1], [1]), operation as Operation];
    await expectError(['invalid-argument'], () => store.batch(batch), 'a batch with a bad operation');
    expectValue(store.get(one), undefined, 'a row of a batch that was refused');
  }
  const long: Operation = { type: 'put', key: new Uint8Array(STORE_KEY_BYTES_MAX + 1).fill(1), value: one };
  await expectError(['limit-exceeded'], () => store.batch([put([1], [1]), long]), 'a batch with a long key');
  expectRows(await scanned(store), [], 'a store that refused everything');
  await store.batch([]);
  await store.batch([put([1], [1])]);
  expectValue(store.get(one), one, 'a row of a batch after the refusals');
}

async function refusesRanges(store: Store): Promise<void> {
  const key = Uint8Array.of(1);
  const invalid: readonly KeyRange[] = [
    {},
    { limit: -1 },
    { limit: 1.5 },
    { gte: key, gt: key, limit: 1 },
    { lte: key, lt: key, limit: 1 },
  ];
  for (const range of invalid) await expectError(['invalid-argument'], () => store.range(range), 'a bad range');
  const wide = { limit: STORE_RANGE_ROWS_MAX + 1 };
  await expectError(['limit-exceeded'], () => store.range(wide), 'a page that is too long');
  await expectError(['invalid-argument'], () => scanned(store, { gte: key, gt: key }), 'a bad scan');
  expectRows(await store.range({ limit: 0 }), [], 'a page of no rows');
}

async function answersClosed(store: Store): Promise<void> {
  const pending = store.batch([put([1], [1])]);
  const closing = store.close();
  await pending;
  await closing;
  await store.close();
  await expectError(['closed'], () => store.get(Uint8Array.of(1)), 'get');
  await expectError(['closed'], () => store.view(), 'view');
  await expectError(['closed'], () => store.fork(), 'fork');
  await expectError(['closed'], () => store.range({ limit: 1 }), 'range');
  await expectError(['closed'], () => scanned(store), 'scan');
  await expectError(['closed'], () => store.batch([]), 'batch');
}

/** The test runner, and the store to be tested. */
export interface StoreComplianceOptions {
  /** Registers a test, as the functions of that name of Vitest, Jest and node:test do. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Opens an empty store. The suite closes it. */
  readonly open: () => Promise<Store>;
  /** Random runs of each test that has them. Default: 50. */
  readonly runs?: number | undefined;
  /** Seed of the first random run; a failure names its own. Default: 1. */
  readonly seed?: number | undefined;
}

const OPTIONS = { test: A_FUNCTION, open: A_FUNCTION, runs: wholeNumber(0), seed: wholeNumber(0) };

/** Registers the tests. A store that does not comply makes one of them reject with an Error that says how. */
export function storeCompliance(options: StoreComplianceOptions): void {
  assertOptions(options, OPTIONS);
  const { test, open, runs = 50, seed = 1 } = options;
  assertFunction(test, 'test');
  assertFunction(open, 'open');
  const cases = [...readsAndWrites, ...viewsAndForks, ...largeBatches, ...refusals];
  registerCases(cases, test, async () => open, { runs, seed });
}
