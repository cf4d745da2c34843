/**
 * How much room the transactions of a Bitcoin block have taken for inscriptions (bitcoin/inscription-room.ts) while the
 * block is being processed: one row, written by transactions that take a lot and removed by the coinbase.
 *
 * It is outside the state, whose roots must be the reference's, but like the state it follows from the inputs.
 * @module
 */
import { columnKey, orderBytes, orderOfRow } from '../../store/column.ts';
import type { Operation } from '../../store/store.ts';
import type { RowReader } from './transactions.ts';

/** Bytes that the transactions of a block have taken so far. */
export function readInscriptionBytes(rows: RowReader, blockHash: Uint8Array): number {
  const row = rows.get(columnKey('inscriptionBytes', blockHash));
  return row === undefined ? 0 : Number(orderOfRow(row, () => 'the room that a block took for inscriptions'));
}

/** The operations that take a block from `before` to `after` bytes; 0 means no row. */
export function inscriptionBytesOperations(blockHash: Uint8Array, before: number, after: number): Operation[] {
  if (before === after) return [];
  const key = columnKey('inscriptionBytes', blockHash);
  return after === 0 ? [{ type: 'delete', key }] : [{ type: 'put', key, value: orderBytes(BigInt(after)) }];
}
