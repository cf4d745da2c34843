/** Compares an engine with the model beside it, question by question. */
import { expect } from 'vitest';
import { encode, string } from '../../src/base/bcs.ts';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { sha3 } from '../../src/base/hash/sha3.ts';
import type {
  ChainView,
  Engine,
  EventFilter,
  ObjectFilter,
  Page,
  Position,
  TransactionFilter,
} from '../../src/index.ts';
import { addressOf } from '../../src/move/address.ts';
import { canonicalStruct, displayStruct } from '../../src/move/type-tag.ts';
import type { RecordView } from '../../src/query/chain-view.ts';
import type { PageRequest } from '../../src/query/page.ts';
import {
  type Address,
  formatFieldKey,
  formatObjectId,
  namedObjectId,
  type ObjectId,
  type ObjectMeta,
  parseObjectId,
  parseStructTag,
  type StructTag,
} from '../../src/query/transaction-builder.ts';
import type { FoundObject } from '../../src/query/values.ts';
import { type ChainModel, isOfType, type ModelEvent, type ModelObject, type ModelRow } from './chain-model.ts';
import { COINS, CUSTOM_HANDLES, EVENT_TYPES, OWNERS, TYPES } from './chain-player.ts';

/** How pages are asked for. */
export interface Walk {
  readonly limit: number;
  readonly descending: boolean;
}

type Ask<T, C> = (page: PageRequest<C>) => Page<T, C> | Promise<Page<T, C>>;

/** All items of a walk page by page, each page checked: full ones until the last, which alone says that it is. */
export async function walkPages<T, C>(ask: Ask<T, C>, { limit, descending }: Walk, from?: C): Promise<T[]> {
  const items: T[] = [];
  let cursor = from;
  for (;;) {
    const page = await ask({ cursor, limit, descending });
    items.push(...page.data);
    expect(page.data.length).toBeLessThanOrEqual(limit);
    if (page.data.length === 0) expect(page.nextCursor).toEqual(cursor);
    if (!page.hasNextPage) return items;
    expect(page.data.length, 'a page that is followed by another').toBe(limit);
    cursor = page.nextCursor;
  }
}

function directed<T>(items: readonly T[], { descending }: Walk): T[] {
  return descending ? [...items].reverse() : [...items];
}

/** Done by the host: values are as long as modules. */
const hex = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');

const text = ({ meta, value }: { meta: Omit<ObjectMeta, 'stateRoot'>; value: Uint8Array }): string =>
  [
    formatObjectId(meta.id),
    toHex(meta.owner),
    meta.flag,
    meta.size,
    meta.createdAt,
    meta.updatedAt,
    displayStruct(meta.objectType),
    hex(value),
  ].join(' ');

const placed = ({ object, position }: FoundObject): string => `${position.order},${position.index} ${text(object)}`;

/** Everything that can be asked, in pages of `walk`. */
export async function expectSame({ inside: engine }: Engine, model: ChainModel, walk: Walk): Promise<void> {
  expectSameStates(engine, model, walk);
  await expectSameObjects(engine, model, walk);
  await expectSameBitcoin(engine, model, walk);
  await expectSameEvents(engine, model, walk);
  await expectSameTransactions(engine, model, walk);
  await expectSameBalances(engine, model, walk);
}

/** Objects by id, and the fields of each. */
export function expectSameStates(
  { inside: engine }: Pick<ChainView, 'inside'>,
  model: ChainModel,
  { limit }: Walk,
): void {
  for (const object of model.objects.values()) {
    const found = engine.objects.get(object.id);
    expect(found === undefined ? undefined : text(found)).toBe(text(object));
  }
  const parents: ObjectId[] = [[], [sha3(Uint8Array.of(9))], ...[...model.objects.values()].map(({ id }) => id)];
  for (const parent of parents) {
    const found: string[] = [];
    let cursor: Uint8Array | undefined;
    for (;;) {
      const path = { kind: 'fields', object: parent, keys: undefined } as const;
      const page = engine.states.list(path, { cursor, limit });
      for (const { key, object } of page.data) found.push(`${formatFieldKey(key)} ${text(object)}`);
      if (!page.hasNextPage) break;
      expect(page.data.length).toBe(limit);
      cursor = page.nextCursor;
    }
    expect(found).toEqual(model.fields(parent).map((field) => `${formatFieldKey(field.id.at(-1)!)} ${text(field)}`));
  }
}

