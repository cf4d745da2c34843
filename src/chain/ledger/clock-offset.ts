/**
 * How far controls that set the time have moved the sequencer's clock. It is one row, so a chain whose time was set
 * continues from there when it is reopened or loaded from a dump.
 *
 * The ledger records the times that were set, but not what the clock showed then.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import { columnKey, orderBytes, readOrder } from '../../store/column.ts';
import type { Operation } from '../../store/store.ts';
import type { RowReader } from './transactions.ts';

const OFFSET_BYTES = 8;

/**
 * Milliseconds; 0 if the time was never set, or only without a clock.
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
