/**
 * Index rows of transactions: by sender and by time. The ledger itself has them by order and by hash.
 * Source: crates/rooch-indexer/src/schema.rs of the reference.
 * @module
 */

import type { TransactionRecord } from '../ledger/transactions.ts';
import { type Address, SYSTEM_ADDRESS } from '../move/address.ts';
import { columnKey, orderBytes } from '../store/column.ts';
import type { Operation } from '../store/store.ts';
import type { LedgerTransactionData } from '../transaction/ledger.ts';

const NO_VALUE = new Uint8Array(0);

/** The sender of a ledger transaction: for those of Bitcoin, the system itself. */
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
