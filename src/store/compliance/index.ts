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
import { STORE_KEY_BYTES_MAX, STORE_RANGE_ROWS_MAX } from '../limits.ts';
import type { KeyRange, Operation, Store } from '../store.ts';
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
  randomCase,
  registerCases,
  scanned,
} from './case.ts';
import { largeBatches } from './large-batches.ts';
import { viewsAndForks } from './views-and-forks.ts';

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
