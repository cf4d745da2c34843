/**
 * Transactions and events as they are committed, by the filters that queries take.
 * @module
 */
import { equalBytes } from '../bytes/compare.ts';
import { transactionSender } from '../index/transactions.ts';
import type { EventRecord } from '../ledger/events.ts';
import type { TransactionRecord } from '../ledger/transactions.ts';
import { structType, typeKey } from '../move/type-tag.ts';
import { equalObjectIds } from '../object/object-id.ts';
import { type EventFilter, toEventFilter } from './event.ts';
import { IndexedEvent } from './event-value.ts';
import { Decoder, type ReaderSource } from './reader.ts';
import { type TransactionFilter, toTransactionFilter } from './transaction.ts';
import { TransactionValue } from './transaction-value.ts';

/** What a commit tells: a transaction and the events that it emitted. */
export interface Committed {
  readonly record: TransactionRecord;
  readonly events: readonly EventRecord[];
}

/**
 * Whether a transaction passes a filter, as it would in a query; every one does without.
 * @throws {EngineError} `invalid-argument` for a filter that is none.
 */
export function transactionMatcher(filter: TransactionFilter | undefined): (record: TransactionRecord) => boolean {
  if (filter === undefined) return () => true;
  const read = toTransactionFilter(filter);
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

/**
 * Whether an event passes a filter, as it would in a query; every one does without.
 * @throws {EngineError} `invalid-argument` for a filter that is none.
 */
export function eventMatcher(filter: EventFilter | undefined): (event: IndexedEvent) => boolean {
  if (filter === undefined) return () => true;
  const read = toEventFilter(filter);
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

/** Tells `listener` of a commit's transaction, if it passes the filter. */
export function transactionListener(
  listener: (transaction: TransactionValue) => void,
  filter: TransactionFilter | undefined,
): (committed: Committed) => void {
  const matches = transactionMatcher(filter);
  return ({ record }) => {
    if (matches(record)) listener(new TransactionValue(record));
  };
}

/** Tells `listener` of a commit's events that pass the filter. They are decoded by the modules of the state after it. */
export function eventListener(
  source: ReaderSource,
  listener: (event: IndexedEvent) => void,
  filter: EventFilter | undefined,
): (committed: Committed) => void {
  const matches = eventMatcher(filter);
  return ({ record, events }) => {
    const { transaction, executionInfo } = record;
    const { txHash, stateRoot } = executionInfo;
    const createdAt = transaction.sequenceInfo.txTimestamp;
    const origin = { txHash, sender: transactionSender(transaction.data), createdAt };
    const decoder = new Decoder(source, { root: stateRoot });
    for (const event of events) {
      const indexed = new IndexedEvent(event, origin, decoder);
      if (matches(indexed)) listener(indexed);
    }
  };
}
