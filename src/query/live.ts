/**
 * Transactions and events as they are committed, with the same filters as queries.
 * @module
 */
import { transactionSender } from '../chain/index/transactions.ts';
import type { EventRecord } from '../chain/ledger/events.ts';
import type { TransactionRecord } from '../chain/ledger/transactions.ts';
import { type EventFilter, eventMatcher } from './event.ts';
import { IndexedEvent } from './event-value.ts';
import { Decoder, type ReaderSource } from './reader.ts';
import { type TransactionFilter, transactionMatcher } from './transaction.ts';
import { TransactionValue } from './transaction-value.ts';

/** What a commit announces: a transaction and its events. */
export interface Committed {
  readonly record: TransactionRecord;
  readonly events: readonly EventRecord[];
}

/** Calls `listener` with a commit's transaction if it passes the filter. */
export function transactionListener(
  listener: (transaction: TransactionValue) => void,
  filter: TransactionFilter | undefined,
): (committed: Committed) => void {
  const matches = transactionMatcher(filter);
  return ({ record }) => {
    if (matches(record)) listener(new TransactionValue(record));
  };
}

/**
 * Calls `listener` with the commit's events that pass the filter, decoded by the modules of the state after it.
 */
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
