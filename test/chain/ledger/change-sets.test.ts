/**
 * Change sets in rows of a few bytes, so that small ones take many: one row and many rows hold the same.
 */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { joinBytes } from '../../../src/base/bytes/bytes.ts';
import { countChangeSetParts, readChangeSet, writeChangeSet } from '../../../src/chain/ledger/change-sets.ts';
import { type StateChangeSetExt, stateChangeSetExt } from '../../../src/chain/object/change-set.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { columnKey, orderBytes, partBytes } from '../../../src/store/column.ts';
import { MemoryStore } from '../../../src/store/memory.ts';
import { RowBatch } from '../../../src/store/row-batch.ts';
import { scriptArbitrary } from '../../arbitraries/chain.ts';
import { stateChangeSetExtArbitrary } from '../../arbitraries/object.ts';
import { ChainPlayer } from '../../journeys/chain-player.ts';

/** As many as an empty change set takes, which then ends with an empty row. */
const PART_BYTES = 84;

/** Change sets that are stored whole refer to none. */
const NO_NODES = (): undefined => undefined;

vi.mock('../../../src/base/config.ts', async (original) => ({
  ...(await original<typeof import('../../../src/base/config.ts')>()),
  CHANGE_SET_PART_BYTES: 84,
  CHANGE_SET_CHANGES_AT_ONCE_MAX: 2,
}));

const key = (part: number): Uint8Array =>
  part === 0 ? columnKey('changeSet', orderBytes(7n)) : columnKey('changeSet', orderBytes(7n), partBytes(part));

async function stored(changeSet: StateChangeSetExt): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.batch(RowBatch.operationsOf((batch) => writeChangeSet(batch, 7n, changeSet)));
  return store;
}

describe('a stored change set', () => {
  it('is what its codec writes, cut into rows, and reads back', async () => {
    await fc.assert(
      fc.asyncProperty(stateChangeSetExtArbitrary, async (changeSet) => {
        const store = await stored(changeSet);
        const bytes = encode(stateChangeSetExt, changeSet);
        const rows = await store.range({ limit: 10_000 });
        expect(joinBytes(rows.map(({ value }) => value))).toEqual(bytes);
        expect(rows.map(({ value }) => value.length).slice(0, -1)).toEqual(Array(rows.length - 1).fill(PART_BYTES));
        expect(rows.at(-1)!.value.length).toBeLessThan(PART_BYTES);
        expect(rows.map((row) => row.key)).toEqual(rows.map((_, part) => key(part)));
        expect(countChangeSetParts(store, 7n)).toBe(rows.length);
        expect(encode(stateChangeSetExt, readChangeSet(store, NO_NODES, 7n))).toEqual(bytes);
        expect(encode(stateChangeSetExt, readChangeSet(store, NO_NODES, 7n, bytes.length))).toEqual(bytes);
        expect(() => readChangeSet(store, NO_NODES, 7n, bytes.length - 1)).toThrow(
          expect.objectContaining({ code: 'limit-exceeded', details: { order: '7' } }),
        );
      }),
    );
  });

  it('reads back from one row, as it used to be written', () => {
    fc.assert(
      fc.property(stateChangeSetExtArbitrary, (changeSet) => {
        const bytes = encode(stateChangeSetExt, changeSet);
        const store = new MemoryStore();
        store.apply([{ type: 'put', key: key(0), value: bytes }]);
        expect(encode(stateChangeSetExt, readChangeSet(store, NO_NODES, 7n))).toEqual(bytes);
      }),
    );
  });

  it('is damaged without one of its rows', async () => {
    const [changeSet] = fc
      .sample(stateChangeSetExtArbitrary, 200)
      .filter((sample) => encode(stateChangeSetExt, sample).length > 3 * PART_BYTES) as [StateChangeSetExt];
    for (const part of [0, 1, 2]) {
      const store = await stored(changeSet);
      store.apply([{ type: 'delete', key: key(part) }]);
      expect(() => readChangeSet(store, NO_NODES, 7n)).toThrow(expect.objectContaining({ code: 'corrupt' }));
    }
  });

  it('is sound in many rows for a verification of the chain, which names a surplus row', async () => {
    const [script] = fc.sample(scriptArbitrary(8), 20).sort((left, right) => right.length - left.length);
    const store = new MemoryStore();
    const player = await ChainPlayer.open({ store });
    await player.play(script!);
    const parts = countChangeSetParts(store, 0n);
    expect(parts).toBeGreaterThan(3);
    expect((await verifyStore(store)).problems).toEqual([]);
    for (const part of [parts, parts + 77]) {
      const tampered = store.fork();
      const added = columnKey('changeSet', orderBytes(0n), partBytes(part));
      tampered.apply([{ type: 'put', key: added, value: Uint8Array.of(1) }]);
      expect((await verifyStore(tampered)).problems).toEqual([expect.stringContaining('belongs to nothing')]);
    }
  });
});
