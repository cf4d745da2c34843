/**
 * The state tree: a sparse Merkle tree over 32-byte keys, 256 binary levels deep, stored as a 16-way radix tree.
 *
 * A tree has no state besides its nodes, and a node is named by its hash. So a `Tree` can read any root, an update
 * leaves the old root readable, and the state, which is a tree of trees, needs only one `Tree`. The shape, and so the
 * root, depends only on the set of entries: an empty range of keys has the placeholder as its hash, one with a single
 * entry has that leaf's hash, and any other has the hash of its halves.
 *
 * All of it is synchronous over a `NodeSource`, and nothing is stored here: an update returns the nodes to store and
 * those that it replaced. Nodes stay linked in memory as far as the `NodeCache` allows. What comes from the source is
 * checked before it is used; a wrong byte is an error, never an answer.
 *
 * Cost on 100,000 keys (bench/tree): a warm read follows 5 links; 15 writes take some 230 pair hashes, because a branch
 * keeps its inner hashes; a cold read computes all hashes of each branch on its path.
 *
 * A walk over the leaves holds one branch and one bitmap for each level. These branches survive eviction from
 * the cache, so it may be paused and resumed at any time: its root does not change.
 *
 * The cost of finding the differences between two trees depends only on what differs: both are walked together, and a
 * branch is read only if the other tree has a different hash there. A range that only one of them has is reported whole.
 * The trees may come from different sources.
 *
 * Source: moveos/smt/src/jellyfish_merkle of the reference.
 * @module
 */
import { compareBytes } from '../../base/bytes/bytes.ts';
import { taggedHash } from '../../base/hash/tagged.ts';
import type { NodeCache } from './cache.ts';
import { assertKey, commonBits, KEY_BITS, KEY_NIBBLES, lowestBit, nibbleAt } from './nibble.ts';
import { type Branch, hashPosition, Leaf, type Node } from './node.ts';
import type { Proof, ProofLeaf } from './proof.ts';
import { corrupt, NodeReader, type NodeSource } from './reader.ts';
import { noTouchedNodes, type TouchedNodes, type TreeUpdate, TreeUpdater, type TreeWrite } from './update.ts';

/** A branch on the path, with the children that are still to come. */
interface Level {
  readonly branch: Branch;
  ahead: number;
  /**
   * The nibble of `from` at this depth, if all nibbles above are those of `from`; otherwise the children are not
   * bounded.
   */
  readonly bound: number | undefined;
}

/** A key whose value differs between the trees, or that is in only one of them. */
interface LeafDifference {
  readonly before: Leaf | undefined;
  readonly after: Leaf | undefined;
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

export type { HashList } from './fresh-nodes.ts';
export { EMPTY_ROOT, Leaf } from './node.ts';
export type { NodeSource } from './reader.ts';
export {
  noTouchedNodes,
  type TouchedNodes,
  type TreeEntry,
  type TreeUpdate,
  type TreeWrite,
} from './update.ts';

export class Tree {
  readonly #reader: NodeReader;
  readonly #updater: TreeUpdater;

  /** `cache` may be shared with other trees, even over other sources: what it holds is valid for all of them. */
  constructor(source: NodeSource, cache: NodeCache) {
    this.#reader = new NodeReader(source, cache);
    this.#updater = new TreeUpdater(this.#reader);
  }

  /**
   * The leaf of `key` under `root`, if there is one. While it stays in memory, the same object is returned, and with it
   * what a reader keeps in its `decoded`.
   * @throws {EngineError} `corrupt` when a node on the way is missing or not what its hash says.
   */
  getLeaf(root: Uint8Array, key: Uint8Array): Leaf | undefined {
    assertKey(key, 'tree key');
    const reader = this.#reader;
    let node: Node | undefined = reader.root(root, key);
    let depth = 0;
    while (node !== undefined && !(node instanceof Leaf)) {
      node = reader.child(node, nibbleAt(key, depth), depth, key);
      depth++;
    }
    if (node === undefined) return undefined;
    const common = node.commonNibbles(key);
    if (common < depth) throw corrupt(root, `a leaf ${depth} nibbles below it stands on another path than its key`);
    return common < KEY_NIBBLES ? undefined : node;
  }

  /**
   * The value of `key` under `root`, if there is one: a view of the cached node. Do not write to it.
   * @throws {EngineError} `corrupt` when a node on the way is missing or not what its hash says.
   */
  get(root: Uint8Array, key: Uint8Array): Uint8Array | undefined {
    return this.getLeaf(root, key)?.value;
  }

