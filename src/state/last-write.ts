/**
 * When an object last changed, told by the nodes on its way.
 *
 * The row of a tree node says in which order the node was last written. A node that stands in the state of an order and was
 * last written no later has stood there since: had it gone and come back, it would have been written again. So from the
 * least of these orders on, nothing below changed, up to that state. Where every node on the way was written again later,
 * because the object returned to what it was byte for byte, the rows tell nothing, and the order before is looked at.
 *
 * One node is left out: the leaf of another key that stands where an absent one would. It moves up, unwritten, when the
 * absent one's leaf beside it goes. Branches never move: their place follows from the keys below them.
 * @module
 */

import { equalBytes } from '../bytes/compare.ts';
import type { ObjectId } from '../object/object-id.ts';
import type { ObjectState } from '../object/object-state.ts';
import { columnKey } from '../store/column.ts';
import type { ReadableStore } from '../store/store.ts';
import { LEAF_TAG } from '../tree/node.ts';
import { pathNodes } from '../tree/path.ts';
import { EMPTY_ROOT } from '../tree/tree.ts';
import { nodeBytes, nodeOrder } from './node-row.ts';
import type { State } from './state.ts';

/** An object in a state, or its absence, with what the nodes on its way tell. */
export interface LocatedObject {
  readonly object: ObjectState | undefined;
  /** Names the object with all of its content, its fields included; undefined where it is absent. */
  readonly hash: Uint8Array | undefined;
  /** Orders in which the nodes on its way were last written, by this state or a later one. */
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
    return nodeBytes(row, hash);
  };
  let object: ObjectState | undefined;
  let hash: Uint8Array | undefined;
  let { rootMeta: meta } = state;
  for (const part of id) {
    const root = meta.stateRoot ?? EMPTY_ROOT;
    // Reads and checks all that the rows are then asked about.
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
 * The last order up to `order` that may have changed what was located in the state that `order` left. After it and up to
 * `order` nothing did.
 */
export function lastWrite({ orders }: LocatedObject, order: bigint): bigint {
  return orders.reduce((least, written) => (written < least ? written : least), order);
}
