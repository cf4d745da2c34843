/**
 * What a store rejects, and that none of it leaves a trace.
 * @module
 */
import { STORE_KEY_BYTES_MAX, STORE_RANGE_ROWS_MAX } from '../limits.ts';
import type { KeyRange, Operation, Store } from '../store.ts';
import { type Case, plainCase } from './case.ts';
import { expectError, expectRows, expectValue } from './expectation.ts';
import { scanned } from './model.ts';
import { put } from './random-rows.ts';

export const refusals: readonly Case[] = [
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
    await expectError('invalid-argument', () => store.batch(batch), 'a batch with a bad operation');
    expectValue(store.get(one), undefined, 'a row of a batch that was refused');
  }
  const long: Operation = { type: 'put', key: new Uint8Array(STORE_KEY_BYTES_MAX + 1).fill(1), value: one };
  await expectError('limit-exceeded', () => store.batch([put([1], [1]), long]), 'a batch with a long key');
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
  for (const range of invalid) await expectError('invalid-argument', () => store.range(range), 'a bad range');
  const wide = { limit: STORE_RANGE_ROWS_MAX + 1 };
  await expectError('limit-exceeded', () => store.range(wide), 'a page that is too long');
  await expectError('invalid-argument', () => scanned(store, { gte: key, gt: key }), 'a bad scan');
  expectRows(await store.range({ limit: 0 }), [], 'a page of no rows');
}

async function answersClosed(store: Store): Promise<void> {
  const pending = store.batch([put([1], [1])]);
  const closing = store.close();
  await pending;
  await closing;
  await store.close();
  await expectError('closed', () => store.get(Uint8Array.of(1)), 'get');
  await expectError('closed', () => store.view(), 'view');
  await expectError('closed', () => store.fork(), 'fork');
  await expectError('closed', () => store.range({ limit: 1 }), 'range');
  await expectError('closed', () => scanned(store), 'scan');
  await expectError('closed', () => store.batch([]), 'batch');
}
