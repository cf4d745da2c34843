/**
 * Events: by handle in the order of their sequence numbers, and by filter in the order of (transaction, index).
 * Source: crates/rooch-indexer/src/indexer_reader.rs of the reference.
 * @module
 */
import {
  argumentError,
  assertFits,
  assertObject,
  ifGiven,
  type ReadOf,
  readByKind,
  wholeNumber,
} from '../base/argument.ts';
import { compareBytes, equalBytes } from '../base/bytes/bytes.ts';
import { reportAtCaller } from '../base/caller.ts';
import { type HashInput, toHash } from '../base/hash/hash-input.ts';
import { type AddressInput, toAddress } from '../bitcoin/address.ts';
import { eventHandleKey, eventTypeKey, transactionSender } from '../chain/index/transactions.ts';
import {
  countEventsBefore,
  type EventRecord,
  readEvent,
  readEventCount,
  readEventPosition,
  readEvents,
} from '../chain/ledger/events.ts';
import { readTransaction, readTransactionOrder, type TransactionRecord } from '../chain/ledger/transactions.ts';
import { equalObjectIds, type ObjectId, type ObjectIdInput, toObjectId } from '../chain/object/object-id.ts';
import { type Address, isSystemAddress } from '../move/address.ts';
import { type StructTag, type StructTagInput, structType, toStructTag, typeKey } from '../move/type-tag.ts';
import { columnKey, keyTail, orderBytes, type Position, positionBytes, readPosition } from '../store/column.ts';
import {
  followed,
  mapPage,
  type Page,
  type PageOptions,
  type PageRequest,
  pageOf,
  positionedItems,
  toPage,
} from './page.ts';
import { Decoder, type Reader, type ReaderSource, readHeld } from './reader.ts';
import { type OrderRange, orderBounds, orderWalk, RANGES, type TimeRange } from './transaction.ts';
import type { FoundEvent, Makers, Records, Values } from './values.ts';

/** Which events a query returns. */
export type EventFilter =
  | { readonly kind: 'type'; readonly type: StructTagInput; readonly sender?: AddressInput | undefined }
  | { readonly kind: 'handle'; readonly handle: ObjectIdInput; readonly sender?: AddressInput | undefined }
  | { readonly kind: 'sender'; readonly sender: AddressInput }
  | { readonly kind: 'transaction'; readonly hash: HashInput }
  | TimeRange
  | OrderRange;

const FILTERS = {
  type: { type: toStructTag, sender: ifGiven(toAddress) },
  handle: { handle: toObjectId, sender: ifGiven(toAddress) },
  sender: { sender: toAddress },
  transaction: { hash: (given: HashInput, name: string) => toHash(given, name, 'a transaction hash') },
  ...RANGES,
};

type ReadEventFilter = ReadOf<typeof FILTERS>;

/**
 * A predicate for events that pass a filter, as in a query; without a filter, for all.
 * @throws {EngineError} `invalid-argument` for an invalid filter
 */
export function eventMatcher(filter: EventFilter | undefined): (event: FoundEvent) => boolean {
  if (filter === undefined) return () => true;
  const read = readByKind(filter, 'filter', FILTERS);
  switch (read.kind) {
    case 'type': {
      const key = typeKey(structType(read.type));
      return ({ event, sender }) => typeKey(structType(event.eventType)) === key && isSender(read.sender, sender);
    }
    case 'handle':
      return ({ event, sender }) => equalObjectIds(event.handle, read.handle) && isSender(read.sender, sender);
    case 'sender':
      return ({ sender }) => equalBytes(sender, read.sender);
    case 'transaction':
      return ({ txHash }) => equalBytes(txHash, read.hash);
    case 'time':
      return ({ createdAt }) => createdAt >= read.start && createdAt < read.end;
    case 'order':
      return ({ position }) => position.order >= read.from && position.order < read.to;
  }
}

function isSender(wanted: Uint8Array | undefined, sender: Uint8Array): boolean {
  return wanted === undefined || equalBytes(wanted, sender);
}

