/**
 * When an object last changed, derived from the nodes on its path.
 *
 * The row of a tree node says at which order the node was last written. A node that is part of the state of an order,
 * and was last written no later than that, has been part of every state since: had it gone and come back, it would have
 * been written again. So from the lowest of these orders up to that state, nothing below the node changed. If every
 * node on the path was written again later, because the object returned to exactly what it was, the rows say nothing,
 * and the order before is examined.
 *
 * One node is ignored: the leaf of another key in the position where an absent key would be. When the absent key's leaf
 * is removed, that neighbour moves up without being written. Branches never move: their position follows from the keys
 * below them.
 * @module
 */

import { equalBytes } from '../../base/bytes/compare.ts';
import { columnKey } from '../../store/column.ts';
import type { ReadableStore } from '../../store/store.ts';
import { LEAF_TAG } from '../../store/tree/node.ts';
import { pathNodes } from '../../store/tree/path.ts';
import { EMPTY_ROOT } from '../../store/tree/tree.ts';
import type { ObjectId } from '../object/object-id.ts';
import type { ObjectState } from '../object/object-state.ts';
import { nodeBytes, nodeOrder } from './node-row.ts';
import type { State } from './state.ts';

/** An object in a state, or its absence, with what the nodes on its path say. */
export interface LocatedObject {
  readonly object: ObjectState | undefined;
  /** Identifies the object with all of its content, fields included; undefined if it is absent. */
  readonly hash: Uint8Array | undefined;
  /** Orders at which the nodes on its path were last written, by this state or a later one. */
  readonly orders: readonly bigint[];
}

/**
 * The object `id` in `state`, read by the rows of its nodes.
 * @throws {EngineError} `state-not-loaded`, `corrupt`
 */
export function locate(rows: Pick<ReadableStore, 'get'>, state: State, id: ObjectId): LocatedObject {
  const orders: bigint[] = [];
  const source = (hash: Uint8Array): Uint8Array | undefined => {
    const row = rows.get(columnKey('node', hash));
    if (row === undefined) return undefined;
    orders.push(nodeOrder(row));
    return nodeBytes(rows, row, hash);
  };
  let object: ObjectState | undefined;
  let hash: Uint8Array | undefined;
  let { rootMeta: meta } = state;
  for (const part of id) {
    const root = meta.stateRoot ?? EMPTY_ROOT;
    // Reads and checks every node whose row is then looked up.
    object = state.childOf(meta, part);
    let isLeaf = false;
    if (!equalBytes(root, EMPTY_ROOT)) {
      for (const node of pathNodes(source, root, part)) {
        ({ hash } = node);
        isLeaf = node.bytes[0] === LEAF_TAG;
      }
    }
    if (object === undefined)
      return { object: undefined, hash: undefined, orders: isLeaf ? orders.slice(0, -1) : orders };
    ({ meta } = object);
  }
  return { object, hash, orders };
}

/**
 * The last order up to `order` that may have changed what was located in the state after `order`. Between the two,
 * nothing did.
 */
export function lastWrite({ orders }: LocatedObject, order: bigint): bigint {
  return orders.reduce((least, written) => (written < least ? written : least), order);
}
