/** Change sets of a chain that keeps all history, in a directory: they refer to leaves, and read as if they did not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { fromHex } from '../../../src/base/bytes/bytes.ts';
import {
  isReferring,
  readChangeSet,
  readSizedChangeSet,
  writeChangeSet,
} from '../../../src/chain/ledger/change-sets.ts';
import { type FieldChange, type StateChangeSetExt, stateChangeSetExt } from '../../../src/chain/object/change-set.ts';
import { nodeSource } from '../../../src/chain/state/node-row.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { addressOf } from '../../../src/move/address.ts';
import type { ObjectMeta } from '../../../src/query/transaction-builder.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { columnKey, columnRange, orderBytes } from '../../../src/store/column.ts';
import { MemoryStore, openDirectory, type ReadableStore } from '../../../src/store/index.ts';
import { RowBatch } from '../../../src/store/row-batch.ts';
import { FreshNodes } from '../../../src/store/tree/fresh-nodes.ts';
import { scriptArbitrary } from '../../arbitraries/chain.ts';
import { objectMetaArbitrary, stateChangeSetExtArbitrary } from '../../arbitraries/object.ts';
import { property } from '../../effort.ts';
import { ChainPlayer } from '../../journeys/chain-player.ts';
import { temporaryDirectories } from '../../store/temporary.ts';

const directory = temporaryDirectories();
const corrupt = expect.objectContaining({ code: 'corrupt' });

/** The change set of each order as the codec writes it. */
function changeSets(rows: ReadableStore, from: bigint, to: bigint): Uint8Array[] {
  const read: Uint8Array[] = [];
  for (let order = from; order <= to; order++) {
    read.push(encode(stateChangeSetExt, readChangeSet(rows, nodeSource(rows), order)));
  }
  return read;
}

async function firstReferring(rows: ReadableStore): Promise<{ readonly key: Uint8Array; readonly value: Uint8Array }> {
  for await (const row of rows.scan(columnRange('changeSet'))) if (isReferring(row.value)) return row;
  throw new Error('no change set refers to leaves');
}

describe('a change set that refers to leaves', () => {
  it('reads as the whole one, and still does when the history gets a bound and is pruned', {
    timeout: 600_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(scriptArbitrary(12), async (script) => {
        const whole = new MemoryStore();
        await using inMemory = await ChainPlayer.open({ store: whole });
        await inMemory.play(script);
        const path = directory();
        const player = await ChainPlayer.open({ store: path, durability: 'os' });
        await player.play(script);
        const { order } = player.engine.head;
        await player.engine.close();
        const store = await openDirectory(path);
        expect(changeSets(store, 0n, order)).toEqual(changeSets(whole, 0n, order));
        if (order > 0n) await firstReferring(store);
        expect((await verifyStore(store)).problems).toEqual([]);
        await store.close();

        const bounded = await Engine.open({ store: path, history: 2, clock: () => 2n ** 40n });
        await bounded.prune();
        const oldest = BigInt(bounded.status().history.oldestOrder);
        await bounded.close();
        const pruned = await openDirectory(path);
        expect(changeSets(pruned, oldest + 1n, order)).toEqual(changeSets(whole, oldest + 1n, order));
        expect((await verifyStore(pruned)).problems).toEqual([]);
        await pruned.close();
      }),
      property(3, 500),
    );
  });

  it('holds in full what made no leaf, and is damaged if that nests deeper than object ids go', () => {
    const stored = (changeSet: StateChangeSetExt): ReadableStore => {
      const rows = new MemoryStore();
      rows.apply(RowBatch.operationsOf((batch) => writeChangeSet(batch, 1n, changeSet, new FreshNodes())));
      expect(isReferring(rows.get(columnKey('changeSet', orderBytes(1n)))!)).toBe(true);
      return rows;
    };
    const noLeaf = (): undefined => undefined;
    fc.assert(
      fc.property(stateChangeSetExtArbitrary, (changeSet) => {
        const read = readChangeSet(stored(changeSet), noLeaf, 1n);
        expect(encode(stateChangeSetExt, read)).toEqual(encode(stateChangeSetExt, changeSet));
      }),
    );
    const [inner] = fc.sample(objectMetaArbitrary, 1) as [ObjectMeta];
    const nested = (depth: number): FieldChange[] => [
      [addressOf(depth), { meta: inner, value: undefined, fields: depth === 0 ? [] : nested(depth - 1) }],
    ];
    const [sample] = fc.sample(stateChangeSetExtArbitrary, 1) as [StateChangeSetExt];
    const deep = (depth: number): StateChangeSetExt => ({
      ...sample,
      stateChangeSet: { ...sample.stateChangeSet, changes: nested(depth) },
    });
    expect(readChangeSet(stored(deep(16)), noLeaf, 1n).stateChangeSet.changes).toHaveLength(1);
    expect(() => readChangeSet(stored(deep(17)), noLeaf, 1n)).toThrow(
      expect.objectContaining({ code: 'corrupt', cause: expect.objectContaining({ code: 'malformed-bytes' }) }),
    );
  });

  it('counts its leaves as bytes that are read, and is reported if one is missing or is not a leaf', async () => {
    const path = directory();
    await using engine = await Engine.open({ store: path, reorganisationDepth: 0 });
    await engine.dev.mint(DEV_ACCOUNTS[0]!.address, 5n);
    await engine.close();
    const store = await openDirectory(path);
    const { value } = await firstReferring(store);
    const nodes = nodeSource(store);
    const { length } = readSizedChangeSet(store, nodes, 1n);
    expect(length).toBeGreaterThan(value.length + 300);
    readSizedChangeSet(store, nodes, 1n, length);
    expect(() => readSizedChangeSet(store, nodes, 1n, length - 1)).toThrow(
      expect.objectContaining({ code: 'limit-exceeded' }),
    );
    expect(() => readChangeSet(store, () => undefined, 1n)).toThrow(corrupt);
    const branch = nodes(fromHex(engine.head.stateRoot))!;
    expect(() => readChangeSet(store, () => branch, 1n)).toThrow(corrupt);
    for (let cut = 1; cut < value.length; cut++) {
      const rows = new MemoryStore();
      rows.apply([{ type: 'put', key: columnKey('changeSet', orderBytes(1n)), value: value.subarray(0, cut) }]);
      expect(() => readChangeSet(rows, nodes, 1n), `${cut} bytes`).toThrow(corrupt);
    }
    await store.close();
  });
});
