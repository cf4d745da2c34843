/**
 * Index rows of transactions by sender and by time (the ledger itself has them by order and by hash), and of events by
 * type and by sender (the ledger has them by order and by handle).
 *
 * The value of an event's row is the key of its other row, so a filter on both type and sender reads the rows of one and
 * skips mismatches without reading an event. Types are matched exactly, arguments included, so their hash is the key.
 * Source: crates/rooch-indexer/src/schema.rs of the reference.
 * @module
 */

import { concatBytes } from '../../base/bytes/bytes.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { type Address, SYSTEM_ADDRESS } from '../../move/address.ts';
import { canonicalTypeBytes, type StructTag, structType } from '../../move/type-tag.ts';
import { writePosition } from '../../store/column.ts';
import type { RowBatch } from '../../store/row-batch.ts';
import type { EventRecord } from '../ledger/events.ts';
import type { TransactionRecord } from '../ledger/transactions.ts';
import { type ObjectId, objectIdBytes } from '../object/object-id.ts';
import type { LedgerTransactionData } from '../transaction/ledger.ts';

/** The sender of a ledger transaction: the system for those of Bitcoin. */
export function transactionSender(data: LedgerTransactionData): Address {
  return data.kind === 'l2-transaction' ? data.data.sender : SYSTEM_ADDRESS;
}

export function writeTransactionIndex(batch: RowBatch, record: TransactionRecord): void {
  const { writer } = batch;
  const { data, sequenceInfo } = record.transaction;
  batch.put('transactionBySender');
  writer.bytes(transactionSender(data));
  writer.u64BigEndian(record.order);
  batch.value();
  batch.end();
  batch.put('transactionByTime');
  writer.u64BigEndian(sequenceInfo.txTimestamp);
  writer.u64BigEndian(record.order);
  batch.value();
  batch.end();
}

/** The 32 bytes under which events of a type are indexed. */
export function eventTypeKey(type: StructTag): Uint8Array {
  let key = typeKeys.get(type);
  if (key === undefined) {
    key = sha3(canonicalTypeBytes(structType(type)));
    typeKeys.set(type, key);
  }
  return key;
}

/** Emitters reuse their type objects, so most events share a few. */
const typeKeys = new WeakMap<StructTag, Uint8Array>();

/** The 32 bytes that identify a handle in the rows of a sender. */
export function eventHandleKey(handle: ObjectId): Uint8Array {
  let key = handleKeys.get(handle);
  if (key === undefined) {
    key = sha3(objectIdBytes(handle));
    handleKeys.set(handle, key);
  }
  return key;
}

/** Likewise. */
const handleKeys = new WeakMap<ObjectId, Uint8Array>();

/** The keys of the type and the handle as one array, shared by all events of both. */
function eventKinds(type: Uint8Array, handle: ObjectId): Uint8Array {
  let kinds = kindsOfHandles.get(handle);
  if (kinds?.type !== type) {
    kinds = { type, value: concatBytes(type, eventHandleKey(handle)) };
    kindsOfHandles.set(handle, kinds);
  }
  return kinds.value;
}

/** Most handles belong to a type. */
const kindsOfHandles = new WeakMap<ObjectId, { readonly type: Uint8Array; readonly value: Uint8Array }>();

export function writeEventIndex(batch: RowBatch, sender: Address, { position, event }: EventRecord): void {
  const { writer } = batch;
  const type = eventTypeKey(event.eventType);
  batch.put('eventByType', true);
  writer.bytes(type);
  writePosition(writer, position);
  batch.value();
  writer.bytes(sender);
  batch.end();
  batch.put('eventBySender', true);
  writer.bytes(sender);
  writePosition(writer, position);
  batch.value();
  writer.bytes(eventKinds(type, event.handle));
  batch.end();
}
