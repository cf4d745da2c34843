/** When pruning is due, and what those who wait for it are told. What it deletes: history.test.ts. */
import { describe, expect, it } from 'vitest';
import { DATA_FORMAT_VERSION, PRUNE_ORDERS_MIN } from '../../src/base/config.ts';
import type { Head } from '../../src/chain/ledger/head.ts';
import { ALL_HISTORY, type History, historyOperation } from '../../src/chain/ledger/history.ts';
import { Pruner } from '../../src/pipeline/pruner.ts';
import { EMPTY_ACCUMULATOR } from '../../src/store/accumulator/accumulator.ts';
import { MemoryStore } from '../../src/store/index.ts';
import { EMPTY_ROOT } from '../../src/store/tree/tree.ts';

/** As a fork of a directory. */
const overlay = (): MemoryStore => Object.assign(new MemoryStore(), { kind: 'overlay' } as object);

const MIN = BigInt(PRUNE_ORDERS_MIN);

const headAt = (order: bigint): Head => ({
  formatVersion: DATA_FORMAT_VERSION,
  genesisHash: EMPTY_ROOT,
  chainId: 4n,
  order,
  stateRoot: EMPTY_ROOT,
  size: 0n,
  accumulator: EMPTY_ACCUMULATOR,
  timestamp: 0n,
  unloadedRoots: [],
});

interface Setting {
  readonly pruner: Pruner;
  readonly store: MemoryStore;
  readonly unpruned: unknown[];
}

/** A chain that keeps 3 states, or another part of its history. */
function prunerOf(history: Partial<History> | undefined, store = new MemoryStore()): Setting {
  if (history !== undefined) store.apply([historyOperation({ ...ALL_HISTORY, kept: 3n, ...history })]);
  const unpruned: unknown[] = [];
  return { pruner: new Pruner(store, (error) => unpruned.push(error)), store, unpruned };
}

const dueAt = ({ pruner }: Setting, orders: readonly bigint[], isClosing = false): readonly boolean[] =>
  orders.map((order) => pruner.isDue(headAt(order), isClosing));

describe('in the background', () => {
  it.each<[what: string, history: Partial<History> | undefined, orders: readonly bigint[], due: readonly boolean[]]>([
    ['nothing of a chain that never had a bound', undefined, [9n, 1_000n], [false, false]],
    ['nothing of one that has none any more', { kept: undefined }, [9n, 1_000n], [false, false]],
    ['enough orders', {}, [3n, 3n + MIN, 4n + MIN, 1_000n], [false, false, true, true]],
    ['enough orders after those before', { oldest: 9n, next: 10n }, [12n + MIN, 13n + MIN], [false, true]],
    ['an order of which a part is pruned', { staleDone: 1n }, [0n], [true]],
    ['the rest up to the oldest that is kept', { oldest: 2n, next: 2n }, [0n], [true]],
    ['that of a chain that has no bound any more', { kept: undefined, oldest: 2n, next: 1n }, [0n], [true]],
  ])('%s', (_what, history, orders, due) => {
    expect(dueAt(prunerOf(history), orders)).toEqual(due);
    expect(dueAt(prunerOf(history), orders, true)).toEqual(orders.map(() => false));
    expect(dueAt(prunerOf(history, overlay()), orders)).toEqual(orders.map(() => false));
  });

  it('nothing at a head at which there was nothing to do, until the store was reverted', () => {
    const setting = prunerOf({ staleDone: 1n });
    const { pruner, store } = setting;
    const piece = { operations: [], progress: { done: 0n, total: 0n }, history: { ...ALL_HISTORY, staleDone: 1n } };
    pruner.written({ ...piece, isLast: true }, headAt(5n));
    expect(dueAt(setting, [4n, 5n, 6n])).toEqual([true, false, true]);
    pruner.written({ ...piece, isLast: false }, headAt(5n));
    expect(dueAt(setting, [5n])).toEqual([true]);
    pruner.written({ ...piece, isLast: true }, headAt(5n));
    store.apply([historyOperation({ ...ALL_HISTORY, kept: 3n })]);
    expect(dueAt(setting, [6n])).toEqual([true]);
    pruner.reload();
    expect(dueAt(setting, [5n, 6n, 4n + MIN])).toEqual([false, false, true]);
    store.apply([historyOperation({ ...ALL_HISTORY, kept: 3n, staleDone: 1n })]);
    pruner.written({ ...piece, isLast: true }, headAt(5n));
    pruner.reload();
    expect(dueAt(setting, [5n])).toEqual([true]);
  });
});

describe('on request', () => {
  it('it is due at any time, and everybody is told how far it is and when it is over', async () => {
    const setting = prunerOf({}, overlay());
    const { pruner } = setting;
    const told: unknown[] = [];
    const failing = pruner.request(() => {
      throw new Error('no more');
    });
    failing.catch(() => told.push('failed'));
    const both = [pruner.request((progress) => told.push(progress)), pruner.request(undefined)];
    expect(dueAt(setting, [0n], true)).toEqual([true]);
    const history = { ...ALL_HISTORY, kept: 3n };
    const operations = [historyOperation(history)];
    const progress = { done: 1n, total: 2n };
    pruner.written({ operations, progress, history, isLast: false }, headAt(5n));
    await expect(failing).rejects.toThrow('no more');
    expect(dueAt(setting, [5n])).toEqual([true]);
    const piece = pruner.nextPiece(headAt(2n))!;
    expect(piece).toEqual({ operations: [], progress: { done: 0n, total: 0n }, history, isLast: true });
    pruner.written(piece, headAt(2n));
    expect(await Promise.all(both)).toEqual([piece.progress, piece.progress]);
    expect(told).toEqual([progress, 'failed', piece.progress]);
    expect(dueAt(setting, [5n])).toEqual([false]);
  });

  it('it is tried again where a row could not be read, which ends it in the background and is reported once', async () => {
    const setting = prunerOf({});
    const { pruner, unpruned } = setting;
    const head = headAt(1_000n);
    const corrupt = expect.objectContaining({ code: 'corrupt' });
    expect(dueAt(setting, [1_000n])).toEqual([true]);
    expect([pruner.nextPiece(head), unpruned]).toEqual([undefined, [corrupt]]);
    expect(dueAt(setting, [1_000n, 2_000n])).toEqual([false, false]);
    const request = pruner.request(undefined);
    expect(dueAt(setting, [1_000n])).toEqual([true]);
    expect([pruner.nextPiece(head), unpruned]).toEqual([undefined, [corrupt]]);
    await expect(request).rejects.toEqual(corrupt);
    expect(dueAt(setting, [1_000n])).toEqual([false]);
  });
});
