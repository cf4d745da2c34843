/**
 * How much of its past a chain keeps.
 * @module
 */
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { ALL_HISTORY, readHistory } from '../chain/ledger/history.ts';
import { type RowReader, readStateRoot } from '../chain/ledger/transactions.ts';
import { readable } from '../chain/value/readable.ts';

/** How much of its past a chain keeps. Transactions and events go back to genesis; states and change sets may not. */
export interface HistoryStatus {
  /** Minimum number of orders behind the head whose states stay readable. */
  readonly kept: 'all' | number;
  /** The oldest order whose state is readable. */
  readonly oldestOrder: bigint;
  /** The state root after that order. */
  readonly oldestRoot: string;
}

/** @throws {EngineError} `corrupt` */
export function historyStatus(rows: RowReader): HistoryStatus {
  const { kept, oldest } = readHistory(rows) ?? ALL_HISTORY;
  return readable({
    kept: kept === undefined ? 'all' : Number(kept),
    oldestOrder: oldest,
    oldestRoot: toHexPrefixed(readStateRoot(rows, oldest)),
  });
}
