/**
 * Index rows of transactions: by sender and by time. By order and by hash they stand in the ledger itself.
 * Source: crates/rooch-indexer/src/schema.rs of the reference.
 * @module
 */

import type { TransactionRecord } from '../ledger/transactions.ts';
import { type Address, SYSTEM_ADDRESS } from '../move/address.ts';
import { columnKey, orderBytes } from '../store/column.ts';
import type { Operation } from '../store/store.ts';
import type { LedgerTransactionData } from '../transaction/ledger.ts';

const NO_VALUE = new Uint8Array(0);

/** Who sends a ledger transaction: the system itself for those of Bitcoin. */
export function transactionSender(data: LedgerTransactionData): Address {
  return data.kind === 'l2-transaction' ? data.data.sender : SYSTEM_ADDRESS;
}

export function transactionIndexOperations(record: TransactionRecord): Operation[] {
  const { data, sequenceInfo } = record.transaction;
  const at = orderBytes(record.order);
  return [
    { type: 'put', key: columnKey('transactionBySender', transactionSender(data), at), value: NO_VALUE },
    { type: 'put', key: columnKey('transactionByTime', orderBytes(sequenceInfo.txTimestamp), at), value: NO_VALUE },
  ];
}
