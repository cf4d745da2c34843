/**
 * The ledger's events: kept by transaction order and index, found by handle and sequence number.
 *
 * Every handle counts its events from 0. Within a handle, sequence numbers and positions ascend together, so the sequence
 * number at a position is found by bisection, and one row per event serves both orders.
 * Source: moveos/moveos-types/src/moveos_std/event.rs of the reference.
 * @module
 */
import { decode } from '../../base/bcs.ts';
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import {
  columnKey,
  orderBytes,
  orderOfRow,
  POSITION_BYTES,
  type Position,
  positionBytes,
  readPosition,
  writePosition,
} from '../../store/column.ts';
import type { RowBatch, RowWriting } from '../../store/row-batch.ts';
import { formatObjectId, type ObjectId, objectId, objectIdBytes } from '../object/object-id.ts';
import { type Event, event, type TransactionEvent } from '../transaction/event.ts';
import type { RowReader } from './transactions.ts';

/** Event handles whose counts stay cached from one batch to the next. */
const EVENT_HANDLES_KNOWN_MAX = 1_024;

/** An event and its position. */
export interface EventRecord {
  readonly position: Position;
  readonly event: Event;
}

/**
 * The events of the transaction at `order`, with their sequence numbers. When they are written, `counts` must `take`
 * them before it counts those of another transaction.
 */
export function eventRecords(
  counts: EventCounts,
  order: bigint,
  events: readonly TransactionEvent[],
): { readonly records: EventRecord[]; readonly counted: CountedEvents } {
  const counted: HandleCount[] = [];
  const records: EventRecord[] = [];
  for (const { handle, eventType, eventData, eventIndex } of events) {
    const known = counts.of(handle);
    if (known.countedIn !== counted) {
      known.countedIn = counted;
      known.next = known.count;
      counted.push(known);
    }
    const eventSeq = known.next++;
    records.push({
      position: { order, index: Number(eventIndex) },
      event: { handle, eventSeq, eventType, eventData, eventIndex },
    });
  }
  return { records, counted };
}

/** Writes the rows of an event. The count of its handle is written once for a whole batch. */
export function writeEvent(batch: RowBatch, { position, event: stored }: EventRecord): void {
  const { writer } = batch;
  batch.put('event', true);
  writePosition(writer, position);
  batch.value(true);
  event.write(writer, stored);
  batch.end();
  batch.put('eventByHandle', true);
  objectId.write(writer, stored.handle);
  writer.u64BigEndian(stored.eventSeq);
  batch.value();
  writePosition(writer, position);
  batch.end();
}

/** A handle and the number of its events, including those taken so far. */
interface HandleCount {
  readonly handle: ObjectId;
  /** The count in the store. */
  stored: bigint;
  count: bigint;
  /** The count after the transaction that was counted last. */
  next: bigint;
  /** The handles of that transaction. */
  countedIn: CountedEvents | undefined;
}

/** The handles of a transaction's events. */
export type CountedEvents = readonly HandleCount[];

/** Event counts of handles, from the ledger and the transactions of a batch. They stay cached after the batch is written. */
export class EventCounts {
  readonly #rows: RowReader;
  readonly #counts = new Map<string, HandleCount>();
  /** By the identity of the arrays: most handles belong to a type, which has one array. */
  readonly #known = new Map<ObjectId, HandleCount>();
  /** Handles with events that are not in the store. */
  readonly #changed: HandleCount[] = [];

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

  /** Takes a transaction's counts before its rows are written. */
  take(counted: CountedEvents): void {
    for (const known of counted) {
      if (known.count === known.stored) this.#changed.push(known);
      known.count = known.next;
    }
  }

  /** Writes the counts that changed since the last call. */
  *write(batch: RowBatch): RowWriting {
    for (const known of this.#changed) {
      batch.put('eventHandle');
      objectId.write(batch.writer, known.handle);
      batch.value();
      batch.writer.u64BigEndian(known.count);
      batch.end();
      known.stored = known.count;
      if (batch.isFull) yield;
    }
    this.#changed.length = 0;
    if (this.#known.size > EVENT_HANDLES_KNOWN_MAX) this.forget();
  }

  /** Drops the cached counts: something else has written to the store. */
  forget(): void {
    this.#counts.clear();
    this.#known.clear();
    this.#changed.length = 0;
  }

  #find(handle: ObjectId): HandleCount {
    const name = formatObjectId(handle);
    let known = this.#counts.get(name);
    if (known === undefined) {
      const stored = readEventCount(this.#rows, handle);
      known = { handle, stored, count: stored, next: stored, countedIn: undefined };
      this.#counts.set(name, known);
    }
    return known;
  }
}

/**
 * The number of events of a handle.
 * @throws {EngineError} `corrupt`
 */
export function readEventCount(rows: RowReader, handle: ObjectId): bigint {
  const row = rows.get(columnKey('eventHandle', objectIdBytes(handle)));
  return row === undefined ? 0n : orderOfRow(row, () => `the number of events of ${formatObjectId(handle)}`);
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
function findEvent(rows: RowReader, position: Position): EventRecord | undefined {
  const row = rows.get(columnKey('event', positionBytes(position)));
  return row === undefined ? undefined : { position, event: decodeEvent(row, nameOf(position)) };
}

/**
 * The events of the transaction at `order`, at most `limit` of them, from the one at index `from` on.
 * @throws {EngineError} `corrupt` if one of them does not decode.
 */
export function readEvents(
  rows: RowReader,
  order: bigint,
  from = 0,
  limit: number = Number.POSITIVE_INFINITY,
): EventRecord[] {
  const events: EventRecord[] = [];
  for (let index = from; events.length < limit; index++) {
    const found = findEvent(rows, { order, index });
    if (found === undefined) return events;
    events.push(found);
  }
  return events;
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
