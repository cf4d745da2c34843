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
  commonBytes,
  compareKey,
  compareRows,
  DIGEST_BYTES,
  digestOf,
  isKey,
  RowChunks,
  readKey,
  readValue,
} from './row-chunks.ts';

/** Entries of a leaf, children of a branch. */
const NODE_ENTRIES_MAX = 64;

/** Where the places begin in `numbers`: a node holds one entry too many before it is split. */
const PLACES_AT = NODE_ENTRIES_MAX + 1;

type Owner = object;

/**
 * A leaf, or a branch, whose entry `i` is the row of a lower bound of `children[i]`; that of the first child is never
 * compared.
 */
interface Node {
  readonly owner: Owner;
  /** Digests of the entries' keys, and from PLACES_AT on where their rows begin in their chunks. */
  readonly numbers: Int32Array;
  /** The chunk of each entry's row. */
  readonly chunks: Uint8Array[];
  readonly children: Node[] | undefined;
  /** Whether its entries stand in order. Those of a leaf that is not are put in order when somebody goes through them. */
  isSorted: boolean;
}

/** Called with one row after the other, `undefined` for a deleted one; `false` ends the walk. */
export type Visit = (key: Uint8Array, value: Uint8Array | undefined) => boolean;

/** What an ordered map has under a key: a value, that it is deleted, or nothing. */
export type Found = Uint8Array | null | undefined;

export class OrderedMap {
  readonly #rows = new RowChunks();
  #owner: Owner = {};
  #root: Node = emptyLeaf(this.#owner);
  #size = 0;

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
    this.#root = right === undefined ? root : branchOf(this.#owner, root, right);
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
    const copy = new OrderedMap();
    copy.#root = this.#root;
    copy.#size = this.#size;
    this.#owner = {};
    return copy;
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
    const { numbers, chunks, children, isSorted } = node;
    return {
      owner: this.#owner,
      numbers: numbers.slice(),
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
    insertEntry(node, index + 1, right.numbers[0]!, right.chunks[0]!, placeAt(right, 0));
    if (children.length <= NODE_ENTRIES_MAX) return undefined;
    return splitAt(node, index + 2 === children.length ? NODE_ENTRIES_MAX : children.length >> 1);
  }

