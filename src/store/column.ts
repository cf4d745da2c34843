/**
 * Columns: the namespaces of the one key space, and the only place where keys are built.
 *
 * A key is one prefix byte followed by parts that sort as bytes: orders and positions are big endian, object ids start
 * with their number of parts, so that no id is a prefix of another. Prefixes are never reused; a retired one stays here
 * as a comment. Values are BCS of the codec named; the store below guards every value with a checksum bound to its key.
 *
 * Source of the contents: moveos/moveos-store and crates/rooch-indexer of the reference; the layout is our own.
 * @module
 */
import { shortLivedBytes } from '../base/bytes/arena.ts';
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import type { ByteWriter } from '../base/bytes/writer.ts';
import { assert, EngineError } from '../base/error.ts';
import type { KeyRange } from './store.ts';

/** Prefix byte of each column, with key -> value. Kept sorted; numbers are part of the data format. */
export const COLUMN = {
  // 0x00 belongs to the store itself: undo rows of an unfinished large batch (undo.ts), which no reader sees
  /** () -> Head. The last row that a load writes; part of every commit. */
  head: 0x01,
  /** node hash (32) -> order in which it was last written (u64) || node bytes */
  node: 0x10,
  // 0x11 was: order (8) || node hash (32) -> (), up to format 1
  /** order (8), and from the second part on its number (4) -> StateChangeSetExt, with the roots after the change */
  changeSet: 0x12,
  /**
   * order (8) -> hashes (32 each) of the nodes of the tree before `order` that are not in the tree after it. No row if
   * there are none; what does not fit in one row continues under the order and a part number (4)
   */
  staleNodes: 0x13,
  /**
   * the same keys -> roots (32 each) of the field trees of objects that `order` removed or emptied as a whole: their
   * nodes are in no list of stale nodes. No row if there are none; directories older than this column have no rows at
   * all
   */
  detachedTrees: 0x14,
  /** order (8) -> LedgerTransaction */
  transaction: 0x20,
  /** transaction hash (32) -> order (u64) */
  transactionOrder: 0x21,
  /** order (8) -> ExecutionInfo */
  executionInfo: 0x22,
  /** in-order position (8) -> hash (32): leaves and frozen nodes of the transaction accumulator */
  accumulatorNode: 0x23,
  /** state root (32) -> order (u64) of the last transaction that led to it; if history is bounded, kept roots only */
  stateRoot: 0x24,
  /** block hash (32) -> inscription bytes (u64, big endian) that its transactions took; only while it is processed */
  inscriptionBytes: 0x25,
  /** () -> milliseconds (u64, big endian) by which controls moved the sequencer's clock; no row if they did not */
  clockOffset: 0x26,
  /** () -> History; no row if all history is kept, as in directories that predate bounded history */
  history: 0x27,
  /** order (8) || event index (4) -> Event */
  event: 0x30,
  /** handle (object id) || sequence number in the handle (8) -> event position (12) */
  eventByHandle: 0x31,
  /** handle (object id) -> number of events (u64) */
  eventHandle: 0x32,
  /** sender (32) || order (8) -> () */
  transactionBySender: 0x40,
  /** milliseconds (8) || order (8) -> () */
  transactionByTime: 0x41,
  /** sha3 of the event type (32) || event position (12) -> sender (32) */
  eventByType: 0x48,
  /** sender (32) || event position (12) -> sha3 of the event type (32) || sha3 of the handle (32) */
  eventBySender: 0x49,
  /** object id -> ObjectRow */
  object: 0x50,
  /** class (1) || object position (12) -> object id; only UTXOs and inscriptions, which need no filter to be queried */
  objectByPosition: 0x51,
  /** class (1) || owner (32) || object position (12) -> object id */
  objectByOwner: 0x52,
  /** sha3 of the type with or without its arguments (32) || object position (12) -> object id; all other objects */
  objectByType: 0x53,
  /** owner (32) || the same sha3 (32) || object position (12) -> object id; all other objects likewise */
  objectByOwnerAndType: 0x54,
  /** id of an indexed field -> its value (u64, big endian) */
  fieldSortKey: 0x60,
  /** parent (object id) || value (8) || field key (32) -> () */
  fieldBySortKey: 0x61,
} as const;

export type ColumnName = keyof typeof COLUMN;

/** The key of `parts` in a column. */
export function columnKey(column: ColumnName, ...parts: readonly Uint8Array[]): Uint8Array {
  let length = 1;
  for (const part of parts) length += part.length;
  const key = shortLivedBytes(length);
  key[0] = COLUMN[column];
  let at = 1;
  for (const part of parts) {
    key.set(part, at);
    at += part.length;
  }
  return key;
}

