/**
 * The ledger's events: kept by transaction order and index, found by handle and sequence number.
 *
 * Every handle counts its events from 0. Within a handle, sequence numbers and positions rise together, so a page that
 * starts at a position finds its sequence number by bisection, and one row per event serves both orders.
 * Source: moveos/moveos-types/src/moveos_std/event.rs of the reference.
 * @module
 */
import { decode, encodeShortLived } from '../bcs/codec.ts';
import { toHexPrefixed } from '../bytes/hex.ts';
import { EngineError } from '../error.ts';
import { formatObjectId, type ObjectId } from '../object/object-id.ts';
import {
  columnKey,
  objectIdBytes,
  orderBytes,
  POSITION_BYTES,
  type Position,
  positionBytes,
  readOrder,
  readPosition,
} from '../store/column.ts';
import type { Operation } from '../store/store.ts';
import { type Event, event, type TransactionEvent } from '../transaction/event.ts';
import type { RowReader } from './transactions.ts';

/** An event and its position. */
export interface EventRecord {
  readonly position: Position;
  readonly event: Event;
}

/**
 * The events of the transaction at `order`, with their sequence numbers; `counts` must `take` them when they are
 * written.
 */
export function eventRecords(
  counts: EventCounts,
  order: bigint,
  events: readonly TransactionEvent[],
): { readonly records: EventRecord[]; readonly counted: CountedEvents } {
  const counted = new Map<HandleCount, bigint>();
  const records = events.map((emitted): EventRecord => {
    const { handle, eventType, eventData, eventIndex } = emitted;
    const known = counts.of(handle);
    const eventSeq = counted.get(known) ?? known.count;
    counted.set(known, eventSeq + 1n);
    return {
      position: { order, index: Number(eventIndex) },
      event: { handle, eventSeq, eventType, eventData, eventIndex },
    };
  });
  return { records, counted };
}

/** Rows for events. The rows of their handles' counts are made for a whole batch. */
export function* eventOperations(records: readonly EventRecord[]): Generator<Operation, void, undefined> {
  for (const { position, event: stored } of records) {
    const at = positionBytes(position);
    const seq = orderBytes(stored.eventSeq);
    yield { type: 'put', key: columnKey('event', at), value: encodeShortLived(event, stored), isNew: true };
    yield { type: 'put', key: columnKey('eventByHandle', objectIdBytes(stored.handle), seq), value: at, isNew: true };
  }
}

/** A handle, and how many events it has with those taken so far. */
interface HandleCount {
  readonly handle: ObjectId;
  readonly before: bigint;
  count: bigint;
}

/** The event counts of a transaction's handles after it. */
export type CountedEvents = ReadonlyMap<HandleCount, bigint>;

/** Event counts of handles, starting from those of the ledger, over the transactions of a batch. */
export class EventCounts {
  readonly #rows: RowReader;
  readonly #counts = new Map<string, HandleCount>();
  /** By the identity of the arrays: most handles are those of a type, and each type has one array. */
  readonly #known = new Map<ObjectId, HandleCount>();

  constructor(rows: RowReader) {
    this.#rows = rows;
  }

  of(handle: ObjectId): HandleCount {
    let known = this.#known.get(handle);
    if (known === undefined) {
      known = this.#find(handle);
      this.#known.set(handle, known);
    }
    return known;
  }

  /** Takes a transaction's counts, when its rows are about to be written. */
  take(counted: CountedEvents): void {
    for (const [known, count] of counted) known.count = count;
  }

  /** Rows for the new counts. */
  *operations(): Generator<Operation, void, undefined> {
    for (const { handle, before, count } of this.#counts.values()) {
      if (count === before) continue;
      yield { type: 'put', key: columnKey('eventHandle', objectIdBytes(handle)), value: orderBytes(count) };
    }
  }

  #find(handle: ObjectId): HandleCount {
    const name = formatObjectId(handle);
    let known = this.#counts.get(name);
    if (known === undefined) {
      const before = readEventCount(this.#rows, handle);
      known = { handle, before, count: before };
      this.#counts.set(name, known);
    }
    return known;
  }
}

/** How many events a handle has. */
export function readEventCount(rows: RowReader, handle: ObjectId): bigint {
  const row = rows.get(columnKey('eventHandle', objectIdBytes(handle)));
  return row === undefined ? 0n : readOrder(row, 0);
}

/** The position of the event `seq` of a handle. `seq` must be below the handle's count. */
export function readEventPosition(rows: RowReader, handle: ObjectId, seq: bigint): Position {
  const row = rows.get(columnKey('eventByHandle', objectIdBytes(handle), orderBytes(seq)));
  if (row?.length !== POSITION_BYTES) {
    throw new EngineError('corrupt', `the position of event ${seq} of ${formatObjectId(handle)} is missing`);
  }
  return readPosition(row, 0);
}

/**
 * The event at a position.
 * @throws {EngineError} `corrupt` if it is missing or does not decode.
 */
export function readEvent(rows: RowReader, position: Position): EventRecord {
  const found = findEvent(rows, position);
  if (found === undefined) throw new EngineError('corrupt', `${nameOf(position)} is missing`);
  return found;
}

/**
 * The event at a position, or undefined after the last event of its transaction.
 * @throws {EngineError} `corrupt` if it does not decode.
 */
export function findEvent(rows: RowReader, position: Position): EventRecord | undefined {
  const row = rows.get(columnKey('event', positionBytes(position)));
  return row === undefined ? undefined : { position, event: decodeEvent(row, nameOf(position)) };
}

/**
 * All events of the transaction at `order`.
 * @throws {EngineError} `corrupt` if one of them does not decode.
 */
export function readEvents(rows: RowReader, order: bigint): EventRecord[] {
  const events: EventRecord[] = [];
  for (let index = 0; ; index++) {
    const found = findEvent(rows, { order, index });
    if (found === undefined) return events;
    events.push(found);
  }
}

function nameOf({ order, index }: Position): string {
  return `event ${index} of order ${order}`;
}

/** Decodes an event row from a range read. */
export function decodeEvent(row: Uint8Array, name: string): Event {
  try {
    return decode(event, row);
  } catch (cause) {
    throw new EngineError('corrupt', `${name} does not decode: ${toHexPrefixed(row.subarray(0, 8))}...`, { cause });
  }
}

/** The number of events of a handle before `position`: the sequence number of the first at or after it. */
export function countEventsBefore(rows: RowReader, handle: ObjectId, position: Position): bigint {
  let low = 0n;
  let high = readEventCount(rows, handle);
  while (low < high) {
    const middle = (low + high) / 2n;
    const at = readEventPosition(rows, handle, middle);
    const before = at.order < position.order || (at.order === position.order && at.index < position.index);
    if (before) low = middle + 1n;
    else high = middle;
  }
  return low;
}
