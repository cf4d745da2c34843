/**
 * Transactions: by hash, by order, and by filter in the order of their sequence.
 *
 * Orders run from 0 to the head's without a gap, so walks by order need no index. Timestamps never decrease, so a time
 * range is a range of orders. Source: crates/rooch-indexer/src/indexer_reader.rs of the reference.
 * @module
 */

import { argumentError, assertFunction, listOf, type ReadOf, readByKind, toBigint } from '../base/argument.ts';
import { equalBytes } from '../base/bytes/bytes.ts';
import { reportAtCaller } from '../base/caller.ts';
import { type HashInput, toHash } from '../base/hash/hash-input.ts';
import { type AddressInput, toAddress } from '../bitcoin/address.ts';
import { transactionSender } from '../chain/index/transactions.ts';
import { CHANGE_SET_READ_BYTES_MAX, readChangeSet, readSizedChangeSet } from '../chain/ledger/change-sets.ts';
import { assertKeptChangeSet, readHistory } from '../chain/ledger/history.ts';
import { readTransaction, readTransactionOrder, type TransactionRecord } from '../chain/ledger/transactions.ts';
import type { StateChangeSet } from '../chain/object/change-set.ts';
import { nodeSource } from '../chain/state/node-row.ts';
import { readable } from '../chain/value/readable.ts';
import { columnKey, columnRange, keyTail, orderBytes, pageRange, readOrder } from '../store/column.ts';
import { nextPiece, ScanPieces } from '../store/piece.ts';
import type { ReadableStore } from '../store/store.ts';
import { followed, mapPage, type Page, type PageOptions, type PageRequest, pageOf, toPage } from './page.ts';
import { Decoder, type Reader, type ReaderSource, readHeld } from './reader.ts';
import type { Makers, Records, Values } from './values.ts';

/** Which transactions a query returns. */
export type TransactionFilter =
  | { readonly kind: 'sender'; readonly sender: AddressInput }
  | { readonly kind: 'hashes'; readonly hashes: readonly HashInput[] }
  | TimeRange
  | OrderRange;

/** Milliseconds on the sequencer's clock: `start` inclusive, `end` exclusive. */
export interface TimeRange {
  readonly kind: 'time';
  readonly start: bigint;
  readonly end: bigint;
}

/** Transaction orders: `from` inclusive, `to` exclusive. */
export interface OrderRange {
  readonly kind: 'order';
  readonly from: bigint;
  readonly to: bigint;
}

type Bounds<Names extends string> = { readonly [Name in Names]: typeof toBigint };

export const RANGES: { readonly time: Bounds<'start' | 'end'>; readonly order: Bounds<'from' | 'to'> } = {
  time: { start: toBigint, end: toBigint },
  order: { from: toBigint, to: toBigint },
};

const FILTERS = { sender: { sender: toAddress }, hashes: { hashes: listOf(toHash) }, ...RANGES };

type ReadTransactionFilter = ReadOf<typeof FILTERS>;

/** A transaction's change set with the roots after it. */
export interface OrderedChangeSet {
  readonly order: bigint;
  readonly changeSet: StateChangeSet;
}

/**
 * A predicate for transactions that pass a filter, as in a query; without a filter, for all.
 * @throws {EngineError} `invalid-argument` for an invalid filter
 */
export function transactionMatcher(filter: TransactionFilter | undefined): (record: TransactionRecord) => boolean {
  if (filter === undefined) return () => true;
  const read = readByKind(filter, 'filter', FILTERS);
  switch (read.kind) {
    case 'sender':
      return ({ transaction }) => equalBytes(transactionSender(transaction.data), read.sender);
    case 'hashes':
      return ({ executionInfo }) => read.hashes.some((hash) => equalBytes(hash, executionInfo.txHash));
    case 'time':
      return ({ transaction }) => {
        const { txTimestamp } = transaction.sequenceInfo;
        return txTimestamp >= read.start && txTimestamp < read.end;
      };
    case 'order':
      return ({ order }) => order >= read.from && order < read.to;
  }
}

export class TransactionQueries<Results extends Values | Records = Values> {
  static {
    reportAtCaller(TransactionQueries);
  }

  readonly #source: ReaderSource;
  readonly #make: Makers<Results>;

