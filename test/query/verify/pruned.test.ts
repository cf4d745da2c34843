/** Verification of directories whose history has a bound: nothing if they are sound, and what is wrong is named. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { HEAD_KEY, storedHead } from '../../../src/chain/ledger/head.ts';
import { type History, historyOperation, readHistory } from '../../../src/chain/ledger/history.ts';
import { readStateRoot } from '../../../src/chain/ledger/transactions.ts';
import { Engine } from '../../../src/index.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { COLUMN, type ColumnName, columnKey, columnRange, orderBytes, readOrder } from '../../../src/store/column.ts';
import {
  dumpStore,
  loadDump,
  MemoryStore,
  type Operation,
  type ReadableStore,
  type Row,
} from '../../../src/store/index.ts';
import { scriptArbitrary } from '../../arbitraries/chain.ts';
import { collected } from '../../collected.ts';
import { property } from '../../effort.ts';
import { ChainPlayer } from '../../journeys/chain-player.ts';
import { keptOrders } from '../../pipeline/kept-states.ts';

const rowsOf = (store: ReadableStore, column: ColumnName): Promise<Row[]> => collected(store.scan(columnRange(column)));

/** A pruned chain of some transactions of every kind. */
async function prunedStore(): Promise<MemoryStore> {
  const [script] = fc.sample(fc.array(scriptArbitrary(10), { minLength: 4, maxLength: 4 }), { seed: 7, numRuns: 1 });
  const store = new MemoryStore();
  const player = await ChainPlayer.open({ store, history: 3 });
  for (const steps of script!) await player.play(steps.map((step) => ({ ...step, isQueued: false })));
  await player.engine.prune();
  return store;
}

async function problemsAfter(store: MemoryStore, operations: readonly Operation[]): Promise<readonly string[]> {
  const tampered = store.fork();
  tampered.apply(operations);
  return (await verifyStore(tampered)).problems;
}

