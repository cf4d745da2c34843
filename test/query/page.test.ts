/** What is refused before anything is read, and pages over rows that no longer mean anything. */

import { describe, expect, it } from 'vitest';
import { encode, string, u64 } from '../../src/base/bcs.ts';
import { concatBytes } from '../../src/base/bytes/bytes.ts';
import { PAGE_ITEMS_DEFAULT } from '../../src/base/config.ts';
import { sha3 } from '../../src/base/hash/sha3.ts';
import { FIELD_INDEXER_ID } from '../../src/chain/index/fields.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { multiCoinFieldKey, multiCoinStoreId } from '../../src/execution/framework/coin.ts';
import { addressOf } from '../../src/move/address.ts';
import { PAGE_ITEMS_MAX, type PageOptions } from '../../src/query/page.ts';
import { deriveFieldKey, type ObjectId, objectId, parseStructTag } from '../../src/query/transaction-builder.ts';
import { collected } from '../collected.ts';
import { HandEngine } from '../journeys/hand.ts';

const owner = addressOf(0x42);
const refused = { code: 'invalid-argument' };

describe('a page', () => {
  it('has as many items as are asked for, up to a bound', async () => {
    await using hand = await HandEngine.open();
    const { transactions } = hand.engine;
    expect((await transactions.list(undefined, { limit: PAGE_ITEMS_MAX })).data).toHaveLength(1);
    await expect(transactions.list(undefined, { limit: PAGE_ITEMS_MAX + 1 })).rejects.toMatchObject(refused);
  });

  it('may be left out, and so may each part of it', async () => {
    await using hand = await HandEngine.open();
    const { engine } = hand;
    for (let serial = 0; serial < PAGE_ITEMS_DEFAULT; serial++) await hand.commit();
    const orders = async (page?: PageOptions<bigint>): Promise<bigint[]> =>
      (await engine.transactions.list(undefined, page)).data.map(({ order }) => order);
    const newest = BigInt(PAGE_ITEMS_DEFAULT);
    expect(await orders()).toEqual(Array.from({ length: PAGE_ITEMS_DEFAULT }, (_, index) => newest - BigInt(index)));
    expect(await orders({ limit: 2 })).toEqual([newest, newest - 1n]);
    expect(await orders({ limit: 2, descending: false })).toEqual([0n, 1n]);
    expect(await orders({ limit: 2, cursor: 5n })).toEqual([4n, 3n]);
    expect((await engine.transactions.changeSets({ limit: 1 })).data.map(({ order }) => order)).toEqual([0n]);
    const sent = await engine.transactions.list({ kind: 'sender', sender: owner });
    expect([sent.data.length, sent.data[0]?.order]).toEqual([PAGE_ITEMS_DEFAULT, newest]);
    expect((await engine.bitcoin.utxos()).data).toEqual([]);
    expect((await engine.bitcoin.inscriptions()).data).toEqual([]);
    expect((await engine.balances.list(DEV_ACCOUNTS[0]!.address)).data).toHaveLength(1);
    expect(engine.states.list('/object').data).toHaveLength(PAGE_ITEMS_DEFAULT);
    expect((await engine.fields.list(['0x3'])).data).toEqual([]);
  });

  it('is followed by the others, item by item', async () => {
    await using hand = await HandEngine.open();
    const { engine } = hand;
    for (let serial = 0; serial < 5; serial++) await hand.commit();
    const listed = await collected(await engine.transactions.list(undefined, { limit: 2 }));
    expect(listed.map(({ order }) => order)).toEqual([5n, 4n, 3n, 2n, 1n, 0n]);
    const keys = (await collected(engine.states.list('/object', { limit: 3 }))).map(({ key }) => key);
    expect(keys).toEqual(engine.states.list('/object', { limit: 1_000 }).data.map(({ key }) => key));
    expect(keys.length).toBeGreaterThan(6);
  });

  it('continues only after a possible item', async () => {
    await using hand = await HandEngine.open();
    const { engine } = hand;
    const page = <C>(cursor: C): PageOptions<C> => ({ cursor, limit: 1, descending: true });
    await expect(engine.transactions.list(undefined, page(-1n))).rejects.toMatchObject(refused);
    await expect(engine.transactions.list(undefined, page(1n << 64n))).rejects.toMatchObject(refused);
    const positions = [
      { order: -1n, index: 0 },
      { order: 1n << 64n, index: 0 },
      { order: 0n, index: -1 },
      { order: 0n, index: 2 ** 32 },
      { order: 0n, index: 0.5 },
    ];
    for (const cursor of positions) {
      await expect(engine.events.list({ kind: 'sender', sender: owner }, page(cursor))).rejects.toMatchObject(refused);
      await expect(engine.objects.list({ kind: 'owner', owner }, page(cursor))).rejects.toMatchObject(refused);
    }
    const list = { kind: 'object', ids: undefined } as const;
    expect(() => engine.states.list(list, { cursor: new Uint8Array(31), limit: 1 })).toThrow(
      expect.objectContaining(refused),
    );
  });

  it('of a range that exceeds the orders of the chain is the page of the whole chain', async () => {
    await using hand = await HandEngine.open();
    const { engine } = hand;
    await hand.commit();
    const page = { limit: 9, descending: false };
    const orders = async (from: bigint, to: bigint): Promise<bigint[]> =>
      (await engine.transactions.list({ kind: 'order', from, to }, page)).data.map(({ order }) => order);
    expect(await orders(-5n, 1n << 70n)).toEqual([0n, 1n]);
    expect(await orders(1n << 70n, 1n << 71n)).toEqual([]);
    const within = async (start: bigint, end: bigint): Promise<number> =>
      (await engine.transactions.list({ kind: 'time', start, end }, page)).data.length;
    expect(await within(-5n, 1n << 70n)).toBe(2);
    expect(await within(1n << 70n, 1n << 71n)).toBe(0);
    const events = await engine.events.list({ kind: 'order', from: 0n, to: 1n << 70n }, { ...page, limit: 500 });
    expect(events.data.length).toBe(22);
  });
});

