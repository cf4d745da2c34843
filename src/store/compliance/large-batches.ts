/**
 * Large batches: all or nothing, and invisible to everyone else until they end. A store that does not support them is
 * tested through the substitute that serves it (gathered-batch.ts).
 * @module
 */
import { beginBatch } from '../gathered-batch.ts';
import { isRevertible, type Operation, type Row, type Store } from '../store.ts';
import {
  type Case,
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
  scanned,
} from './case.ts';

const BAD: Operation = { type: 'put', key: new Uint8Array(0), value: Uint8Array.of(1) };

const ONE_AND_TWO: readonly Row[] = [1, 2].map((byte) => ({ key: Uint8Array.of(byte), value: Uint8Array.of(byte) }));

export const largeBatches: readonly Case[] = [
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
