/**
 * By how much the sequencer's clock was moved by controls that set the time: one row, so that a chain whose time was set
 * goes on from there when it is opened again, or loaded from a dump.
 *
 * The ledger records the times that were set, but not what the clock said then.
 * @module
 */
import { EngineError } from '../error.ts';
import { columnKey, orderBytes, readOrder } from '../store/column.ts';
import type { Operation } from '../store/store.ts';
import type { RowReader } from './transactions.ts';

const OFFSET_BYTES = 8;

/**
 * Milliseconds; 0 where the time was never set, or only without a clock.
 * @throws {EngineError} `corrupt`
 */
export function readClockOffset(rows: RowReader): bigint {
  const row = rows.get(columnKey('clockOffset'));
  if (row === undefined) return 0n;
  if (row.length !== OFFSET_BYTES) throw new EngineError('corrupt', 'the row of the moved clock is not a u64');
  return readOrder(row, 0);
}

export function clockOffsetOperations(offset: bigint): Operation[] {
  return [{ type: 'put', key: columnKey('clockOffset'), value: orderBytes(offset) }];
}
