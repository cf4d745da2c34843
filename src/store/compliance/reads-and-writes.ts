/**
 * Batches, and what is read after and beside them.
 * @module
 */
import type { Operation, Store } from '../store.ts';
import { type Case, plainCase, randomCase } from './case.ts';
import { expectCount, expectRows, expectValue } from './expectation.ts';
import { expectModel, expectRanges, Model, scanned } from './model.ts';
import { put } from './random-rows.ts';

export const readsAndWrites: readonly Case[] = [
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
