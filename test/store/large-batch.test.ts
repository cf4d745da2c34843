/**
 * Large batches in pieces so small that a few operations make many: the suite of every store once more on them, and
 * writes that stop between any two pieces.
 */

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { openDirectory } from '../../src/store/directory.ts';
import { beginBatch } from '../../src/store/gathered-batch.ts';
import { LevelStore } from '../../src/store/level.ts';
import { MemoryStore, OverlayStore } from '../../src/store/memory.ts';
import { MirrorStore } from '../../src/store/mirror.ts';
import type { Operation, Store } from '../../src/store/store.ts';
import { runs } from '../effort.ts';
import { batchArbitrary } from './batch-arbitrary.ts';
import { compliance } from './compliance.ts';
import { PlainStore } from './plain-store.ts';
import { temporaryDirectories } from './temporary.ts';
import { TestLevel } from './test-level.ts';

vi.mock('../../src/store/limits.ts', async (original) => ({
  ...(await original<typeof import('../../src/store/limits.ts')>()),
  LARGE_BATCH_HELD_OPERATIONS_MAX: 6,
  LARGE_BATCH_PIECE_OPERATIONS_MAX: 4,
  LARGE_BATCH_PIECE_BYTES_MAX: 120,
}));

const directory = temporaryDirectories();
const cases = /large/;

compliance('memory', async () => new MemoryStore(), { cases });
compliance('overlay', async () => OverlayStore.over(new MemoryStore().view()), { cases });
compliance('level on classic-level', () => openDirectory(directory(), { durability: 'os' }), { cases });
compliance('level on another database', () => LevelStore.over(new TestLevel({ getSync: true })), { cases });
compliance('mirror', () => MirrorStore.over(new TestLevel({ getSync: false })), { cases });

describe('a large batch on a database', () => {
  const kinds = [
    ['level', (database: TestLevel) => LevelStore.over(database), true],
    ['mirror', (database: TestLevel) => MirrorStore.over(database), false],
  ] as const;

  it.each(kinds)(
    'is there whole or not at all, wherever the process dies, sweeps included: %s',
    async (_, over, getSync) => {
      await fc.assert(
        fc.asyncProperty(
          batchArbitrary,
          fc.array(batchArbitrary, { minLength: 2, maxLength: 6 }),
          fc.boolean(),
          async (first, adds, isAwaited) => {
            const database = new TestLevel({ getSync });
            const store = await over(database);
            await store.batch(first);
            const states = [database.entries];
            const before = database.entries;
            database.onWritten = () => states.push(database.entries);
            const large = beginBatch(store);
            const added = withKnown(first, adds).map((operations) => large.add(operations));
            if (isAwaited) await Promise.all(added);
            await large.commit([{ type: 'put', key: Uint8Array.of(9), value: Uint8Array.of(9) }]);
            const after = database.entries;
            await store.close();
            for (const [index, state] of states.entries()) {
              const expected = index === states.length - 1 ? after : before;
              await expectSwept(over, getSync, state, expected);
            }
          },
        ),
        { numRuns: runs(8, 25) },
      );
    },
  );

  it.each(kinds)('whose commit was called is written before the database is closed: %s', async (_, over, getSync) => {
    for (const count of [1, 50]) {
      const database = new TestLevel({ getSync });
      const store = await over(database);
      const large = beginBatch(store);
      await large.add(puts(count));
      const [committed] = await Promise.allSettled([large.commit(puts(2)), store.close()]);
      expect(committed).toEqual({ status: 'fulfilled', value: undefined });
      expect(database.entries).toHaveLength(Math.max(count, 2));
    }
  });

  it('of which a piece failed is not committed', async () => {
    const database = new TestLevel({ getSync: true });
    const store = await LevelStore.over(database);
    await store.batch(puts(1));
    const large = beginBatch(store);
    // The read of what the piece replaces fails, and no write.
    database.readFault = new Error('the disk does not answer');
    await large.add(puts(20));
    await expect(large.commit(puts(2))).rejects.toMatchObject({ code: 'store-failed' });
    database.readFault = undefined;
    expect(await store.range({ limit: 100 })).toHaveLength(1);
    expect(database.entries).toHaveLength(1);
    await store.close();
  });

  it('has pieces no longer than their bounds', async () => {
    const database = new TestLevel({ getSync: true });
    const store = await LevelStore.over(database);
    const large = beginBatch(store);
    // Two of them have as many bytes as a piece may have, and a row of the batch itself is written beside them.
    await large.add(puts(20).map((operation) => ({ ...operation, value: new Uint8Array(58) })));
    await large.commit([]);
    expect(database.written.slice(0, -1).map(({ changes }) => changes)).toEqual(new Array(10).fill(3));
    expect(await store.range({ limit: 100 })).toHaveLength(20);
    await store.close();
  });

  it.each(['fsync', 'os'] as const)('is on the disk as %s says, and what takes it back always', async (durability) => {
    const database = new TestLevel({ getSync: true });
    const store = await LevelStore.over(database, { durability });
    const pieces: boolean[] = [];
    const sweeps: boolean[] = [];
    let before = 0;
    database.onWritten = () => {
      const { sync } = database.written.at(-1)!;
      // A piece leaves rows, a sweep takes some.
      if (database.entries.length > before) pieces.push(sync);
      else sweeps.push(sync);
      before = database.entries.length;
    };
    const large = beginBatch(store);
    await large.add(puts(20));
    await large.abandon();
    expect(new Set(pieces)).toEqual(new Set([durability === 'fsync']));
    expect(new Set(sweeps)).toEqual(new Set([true]));
    await store.close();
  });

  it.each(kinds)('that has ended does not end another one: %s', async (_, over, getSync) => {
    const store = await over(new TestLevel({ getSync }));
    const ended = beginBatch(store);
    await ended.commit(puts(1));
    const large = beginBatch(store);
    await ended.abandon();
    await expect(ended.commit([])).rejects.toMatchObject({ code: 'closed' });
    await expect(store.batch(puts(1))).rejects.toMatchObject({ code: 'batch-open' });
    await large.commit(puts(3));
    expect(await store.range({ limit: 100 })).toHaveLength(3);
    await store.close();
  });
});