  #insertIntoLeaf(leaf: Node, key: Uint8Array, digest: number, place: number): Node | undefined {
    const { numbers, chunks } = leaf;
    const { chunk } = this.#rows;
    const count = chunks.length;
    const index = leaf.isSorted ? lowerBound(leaf, key, digest) : indexOf(leaf, key, digest);
    if (leaf.isSorted ? isAt(leaf, index, key, digest) : index !== -1) {
      chunks[index] = chunk;
      numbers[PLACES_AT + index] = place;
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
    if (chunks.length <= NODE_ENTRIES_MAX) return undefined;
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
      if (found !== -1) removeEntry(node, found);
      return found !== -1;
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

function emptyLeaf(owner: Owner): Node {
  return nodeOf(owner, undefined, true);
}

function nodeOf(owner: Owner, children: Node[] | undefined, isSorted: boolean): Node {
  return { owner, numbers: new Int32Array(2 * PLACES_AT), chunks: [], children, isSorted };
}

function branchOf(owner: Owner, left: Node, right: Node): Node {
  const branch = nodeOf(owner, [left, right], true);
  for (const child of [left, right]) pushEntry(branch, child.numbers[0]!, child.chunks[0]!, placeAt(child, 0));
  return branch;
}

/** Where the row of an entry begins in its chunk. */
function placeAt({ numbers }: Node, index: number): number {
  return numbers[PLACES_AT + index]!;
}

function pushEntry({ numbers, chunks }: Node, digest: number, chunk: Uint8Array, place: number): void {
  numbers[chunks.length] = digest;
  numbers[PLACES_AT + chunks.length] = place;
  chunks.push(chunk);
}

function insertEntry({ numbers, chunks }: Node, index: number, digest: number, chunk: Uint8Array, place: number): void {
  for (let at = chunks.length; at > index; at--) {
    numbers[at] = numbers[at - 1]!;
    numbers[PLACES_AT + at] = numbers[PLACES_AT + at - 1]!;
  }
  numbers[index] = digest;
  numbers[PLACES_AT + index] = place;
  insertAt(chunks, index, chunk);
}

function removeEntry({ numbers, chunks }: Node, index: number): void {
  chunks.splice(index, 1);
  for (let at = index; at < chunks.length; at++) {
    numbers[at] = numbers[at + 1]!;
    numbers[PLACES_AT + at] = numbers[PLACES_AT + at + 1]!;
  }
}

/** As `splice`, without its array of removed items: 15 % of an insertion. */
function insertAt<T>(items: T[], index: number, item: T): void {
  items.push(item);
  for (let at = items.length - 1; at > index; at--) items[at] = items[at - 1]!;
  items[index] = item;
}

/** Takes the entries from `index` on out of a node in order; gives them as its new right neighbour. */
function splitAt({ owner, numbers, chunks, children }: Node, index: number): Node {
  const right = nodeOf(owner, children?.splice(index), true);
  for (let at = index; at < chunks.length; at++) {
    pushEntry(right, numbers[at]!, chunks[at]!, numbers[PLACES_AT + at]!);
  }
  chunks.length = index;
  return right;
}

/**
 * Bytes that the key of a search has in common with the nearest keys below and above that it was compared with, which
 * everything in between has too: from one level to the next a search does not look at them again.
 */
let lowCommon = DIGEST_BYTES;
let highCommon = DIGEST_BYTES;

/** To be called before a search begins at the root; gives the digest of its key. */
function beginSearch(key: Uint8Array): number {
  lowCommon = DIGEST_BYTES;
  highCommon = DIGEST_BYTES;
  return digestOf(key);
}

/** Index of the first entry whose key is not below `key`. */
function lowerBound(node: Node, key: Uint8Array, digest: number): number {
  return search(node, 0, key, digest, 0);
}

/** Index of the child that holds `key` if any does: the last whose lower bound is not above it. */
function childIndex(node: Node, key: Uint8Array, digest: number): number {
  return search(node, 1, key, digest, 1) - 1;
}

/** Index of the first entry from `from` on whose order to `key` is not below `order`. */
function search({ numbers, chunks }: Node, from: number, key: Uint8Array, digest: number, order: number): number {
  let low = from;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = numbers[middle]!;
    if (at === digest) {
      const common = lowCommon < highCommon ? lowCommon : highCommon;
      if (compareKey(chunks[middle]!, numbers[PLACES_AT + middle]!, key, common) < order) {
        low = middle + 1;
        lowCommon = commonBytes;
      } else {
        high = middle;
        highCommon = commonBytes;
      }
    } else if (at < digest) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function isAt(node: Node, index: number, key: Uint8Array, digest: number): boolean {
  const { numbers, chunks } = node;
  return index < chunks.length && numbers[index] === digest && isKey(chunks[index]!, placeAt(node, index), key);
}

/** Index of `key` in a leaf, or -1. */
function indexOf(leaf: Node, key: Uint8Array, digest: number): number {
  if (leaf.isSorted) {
    const index = lowerBound(leaf, key, digest);
    return isAt(leaf, index, key, digest) ? index : -1;
  }
  const { numbers, chunks } = leaf;
  const count = chunks.length;
  for (let index = 0; index < count; index++) {
    if (numbers[index] === digest && isKey(chunks[index]!, placeAt(leaf, index), key)) return index;
  }
  return -1;
}

/** Puts the entries of a leaf in order. A shared one may be, too: it has the same entries for all. */
function sort(leaf: Node): void {
  if (leaf.isSorted) return;
  const { numbers, chunks } = leaf;
  const count = chunks.length;
  // By insertion: there are few, and most of them stand in order.
  for (let from = 1; from < count; from++) {
    const digest = numbers[from]!;
    const place = numbers[PLACES_AT + from]!;
    const chunk = chunks[from]!;
    let to = from;
    while (to > 0 && isBehind(leaf, to - 1, digest, chunk, place)) {
      numbers[to] = numbers[to - 1]!;
      numbers[PLACES_AT + to] = numbers[PLACES_AT + to - 1]!;
      chunks[to] = chunks[to - 1]!;
      to--;
    }
    numbers[to] = digest;
    numbers[PLACES_AT + to] = place;
    chunks[to] = chunk;
  }
  leaf.isSorted = true;
}

/** Whether an entry comes behind another row. */
function isBehind(node: Node, index: number, digest: number, chunk: Uint8Array, place: number): boolean {
  const own = node.numbers[index]!;
  if (own !== digest) return own > digest;
  return compareRows(node.chunks[index]!, placeAt(node, index), chunk, place) > 0;
}

/**
 * Splits a leaf at the middle of the range of its digests, as the entries stand; gives the upper part. Undefined where
 * the parts would be too unequal: hashes, which most keys are, lie evenly.
 */
function partByDigest({ owner, numbers, chunks }: Node): Node | undefined {
  const count = chunks.length;
  let low = numbers[0]!;
  let high = low;
  for (let index = 1; index < count; index++) {
    const digest = numbers[index]!;
    if (digest < low) low = digest;
    else if (digest > high) high = digest;
  }
  const middle = low + ((high - low + 1) >>> 1);
  let above = 0;
  for (let index = 0; index < count; index++) if (numbers[index]! >= middle) above++;
  if (4 * above < count || 4 * above > 3 * count) return undefined;
  const right = nodeOf(owner, undefined, false);
  let kept = 0;
  for (let index = 0; index < count; index++) {
    const digest = numbers[index]!;
    const place = numbers[PLACES_AT + index]!;
    if (digest >= middle) {
      pushEntry(right, digest, chunks[index]!, place);
      continue;
    }
    numbers[kept] = digest;
    numbers[PLACES_AT + kept] = place;
    chunks[kept++] = chunks[index]!;
  }
  chunks.length = kept;
  putLowestFirst(right);
  return right;
}

/** The branch above takes its bound from the first entry. */
function putLowestFirst(leaf: Node): void {
  const { numbers, chunks } = leaf;
  let lowest = 0;
  for (let index = 1; index < chunks.length; index++) {
    if (isBehind(leaf, lowest, numbers[index]!, chunks[index]!, placeAt(leaf, index))) lowest = index;
  }
  swapWithFirst(numbers, 0, lowest);
  swapWithFirst(numbers, PLACES_AT, PLACES_AT + lowest);
  swapWithFirst(chunks, 0, lowest);
}

function swapWithFirst<T>(items: { [index: number]: T }, first: number, index: number): void {
  const item = items[first]!;
  items[first] = items[index]!;
  items[index] = item;
}

function visitEntry({ numbers, chunks }: Node, index: number, visit: Visit): boolean {
  const chunk = chunks[index]!;
  const place = numbers[PLACES_AT + index]!;
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
