/**
 * Event queues: events that Move code can read on chain. Every event of a queue is also emitted as an ordinary event,
 * in an envelope with the queue's name. It is stored, under a number, only while the queue has a subscriber, and only
 * Move code can subscribe.
 *
 * Stored events expire: each new one removes a few that are too old.
 * Source: event_queue.move of the reference.
 * @module
 */
import { type Codec, encode, string, struct, u64 } from '../../base/bcs.ts';
import { assert } from '../../base/error.ts';
import { sha3Joined } from '../../base/hash/sha3.ts';
import { type OffChainEvent, offChainEvent } from '../../bitcoin/event.ts';
import { namedObjectId, type ObjectId } from '../../chain/object/object-id.ts';
import type { TransactionEvent } from '../../chain/transaction/event.ts';
import { BITCOIN_MOVE_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { canonicalTypeBytes, type StructTag, structTag, structType } from '../../move/type-tag.ts';
import { EventLog } from '../runtime/event-log.ts';
import { FieldType, MOVE_U64, type ObjectType } from '../runtime/field-type.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { TIMESTAMP, TIMESTAMP_ID } from './object-type.ts';

/** `0x2::event_queue::EventQueue<E>`. Its fields are the stored events by number, from tail to head. */
interface EventQueue {
  /** The number of the next event. */
  readonly head: bigint;
  readonly tail: bigint;
  readonly subscribers: bigint;
}

const eventQueue: Codec<EventQueue> = struct({ head: u64, tail: u64, subscribers: u64 });

interface OnChainEvent<E> {
  readonly event: E;
  /** Milliseconds. */
  readonly emitTime: bigint;
}

/** An event type that goes through queues. */
export interface QueuedEventType<E> {
  readonly envelope: EventType<OffChainEvent<E>>;
  readonly queue: ObjectType<EventQueue>;
  /** The queue of this name. */
  readonly queueId: (name: string) => ObjectId;
  readonly stored: FieldType<bigint, OnChainEvent<E>>;
}

export function queuedEvent<E>({ tag, codec }: EventType<E>): QueuedEventType<E> {
  const own = (name: string): StructTag => structTag(MOVEOS_STD_ADDRESS, 'event_queue', name, [structType(tag)]);
  const envelope = own('OffChainEvent');
  const queue = own('EventQueue');
  return {
    envelope: { tag: envelope, codec: offChainEvent(codec), handle: namedObjectId(envelope) },
    queue: { tag: queue, codec: eventQueue },
    queueId: queueIds(canonicalTypeBytes(structType(queue))),
    stored: new FieldType(MOVE_U64, {
      tag: structType(own('OnChainEvent')),
      codec: struct<OnChainEvent<E>>({ event: codec, emitTime: u64 }),
    }),
  };
}

/**
 * Ids of queues by name. The last one is cached, since a transaction may notify one account of thousands of outputs.
 */
function queueIds(typeBytes: Uint8Array): (name: string) => ObjectId {
  let last: { readonly name: string; readonly id: ObjectId } | undefined;
  return (name) => {
    if (last?.name !== name) last = { name, id: [sha3Joined(encode(string, name), typeBytes)] };
    return last.id;
  };
}

/** Emits an event on the queue of this name. */
export function emitQueued<E>(
  runtime: ObjectRuntime,
  events: BitcoinEventLog,
  type: QueuedEventType<E>,
  queueName: string,
  event: E,
): void {
  const sequenceNumber = store(runtime, type, queueName, event);
  events.emit(type.envelope, { queueName, sequenceNumber, event });
}

/** Stores the event if the queue has subscribers, and returns its number. */
function store<E>(
  runtime: ObjectRuntime,
  { queue: queueType, queueId, stored }: QueuedEventType<E>,
  queueName: string,
  event: E,
): bigint | undefined {
  const id = queueId(queueName);
  const queue = runtime.get(id, queueType);
  if (queue === undefined || queue.subscribers === 0n) return undefined;
  const now = runtime.get(TIMESTAMP_ID, TIMESTAMP);
  assert(now !== undefined, 'the chain has a time');
  runtime.addField(id, stored, queue.head, { event, emitTime: now });
  const head = queue.head + 1n;
  runtime.set(id, queueType, { ...queue, head, tail: removeExpired(runtime, id, stored, { ...queue, head }, now) });
  return queue.head;
}

const EXPIRY_MS = 31n * 24n * 60n * 60n * 1_000n;
const EXPIRED_REMOVED_MAX = 10n;

/** Removes the oldest expired events, up to the limit of one call, and returns the new tail. */
function removeExpired<E>(
  runtime: ObjectRuntime,
  id: ObjectId,
  stored: FieldType<bigint, OnChainEvent<E>>,
  { head, tail }: EventQueue,
  now: bigint,
): bigint {
  let next = tail;
  while (next <= head && next - tail < EXPIRED_REMOVED_MAX) {
    const found = runtime.getField(id, stored, next);
    if (found !== undefined) {
      if (now - found.emitTime <= EXPIRY_MS) break;
      runtime.removeField(id, stored, next);
    }
    next += 1n;
  }
  return next > head ? head : next;
}

/** An event type of the Bitcoin package. */
interface EventType<T> {
  readonly tag: StructTag;
  readonly codec: Codec<T>;
  /** The type's handle, on which its events are emitted. */
  readonly handle: ObjectId;
}

export function bitcoinEvent<T>(module: string, name: string, codec: Codec<T>): EventType<T> {
  const tag = structTag(BITCOIN_MOVE_ADDRESS, module, name);
  return { tag, codec, handle: namedObjectId(tag) };
}

/** The events of one execution, in the order of emission. */
export class BitcoinEventLog {
  readonly #log = new EventLog();

  emit<T>({ tag, codec, handle }: EventType<T>, value: T): void {
    this.#log.emit(tag, handle, codec, value);
  }

  /** All events; none may be emitted afterwards. */
  get events(): readonly TransactionEvent[] {
    return this.#log.finish();
  }
}
