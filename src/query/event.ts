/**
 * Events: by handle in the order of their sequence numbers, and by filter in the order of (transaction, index).
 * Source: spec/rpc.md 8.4 and 8.11.
 * @module
 */
import { compareBytes, equalBytes } from '../bytes/compare.ts';
import { eventHandleKey, eventTypeKey } from '../index/events.ts';
import { transactionSender } from '../index/transactions.ts';
import { countEventsBefore, type EventRecord, readEvent, readEventCount, readEventPosition } from '../ledger/events.ts';
import { readTransaction, readTransactionOrder, type TransactionRecord } from '../ledger/transactions.ts';
import { type Address, isSystemAddress } from '../move/address.ts';
import type { StructTag } from '../move/type-tag.ts';
import type { ObjectId } from '../object/object-id.ts';
import { columnKey, keyTail, orderBytes, type Position, positionBytes, readPosition } from '../store/column.ts';
import { assertPage, type Page, type PageRequest, pageOf, positionedItems } from './page.ts';
import type { Reader, ReaderSource } from './reader.ts';
import { type OrderRange, orderBounds, type TimeRange } from './transaction.ts';

export type EventFilter =
  | { readonly kind: 'type'; readonly type: StructTag; readonly sender?: Address | undefined }
  | { readonly kind: 'handle'; readonly handle: ObjectId; readonly sender?: Address | undefined }
  | { readonly kind: 'sender'; readonly sender: Address }
  | { readonly kind: 'transaction'; readonly hash: Uint8Array }
  | TimeRange
  | OrderRange;

/** An event with what the ledger knows of its transaction. */
export interface IndexedEvent extends EventRecord {
  readonly txHash: Uint8Array;
  readonly sender: Address;
  /** Milliseconds of the sequencer's clock. */
  readonly createdAt: bigint;
}

export class EventQueries {
  readonly #source: ReaderSource;

  constructor(source: ReaderSource) {
    this.#source = source;
  }

  /** The events of a handle; the cursor is a sequence number. None for an unknown handle. */
  byHandle(handle: ObjectId, page: PageRequest<bigint>): Page<EventRecord, bigint> {
    assertPage(page);
    const { rows } = this.#source.current();
    const found = sequenceWalk(readEventCount(rows, handle), page).map((seq) =>
      readEvent(rows, readEventPosition(rows, handle, seq)),
    );
    return pageOf(found, page, ({ event }) => event.eventSeq);
  }

  async query(filter: EventFilter, page: PageRequest<Position>): Promise<Page<IndexedEvent, Position>> {
    assertPage(page);
    return this.#source.read(async (reader) => {
      const positions = pageOf(await filteredPositions(reader, filter, page), page, (position) => position);
      const transactions = new Map<bigint, TransactionRecord>();
      const data = positions.data.map((position) => indexedEvent(reader, position, transactions));
      return { ...positions, data };
    });
  }
}

/** Up to `limit + 1` sequence numbers below `count` in the page's direction, after its cursor. */
function sequenceWalk(count: bigint, { cursor, descending, limit }: PageRequest<bigint>): bigint[] {
  const low = !descending && cursor !== undefined ? cursor + 1n : 0n;
  const high = descending && cursor !== undefined && cursor < count ? cursor : count;
  const seqs: bigint[] = [];
  for (let step = 0n; seqs.length <= limit && low + step < high; step++) {
    seqs.push(descending ? high - 1n - step : low + step);
  }
  return seqs;
}

function indexedEvent(reader: Reader, position: Position, known: Map<bigint, TransactionRecord>): IndexedEvent {
  let transaction = known.get(position.order);
  if (transaction === undefined) {
    transaction = readTransaction(reader.rows, position.order);
    known.set(position.order, transaction);
  }
  return {
    ...readEvent(reader.rows, position),
    txHash: transaction.executionInfo.txHash,
    sender: transactionSender(transaction.transaction.data),
    createdAt: transaction.transaction.sequenceInfo.txTimestamp,
  };
}

/** Up to `limit + 1` positions in the page's direction, after its cursor. */
async function filteredPositions(
  reader: Reader,
  filter: EventFilter,
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
 * With a sender, either index could serve: a person's events are few, while the system sends every Bitcoin transaction
 * and its events are of few types.
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

/** Events of a sender; `only` holds the key that must stand at a byte of the row's value. */
function senderPositions(
  reader: Reader,
  sender: Address,
  page: PageRequest<Position>,
  only?: { readonly at: number; readonly key: Uint8Array },
): Promise<Position[]> {
  const isAsked = (value: Uint8Array): boolean =>
    only === undefined || equalBytes(value.subarray(only.at, only.at + only.key.length), only.key);
  return positionedItems(reader.rows, 'eventBySender', [sender], page, ({ position, value }) =>
    isAsked(value) ? position : undefined,
  );
}

/** Sequence numbers and positions of a handle rise together, so the cursor is turned into a sequence number. */
function handlePositions(reader: Reader, handle: ObjectId, page: PageRequest<Position>): Position[] {
  const { cursor, descending, limit } = page;
  const count = readEventCount(reader.rows, handle);
  const before = cursor === undefined ? undefined : countEventsBefore(reader.rows, handle, cursor);
  let seqCursor = before;
  if (before !== undefined && !descending) {
    const isAt =
      before < count && cursor !== undefined && samePosition(readEventPosition(reader.rows, handle, before), cursor);
    seqCursor = isAt ? before : before - 1n;
  }
  return sequenceWalk(count, { cursor: seqCursor, descending, limit }).map((seq) =>
    readEventPosition(reader.rows, handle, seq),
  );
}

function samePosition(left: Position, right: Position): boolean {
  return left.order === right.order && left.index === right.index;
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