/** An index among a transaction's events, or a count of them. */
const INDEX = wholeNumber(0, 0xffff_ffff);

/** @throws {EngineError} `invalid-argument` */
export function assertPosition(position: Position): void {
  assertObject(position, 'position', '{ order, index }');
  if (typeof position.order !== 'bigint') throw argumentError('position.order', 'a bigint', position.order);
  assertFits(position.index, 'position.index', INDEX);
}

export class EventQueries<Results extends Values | Records = Values> {
  static {
    reportAtCaller(EventQueries);
  }

  readonly #source: ReaderSource;
  readonly #make: Makers<Results>;

  constructor(source: ReaderSource, make: Makers<Results>) {
    this.#source = source;
    this.#make = make;
  }

  /**
   * The events of a handle, by default newest first; the cursor is a sequence number. The handle's id is that of its
   * event type's named object, or an id of its own. Empty for an unknown handle.
   */
  byHandle(handle: ObjectIdInput, page?: PageOptions<bigint>): Page<Results['event'], bigint> {
    const id = toObjectId(handle, 'handle');
    const request = toPage(page);
    const reader = this.#source.current();
    const found = orderWalk({ from: 0n, to: readEventCount(reader.rows, id) }, request);
    const indexed = this.#indexed(reader);
    const events = mapPage(
      pageOf(found, request, (seq) => seq),
      (seq) => indexed(readEvent(reader.rows, readEventPosition(reader.rows, id, seq))),
    );
    return followed(events, (cursor) => this.byHandle(handle, { ...page, cursor }));
  }

  /**
   * The event at a position, or undefined.
   * @throws {EngineError} `invalid-argument`
   */
  get(position: Position): Results['event'] | undefined {
    assertPosition(position);
    const { head } = this.#source.current();
    if (position.order < 0n || position.order > head.order) return undefined;
    return this.ofTransaction(position.order, position.index, 1)[0];
  }

  /** Events by filter, by default newest first. */
  async list(filter: EventFilter, page?: PageOptions<Position>): Promise<Page<Results['event'], Position>> {
    const read = readByKind(filter, 'filter', FILTERS);
    const request = toPage(page);
    const found = await readHeld(this.#source, async (reader) => {
      const positions = pageOf(await filteredPositions(reader, read, request), request, (position) => position);
      const indexed = this.#indexed(reader);
      return mapPage(positions, (position) => indexed(readEvent(reader.rows, position)));
    });
    return followed(found, (cursor) => this.list(filter, { ...page, cursor }));
  }

  /** A predicate for the events that pass a filter; without a filter, for all. @internal */
  matcher(filter: EventFilter | undefined): (event: FoundEvent) => boolean {
    return eventMatcher(filter);
  }

  /**
   * The events of the transaction at an order, in the order in which they were emitted: at most `limit` of them, from
   * index `from` on; by default all.
   */
  ofTransaction(order: bigint, from = 0, limit?: number): Results['event'][] {
    if (typeof order !== 'bigint') throw argumentError('order', 'a bigint', order);
    assertFits(from, 'from', INDEX);
    if (limit !== undefined) assertFits(limit, 'limit', INDEX);
    const reader = this.#source.current();
    return readEvents(reader.rows, order, from, limit).map(this.#indexed(reader));
  }

  /** Adds to events what the ledger knows of their transactions, reading each transaction once. */
  #indexed(reader: Reader): (record: EventRecord) => Results['event'] {
    const decoder = new Decoder(this.#source, reader.state);
    const known = new Map<bigint, TransactionRecord>();
    return (record) => {
      const { order } = record.position;
      let transaction = known.get(order);
      if (transaction === undefined) {
        transaction = readTransaction(reader.rows, order);
        known.set(order, transaction);
      }
      const { data, sequenceInfo } = transaction.transaction;
      const { txHash } = transaction.executionInfo;
      const origin = { txHash, sender: transactionSender(data), createdAt: sequenceInfo.txTimestamp };
      return this.#make.event({ ...record, ...origin }, decoder);
    };
  }
}

