/** Random chains, written through the engine, are what the naive model says they are. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { addressOf } from '../../src/move/address.ts';
import { scriptArbitrary } from '../arbitraries/chain.ts';
import { property } from '../effort.ts';
import { ChainPlayer } from './chain-player.ts';
import { expectSame, expectSameStates, positionsAround, walkPages } from './compare.ts';

const walkArbitrary = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(1000)),
  descending: fc.boolean(),
});

describe('a random chain', () => {
  it('answers every question as a scan of the model does', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scriptArbitrary(12), walkArbitrary, async (script, walk) => {
        await using player = await ChainPlayer.open();
        await player.play(script);
        await expectSame(player.engine, player.model, walk);
      }),
      property(8, 500),
    );
  });

  it('keeps every state that it ever had', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scriptArbitrary(8), walkArbitrary, async (script, walk) => {
        await using player = await ChainPlayer.open();
        const moments = [{ model: player.model.copy(), stateRoot: player.engine.head.stateRoot }];
        for (const step of script) {
          const { head } = await player.submit(step);
          moments.push({ model: player.model.copy(), stateRoot: toHexPrefixed(head.stateRoot) });
        }
        for (const { model, stateRoot } of moments) expectSameStates(player.engine.at(stateRoot), model, walk);
      }),
      property(3, 200),
    );
  });

  it('goes on after any cursor, of an item or not, in both directions', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scriptArbitrary(10), walkArbitrary, async (script, walk) => {
        await using player = await ChainPlayer.open();
        await player.play(script);
        const { engine, model } = player;
        const owner = addressOf(0);
        const objects = model.indexed('object').filter((row) => /^0*$/.test(row.owner));
        const order = (at: { order: bigint; index: number }): bigint => (at.order << 32n) | BigInt(at.index);
        const isAfter = (item: bigint, cursor: bigint): boolean => (walk.descending ? item < cursor : item > cursor);
        const wanted = (items: readonly bigint[], cursor: bigint): bigint[] => {
          const rising = items.filter((item) => isAfter(item, cursor));
          return walk.descending ? rising.reverse() : rising;
        };
        const whole = { kind: 'order', from: 0n, to: 0xffff_ffff_ffff_ffffn } as const;
        for (const cursor of positionsAround(model)) {
          const found = await walkPages((page) => engine.objects.list({ kind: 'owner', owner }, page), walk, cursor);
          expect(found.map(({ position }) => order(position))).toEqual(wanted(objects.map(order), order(cursor)));
          const events = await walkPages((page) => engine.events.list(whole, page), walk, cursor);
          expect(events.map(({ position }) => order(position))).toEqual(wanted(model.events.map(order), order(cursor)));
          const [handled] = model.events.slice(-1);
          if (handled !== undefined) {
            const handle = [Buffer.from(handled.handle.slice(2), 'hex')];
            const on = await walkPages((page) => engine.events.list({ kind: 'handle', handle }, page), walk, cursor);
            const own = model.events.filter((event) => event.handle === handled.handle);
            expect(on.map(({ position }) => order(position))).toEqual(wanted(own.map(order), order(cursor)));
          }
          const orders = model.transactions.map((transaction) => transaction.order);
          const transactions = await walkPages((page) => engine.transactions.list(undefined, page), walk, cursor.order);
          expect(transactions.map((record) => record.order)).toEqual(wanted(orders, cursor.order));
        }
      }),
      property(4, 200),
    );
  });

  it('says of an empty page whether another follows', async () => {
    await using player = await ChainPlayer.open();
    const none = { limit: 0, descending: false };
    const { engine } = player;
    const expected = { data: [], nextCursor: undefined, hasNextPage: true };
    expect(await engine.transactions.list(undefined, none)).toEqual(expected);
    expect(await engine.objects.list({ kind: 'owner', owner: addressOf(3) }, none)).toEqual(expected);
    const unknown = await engine.objects.list({ kind: 'owner', owner: addressOf(0x999) }, none);
    expect(unknown).toEqual({ ...expected, hasNextPage: false });
  });
});
