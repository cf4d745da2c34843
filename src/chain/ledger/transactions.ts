/**
 * The ledger's transactions by order, the order of each hash, and the results of execution.
 * @module
 */

import { type Codec, decode, encode } from '../../base/bcs.ts';
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import {
  COLUMN,
  type ColumnName,
  columnKey,
  orderBytes,
  orderOfRow,
  partBytes,
  readOrder,
} from '../../store/column.ts';
import type { RowBatch } from '../../store/row-batch.ts';
import type { ReadableStore, Row } from '../../store/store.ts';
import { type ExecutionInfo, executionInfo } from '../transaction/execution-info.ts';
import { type LedgerTransaction, ledgerTransaction, writeLedgerTransaction } from '../transaction/ledger.ts';
import { LazySequenceInfo } from '../transaction/order-signature.ts';
import { accumulatorAfter } from '../transaction/sequence-info.ts';

/** A store, or a store with rows that are not written yet. */
export type RowReader = Pick<ReadableStore, 'get'>;

/** A transaction with its result, as the ledger stores them. */
export interface TransactionRecord {
  readonly order: bigint;
  readonly transaction: LedgerTransaction;
  readonly executionInfo: ExecutionInfo;
}

/**
 * Writes everything but the change set (change-sets.ts).
 * @param signed BCS of the signed transaction in the record, if available
 * @param isUnsigned whether the sequencer's signature is omitted: `readTransaction` recomputes it
 */
export function writeTransaction(
  batch: RowBatch,
  record: TransactionRecord,
  signed?: Uint8Array,
  isUnsigned = false,
): void {
  const { writer } = batch;
  const { order } = record;
  batch.put('transaction');
  writer.u64BigEndian(order);
  batch.value(true);
  writeLedgerTransaction(writer, record.transaction, signed, isUnsigned);
  batch.end();
  batch.put('executionInfo');
  writer.u64BigEndian(order);
  batch.value(true);
  executionInfo.write(writer, record.executionInfo);
  batch.end();
  writeLookups(batch, record);
}

/** Writes the rows that find a transaction by its hash and by the state root that it led to. */
export function writeLookups(batch: RowBatch, { order, executionInfo: info }: TransactionRecord): void {
  const { writer } = batch;
  batch.put('transactionOrder');
  writer.bytes(info.txHash);
  batch.value();
  writer.u64BigEndian(order);
  batch.end();
  batch.put('stateRoot');
  writer.bytes(info.stateRoot);
  batch.value();
  writer.u64BigEndian(order);
  batch.end();
}

/** The order of the transaction with this hash, or undefined. */
export function readTransactionOrder(rows: RowReader, hash: Uint8Array): bigint | undefined {
  const row = rows.get(columnKey('transactionOrder', hash));
  return row && orderOfRow(row, () => `the order of transaction ${toHexPrefixed(hash)}`);
}

/**
 * The order of the last transaction that led to a state root, or undefined for a root that the chain never had.
 * @throws {EngineError} `corrupt`
 */
export function readStateRootOrder(rows: RowReader, root: Uint8Array): bigint | undefined {
  const row = rows.get(columnKey('stateRoot', root));
  return row && orderOfRow(row, () => `the order of the state root ${toHexPrefixed(root)}`);
}

/**
 * The transaction at `order`, which must not be beyond the head.
 * @throws {EngineError} `corrupt` if one of its rows is missing or does not decode.
 */
export function readTransaction(rows: RowReader, order: bigint): TransactionRecord {
  const record = readStoredTransaction(rows, order);
  const { data, sequenceInfo } = record.transaction;
  if (order === 0n || sequenceInfo.txOrderSignature.length > 0) return record;
  const { txHash } = record.executionInfo;
  const signed = new LazySequenceInfo(txHash, order, sequenceInfo.txTimestamp, accumulatorAfter(sequenceInfo));
  return { ...record, transaction: { data, sequenceInfo: signed } };
}

/** As `readTransaction`, without the signature if it is not stored. */
export function readStoredTransaction(rows: RowReader, order: bigint): TransactionRecord {
  const at = orderBytes(order);
  const transaction = readRow(rows, 'transaction', at, ledgerTransaction);
  const info = readRow(rows, 'executionInfo', at, executionInfo);
  if (transaction.sequenceInfo.txOrder !== order)
    throw new EngineError('corrupt', `the transaction row at order ${order} has another order`);
  return { order, transaction, executionInfo: info };
}

/**
 * The result of executing the transaction at `order`, which must not be beyond the head.
 * @throws {EngineError} `corrupt` if the row is missing or does not decode.
 */
export function readExecutionInfo(rows: RowReader, order: bigint): ExecutionInfo {
  return readRow(rows, 'executionInfo', orderBytes(order), executionInfo);
}

/** The state root after the transaction at `order`; `corrupt` as `readTransaction`. */
export function readStateRoot(rows: RowReader, order: bigint): Uint8Array {
  return readExecutionInfo(rows, order).stateRoot;
}

/** A row as it leaves the process: with its signature, stored or not. */
export function signedRow(rows: RowReader, row: Row): Row {
  if (row.key[0] !== COLUMN.transaction) return row;
  const { transaction } = readTransaction(rows, readOrder(row.key, 1));
  return { key: row.key, value: encode(ledgerTransaction, transaction) };
}

/**
 * The rows that hold the value at `order`, which is cut into parts: all but the last have `partBytesMax` bytes.
 */
export function* rowParts(
  rows: RowReader,
  column: ColumnName,
  order: bigint,
  partBytesMax: number,
): Generator<Row, void, undefined> {
  const at = orderBytes(order);
  for (let index = 0; ; index++) {
    const key = index === 0 ? columnKey(column, at) : columnKey(column, at, partBytes(index));
    const value = rows.get(key);
    if (value === undefined) return;
    yield { key, value };
    if (value.length !== partBytesMax) return;
  }
}

function readRow<T>(rows: RowReader, column: ColumnName, at: Uint8Array, codec: Codec<T>): T {
  const row = rows.get(columnKey(column, at));
  const name = `the ${column} row at order ${readOrder(at, 0)}`;
  if (row === undefined) throw new EngineError('corrupt', `${name} is missing`);
  try {
    return decode(codec, row);
  } catch (cause) {
    throw new EngineError('corrupt', `${name} does not decode`, { cause });
  }
}
