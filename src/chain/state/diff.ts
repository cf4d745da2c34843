/**
 * Differences between two states: objects and fields, at all depths.
 *
 * Both trees are walked together. If an object's own tree has the same root in both, nothing below it is read.
 *
 * When an object last changed follows from the nodes on its path. The row of a tree node has the order at which the node
 * was last written. A node that is part of the state of an order, and was last written no later than that, has been
 * part of every state since: had it gone and come back, it would have been written again. So from the lowest of these
 * orders up to that state, nothing below the node changed. If every node on the path was written again later, because
 * the object returned to an earlier content, the rows tell nothing, and the order before is examined.
 *
 * One node is ignored: the leaf of another key in the position of an absent key. When the absent key's leaf was removed,
 * that neighbour moved up without being written. Branches never move: their position follows from the keys below them.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { columnKey } from '../../store/column.ts';
import type { ReadableStore } from '../../store/store.ts';
import { LEAF_TAG } from '../../store/tree/node.ts';
import { pathNodes } from '../../store/tree/path.ts';
import { EMPTY_ROOT } from '../../store/tree/tree.ts';
import { type ObjectId, ROOT_OBJECT_ID } from '../object/object-id.ts';
import type { ObjectMeta, ObjectState } from '../object/object-state.ts';
import { nodeBytes, nodeOrder } from './node-row.ts';
import { readLeaf, type State } from './state.ts';

/** An object or field that differs between two states, or exists in only one of them. */
export interface ObjectDifference {
  readonly before: ObjectState | undefined;
  readonly after: ObjectState | undefined;
}

/**
 * Objects and fields that differ, by ascending id: an object before its fields. An object that exists in only one state
 * comes with all of its fields. An object that differs only in its fields is included, since its leaf holds their root.
 * @param beyond objects up to this id are skipped without being read. Default: none.
 * @throws {EngineError} `state-not-loaded` if fields differ that a partial chain does not hold, `corrupt`.
 */
export function* stateDifferences(
  before: State,
  after: State,
  beyond: ObjectId = ROOT_OBJECT_ID,
): Generator<ObjectDifference, void, undefined> {
  yield* fieldDifferences(before, before.rootMeta, after, after.rootMeta, beyond);
}

/** The same for the fields of one object; `beyond` is relative to that object's id. */
export function* fieldDifferences(
  before: State,
  beforeMeta: ObjectMeta | undefined,
  after: State,
  afterMeta: ObjectMeta | undefined,
  beyond: ObjectId = ROOT_OBJECT_ID,
): Generator<ObjectDifference, void, undefined> {
  const [from, to] = [beforeMeta?.stateRoot ?? EMPTY_ROOT, afterMeta?.stateRoot ?? EMPTY_ROOT];
  const parent = (afterMeta ?? beforeMeta)?.id;
  if (equalBytes(from, to) || parent === undefined) return;
  if (beforeMeta !== undefined) before.assertLoaded(beforeMeta);
  if (afterMeta !== undefined) after.assertLoaded(afterMeta);
  const [first] = beyond;
  for (const leaf of before.tree.differences(from, after.tree, to, first)) {
    const difference = {
      before: leaf.before && readLeaf(leaf.before, parent),
      after: leaf.after && readLeaf(leaf.after, parent),
    };
    const isPassed = first !== undefined && equalBytes((leaf.after ?? leaf.before)!.key, first);
    if (!isPassed) yield difference;
    const rest = isPassed ? beyond.slice(1) : ROOT_OBJECT_ID;
    yield* fieldDifferences(before, difference.before?.meta, after, difference.after?.meta, rest);
  }
}

/** An object in a state, or its absence, with the orders of the nodes on its path. */
export interface LocatedObject {
  readonly object: ObjectState | undefined;
  /** The hash of its leaf, which covers its content, fields included; undefined if it is absent. */
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