export const ASKED_TYPES: readonly StructTag[] = [
  ...TYPES,
  ...['0x42::game::Bo', '0x3::coin_store::CoinStore', '0x2::module_store::Package', '0x4::utxo::UTXO'].map(
    parseStructTag,
  ),
];
export const ASKED_OWNERS: readonly Address[] = [...OWNERS, addressOf(3), addressOf(0x999)];

async function expectSameObjects(engine: RecordView, model: ChainModel, walk: Walk): Promise<void> {
  const rows = model.indexed('object');
  const check = async (filter: ObjectFilter, isWanted: (row: ModelRow) => boolean): Promise<void> => {
    const wanted = directed(rows.filter(isWanted), walk).map((row) => placedRow(model, row));
    const found = await walkPages((page: PageRequest<Position>) => engine.objects.list(filter, page), walk);
    expect(found.map(placed)).toEqual(wanted);
  };
  for (const type of ASKED_TYPES) await check({ kind: 'type', type }, (row) => isOfType(row.type, type));
  for (const owner of ASKED_OWNERS) {
    const isOwned = (row: ModelRow): boolean => row.owner === toHex(owner);
    await check({ kind: 'owner', owner }, isOwned);
    for (const type of ASKED_TYPES) {
      await check({ kind: 'type-and-owner', type, owner }, (row) => isOwned(row) && isOfType(row.type, type));
      const others = { kind: 'type-and-owner', type, owner, otherTypes: true } as const;
      await check(others, (row) => isOwned(row) && !isOfType(row.type, type));
    }
  }
  const ids = [...rows.slice(0, 5).map(({ id }) => parseObjectId(id)), [sha3(Uint8Array.of(9))]];
  const byId = await engine.objects.list({ kind: 'ids', ids }, { limit: walk.limit, descending: walk.descending });
  const existing = rows.slice(0, 5).map(({ id }) => text(model.objects.get(id)!));
  expect(byId.data.map(({ object }) => text(object))).toEqual(existing.slice(0, walk.limit));
  expect(byId.hasNextPage).toBe(existing.length > walk.limit);
}

function placedRow(model: ChainModel, { id, order, index }: ModelRow): string {
  return `${order},${index} ${text(model.objects.get(id)!)}`;
}

async function expectSameBitcoin(engine: RecordView, model: ChainModel, walk: Walk): Promise<void> {
  for (const kind of ['utxo', 'inscription'] as const) {
    const rows = model.indexed(kind);
    const ask = kind === 'utxo' ? engine.bitcoin.utxos : engine.bitcoin.inscriptions;
    const query = ask.bind(engine.bitcoin) as RecordView['bitcoin']['utxos'];
    const wanted = (some: readonly ModelRow[]): string[] => directed(some, walk).map((row) => placedRow(model, row));
    expect((await walkPages((page: PageRequest<Position>) => query({ kind: 'all' }, page), walk)).map(placed)).toEqual(
      wanted(rows),
    );
    for (const owner of ASKED_OWNERS) {
      const found = await walkPages((page: PageRequest<Position>) => query({ kind: 'owner', owner }, page), walk);
      expect(found.map(placed)).toEqual(wanted(rows.filter((row) => row.owner === toHex(owner))));
    }
    const ids = rows.map(({ id }) => parseObjectId(id));
    const page = await query({ kind: 'object-ids', ids: ids.slice(0, 9) }, { limit: 9, descending: walk.descending });
    expect(page.data.map(({ object }) => formatObjectId(object.meta.id))).toEqual(ids.slice(0, 9).map(formatObjectId));
  }
}