  /**
   * Writes `entries` (in any order, each key once) to the tree of `root`, which itself stays as it is. Nothing is
   * stored: the caller stores `fresh`, and the source must know those nodes from now on. Several updates may share
   * `touched`; each adds to it. Entries that change nothing (deleting an absent key, putting the same value) create and
   * replace no node.
   * @throws {EngineError} `invalid-argument` for a repeated key, a key that is not 32 bytes long, or a value of exactly
   * 64 bytes; `corrupt` when a node on the way is missing or not what its hash says.
   */
  update(root: Uint8Array, entries: Iterable<TreeWrite>, touched: TouchedNodes = noTouchedNodes()): TreeUpdate {
    return this.#updater.update(root, entries, touched);
  }

  /**
   * The leaves under `root` in key order, from `from` (included): keys at or above it when ascending, at or below it
   * when descending; without `from`, all. Reads lazily and may be abandoned at any time.
   * @throws {EngineError} `corrupt` when a node on the way is missing or not what its hash says.
   */
  *iterate(
    root: Uint8Array,
    from?: Uint8Array,
    direction: 'ascending' | 'descending' = 'ascending',
  ): Generator<Leaf, void, undefined> {
    if (from !== undefined) assertKey(from, 'key to begin at');
    const descending = direction === 'descending';
    const reached = (leaf: Leaf): boolean => {
      if (from === undefined) return true;
      const order = compareBytes(leaf.key, from);
      return descending ? order <= 0 : order >= 0;
    };
    const level = (branch: Branch, depth: number, bounded: boolean): Level => {
      if (from === undefined || !bounded) return { branch, ahead: branch.existence, bound: undefined };
      const bound = nibbleAt(from, depth);
      const below = (1 << bound) - 1;
      return { branch, ahead: branch.existence & (descending ? below | (1 << bound) : ~below), bound };
    };

    const node = this.#reader.root(root);
    if (node === undefined) return;
    if (node instanceof Leaf) {
      if (reached(node)) yield node;
      return;
    }
    const levels = [level(node, 0, true)];
    for (let top = levels.at(-1); top !== undefined; top = levels.at(-1)) {
      if (top.ahead === 0) {
        levels.pop();
        continue;
      }
      const nibble = descending ? 31 - Math.clz32(top.ahead) : lowestBit(top.ahead);
      top.ahead &= ~(1 << nibble);
      const child = this.#reader.child(top.branch, nibble, levels.length - 1);
      const bounded = nibble === top.bound;
      if (child instanceof Leaf) {
        if (!bounded || reached(child)) yield child;
      } else if (child !== undefined) {
        levels.push(level(child, levels.length, bounded));
      }
    }
  }

  /**
   * The leaves that differ between `root` here and `otherRoot` of another tree, in key order; parts with the same hash
   * in both are not read.
   * @param from the first key to compare; nothing before it is read. Default: all.
   * @throws {EngineError} `corrupt` when a node on the way is missing or not what its hash says.
   */
  *differences(
    root: Uint8Array,
    other: Tree,
    otherRoot: Uint8Array,
    from?: Uint8Array,
  ): Generator<LeafDifference, void, undefined> {
    const [left, right] = [this.#reader, other.#reader];
    yield* between(left, left.root(root), right, right.root(otherRoot), 0, from);
  }

  /**
   * A proof that `key` has its value under `root`, or that it has none; `verifyProof` checks it without a tree.
   * @throws {EngineError} `corrupt` when a node on the way is missing or not what its hash says.
   */
  prove(root: Uint8Array, key: Uint8Array): Proof {
    assertKey(key, 'tree key');
    const siblings: Uint8Array[] = [];
    let node = this.#reader.root(root, key);
    for (let depth = 0; node !== undefined && !(node instanceof Leaf); depth++) {
      const { existence, leaves } = node;
      const nibble = nibbleAt(key, depth);
      // Down the four levels of the branch, until the key's half is empty, or a single child whose hash is the half's.
      let at = 0;
      for (let height = 3; height >= 0; height--) {
        const position = (16 + nibble) >> height;
        siblings.push(node.rangeHash(position ^ 1));
        at = hashPosition(position, existence, leaves);
        if (at !== position) break;
      }
      node = at === 0 ? undefined : this.#reader.child(node, at - 16, depth, key);
    }
    siblings.reverse();
    if (node === undefined) return { leaf: undefined, siblings, neighbour: undefined };
    // Copies: readers share the node's arrays.
    const leaf: ProofLeaf = { key: node.key.slice(), valueHash: taggedHash(node.value) };
    const common = commonBits(leaf.key, key);
    if (common < siblings.length) throw corrupt(root, 'a leaf below it stands on another path than its key');
    return { leaf, siblings, neighbour: common === KEY_BITS ? undefined : node.value.slice() };
  }
}
