/**
 * Events as transactions emit them, and as the ledger keeps them.
 * Source: moveos/moveos-types/src/moveos_std/event.rs of the reference.
 * @module
 */
import { bytes, type Codec, struct, u64 } from '../../base/bcs.ts';
import { type StructTag, structTagCodec } from '../../move/type-tag.ts';
import { type ObjectId, objectId } from '../object/object-id.ts';

/** An event as its transaction emitted it. */
export interface TransactionEvent {
  readonly eventType: StructTag;
  /** BCS of the event's Move value. */
  readonly eventData: Uint8Array;
  /** Position within the transaction, from 0, over all handles. */
  readonly eventIndex: bigint;
  readonly handle: ObjectId;
}

/** An event as its transaction emitted it, in BCS. */
export const transactionEvent: Codec<TransactionEvent> = struct<TransactionEvent>({
  eventType: structTagCodec,
  eventData: bytes,
  eventIndex: u64,
  handle: objectId,
});

/** An event and its sequence number within its handle. */
export interface Event {
  readonly handle: ObjectId;
  /** Position within the handle, from 0; local to this node's history. */
  readonly eventSeq: bigint;
  readonly eventType: StructTag;
  /** BCS of the event's Move value. */
  readonly eventData: Uint8Array;
  /** Position within the transaction, from 0. */
  readonly eventIndex: bigint;
}

/** An event with its sequence number, in BCS. */
export const event: Codec<Event> = struct<Event>({
  handle: objectId,
  eventSeq: u64,
  eventType: structTagCodec,
  eventData: bytes,
  eventIndex: u64,
});
