/**
 * Views, forks and checkpoints: each is of its moment.
 * @module
 */
import { type Checkpoint, isRevertible, type RevertibleStore, type Row, type Store, type StoreView } from '../store.ts';
import { type Case, plainCase, randomCase } from './case.ts';
import { expectError } from './expectation.ts';
import { expectModel, expectRanges, Model } from './model.ts';
import type { RandomRows } from './random-rows.ts';

export const viewsAndForks: readonly Case[] = [
  randomCase('keeps views and forks apart from the store and from each other', playForks),
  randomCase('answers ranges of forks of forks as a sorted list does', playForksOfForks),
  randomCase('goes back to any checkpoint, in any order, any number of times', playCheckpoints),
  plainCase('refuses a checkpoint of another store', async (store) => {
    const [one, other] = [store.fork(), store.fork()];
    const checkpoint = one.checkpoint();
    await expectError('invalid-argument', () => other.restore(checkpoint), 'restore of another store');
    await one.close();
    await expectError('closed', () => one.restore(checkpoint), 'restore of a closed fork');
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
    await expectError('closed', () => view.get(Uint8Array.of(1)), 'get of a released view');
  }
  for (const { store, model } of stores) await expectModel(store, model, 'a fork after the views were released');
  for (const { store } of stores.toReversed()) await store.close();
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

/** Steps: write, take a checkpoint, go back to one. A store that cannot go back is played through its fork. */
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