/** The key of the 32 bytes at `at` in `bytes`: as `columnKey`, without allocating an array for the part. */
export function columnKeyAt(column: ColumnName, bytes: Uint8Array, at: number): Uint8Array {
  const key = new Uint8Array(33);
  key[0] = COLUMN[column];
  for (let index = 0; index < 32; index++) key[1 + index] = bytes[at + index]!;
  return key;
}

/** Every key of a column that begins with `parts`. */
export function columnRange(column: ColumnName, ...parts: readonly Uint8Array[]): { gte: Uint8Array; lt: Uint8Array } {
  const prefix = columnKey(column, ...parts);
  return { gte: prefix, lt: successor(prefix) };
}

/** The smallest key greater than every key that begins with `prefix`. */
function successor(prefix: Uint8Array): Uint8Array {
  const end = prefix.slice();
  for (let at = end.length - 1; at >= 0; at--) {
    if (end[at] !== 0xff) {
      end[at]!++;
      return end.subarray(0, at + 1);
    }
  }
  throw new RangeError('a prefix of 0xff bytes has no successor');
}

/**
 * The rows of a column that begin with `parts`, after (ascending) or before (descending) an exclusive cursor.
 * The cursor is the rest of the key after `parts`.
 */
export function pageRange(
  column: ColumnName,
  parts: readonly Uint8Array[],
  page: { readonly cursor: Uint8Array | undefined; readonly descending: boolean; readonly limit: number },
): KeyRange {
  const { gte, lt } = columnRange(column, ...parts);
  const { cursor, descending, limit } = page;
  if (cursor === undefined) return { gte, lt, reverse: descending, limit };
  const at = columnKey(column, ...parts, cursor);
  return descending ? { gte, lt: at, reverse: true, limit } : { gt: at, lt, reverse: false, limit };
}

const ORDER_BYTES = 8;

/** Scratch space for numbers: asking a small array for its buffer takes longer than a copy. */
const scratch = new Uint8Array(12);
const scratchView = new DataView(scratch.buffer);

/** A u64 as 8 big-endian bytes, which sort as the numbers do. */
export function orderBytes(order: bigint): Uint8Array {
  scratchView.setBigUint64(0, order);
  return scratch.slice(0, 8);
}

/** The part number of what one row cannot hold, as 4 big-endian bytes. */
export function partBytes(part: number): Uint8Array {
  scratchView.setUint32(0, part);
  return scratch.slice(0, 4);
}

/**
 * The u64 in the 8 big-endian bytes at `at`.
 * @throws {EngineError} `corrupt` for fewer bytes
 */
export function readOrder(bytes: Uint8Array, at: number): bigint {
  if (bytes.length < at + ORDER_BYTES) throw tooShort(bytes, at + ORDER_BYTES);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(at);
}

/** Position of an event or an object change: transaction order, and index within the transaction. */
export interface Position {
  readonly order: bigint;
  readonly index: number;
}

/**
 * The u64 that a whole row is.
 * @param what names it in the error
 * @throws {EngineError} `corrupt` for a row of another length
 */
export function orderOfRow(row: Uint8Array, what: () => string): bigint {
  if (row.length !== ORDER_BYTES) throw new EngineError('corrupt', `${what()} is not a u64`);
  return readOrder(row, 0);
}

export const POSITION_BYTES = 12;

/** A row whose checksum is right may still come from a forged dump. */
function tooShort(bytes: Uint8Array, expected: number): EngineError {
  return new EngineError(
    'corrupt',
    `a row names an order or a position: expected at least ${expected} bytes, got ${bytes.length} (${toHexPrefixed(bytes)}); check the store with movelet verify`,
  );
}

/** 12 big-endian bytes: order (8) and index (4). */
export function positionBytes(position: Position): Uint8Array {
  const { order, index } = position;
  if (!Number.isInteger(index) || index < 0) assert(false, `a position has an index, got ${index}`);
  scratchView.setBigUint64(0, order);
  scratchView.setUint32(8, index);
  return scratch.slice();
}

/** As `positionBytes`, into a writer. */
export function writePosition(writer: ByteWriter, { order, index }: Position): void {
  writer.u64BigEndian(order);
  writer.u32BigEndian(index);
}

/**
 * The position in the 12 bytes at `at`.
 * @throws {EngineError} `corrupt` for fewer bytes
 */
export function readPosition(bytes: Uint8Array, at: number): Position {
  if (bytes.length < at + POSITION_BYTES) throw tooShort(bytes, at + POSITION_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { order: view.getBigUint64(at), index: view.getUint32(at + 8) };
}

/** The part of a key after the column's prefix byte and the next `length` bytes. */
export function keyTail(key: Uint8Array, length: number): Uint8Array {
  return key.subarray(1 + length);
}