it('a gathered batch that is committed before its store is closed is written', async () => {
  const store = new PlainStore();
  const written = vi.spyOn(store, 'batch');
  const large = beginBatch(store);
  await large.add(puts(2));
  const outcomes = await Promise.allSettled([large.commit(puts(3)), store.close()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  expect(written).toHaveBeenCalledOnce();
});

function puts(count: number): Operation[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'put',
    key: Uint8Array.of(5, index),
    value: Uint8Array.of(index),
  }));
}

/** The operations of `adds`, which follow `first`. Half of them say what is under their keys. */
function withKnown(first: readonly Operation[], adds: readonly (readonly Operation[])[]): Operation[][] {
  const values = new Map<string, Uint8Array | undefined>();
  const set = (operation: Operation): void => {
    values.set(toHex(operation.key), operation.type === 'put' ? operation.value : undefined);
  };
  for (const operation of first) set(operation);
  let count = 0;
  const told = (operation: Operation): Operation => {
    const replaced = values.get(toHex(operation.key));
    set(operation);
    if (count++ % 2 === 1) return operation;
    return operation.type === 'put'
      ? { ...operation, isNew: replaced === undefined, replaced }
      : { ...operation, replaced };
  };
  return adds.map((operations) => operations.map(told));
}

/** Opens a database in `state`, and again from every state that its opening goes through. */
async function expectSwept(
  over: (database: TestLevel) => Promise<Store>,
  getSync: boolean,
  state: TestLevel['entries'],
  expected: TestLevel['entries'],
): Promise<void> {
  const waiting = [state];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    const database = new TestLevel({ getSync });
    database.entries = from;
    // The first change is enough: the state after it is opened again, which covers the second.
    database.onWritten = () => {
      if (waiting.length === 0) waiting.push(database.entries);
    };
    const store = await over(database);
    expect(database.entries).toEqual(expected);
    await store.close();
  }
}
