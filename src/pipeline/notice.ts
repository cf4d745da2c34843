/**
 * Notices: what a transaction did not do because a bound of the engine was reached, when stopping the chain would be
 * worse. They go into the log and come with the commit in the feed; they are not stored.
 * @module
 */

import type { LogEntry } from '../base/log.ts';
import { formatBitcoinHash } from '../bitcoin/hash.ts';

/** Inscriptions of a Bitcoin transaction that were not created or not moved (bitcoin/inscription-room.ts). */
export interface InscriptionsLeftOut {
  readonly kind: 'inscriptions-left-out';
  readonly blockHash: Uint8Array;
  readonly txid: Uint8Array;
  readonly count: number;
}

/** What `engine.on('notice')` reports: something that the operator should know and that is in no answer. */
export type Notice = InscriptionsLeftOut;

/** The log entry for a notice. */
export function noticeEntry({ kind, blockHash, txid, count }: Notice): LogEntry {
  const transaction = formatBitcoinHash(txid);
  return {
    level: 'warning',
    message: `${count} inscriptions of the Bitcoin transaction ${transaction} exceed what one transaction or block may make and move (TRANSACTION_INSCRIPTION_BYTES_MAX, BLOCK_INSCRIPTION_BYTES_MAX): new ones were not made, others stay at their last place; the chain goes on`,
    details: { kind, blockHash: formatBitcoinHash(blockHash), txid: transaction, count },
  };
}
