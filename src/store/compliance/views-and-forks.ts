/**
 * Views, forks and checkpoints: each is of its moment.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import {
  type Checkpoint,
  isRevertible,
  type Operation,
  type RevertibleStore,
  type Row,
  type Store,
  type StoreView,
} from '../store.ts';
import {
  type Case,
  expectError,
  expectModel,
  expectRanges,
  expectRows,
  Model,
  plainCase,
  type RandomRows,
  randomCase,
  scanned,
} from './case.ts';

export const viewsAndForks: readonly Case[] = [
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