async function expectSameEvents(engine: RecordView, model: ChainModel, walk: Walk): Promise<void> {
  const { events, transactions } = model;
  const show = (event: ModelEvent): string => Object.values(event).join(' ');
  const check = async (filter: EventFilter, isWanted: (event: ModelEvent) => boolean): Promise<void> => {
    const found = await walkPages((page: PageRequest<Position>) => engine.events.list(filter, page), walk);
    const shown = found.map(({ position, event, txHash, sender, createdAt }) =>
      [
        position.order,
        position.index,
        formatObjectId(event.handle),
        event.eventSeq,
        displayStruct(event.eventType),
        toHex(event.eventData),
        toHex(sender),
        toHex(txHash),
        createdAt,
      ].join(' '),
    );
    expect(shown).toEqual(directed(events.filter(isWanted), walk).map(show));
  };
  const handles = [...EVENT_TYPES.map(namedObjectId), ...CUSTOM_HANDLES, [sha3(Uint8Array.of(9))]];
  const types = [...EVENT_TYPES, parseStructTag('0x42::game::Traded')];
  for (const type of types) {
    await check({ kind: 'type', type }, (event) => event.type === displayStruct(type));
    for (const sender of ASKED_OWNERS) {
      const isWanted = (event: ModelEvent): boolean =>
        event.type === displayStruct(type) && event.sender === toHex(sender);
      await check({ kind: 'type', type, sender }, isWanted);
    }
  }
  for (const handle of handles) {
    const isOn = (event: ModelEvent): boolean => event.handle === formatObjectId(handle);
    await check({ kind: 'handle', handle }, isOn);
    const found = await walkPages((page: PageRequest<bigint>) => engine.events.byHandle(handle, page), walk);
    expect(found.map(({ event }) => event.eventSeq)).toEqual(directed(events.filter(isOn), walk).map(({ seq }) => seq));
    for (const sender of ASKED_OWNERS) {
      await check({ kind: 'handle', handle, sender }, (event) => isOn(event) && event.sender === toHex(sender));
    }
  }
  for (const sender of ASKED_OWNERS) await check({ kind: 'sender', sender }, (event) => event.sender === toHex(sender));
  for (const { order, hash, time } of transactions) {
    await check({ kind: 'transaction', hash: Buffer.from(hash, 'hex') }, (event) => event.order === order);
    await check({ kind: 'time', start: time, end: time + 2n }, (event) => event.time >= time && event.time < time + 2n);
    const to = order + 2n;
    await check({ kind: 'order', from: order, to }, (event) => event.order >= order && event.order < to);
  }
  await check({ kind: 'transaction', hash: sha3(Uint8Array.of(9)) }, () => false);
  await check({ kind: 'order', from: 3n, to: 1n }, () => false);
  await check({ kind: 'time', start: 0n, end: 0xffff_ffff_ffff_ffffn }, () => true);
}

