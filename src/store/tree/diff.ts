/**
 * Differences between two trees, found by walking both together and skipping what has the same hash.
 *
 * The cost depends only on what differs: a branch is read only if the other tree has a different hash there. A range
 * that only one of them has is reported whole. The trees may come from different sources.
 * @module
 */
import { compareBytes } from '../../base/bytes/compare.ts';
import { nibbleAt } from './nibble.ts';
import { type Branch, Leaf, type Node } from './node.ts';
import type { NodeReader } from './reader.ts';

/** A key whose value differs between the trees, or that is in only one of them. */
export interface LeafDifference {
  readonly before: Leaf | undefined;
  readonly after: Leaf | undefined;
}

/** A tree under comparison. */
export interface TreeSide {
  readonly reader: NodeReader;
  readonly root: Uint8Array;
}

/**
 * The keys whose values differ, in ascending order.
 * @param from the first key to compare; nothing before it is read. Default: all.
 * @throws {EngineError} `corrupt` if a node on the path is missing or does not match its hash.
 */
export function* differences(
  before: TreeSide,
  after: TreeSide,
  from?: Uint8Array,
): Generator<LeafDifference, void, undefined> {
  const [left, right] = [before.reader, after.reader];
  yield* between(left, left.root(before.root), right, right.root(after.root), 0, from);
}

function* between(
  left: NodeReader,
  before: Node | undefined,
  right: NodeReader,
  after: Node | undefined,
  depth: number,
  from: Uint8Array | undefined,
): Generator<LeafDifference, void, undefined> {
  if (before === after) return;
  if (before === undefined || after === undefined || before instanceof Leaf || after instanceof Leaf) {
    yield* merged(leavesBelow(left, before, depth, from), leavesBelow(right, after, depth, from));
    return;
  }
  const either = before.existence | after.existence;
  const first = from === undefined ? 0 : nibbleAt(from, depth);
  for (let nibble = first; nibble < 16; nibble++) {
    if (((either >>> nibble) & 1) === 0 || isSameChild(before, after, nibble)) continue;
    const [older, newer] = [left.child(before, nibble, depth), right.child(after, nibble, depth)];
    yield* between(left, older, right, newer, depth + 1, nibble === first ? from : undefined);
  }
}

/** Whether both branches have the same child at `nibble`: a leaf and a branch are never the same. */
function isSameChild(before: Branch, after: Branch, nibble: number): boolean {
  const both = before.existence & after.existence;
  if (((both >>> nibble) & 1) === 0 || (((before.leaves ^ after.leaves) >>> nibble) & 1) === 1) return false;
  const [from, to] = [before.wordsAt(16 + nibble), after.wordsAt(16 + nibble)];
  for (let word = 0; word < 8; word++) if (before.words[from + word] !== after.words[to + word]) return false;
  return true;
}

function* leavesBelow(
  reader: NodeReader,
  node: Node | undefined,
  depth: number,
  from: Uint8Array | undefined,
): Generator<Leaf, void, undefined> {
  if (node === undefined) return;
  if (node instanceof Leaf) {
    if (from === undefined || compareBytes(node.key, from) >= 0) yield node;
    return;
  }
  const first = from === undefined ? 0 : nibbleAt(from, depth);
  for (let nibble = first; nibble < 16; nibble++) {
    yield* leavesBelow(reader, reader.child(node, nibble, depth), depth + 1, nibble === first ? from : undefined);
  }
}

/** Merges two ascending runs of leaves into the run of their differences. */
function* merged(
  before: Iterator<Leaf, void>,
  after: Iterator<Leaf, void>,
): Generator<LeafDifference, void, undefined> {
  let left = before.next().value ?? undefined;
  let right = after.next().value ?? undefined;
  while (left !== undefined || right !== undefined) {
    const order = left === undefined ? 1 : right === undefined ? -1 : left.compareKey(right);
    if (order < 0) yield { before: left, after: undefined };
    else if (order > 0) yield { before: undefined, after: right };
    else if (!left!.holds(right!.value)) yield { before: left, after: right };
    if (order <= 0) left = before.next().value ?? undefined;
    if (order >= 0) right = after.next().value ?? undefined;
  }
}
