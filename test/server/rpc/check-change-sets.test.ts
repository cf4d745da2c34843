/** rooch_checkChangeSets reads change sets of up to 4 MiB, two thousand of them: not in one piece. */

import { afterAll, expect, it, vi } from 'vitest';
import { Engine } from '../../../src/engine/engine.ts';
import { createRpc } from '../../../src/server/index.ts';
import { CHECKED_CHANGE_SETS_MAX } from '../../../src/server/rpc/transaction.ts';
import { columnKey, orderBytes } from '../../../src/store/column.ts';
import { MemoryStore } from '../../../src/store/memory.ts';
import { asked } from '../asked.ts';

vi.mock('../../../src/store/limits.ts', async (original) => ({
  ...(await original<typeof import('../../../src/store/limits.ts')>()),
  // Every item is a piece.
  PAGE_PIECE_MS: 0,
}));

const LOST = [3n, 4n, 9n];
const store = new MemoryStore();
const engine = await Engine.open({ store });
for (let count = 0; count < 12; count++) await engine.dev.mint('0x77', 1n);
// Behind the engine's back.
await store.batch(LOST.map((order) => ({ type: 'delete', key: columnKey('changeSet', orderBytes(order)) })));
const rpc = createRpc(engine);
afterAll(async () => {
  await rpc.close();
  await engine.close();
});

const check = async (...params: readonly unknown[]): Promise<unknown> =>
  (await asked(rpc, 'chain_checkChangeSets', params)).result;

it('gives others their turn in between', async () => {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  expect(await check()).toEqual([3, 4, 9]);
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(Number(engine.head.order));
});

it.each(Array.from({ length: 16 }, (_, cursor) => [cursor]))('finds the same after %i as a scan', async (cursor) => {
  for (const descending of [false, true]) {
    for (const limit of [0, 1, 2, 5, CHECKED_CHANGE_SETS_MAX + 1]) {
      const request = { cursor: BigInt(cursor), limit: Math.min(limit, CHECKED_CHANGE_SETS_MAX), descending };
      const expected = engine.transactions.missingChangeSets(request).map(Number);
      expect(await check(`${cursor}`, limit, { descending })).toEqual(expected);
    }
  }
  expect(await check('18446744073709551615', null, { descending: true })).toEqual([9, 4, 3]);
  expect(await check('18446744073709551615')).toEqual([]);
  expect(await check(null, null, { descending: true })).toEqual([9, 4, 3]);
  expect(await rpc.request('rooch_checkChangeSets', [5, 2, true])).toEqual([4, 3]);
});
