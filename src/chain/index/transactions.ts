/**
 * Index rows of transactions: by sender and by time. The ledger itself has them by order and by hash.
 * Source: crates/rooch-indexer/src/schema.rs of the reference.
 * @module
 */

import { type Address, SYSTEM_ADDRESS } from '../../move/address.ts';
import type { RowBatch } from '../../store/row-batch.ts';
import type { TransactionRecord } from '../ledger/transactions.ts';
import type { LedgerTransactionData } from '../transaction/ledger.ts';

/** The sender of a ledger transaction: for those of Bitcoin, the system itself. */
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
