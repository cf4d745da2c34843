/**
 * The single rows of the ledger.
 *
 * The head: the state of the chain after the last commit, and which chain it is. Every commit writes it, so opening a
 * store takes one read.
 *
 * The clock's offset: how far controls have moved the sequencer's clock. A chain whose time was set continues from there
 * when it is reopened or loaded from a dump: the ledger records the times that were set, but not what the clock showed.
 *
 * Inscription bytes: the room that the transactions of a Bitcoin block have taken for inscriptions while the block is
 * being processed. Transactions that take a lot write the row, and the coinbase removes it. It is outside the state,
 * whose roots must be the reference's, but like the state it follows from the inputs.
 * @module
 */
import { bytes32, type Codec, decode, encodeShortLived, struct, u32, u64, vector } from '../../base/bcs.ts';
import { DATA_FORMAT_OLDEST, DATA_FORMAT_VERSION } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { type AccumulatorInfo, accumulatorInfo } from '../../store/accumulator/accumulator.ts';
import { columnKey, orderBytes, orderOfRow } from '../../store/column.ts';
import type { RowBatch } from '../../store/row-batch.ts';
import type { Operation } from '../../store/store.ts';
import type { RowReader } from './transactions.ts';

/** The newest state of the chain: the row that makes a commit visible. */
export interface Head {
  /** Version of the data format: DATA_FORMAT_VERSION of the program that made the last commit. */
  readonly formatVersion: number;
  /** SHA3 of the genesis: of the file's bytes, or of the framework's modules and settings. */
  readonly genesisHash: Uint8Array;
  readonly chainId: bigint;
  /** Order of the last transaction; genesis is 0. */
  readonly order: bigint;
  readonly stateRoot: Uint8Array;
  /** Number of fields of the root object. */
  readonly size: bigint;
  readonly accumulator: AccumulatorInfo;
  /** The last transaction's timestamp in milliseconds; timestamps never decrease. */
  readonly timestamp: bigint;
  /** Roots of trees that genesis refers to but the store lacks: the chain is partial, and read-only. */
  readonly unloadedRoots: readonly Uint8Array[];
}

export const head: Codec<Head> = struct<Head>({
  formatVersion: u32,
  genesisHash: bytes32,
  chainId: u64,
  order: u64,
  stateRoot: bytes32,
  size: u64,
  accumulator: accumulatorInfo,
  timestamp: u64,
  unloadedRoots: vector(bytes32),
});

/** The key of the head row. */
export const HEAD_KEY: Uint8Array = columnKey('head');

export function headOperation(value: Head): Operation {
  return { type: 'put', key: HEAD_KEY, value: encodeShortLived(head, value) };
}

export function writeHead(batch: RowBatch, value: Head): void {
  batch.put('head');
  batch.value(true);
  head.write(batch.writer, value);
  batch.end();
}

/**
 * The head of a store, or undefined for an empty one.
 * @throws {EngineError} `format-unknown` for data of a version that this program cannot continue, `corrupt` for a row
 * that does not decode.
 */
export function readHead(store: { get(key: Uint8Array): Uint8Array | undefined }): Head | undefined {
  const row = store.get(HEAD_KEY);
  if (row === undefined) return undefined;
  const version = row.length < 4 ? undefined : new DataView(row.buffer, row.byteOffset).getUint32(0, true);
  if (version === undefined || version < DATA_FORMAT_OLDEST || version > DATA_FORMAT_VERSION) {
    throw new EngineError(
      'format-unknown',
      `expected data of format ${DATA_FORMAT_OLDEST} to ${DATA_FORMAT_VERSION}, got format ${version ?? 'none'}: ${
        version !== undefined && version > DATA_FORMAT_VERSION
          ? 'it was written by a newer movelet; open it with that version or a later one: npm install movelet@latest'
          : 'it was written by an older movelet; open it with that version, or make the chain anew with this one'
      }`,
      { details: { expected: DATA_FORMAT_VERSION, oldest: DATA_FORMAT_OLDEST, received: version } },
    );
  }
  try {
    return decode(head, row);
  } catch (cause) {
    throw new EngineError('corrupt', 'the head row does not decode', { cause });
  }
}

/**
 * The head of a store that holds a chain.
 * @throws {EngineError} `corrupt` if there is none; and as `readHead`.
 */
export function storedHead(store: { get(key: Uint8Array): Uint8Array | undefined }): Head {
  const stored = readHead(store);
  if (stored === undefined) throw new EngineError('corrupt', 'the head row is missing');
  return stored;
}

/**
 * Milliseconds; 0 if the time was never set, or only without a clock.
 * @throws {EngineError} `corrupt`
 */
export function readClockOffset(rows: RowReader): bigint {
  const row = rows.get(columnKey('clockOffset'));
  return row === undefined ? 0n : orderOfRow(row, () => 'the row of the moved clock');
}

export function clockOffsetOperations(offset: bigint): Operation[] {
  return [{ type: 'put', key: columnKey('clockOffset'), value: orderBytes(offset) }];
}

/** Bytes that the transactions of a block have taken so far. */
export function readInscriptionBytes(rows: RowReader, blockHash: Uint8Array): number {
  const row = rows.get(columnKey('inscriptionBytes', blockHash));
  return row === undefined ? 0 : Number(orderOfRow(row, () => 'the number of inscription bytes of a block'));
}

/** The operations that take a block from `before` to `after` bytes; 0 means no row. */
export function inscriptionBytesOperations(blockHash: Uint8Array, before: number, after: number): Operation[] {
  if (before === after) return [];
  const key = columnKey('inscriptionBytes', blockHash);
  return after === 0 ? [{ type: 'delete', key }] : [{ type: 'put', key, value: orderBytes(BigInt(after)) }];
}
