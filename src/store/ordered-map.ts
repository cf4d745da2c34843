/**
 * An ordered map of rows that is copied in constant time: a B+ tree whose nodes are copied on the first write after a
 * clone.
 *
 * Every node names the map that may write to it (its owner token). `clone` gives both maps fresh tokens, so that each
 * copies a shared node before it first changes it; nothing is copied that is not written, and what no map reaches any
 * more is collected. An emptied node is unlinked and half-empty ones are left ("free at empty"): keys of this engine
 * are mostly added, and the order of the tree does not depend on how full its nodes are.
 *
 * Rows stand in chunks (row-chunks.ts): a node holds no object for any of them, but numbers and chunks. Beside the place of
 * each row it keeps the digest of its key, the first 30 bits. A search compares those and looks at a key only where they
 * are equal, so it stays within a few cache lines; and where many keys begin alike, as those of one event stream do, it
 * passes over what the keys on both sides have in common.
 *
 * Most keys are hashes. One of those is put behind the others of its leaf, which is put in order only when somebody goes
 * through it: shifting half a leaf for each key takes a quarter of an insertion.
 *
 * @module
 */
import {
  BRANCH_CHILDREN_MAX,
  beginSearch,
  branchOf,
  childIndex,
  emptyLeaf,
  indexOf,
  insertAt,
  insertEntry,
  isAt,
  LEAF_ENTRIES_MAX,
  lowerBound,
  type Node,
  type Owner,
  partByDigest,
  placeAt,
  placeFor,
  pushEntry,
  removeEntry,
  rootOf,
  sort,
  splitAt,
} from './map-node.ts';
import { digestAt, digestOf, RowChunks, readKey, readValue, rowLength } from './row-chunks.ts';

/** Called with one row after the other, `undefined` for a deleted one; `false` ends the walk. */
export type Visit = (key: Uint8Array, value: Uint8Array | undefined) => boolean;

/** What an ordered map has under a key: a value, that it is deleted, or nothing. */
export type Found = Uint8Array | null | undefined;

/** What every empty map begins with, and copies before it writes. */
const EMPTY_LEAF: Node = emptyLeaf({});

export class OrderedMap {
  readonly #rows = new RowChunks();
  #owner: Owner = {};
  #root: Node;
  #size: number;

  /** Empty, or with the nodes of another map, which are copied before they are written. */
  constructor(root: Node = EMPTY_LEAF, size = 0) {
    this.#root = root;
    this.#size = size;
  }

  /** The rows of a chunk, which are laid out as in row-chunks.ts, in the order of their keys. The map keeps the chunk. */
  static ofChunk(chunk: Uint8Array): OrderedMap {
    const owner: Owner = {};
    const leaves = [emptyLeaf(owner)];
    let size = 0;
    for (let at = 0; at < chunk.length; at += rowLength(chunk, at)) {
      if (leaves.at(-1)!.chunks.length === LEAF_ENTRIES_MAX) leaves.push(emptyLeaf(owner));
      pushEntry(leaves.at(-1)!, digestAt(chunk, at), chunk, at);
      size++;
    }
    return new OrderedMap(rootOf(owner, leaves), size);
  }

  /** Rows in the map, those that say that a key is deleted among them. */
  get size(): number {
    return this.#size;
  }

  /** The value of a key, in an array of its own; `null` where the map says that it is deleted. */
  get(key: Uint8Array): Found {
    const digest = beginSearch(key);
    let node = this.#root;
    while (node.children !== undefined) node = node.children[childIndex(node, key, digest)]!;
    const index = indexOf(node, key, digest);
    return index === -1 ? undefined : (readValue(node.chunks[index]!, placeAt(node, index)) ?? null);
  }

  /** Puts a row; without a value, one that says that the key is deleted. Both are copied. */
  set(key: Uint8Array, value: Uint8Array | undefined): void {
    const place = this.#rows.put(key, value);
    const root = this.#writable(this.#root);
    const right = this.#insert(root, key, beginSearch(key), place);
    if (right === undefined) {
      this.#root = root;
      return;
    }
    for (const child of [root, right]) this.#rows.keep(child.chunks[0]!, placeAt(child, 0));
    this.#root = branchOf(this.#owner, [root, right]);
  }