/** Up to `limit + 1` positions in the page's direction, after its cursor. */
async function filteredPositions(
  reader: Reader,
  filter: ReadEventFilter,
  page: PageRequest<Position>,
): Promise<Position[]> {
  switch (filter.kind) {
    case 'type':
      return typePositions(reader, filter.type, filter.sender, page);
    case 'handle':
      if (filter.sender === undefined) return handlePositions(reader, filter.handle, page);
      return senderPositions(reader, filter.sender, page, { at: 32, key: eventHandleKey(filter.handle) });
    case 'sender':
      return senderPositions(reader, filter.sender, page);
    case 'transaction': {
      const order = readTransactionOrder(reader.rows, filter.hash);
      return order === undefined ? [] : rangePositions(reader, { from: order, to: order + 1n }, page);
    }
    case 'time':
    case 'order':
      return rangePositions(reader, await orderBounds(reader, filter), page);
  }
}

/**
 * With a sender, either index would do. An ordinary account has few events, whereas the system account sends every
 * Bitcoin transaction, with events of few types.
 */
async function typePositions(
  reader: Reader,
  type: StructTag,
  sender: Address | undefined,
  page: PageRequest<Position>,
): Promise<Position[]> {
  const key = eventTypeKey(type);
  if (sender !== undefined && !isSystemAddress(sender)) return senderPositions(reader, sender, page, { at: 0, key });
  return positionedItems(reader.rows, 'eventByType', [key], page, ({ position, value }) =>
    sender === undefined || equalBytes(value, sender) ? position : undefined,
  );
}

/** Events of a sender; `only` holds a key that must be present at a byte offset in the row's value. */
function senderPositions(
  reader: Reader,
  sender: Address,
  page: PageRequest<Position>,
  only?: { readonly at: number; readonly key: Uint8Array },
): Promise<Position[]> {
  const matches = (value: Uint8Array): boolean =>
    only === undefined || equalBytes(value.subarray(only.at, only.at + only.key.length), only.key);
  return positionedItems(reader.rows, 'eventBySender', [sender], page, ({ position, value }) =>
    matches(value) ? position : undefined,
  );
}

/** Sequence numbers and positions of a handle rise together, so the cursor is turned into a sequence number. */
function handlePositions(reader: Reader, handle: ObjectId, page: PageRequest<Position>): Position[] {
  const { cursor, descending, limit } = page;
  const count = readEventCount(reader.rows, handle);
  const before = cursor === undefined ? undefined : countEventsBefore(reader.rows, handle, cursor);
  let seqCursor = before;
  if (before !== undefined && !descending) {
    const at = before < count ? readEventPosition(reader.rows, handle, before) : undefined;
    const isAt = at !== undefined && at.order === cursor?.order && at.index === cursor.index;
    seqCursor = isAt ? before : before - 1n;
  }
  return orderWalk({ from: 0n, to: count }, { cursor: seqCursor, descending, limit }).map((seq) =>
    readEventPosition(reader.rows, handle, seq),
  );
}

async function rangePositions(
  reader: Reader,
  range: { readonly from: bigint; readonly to: bigint },
  { cursor, descending, limit }: PageRequest<Position>,
): Promise<Position[]> {
  const from = columnKey('event', orderBytes(range.from));
  const to = columnKey('event', orderBytes(range.to));
  const at = cursor === undefined ? undefined : columnKey('event', positionBytes(cursor));
  const end = descending && at !== undefined && compareBytes(at, to) < 0 ? at : to;
  const startsAfter = !descending && at !== undefined && compareBytes(at, from) >= 0;
  const start = startsAfter ? at : from;
  if (compareBytes(start, end) >= 0) return [];
  const bounds = startsAfter ? { gt: start, lt: end } : { gte: start, lt: end };
  const rows = await reader.rows.range({ ...bounds, reverse: descending, limit: limit + 1 });
  return rows.map(({ key }) => readPosition(keyTail(key, 0), 0));
}