describe('objects whose parent was deleted', () => {
  const parent: ObjectId = [sha3(Uint8Array.of(1))];
  const child = (number: number): ObjectId => [...parent, sha3(Uint8Array.of(10 + number))];

  it('are skipped, and pages are full all the same', async () => {
    await using hand = await HandEngine.open();
    await hand.commit({
      edits: [
        { id: parent, type: '0x42::a::Parent', value: Uint8Array.of(0), owner },
        ...[0, 1, 2, 3].map((number) => ({
          id: child(number),
          type: '0x42::a::Child',
          value: Uint8Array.of(number),
          owner,
        })),
      ],
    });
    await hand.commit({
      edits: [{ id: [sha3(Uint8Array.of(2))], type: '0x42::a::Child', value: Uint8Array.of(9), owner }],
    });
    await hand.commit({ edits: [{ id: parent, isDeleted: true }] });
    const filter = { kind: 'type', type: parseStructTag('0x42::a::Child') } as const;
    const page = await hand.engine.objects.list(filter, { limit: 1, descending: false });
    expect(page.data.map(({ object }) => object.value)).toEqual([Uint8Array.of(9)]);
    expect(page.hasNextPage).toBe(false);
    const own = await hand.engine.objects.list({ kind: 'owner', owner }, { limit: 9, descending: true });
    expect(own.data).toHaveLength(1);
  });

  it('are skipped among indexed fields', async () => {
    await using hand = await HandEngine.open();
    const registered = encode(objectId, parent);
    const name = (number: bigint): Uint8Array => encode(u64, number);
    const field = (number: bigint): ObjectId => [...parent, deriveFieldKey(name(number), { kind: 'u64' })];
    const fieldType = '0x2::object::DynamicField<u64, u64>';
    const idType = parseStructTag('0x2::object::ObjectID');
    await hand.commit({
      edits: [
        {
          id: [...FIELD_INDEXER_ID, deriveFieldKey(registered, { kind: 'struct', struct: idType })],
          type: '0x2::object::DynamicField<0x2::object::ObjectID, 0x3::indexer::FieldIndexerData>',
          value: concatBytes(registered, encode(string, ''), encode(string, '')),
        },
        { id: parent, type: '0x42::a::Parent', value: Uint8Array.of(0) },
        ...[3n, 1n, 2n].map((number) => ({
          id: field(number),
          type: fieldType,
          value: concatBytes(name(number), encode(u64, number * 10n)),
        })),
      ],
    });
    const ask = (limit: number, page: bigint): Promise<bigint[]> =>
      hand.engine.fields
        .list([parent], { page, limit, descending: false })
        .then(({ data }) => data.map(({ sortKey }) => sortKey));
    expect([await ask(2, 1n), await ask(2, 2n)]).toEqual([[10n, 20n], [30n]]);
    await hand.commit({ edits: [{ id: parent, isDeleted: true }] });
    expect(await ask(2, 1n)).toEqual([]);
    await hand.commit({
      edits: [
        { id: parent, type: '0x42::a::Parent', value: Uint8Array.of(0) },
        { id: field(3n), type: fieldType, value: concatBytes(name(3n), encode(u64, 30n)) },
      ],
    });
    expect([await ask(1, 1n), await ask(1, 2n)], 'only what came back counts').toEqual([[30n], []]);
  });
});

describe('a balance', () => {
  it('of a coin whose stored name is not a type is reported as damage, not as a bad request', async () => {
    await using hand = await HandEngine.open();
    const store = multiCoinStoreId(owner);
    const text = 'gold';
    await hand.commit({
      edits: [
        { id: store, type: '0x3::multi_coin_store::MultiCoinStore', value: Uint8Array.of(0), owner },
        {
          id: [...store, multiCoinFieldKey(parseStructTag('0x42::gold::Gold'))],
          type: '0x2::object::DynamicField<0x1::string::String, 0x3::multi_coin_store::CoinStoreField>',
          value: concatBytes(encode(string, text), encode(string, text), new Uint8Array(33)),
        },
      ],
    });
    await expect(hand.engine.balances.list(owner, { limit: 5 })).rejects.toMatchObject({ code: 'corrupt' });
  });
});