describe('a pruned chain', () => {
  let store: MemoryStore;
  beforeAll(async () => {
    store = await prunedStore();
  });

  it('has nothing to report, not even as a loaded dump', async () => {
    expect((await verifyStore(store)).problems).toEqual([]);
    const loaded = new MemoryStore();
    const check = async (whole: ReadableStore): Promise<void> => {
      expect((await verifyStore(whole)).problems).toEqual([]);
    };
    await loadDump(loaded, dumpStore(store), { headKey: HEAD_KEY, check });
    expect(storedHead(loaded)).toEqual(storedHead(store));
    expect(keptOrders(loaded)).toEqual(keptOrders(store));
  });

  const removed = [
    'object',
    'objectByOwner',
    'event',
    'transaction',
    'executionInfo',
    'history',
    'accumulatorNode',
  ] as const;
  it.each(removed)('reports a row that is removed: %s', async (column) => {
    const rows = await rowsOf(store, column);
    const { key } = rows[rows.length >> 1]!;
    expect(await problemsAfter(store, [{ type: 'delete', key }])).not.toEqual([]);
  });

  it('reports a change set, a node and the root of the present state that are missing', async () => {
    const { order, stateRoot } = storedHead(store);
    for (const key of [
      columnKey('changeSet', orderBytes(order)),
      columnKey('node', stateRoot),
      columnKey('node', readStateRoot(store, keptOrders(store)[0]!)),
      columnKey('stateRoot', stateRoot),
    ]) {
      expect(await problemsAfter(store, [{ type: 'delete', key }])).not.toEqual([]);
    }
  });

  it('reports a list that would take away a node of the present state', async () => {
    const { order, stateRoot } = storedHead(store);
    const key = columnKey('staleNodes', orderBytes(order));
    const problems = await problemsAfter(store, [
      { type: 'put', key: columnKey('node', stateRoot), value: lowered(store.get(columnKey('node', stateRoot))!) },
      { type: 'put', key, value: stateRoot },
    ]);
    expect(problems).toContainEqual(
      expect.stringContaining(`is listed as stale since order ${order}, and is of the present state`),
    );
  });

  it('reports a list that would take away a node of another state that is kept', async () => {
    const { order: newest, stateRoot } = storedHead(store);
    const order = keptOrders(store).findLast((kept) => kept < newest)!;
    const root = readStateRoot(store, order);
    expect(root).not.toEqual(stateRoot);
    const key = columnKey('staleNodes', orderBytes(order));
    const problems = await problemsAfter(store, [
      { type: 'put', key: columnKey('node', root), value: lowered(store.get(columnKey('node', root))!) },
      { type: 'put', key, value: root },
    ]);
    expect(problems).toContain(
      `the tree node ${toHexPrefixed(root)} is listed as stale since order ${order}, and is of the state after order ${order}`,
    );
  });

  it('reports nodes that would never be pruned: on a list that is missing, or of no kept state', async () => {
    const lists = await rowsOf(store, 'staleNodes');
    expect(lists.length).toBeGreaterThan(1);
    for (const { key } of lists) {
      // Genesis replaces nothing, and its list is never looked at.
      if (readOrder(key, 1) === 0n) continue;
      expect(await problemsAfter(store, [{ type: 'delete', key }])).toContainEqual(
        expect.stringMatching(/^the tree node \w+ is not in the present state, and no list has it pruned$/),
      );
    }
  });

  it('reports a place from which pruning would never go on, and what it has passed', async () => {
    const history = readHistory(store)!;
    const { oldest } = history;
    const wrong: Partial<History>[] = [
      { next: 0n },
      { next: oldest + 2n },
      { next: 1n << 63n },
      { staleDone: 1n },
      { next: oldest, staleDone: 1_000_000n },
    ];
    for (const change of wrong) {
      expect(await problemsAfter(store, [historyOperation({ ...history, ...change })])).toContainEqual(
        expect.stringContaining('the history row says that pruning is at entry'),
      );
    }
    const passed = { type: 'put', key: columnKey('staleNodes', orderBytes(1n)), value: new Uint8Array(32) } as const;
    expect(await problemsAfter(store, [passed])).toEqual([
      'pruning has passed order 1, and left its list of stale nodes',
    ]);
  });

  const numbered = ['node', 'stateRoot', 'staleNodes', 'eventHandle', 'transactionOrder'] as const;
  it.each(numbered)('reports a row that is too short for what it must say: %s', async (column) => {
    const { key, value } = (await rowsOf(store, column)).at(-1)!;
    expect(await problemsAfter(store, [{ type: 'put', key, value: value.slice(0, 3) }])).not.toEqual([]);
  });

  it('reports a root that leads to another transaction, and a row of no column', async () => {
    const { stateRoot } = storedHead(store);
    const wrong = { type: 'put', key: columnKey('stateRoot', stateRoot), value: orderBytes(1n) } as const;
    expect(await problemsAfter(store, [wrong])).toContainEqual(expect.stringContaining('is wrong'));
    const unknown = { type: 'put', key: Uint8Array.of(0x7f), value: Uint8Array.of(1) } as const;
    expect(await problemsAfter(store, [unknown])).toEqual([expect.stringContaining('is in no column')]);
    const owner = (await rowsOf(store, 'objectByOwner'))[0]!;
    const moved = {
      type: 'put',
      key: Uint8Array.of(COLUMN.objectByOwner, ...owner.key.subarray(1, 20)),
      value: owner.value,
    } as const;
    expect(await problemsAfter(store, [moved])).toEqual([expect.stringContaining('belongs to nothing')]);
  });
});

describe('a chain with a bound', () => {
  it('is sound if its clock was moved by a transaction whose state is pruned', async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store, history: 1, clock: () => 5_000_000_000_000n });
    await engine.dev.time.advance(1_000n);
    for (let amount = 1n; amount <= 3n; amount++) await engine.dev.mint('0x42', amount);
    await engine.prune();
    expect((await verifyStore(store)).problems).toEqual([]);
    // It is a time that was set all the same.
    const row = { type: 'put', key: columnKey('clockOffset'), value: orderBytes(6_000_000_000_000n) } as const;
    expect(await problemsAfter(store, [row])).toEqual(['the clockOffset row 26 follows from no time that was set']);
  });

  it('is sound at any time, however far pruning has got', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        scriptArbitrary(10),
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        async (script, history, isPruned) => {
          const store = new MemoryStore();
          const player = await ChainPlayer.open({ store, history });
          await player.play(script);
          if (isPruned) await player.engine.prune();
          await player.play(script.slice(0, 3));
          const report = await verifyStore(store);
          expect(report.problems).toEqual([]);
          expect(report.objects).toBe(player.model.objects.size);
          await player.engine.close();
        },
      ),
      property(5, 300),
    );
  });
});

/** A node's row as if it had been written with genesis. */
function lowered(row: Uint8Array): Uint8Array {
  return Uint8Array.from([...new Uint8Array(8), ...row.subarray(8)]);
}
