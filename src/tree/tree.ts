/**
 * The state tree: a sparse Merkle tree over 32-byte keys, 256 binary levels deep, stored as a 16-way radix tree.
 *
 * A tree has no state but its nodes, and a node is named by its hash; so a `Tree` reads any root there is, an update
 * leaves the old root readable, and the state, which is a tree of trees, needs only one. The shape, and so the root,
 * follows from the set of entries alone: a range of keys without entry has the placeholder as its hash, one with a
 * single entry is that leaf, any other is the hash of its halves.
 *
 * All of it is synchronous over a `NodeSource`, and nothing is stored here: an update returns the nodes to store and
 * those that it replaced. Nodes stay linked in memory as far as the `NodeCache` allows. What comes from the source is
 * checked before it is believed; a wrong byte is an error, never an answer.
 *
 * Cost on 100,000 keys (bench/tree): a warm read follows 5 links; 15 writes take some 230 pair hashes, because a
 * branch keeps its inner hashes; a cold read hashes each branch on its way whole.
 *
 * Source: moveos/smt/src/jellyfish_merkle of the reference.
 * @module
 */
import type { NodeCache } from './cache.ts';
import { differences, type LeafDifference } from './diff.ts';
import { type Direction, iterate } from './iterate.ts';
import { assertKey, KEY_NIBBLES, nibbleAt } from './nibble.ts';
import { Leaf, type Node } from './node.ts';
import type { Proof } from './proof.ts';
import { prove } from './prove.ts';
import { corrupt, NodeReader, type NodeSource } from './reader.ts';
import { noTouchedNodes, type TouchedNodes, type TreeUpdate, TreeUpdater, type TreeWrite } from './update.ts';

export type { FreshNode } from './fresh-nodes.ts';
export type { HashList } from './hash-list.ts';
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

  /** `cache` may be shared with other trees, over other sources too: it holds nothing that is not true of all. */
  constructor(source: NodeSource, cache: NodeCache) {
    this.#reader = new NodeReader(source, cache);
    this.#updater = new TreeUpdater(this.#reader);
  }

  /**
   * The leaf of `key` under `root`, if there is one. The same leaf comes back while it stays in memory, so what a
   * reader keeps in its `decoded` is there again.
   * @throws {EngineError} `corrupt` when a node on the way is missing or not what its hash says.
   */
  getLeaf(root: Uint8Array, key: Uint8Array): Leaf | undefined {
    assertKey(key, 'tree key');
    const reader = this.#reader;
    let node: Node | undefined = reader.root(root);
    let depth = 0;
    while (node !== undefined && !(node instanceof Leaf)) {
      node = reader.child(node, nibbleAt(key, depth), depth);
      depth++;
    }
    if (node === undefined) return undefined;
    const common = node.commonNibbles(key);
    if (common < depth) throw corrupt(root, `a leaf ${depth} nibbles below it stands on another path than its key`);
    return common === KEY_NIBBLES ? node : undefined;
  }

  /**
   * The value of `key` under `root`, if there is one: a view of the cached node, not to be written to.
   * @throws {EngineError} `corrupt` when a node on the way is missing or not what its hash says.
   */
  get(root: Uint8Array, key: Uint8Array): Uint8Array | undefined {
    return this.getLeaf(root, key)?.value;
  }

  /**
   * Writes `entries` on the tree of `root`, in any order, each key once; the tree of `root` stays as it is.
   * Nothing is stored: the caller stores `fresh`, and has the source answer for it from now on.
   * Several updates may share `touched`, which each adds to.
   * Entries that change nothing (an absent key deleted, the same value put) make and replace no node.
   * @throws {EngineError} `invalid-argument` for a key twice, a key not of 32 bytes, a value of exactly 64 bytes;
   * `corrupt` when a node on the way is missing or not what its hash says.
   */
  update(root: Uint8Array, entries: Iterable<TreeWrite>, touched: TouchedNodes = noTouchedNodes()): TreeUpdate {
    return this.#updater.update(root, entries, touched);
  }

  /**
   * The leaves under `root` in key order, from `from` on (included when it is there). Reads as it goes and may be left
   * at any time.
   * @throws {EngineError} `corrupt` when a node on the way is missing or not what its hash says.
   */
  iterate(root: Uint8Array, from?: Uint8Array, direction: Direction = 'ascending'): Generator<Leaf, void, undefined> {
    return iterate(this.#reader, root, from, direction);
  }

  /**
   * The leaves that differ between `root` here and `otherRoot` of another tree, in key order; what has the same hash in
   * both is not read.
   * @throws {EngineError} `corrupt` when a node on the way is missing or not what its hash says.
   */
  differences(root: Uint8Array, other: Tree, otherRoot: Uint8Array): Generator<LeafDifference, void, undefined> {
    return differences({ reader: this.#reader, root }, { reader: other.#reader, root: otherRoot });
  }

  /**
   * A proof that `key` has its value under `root`, or that it has none; `verifyProof` tells without any tree.
   * @throws {EngineError} `corrupt` when a node on the way is missing or not what its hash says.
   */
  prove(root: Uint8Array, key: Uint8Array): Proof {
    return prove(this.#reader, root, key);
  }
}
