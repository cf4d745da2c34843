/**
 * Tree nodes as rows: the order at which a node was last written, then the node.
 *
 * | row | |
 * | --- | --- |
 * | order (8 bytes, big endian, the first of them 0), node | format 2, and nodes that fit no other form |
 * | `81`, order (ULEB128), packed leaf (packed-leaf.ts) | since format 3 |
 * | `82`, or `83` with bitmaps; order (ULEB128), delta of a branch (node-delta.ts) | since format 3 |
 * | `84`, order (ULEB128), delta of a packed leaf (node-delta.ts) | since format 3 |
 *
 * The base of a delta was written later than the node, and became stale later if it did, so pruning deletes it later.
 *
 * Nodes are found by their hash, so a replaced node may come back with a later state. The order tells pruning whether a
 * node came back (was written after it became stale) or is merely old.
 * @module
 */

import { decode } from '../../base/bcs.ts';
import { joinBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { DATA_FORMAT_OLDEST } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { columnKey, orderBytes, readOrder } from '../../store/column.ts';
import { STORE_VALUE_BYTES_MAX } from '../../store/limits.ts';
import { type PutOperation, RowBatch, type RowWriting } from '../../store/row-batch.ts';
import type { Row } from '../../store/store.ts';
import { BRANCH_HEAD_BYTES, BRANCH_TAG, LEAF_TAG } from '../../store/tree/node.ts';
import { decodeNode } from '../../store/tree/reader.ts';
import { type HashList, Leaf, type NodeSource } from '../../store/tree/tree.ts';
import { type RowReader, rowParts } from '../ledger/transactions.ts';
import { objectState } from '../object/object-state.ts';
import { type ChangedTrees, hasFields } from './apply.ts';
import { branchDelta, branchOfDelta, haveSameBitmaps, leafDelta, leafOfDelta } from './node-delta.ts';
import { packLeaf, unpackLeaf } from './packed-leaf.ts';

const ORDER_BYTES = 8;
const HASH_BYTES = 32;

/** First bytes of rows whose order is a ULEB128; no big-endian order is large enough to begin with one of them. */
const PACKED_LEAF = 0x81;
const BRANCH_DELTA = 0x82;
const BRANCH_DELTA_WITH_BITMAPS = 0x83;
const LEAF_DELTA = 0x84;
const FORMS_MIN = 0x80;

/** The nodes in `rows`. */
export function nodeSource(rows: RowReader): NodeSource {
  return (hash, way) => {
    const row = rows.get(columnKey('node', hash), way);
    return row === undefined ? undefined : nodeBytes(rows, row, hash);
  };
}

/**
 * The node of a row. `rows` has the bases of deltas.
 * @throws {EngineError} `corrupt`
 */
export function nodeBytes(rows: RowReader, row: Uint8Array, hash: Uint8Array): Uint8Array {
  if (row.length <= ORDER_BYTES) throw new EngineError('corrupt', `the node row ${toHexPrefixed(hash)} is too short`);
  const form = row[0]!;
  if (form < FORMS_MIN) return row.subarray(ORDER_BYTES);
  if (form === PACKED_LEAF) return unpackLeaf(row, bodyStart(row));
  const deltas: Uint8Array[] = [];
  let base = row;
  for (; isDelta(base); base = baseOf(rows, base)) deltas.push(base);
  let body = base.subarray(bodyStart(base));
  for (let delta = deltas.pop(); delta !== undefined; delta = deltas.pop()) {
    const from = bodyStart(delta) + HASH_BYTES;
    body =
      form === LEAF_DELTA
        ? leafOfDelta(delta, from, body)
        : branchOfDelta(delta, from, body, delta[0] === BRANCH_DELTA_WITH_BITMAPS);
  }
  return form === LEAF_DELTA ? unpackLeaf(body, 0) : body;
}

/** The row of a node that is stored whole. */
export function wholeNodeRow(order: bigint, node: Uint8Array): Uint8Array {
  return joinBytes([orderBytes(order), node]);
}

/** The data format in which rows of this form were first written. */
export function nodeFormat(row: Uint8Array): number {
  return row[0]! < FORMS_MIN ? DATA_FORMAT_OLDEST : 3;
}

/** Whether a row stores a node as its delta to another. */
export function isDelta(row: Uint8Array): boolean {
  return row[0]! > PACKED_LEAF;
}

/** The row of a delta's base, which must be of the same kind and written later, so there are no cycles. */
function baseOf(rows: RowReader, delta: Uint8Array): Uint8Array {
  const from = bodyStart(delta);
  const hash = delta.subarray(from, from + HASH_BYTES);
  const row = hash.length < HASH_BYTES ? undefined : rows.get(columnKey('node', hash));
  const isOfLeaf = delta[0] === LEAF_DELTA;
  if (row === undefined || isOfLeaf !== isLeafForm(row) || nodeOrder(row) <= nodeOrder(delta)) {
    throw new EngineError('corrupt', `expected ${toHexPrefixed(hash)}, the base of a stored node, to be a later node`);
  }
  return row;
}

function isLeafForm(row: Uint8Array): boolean {
  return row[0] === PACKED_LEAF || row[0] === LEAF_DELTA;
}

/**
 * The order at which the node of a row was last written.
 * @throws {EngineError} `corrupt` for a row that is too short for a node
 */
export function nodeOrder(row: Uint8Array): bigint {
  if (row.length <= ORDER_BYTES) throw new EngineError('corrupt', `a node row of ${row.length} bytes is too short`);
  if (row[0]! < FORMS_MIN) return readOrder(row, 0);
  let order = 0n;
  for (let index = bodyStart(row) - 1; index > 0; index--) order = (order << 7n) | BigInt(row[index]! & 0x7f);
  return order;
}

/** The offset of the node, or the delta, in a row. */
function bodyStart(row: Uint8Array): number {
  if (row[0]! < FORMS_MIN) return ORDER_BYTES;
  let at = 1;
  while (row[at]! >= 0x80) at++;
  return at + 1;
}

/**
 * The row of a node as its delta to `base`, the row under `baseKey` of a node that was written later; undefined if the
 * delta is not much shorter. Neither of the given rows is a delta.
 */
export function deltaRow(row: Uint8Array, base: Uint8Array, baseKey: Uint8Array): Uint8Array | undefined {
  return isLeafForm(row) ? leafDeltaRow(row, base, baseKey) : branchDeltaRow(row, base, baseKey);
}

function leafDeltaRow(row: Uint8Array, base: Uint8Array, baseKey: Uint8Array): Uint8Array | undefined {
  if (!isLeafForm(base)) return undefined;
  const head = bodyStart(row);
  const delta = leafDelta(row, head, base, bodyStart(base), baseKey, head);
  if (delta === undefined) return undefined;
  delta[0] = LEAF_DELTA;
  for (let at = 1; at < head; at++) delta[at] = row[at]!;
  return delta;
}

function branchDeltaRow(row: Uint8Array, base: Uint8Array, baseKey: Uint8Array): Uint8Array | undefined {
  if (!isBranchRow(row) || !isBranchRow(base)) return undefined;
  const order = nodeOrder(row);
  const delta = branchDelta(row, base, ORDER_BYTES, baseKey, 1 + orderLength(order));
  if (delta === undefined) return undefined;
  delta[0] = haveSameBitmaps(row, base, ORDER_BYTES) ? BRANCH_DELTA : BRANCH_DELTA_WITH_BITMAPS;
  writeOrder(delta, order);
  return delta;
}

/** Whether a row, which is not a delta, holds a branch. */
export function isBranchRow(row: Uint8Array): boolean {
  return row[0]! < FORMS_MIN && row[ORDER_BYTES] === BRANCH_TAG;
}

/** Writes the rows for what the transaction at `order` changed in the trees. */
export function* writeNodes(batch: RowBatch, order: bigint, { fresh, stale, detached }: ChangedTrees): RowWriting {
  const { writer } = batch;
  const packed = packedHead(order);
  const { hashes } = fresh;
  for (let index = 0; index < fresh.size; index++) {
    const node = fresh.bytesAt(index);
    batch.put('node');
    writer.part(hashes, index * HASH_BYTES, HASH_BYTES);
    batch.value(node.length > PACKED_BYTES_SAVED);
    if (node[0] !== LEAF_TAG || !packLeaf(writer, packed, node)) {
      writer.u64BigEndian(order);
      writer.bytes(node);
    }
    batch.end();
    if (batch.isFull) yield;
  }
  if (stale.size > 0) yield* writeList(batch, 'staleNodes', order, stale.bytes);
  if (detached.length > 0) yield* writeList(batch, 'detachedTrees', order, joinBytes(detached));
}

/** A leaf of up to this many bytes is assumed to be short once it is packed. */
const PACKED_BYTES_SAVED = 450;

function packedHead(order: bigint): Uint8Array {
  const head = new Uint8Array(1 + orderLength(order));
  head[0] = PACKED_LEAF;
  writeOrder(head, order);
  return head;
}

/** The length of an order as ULEB128, in bytes. */
function orderLength(order: bigint): number {
  let length = 1;
  for (let rest = order; rest >= 0x80n; rest >>= 7n) length++;
  return length;
}

/** Writes an order as ULEB128 after the first byte of a row. */
function writeOrder(row: Uint8Array, order: bigint): void {
  let at = 1;
  let rest = order;
  for (; rest >= 0x80n; rest >>= 7n) row[at++] = Number(rest & 0x7fn) | 0x80;
  row[at] = Number(rest);
}

/** The rows that list the nodes that the transaction at `order` replaced: one, or several if one cannot hold them. */
export function staleOperations(order: bigint, { bytes }: Pick<HashList, 'bytes'>): PutOperation[] {
  return RowBatch.putsOf((batch) => writeList(batch, 'staleNodes', order, bytes));
}

/** The rows that list the trees that the transaction at `order` detached. */
export function detachedOperations(order: bigint, roots: readonly Uint8Array[]): PutOperation[] {
  return RowBatch.putsOf((batch) => writeList(batch, 'detachedTrees', order, joinBytes(roots)));
}

function* writeList(batch: RowBatch, column: ListColumn, order: bigint, hashes: Uint8Array): RowWriting {
  for (let from = 0; from < hashes.length; from += STORE_VALUE_BYTES_MAX) {
    batch.put(column);
    batch.writer.u64BigEndian(order);
    if (from > 0) batch.writer.u32BigEndian(from / STORE_VALUE_BYTES_MAX);
    batch.value(true);
    batch.writer.part(hashes, from, Math.min(STORE_VALUE_BYTES_MAX, hashes.length - from));
    batch.end();
    if (batch.isFull) yield;
  }
}

/**
 * The hashes of the nodes that the transaction at `order` replaced, or the roots of the trees that it detached, as
 * written: 32 bytes each, part by part.
 */
export function hashParts(rows: RowReader, column: ListColumn, order: bigint): Iterable<Row> {
  return rowParts(rows, column, order, STORE_VALUE_BYTES_MAX);
}

/** The columns that list what pruning deletes. */
export type ListColumn = 'staleNodes' | 'detachedTrees';

/**
 * The hashes of a branch's children, or the root of the fields of a leaf's object, if it has any.
 * @throws {EngineError} `corrupt` for bytes that do not have this hash
 */
export function childrenOf(hash: Uint8Array, bytes: Uint8Array): Uint8Array[] {
  const node = decodeNode(bytes, hash);
  if (node instanceof Leaf) {
    const { stateRoot } = decode(objectState, node.value).meta;
    return hasFields(stateRoot) ? [stateRoot] : [];
  }
  const hashes: Uint8Array[] = [];
  for (let at = BRANCH_HEAD_BYTES; at < bytes.length; at += HASH_BYTES)
    hashes.push(bytes.subarray(at, at + HASH_BYTES));
  return hashes;
}

/** The row of a node, unless it is missing or was written again at `order` or later. */
export function rowBefore(rows: RowReader, key: Uint8Array, order: bigint): Uint8Array | undefined {
  const row = rows.get(key);
  return row === undefined || nodeOrder(row) >= order ? undefined : row;
}

/**
 * The keys of the rows of a tree that `order` detached, children before parents. Nodes written again since are skipped
 * with everything below them: an object of the same id has such fields again. Missing nodes are skipped too, so a caller
 * that deletes some of the nodes finds the others the next time.
 * @throws {EngineError} `corrupt` for a row that cannot be read
 */
export function* detachedNodes(
  rows: RowReader,
  root: Uint8Array,
  order: bigint,
): Generator<Uint8Array, void, undefined> {
  const key = columnKey('node', root);
  const row = rowBefore(rows, key, order);
  if (row === undefined) return;
  for (const child of childrenOf(root, nodeBytes(rows, row, root))) yield* detachedNodes(rows, child, order);
  yield key;
}
