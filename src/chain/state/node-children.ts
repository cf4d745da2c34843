/**
 * What is below a tree node, through the leaves of objects into the trees of their fields.
 * @module
 */
import { decode } from '../../base/bcs/codec.ts';
import { columnKey } from '../../store/column.ts';
import type { ReadableStore } from '../../store/store.ts';
import { BRANCH_HEAD_BYTES } from '../../store/tree/node.ts';
import { decodeNode } from '../../store/tree/reader.ts';
import { Leaf } from '../../store/tree/tree.ts';
import { objectState } from '../object/object-state.ts';
import { hasFields } from './apply.ts';
import { nodeBytes, nodeOrder } from './node-row.ts';

const HASH_BYTES = 32;

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
export function rowBefore(rows: Pick<ReadableStore, 'get'>, key: Uint8Array, order: bigint): Uint8Array | undefined {
  const row = rows.get(key);
  return row === undefined || nodeOrder(row) >= order ? undefined : row;
}

/**
 * The keys of the rows of a tree that `order` detached, children before parents. Nodes that were written again since
 * are left out with everything below them: an object of the same id has such fields again. Missing nodes are left out,
 * too, so a caller that deletes some of the nodes finds the others the next time.
 * @throws {EngineError} `corrupt` for a row that cannot be read
 */
export function* detachedNodes(
  rows: Pick<ReadableStore, 'get'>,
  root: Uint8Array,
  order: bigint,
): Generator<Uint8Array, void, undefined> {
  const key = columnKey('node', root);
  const row = rowBefore(rows, key, order);
  if (row === undefined) return;
  for (const child of childrenOf(root, nodeBytes(rows, row, root))) yield* detachedNodes(rows, child, order);
  yield key;
}
