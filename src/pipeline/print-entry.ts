/**
 * Log entries for values that Move code printed.
 * @module
 */
import { toHexPrefixed } from '../base/bytes/hex.ts';
import type { LogEntry } from '../base/log.ts';
import type { TransactionRecord } from '../chain/ledger/transactions.ts';
import type { TraceValue } from '../execution/trace/kept-value.ts';

/** An entry for each value, once the transaction is committed, even if it failed. */
export function printEntry({ order, executionInfo }: TransactionRecord, printed: TraceValue): LogEntry {
  const details = { order, txHash: toHexPrefixed(executionInfo.txHash) };
  return { level: 'info', message: `the transaction at order ${order} printed ${printed}`, details };
}