async function expectSameTransactions(engine: RecordView, model: ChainModel, walk: Walk): Promise<void> {
  const { transactions } = model;
  const check = async (ask: Ask<{ order: bigint }, bigint>, wanted: typeof transactions): Promise<void> => {
    const found = await walkPages(ask, walk);
    expect(found.map(({ order }) => order)).toEqual(directed(wanted, walk).map(({ order }) => order));
  };
  await check((page) => engine.transactions.list(undefined, page), transactions);
  await check((page) => engine.transactions.changeSets(page), transactions);
  const filtered = (filter: TransactionFilter, wanted: typeof transactions): Promise<void> =>
    check((page) => engine.transactions.list(filter, page), wanted);
  for (const sender of ASKED_OWNERS) {
    await filtered(
      { kind: 'sender', sender },
      transactions.filter((transaction) => transaction.sender === toHex(sender)),
    );
  }
  const some = transactions.filter(({ order }) => order % 3n !== 1n);
  const hashes = some.map(({ hash }) => Buffer.from(hash, 'hex'));
  await filtered({ kind: 'hashes', hashes: [...hashes, sha3(Uint8Array.of(9)), ...hashes].reverse() }, some);
  for (const { order, time } of transactions) {
    const isIn = (other: { time: bigint }): boolean => other.time >= time && other.time < time + 2n;
    await filtered({ kind: 'time', start: time, end: time + 2n }, transactions.filter(isIn));
    const range = { kind: 'order', from: order, to: order + 3n } as const;
    await filtered(
      range,
      transactions.filter((other) => other.order >= range.from && other.order < range.to),
    );
  }
  for (const { order, hash } of transactions) expect(engine.transactions.get(hash)?.order).toBe(order);
  expect(engine.transactions.get(new Uint8Array(32))).toBeUndefined();
  for (const { order, hash, time } of transactions) {
    const record = engine.transactions.get(order)!;
    expect(toHex(record.executionInfo.txHash)).toBe(hash);
    expect(record.transaction.sequenceInfo.txTimestamp).toBe(time);
  }
  expect(engine.transactions.get(model.nextOrder)).toBeUndefined();
}

/** Sums by a scan of the two places that hold coins. */
async function expectSameBalances(engine: RecordView, model: ChainModel, walk: Walk): Promise<void> {
  for (const owner of ASKED_OWNERS) {
    const wanted: { key: string; balance: bigint }[] = [];
    for (const coin of [...COINS, parseStructTag('0x3::gas_coin::RGas')]) {
      const held = [single(model, owner, coin), multi(model, owner, coin)].filter((amount) => amount !== undefined);
      const balance = held.reduce((sum, amount) => sum + amount, 0n);
      expect(engine.balances.amount(owner, coin)).toBe(balance);
      const name = canonicalStruct(coin);
      if (held.length > 0) wanted.push({ key: toHex(sha3(new TextEncoder().encode(name))), balance });
    }
    wanted.sort((left, right) => (left.key < right.key ? -1 : 1));
    const ascending = { ...walk, descending: false };
    const found = await walkPages((page: PageRequest<Uint8Array>) => engine.balances.list(owner, page), ascending);
    expect(found.map(({ balance }) => balance)).toEqual(wanted.map(({ balance }) => balance));
  }
}

const u256 = (bytes: Uint8Array): bigint => bytes.reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);

function single(model: ChainModel, owner: Address, coin: StructTag): bigint | undefined {
  const type = canonicalStruct(parseStructTag(`0x3::coin_store::CoinStore<${canonicalStruct(coin)}>`));
  const object = model.objects.get(`0x${toHex(sha3(Buffer.concat([owner, Buffer.from(type)])))}`);
  // The index finds an account's coins by their owner.
  return object === undefined ? undefined : u256(object.value.subarray(0, 32));
}

function multi(model: ChainModel, owner: Address, coin: StructTag): bigint | undefined {
  const store = canonicalStruct(parseStructTag('0x3::multi_coin_store::MultiCoinStore'));
  const name = encode(string, canonicalStruct(coin));
  const stringType = canonicalStruct(parseStructTag('0x1::string::String'));
  const key = sha3(Buffer.concat([name, Buffer.from(stringType)]));
  const id = `0x${toHex(sha3(Buffer.concat([owner, Buffer.from(store)])))}${toHex(key)}`;
  const field: ModelObject | undefined = model.objects.get(id);
  return field === undefined ? undefined : u256(field.value.subarray(2 * name.length, 2 * name.length + 32));
}

/** Where a walk may begin: at items, between them and beyond them. */
export function positionsAround(model: ChainModel): Position[] {
  return model.transactions.flatMap(({ order }) => [0, 1, 3, 0xffff_ffff].map((index) => ({ order, index })));
}