  constructor(source: ReaderSource, make: Makers<Results>) {
    this.#source = source;
    this.#make = make;
  }

  /**
   * The transaction of a hash or at an order, or undefined.
   * @throws {EngineError} `invalid-argument`
   */
  get(hashOrOrder: HashInput | bigint): Results['transaction'] | undefined {
    const { rows, head } = this.#source.current();
    const order =
      typeof hashOrOrder === 'bigint'
        ? hashOrOrder
        : readTransactionOrder(rows, toHash(hashOrOrder, 'hashOrOrder', 'an order (a bigint), or a transaction hash'));
    if (order === undefined || order < 0n || order > head.order) return undefined;
    return this.#made(readTransaction(rows, order));
  }

  #made(record: TransactionRecord): Results['transaction'] {
    return this.#make.transaction(record, new Decoder(this.#source, { root: record.executionInfo.stateRoot }));
  }

  #page({ rows }: Reader, orders: readonly bigint[], page: PageRequest<bigint>): Page<Results['transaction'], bigint> {
    const found = pageOf(orders, page, (order) => order);
    return mapPage(found, (order) => this.#made(readTransaction(rows, order)));
  }

  /** A predicate for the transactions that pass a filter; without a filter, for all. @internal */
  matcher(filter: TransactionFilter | undefined): (record: TransactionRecord) => boolean {
    return transactionMatcher(filter);
  }

  /** Transactions, all of them or by filter, by default newest first. */
  async list(filter?: TransactionFilter, page?: PageOptions<bigint>): Promise<Page<Results['transaction'], bigint>> {
    const read = filter === undefined ? undefined : readByKind(filter, 'filter', FILTERS);
    const request = toPage(page);
    const found = await readHeld(this.#source, async (reader) => {
      const all = { from: 0n, to: reader.head.order + 1n };
      const orders = read === undefined ? orderWalk(all, request) : await filteredOrders(reader, read, request);
      return this.#page(reader, orders, request);
    });
    return followed(found, (cursor) => this.list(filter, { ...page, cursor }));
  }

  /**
   * Change sets in the order of their transactions, by default oldest first, reduced by `select`, and skipped if that
   * returns undefined. All are read as of one commit, in pieces, freeing the thread in between. A page ends early at
   * CHANGE_SET_READ_BYTES_MAX, which a single change set can reach. Do not write to their bytes, which the engine shares.
   */
  async changeSets(
    page?: PageOptions<bigint>,
    select: (changeSet: StateChangeSet) => StateChangeSet | undefined = (changeSet) => changeSet,
  ): Promise<Page<OrderedChangeSet, bigint>> {
    assertFunction(select, 'select');
    const request = toPage(page, false);
    const sets = await readHeld(this.#source, async ({ rows, head }) => {
      const found: OrderedChangeSet[] = [];
      const pieces = new ScanPieces();
      let { limit } = request;
      let length = 0;
      for (const order of walkOrders({ from: 0n, to: head.order + 1n }, request)) {
        assertKeptChangeSet(rows, order);
        const read = readSizedChangeSet(rows, nodeSource(rows), order, CHANGE_SET_READ_BYTES_MAX);
        const changeSet = select(read.changeSet.stateChangeSet);
        if (changeSet !== undefined) {
          found.push(readable({ order, changeSet }));
          length += read.length;
          if (length > CHANGE_SET_READ_BYTES_MAX) limit = Math.min(limit, Math.max(found.length - 1, 1));
        }
        if (found.length > limit) break;
        if (pieces.add(read.length)) await nextPiece();
      }
      return pageOf(found, { ...request, limit }, ({ order }) => order);
    });
    return followed(sets, (cursor) => this.changeSets({ ...page, cursor }, select));
  }

  /**
   * What the transaction at an order changed, or undefined beyond the head. Do not write to its bytes, which the engine
   * shares.
   * @throws {EngineError} `limit-exceeded` for more than CHANGE_SET_READ_BYTES_MAX, `pruned`.
   */
  changeSet(order: bigint): StateChangeSet | undefined {
    if (typeof order !== 'bigint') throw argumentError('order', 'a bigint', order);
    const { rows, head } = this.#source.current();
    if (order < 0n || order > head.order) return undefined;
    assertKeptChangeSet(rows, order);
    return readChangeSet(rows, nodeSource(rows), order, CHANGE_SET_READ_BYTES_MAX).stateChangeSet;
  }

  /**
   * The orders in a page of transactions, by default oldest first, whose change set is missing though not pruned: none
   * on a sound chain. Contents are not read; `movelet verify` does that.
   */
  missingChangeSets(page?: PageOptions<bigint>): bigint[] {
    const request = toPage(page, false);
    const { rows, head } = this.#source.current();
    const orders = orderWalk({ from: 0n, to: head.order + 1n }, request).slice(0, request.limit);
    const oldest = readHistory(rows)?.oldest ?? 0n;
    return orders.filter(
      (order) => (order === 0n || order > oldest) && rows.get(columnKey('changeSet', orderBytes(order))) === undefined,
    );
  }
}

