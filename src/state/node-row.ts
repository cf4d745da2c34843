/**
 * Tree nodes as rows: the order at which a node was last written, then the node.
 *
 * | row | |
 * | --- | --- |
 * | order (8 bytes, big endian, the first of them below 0x80), node | format 2, and what fits no other form |
 * | `81`, order (ULEB128), packed leaf (packed-leaf.ts) | since format 3 |
 *
 * Nodes are found by their hash, so a node that was replaced may come back with a later state. From the order, pruning
 * tells a node that came back (written after it went stale) from one that is merely old.
 * @module
 */
import { shortLivedBytes } from '../bytes/arena.ts';
import { toHexPrefixed } from '../bytes/hex.ts';
import { STORE_VALUE_BYTES_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import { columnKey, columnKeyAt, orderBytes, partBytes, readOrder } from '../store/column.ts';
import type { Operation, ReadableStore } from '../store/store.ts';
import { LEAF_TAG } from '../tree/node.ts';
import type { HashList, NodeSource, TouchedNodes } from '../tree/tree.ts';
import { packLeaf, unpackLeaf } from './packed-leaf.ts';

const ORDER_BYTES = 8;
const HASH_BYTES = 32;

/** First byte of a row whose order is a ULEB128 and whose node is a packed leaf. No order is that large. */
const PACKED_LEAF = 0x81;

/** The nodes in `rows`. */
export function nodeSource(rows: Pick<ReadableStore, 'get'>): NodeSource {
  return (hash) => {
    const row = rows.get(columnKey('node', hash));
    return row === undefined ? undefined : nodeBytes(row, hash);
  };
}

/**
 * The node of a row.
 * @throws {EngineError} `corrupt`
 */
export function nodeBytes(row: Uint8Array, hash: Uint8Array): Uint8Array {
  if (row.length <= ORDER_BYTES) throw new EngineError('corrupt', `the node row ${toHexPrefixed(hash)} is too short`);
  return row[0] === PACKED_LEAF ? unpackLeaf(row, 1 + orderLength(row)) : row.subarray(ORDER_BYTES);
}

/** The order at which the node of a row was last written. */
export function nodeOrder(row: Uint8Array): bigint {
  if (row[0] !== PACKED_LEAF) return readOrder(row, 0);
  let order = 0n;
  for (let index = orderLength(row); index > 0; index--) order = (order << 7n) | BigInt(row[index]! & 0x7f);
  return order;
}

/** The bytes of the ULEB128 from the second byte of a row on. */
function orderLength(row: Uint8Array): number {
  let length = 1;
  while (row[length]! >= 0x80) length++;
  return length;
}

/** Rows for what the transaction at `order` changed in the trees. */
export function* nodeOperations(order: bigint, { fresh, stale }: TouchedNodes): Generator<Operation, void, undefined> {
  const head = uleb128(order);
  const at = orderBytes(order);
  const { hashes } = fresh;
  for (let index = 0; index < fresh.size; index++) {
    const bytes = fresh.bytesAt(index);
    const value = (bytes[0] === LEAF_TAG ? packedRow(head, bytes) : undefined) ?? plainRow(at, bytes);
    yield { type: 'put', key: columnKeyAt('node', hashes, index * HASH_BYTES), value };
  }
  yield* staleOperations(order, stale);
}

function packedRow(order: Uint8Array, leaf: Uint8Array): Uint8Array | undefined {
  const row = packLeaf(leaf, 1 + order.length);
  if (row === undefined) return undefined;
  row[0] = PACKED_LEAF;
  row.set(order, 1);
  return row;
}

function plainRow(order: Uint8Array, node: Uint8Array): Uint8Array {
  const row = shortLivedBytes(ORDER_BYTES + node.length);
  for (let place = 0; place < ORDER_BYTES; place++) row[place] = order[place]!;
  row.set(node, ORDER_BYTES);
  return row;
}

function uleb128(order: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = order;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.of(...bytes, Number(rest));
}

/** The row of the nodes that the transaction at `order` replaced, or several if one cannot hold them. */
export function staleOperations(order: bigint, { bytes }: Pick<HashList, 'bytes'>): Operation[] {
  const operations: Operation[] = [];
  const at = orderBytes(order);
  for (let from = 0; from < bytes.length; from += STORE_VALUE_BYTES_MAX) {
    const key = from === 0 ? columnKey('staleNodes', at) : columnKey('staleNodes', at, partBytes(operations.length));
    operations.push({ type: 'put', key, value: bytes.subarray(from, from + STORE_VALUE_BYTES_MAX) });
  }
  return operations;
}

/**
 * The hashes of the nodes that the transaction at `order` replaced, in the order in which they were written: 32 bytes
 * each, part by part.
 */
export function* staleParts(rows: Pick<ReadableStore, 'get'>, order: bigint): Generator<StalePart, void, undefined> {
  const at = orderBytes(order);
  for (let index = 0; ; index++) {
    const key = index === 0 ? columnKey('staleNodes', at) : columnKey('staleNodes', at, partBytes(index));
    const hashes = rows.get(key);
    if (hashes === undefined) return;
    yield { key, hashes };
    if (hashes.length !== STORE_VALUE_BYTES_MAX) return;
  }
}

/** A row of stale nodes. */
export interface StalePart {
  readonly key: Uint8Array;
  readonly hashes: Uint8Array;
}
