/**
 * The SQL statement of an append to a log in PostgreSQL.
 * @module
 */
import { formatAddress } from '../move/address.ts';
import type { LogHead } from './log-head.ts';
import { eventTypesOf, type RecordSummary } from './record-summary.ts';

const COLUMNS = ['"order"', 'epoch', 'tx_hash', 'sender', 'function', 'status', 'gas', 'event_types', 'time', 'record'];
const TYPES = ['BIGINT', 'BIGINT', 'BYTEA', 'TEXT', 'TEXT', 'TEXT', 'NUMERIC', 'TEXT[]', 'BIGINT', 'BYTEA'];
const HEAD_VALUES = 7;

/** Moves the head if it is where the writer expects it, and if so inserts `count` records. */
export function appendStatement(count: number): string {
  const rows = Array.from({ length: count }, (_, row) => {
    const values = TYPES.map((type, column) => `$${HEAD_VALUES + row * TYPES.length + column + 1}::${type}`);
    return `(${values.join(', ')})`;
  });
  return `
WITH moved AS (
  UPDATE movelet_head SET next_order = $5, digest = $6, state_root = $7
  WHERE chain = $1 AND epoch = $2 AND ((next_order = $3 AND digest = $4) OR next_order = 0) RETURNING chain
)
INSERT INTO movelet_log (chain, ${COLUMNS.join(', ')})
SELECT moved.chain, added.* FROM moved CROSS JOIN (VALUES ${rows.join(', ')}) AS added (${COLUMNS.join(', ')})`;
}

/** The values of the statement. */
export function appendValues(
  chain: string,
  after: LogHead,
  last: LogHead,
  summaries: readonly RecordSummary[],
  records: readonly Uint8Array[],
): unknown[] {
  const head = [chain, after.epoch, after.order + 1n, after.digest, last.order + 1n, last.digest, last.stateRoot];
  const rows = summaries.flatMap((summary, index) => [
    summary.order,
    summary.epoch,
    summary.txHash,
    formatAddress(summary.sender),
    summary.function,
    summary.status,
    summary.gasUsed,
    eventTypesOf(records[index]!),
    summary.time,
    records[index],
  ]);
  return [...head, ...rows].map((value) => (typeof value === 'bigint' ? String(value) : value));
}