  /** Removes the row of a key; tells whether it was there. */
  delete(key: Uint8Array): boolean {
    let root = this.#writable(this.#root);
    const isRemoved = this.#remove(root, key, beginSearch(key));
    while (root.children !== undefined && root.children.length <= 1) {
      root = root.children[0] ?? emptyLeaf(this.#owner);
    }
    this.#root = root;
    if (isRemoved) this.#size--;
    return isRemoved;
  }

  /** An independent map with the same rows, in constant time. */
  clone(): OrderedMap {
    this.#owner = {};
    this.#rows.share();
    return new OrderedMap(this.#root, this.#size);
  }

  /**
   * Visits rows in ascending order, starting at the first key that is not below `from`, until `visit` says false.
   * The map must not be written meanwhile.
   */
  ascend(from: Uint8Array | undefined, visit: Visit): void {
    if (from !== undefined) beginSearch(from);
    ascend(this.#root, from, visit);
  }

  /** As `ascend`, downwards, starting at the last key that is not above `from`. */
  descend(from: Uint8Array | undefined, visit: Visit): void {
    if (from !== undefined) beginSearch(from);
    descend(this.#root, from, visit);
  }

  #writable(node: Node): Node {
    if (node.owner === this.#owner) return node;
    const { numbers, placesAt, chunks, children, isSorted } = node;
    return {
      owner: this.#owner,
      numbers: numbers.slice(),
      placesAt,
      chunks: chunks.slice(),
      children: children?.slice(),
      isSorted,
    };
  }

  /** Inserts the row that was put last below a writable node; gives its new right neighbour when it had to be split. */
  #insert(node: Node, key: Uint8Array, digest: number, place: number): Node | undefined {
    const { children } = node;
    if (children === undefined) return this.#insertIntoLeaf(node, key, digest, place);
    const index = childIndex(node, key, digest);
    const child = this.#writable(children[index]!);
    children[index] = child;
    const right = this.#insert(child, key, digest, place);
    if (right === undefined) return undefined;
    insertAt(children, index + 1, right);
    this.#rows.keep(right.chunks[0]!, placeAt(right, 0));
    insertEntry(node, index + 1, right.numbers[0]!, right.chunks[0]!, placeAt(right, 0));
    if (children.length <= BRANCH_CHILDREN_MAX) return undefined;
    return splitAt(node, index + 2 === children.length ? BRANCH_CHILDREN_MAX : children.length >> 1);
  }

  #insertIntoLeaf(leaf: Node, key: Uint8Array, digest: number, place: number): Node | undefined {
    const { numbers, placesAt, chunks } = leaf;
    const { chunk } = this.#rows;
    const count = chunks.length;
    const index = leaf.isSorted ? placeFor(leaf, key, digest) : indexOf(leaf, key, digest);
    if (leaf.isSorted ? isAt(leaf, index, key, digest) : index !== -1) {
      this.#rows.remove(chunks[index]!, numbers[placesAt + index]!);
      chunks[index] = chunk;
      numbers[placesAt + index] = place;
      return undefined;
    }
    this.#size++;
    const isLast = leaf.isSorted && index === count;
    const hasEqual = (index < count && numbers[index] === digest) || (index > 0 && numbers[index - 1] === digest);
    if (leaf.isSorted && hasEqual) {
      insertEntry(leaf, index, digest, chunk, place);
    } else {
      pushEntry(leaf, digest, chunk, place);
      leaf.isSorted = isLast;
    }
    if (chunks.length <= LEAF_ENTRIES_MAX) return undefined;
    // Keys that arrive in order leave full leaves behind; so do those of one event stream among others, which from here on
    // arrive at the end of theirs.
    const parted = leaf.isSorted ? undefined : partByDigest(leaf);
    if (parted !== undefined) return parted;
    sort(leaf);
    if (isLast) return splitAt(leaf, index);
    return splitAt(leaf, hasEqual ? index + 1 : chunks.length >> 1);
  }

  #remove(node: Node, key: Uint8Array, digest: number): boolean {
    const { children } = node;
    if (children === undefined) {
      const found = indexOf(node, key, digest);
      if (found === -1) return false;
      this.#rows.remove(node.chunks[found]!, placeAt(node, found));
      removeEntry(node, found);
      return true;
    }
    const index = childIndex(node, key, digest);
    const child = this.#writable(children[index]!);
    children[index] = child;
    const isRemoved = this.#remove(child, key, digest);
    if (child.chunks.length > 0) return isRemoved;
    removeEntry(node, index);
    children.splice(index, 1);
    return isRemoved;
  }
}

function visitEntry({ numbers, placesAt, chunks }: Node, index: number, visit: Visit): boolean {
  const chunk = chunks[index]!;
  const place = numbers[placesAt + index]!;
  return visit(readKey(chunk, place), readValue(chunk, place));
}

function ascend(node: Node, from: Uint8Array | undefined, visit: Visit): boolean {
  const { children } = node;
  if (children === undefined) {
    sort(node);
    const first = from === undefined ? 0 : lowerBound(node, from, digestOf(from));
    for (let index = first; index < node.chunks.length; index++) if (!visitEntry(node, index, visit)) return false;
    return true;
  }
  const first = from === undefined ? 0 : childIndex(node, from, digestOf(from));
  for (let index = first; index < children.length; index++) {
    if (!ascend(children[index]!, index === first ? from : undefined, visit)) return false;
  }
  return true;
}

function descend(node: Node, from: Uint8Array | undefined, visit: Visit): boolean {
  const { children } = node;
  if (children === undefined) {
    sort(node);
    let index = node.chunks.length - 1;
    if (from !== undefined) {
      const digest = digestOf(from);
      index = lowerBound(node, from, digest);
      if (!isAt(node, index, from, digest)) index--;
    }
    for (; index >= 0; index--) if (!visitEntry(node, index, visit)) return false;
    return true;
  }
  const last = from === undefined ? children.length - 1 : childIndex(node, from, digestOf(from));
  for (let index = last; index >= 0; index--) {
    if (!descend(children[index]!, index === last ? from : undefined, visit)) return false;
  }
  return true;
}