/** The orders of [from, to) in the page's direction, after its cursor. */
function* walkOrders(
  range: { readonly from: bigint; readonly to: bigint },
  { cursor, descending }: PageRequest<bigint>,
): Generator<bigint, void, undefined> {
  const low = !descending && cursor !== undefined && cursor >= range.from ? cursor + 1n : range.from;
  const high = descending && cursor !== undefined && cursor < range.to ? cursor : range.to;
  for (let step = 0n; low + step < high; step++) yield descending ? high - 1n - step : low + step;
}

/** Up to `limit + 1` of them. */
export function orderWalk(range: { readonly from: bigint; readonly to: bigint }, page: PageRequest<bigint>): bigint[] {
  const orders: bigint[] = [];
  for (const order of walkOrders(range, page)) {
    orders.push(order);
    if (orders.length > page.limit) break;
  }
  return orders;
}

async function filteredOrders(
  reader: Reader,
  filter: ReadTransactionFilter,
  page: PageRequest<bigint>,
): Promise<bigint[]> {
  switch (filter.kind) {
    case 'sender': {
      const cursor = page.cursor === undefined ? undefined : orderBytes(page.cursor);
      const range = pageRange('transactionBySender', [filter.sender], { ...page, cursor, limit: page.limit + 1 });
      const rows = await reader.rows.range(range);
      return rows.map(({ key }) => readOrder(keyTail(key, filter.sender.length), 0));
    }
    case 'hashes': {
      const orders = filter.hashes.map((hash) => readTransactionOrder(reader.rows, hash));
      return walkSome(
        orders.filter((order) => order !== undefined),
        page,
      );
    }
    case 'time':
    case 'order':
      return orderWalk(await orderBounds(reader, filter), page);
  }
}

/** As `orderWalk`, over the given orders, each once. */
function walkSome(orders: readonly bigint[], page: PageRequest<bigint>): bigint[] {
  const { cursor, descending, limit } = page;
  const after = (order: bigint): boolean => cursor === undefined || (descending ? order < cursor : order > cursor);
  const rising = [...new Set(orders)].filter(after).sort((left, right) => (left < right ? -1 : 1));
  return (descending ? rising.reverse() : rising).slice(0, limit + 1);
}

/** The orders within the chain that an order or time range covers. */
export async function orderBounds(
  reader: Reader,
  range: TimeRange | OrderRange,
): Promise<{ from: bigint; to: bigint }> {
  const end = reader.head.order + 1n;
  const within = (order: bigint): bigint => (order < 0n ? 0n : order < end ? order : end);
  if (range.kind === 'order') return { from: within(range.from), to: within(range.to) };
  const from = (await firstOrderAt(reader.rows, range.start)) ?? end;
  const to = (await firstOrderAt(reader.rows, range.end)) ?? end;
  return { from, to };
}

const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** The first transaction at or after a time. */
async function firstOrderAt(rows: ReadableStore, asked: bigint): Promise<bigint | undefined> {
  const time = asked < 0n ? 0n : asked;
  if (time > U64_MAX) return undefined;
  const { lt } = columnRange('transactionByTime');
  const [row] = await rows.range({ gte: columnKey('transactionByTime', orderBytes(time)), lt, limit: 1 });
  return row === undefined ? undefined : readOrder(keyTail(row.key, 8), 0);
}
