/**
 * Nodes of an ordered map: their entries, what is found in them, and how they are split.
 *
 * An entry is a row, which stands in a chunk (row-chunks.ts), or in a branch the row of a child's lower bound. Nodes are in
 * the hands of one search at a time: what that has found out is kept beside them.
 * @module
 */
import { commonBytes, compareKey, compareRows, DIGEST_BYTES, digestOf, isKey } from './row-chunks.ts';

/** Entries of a leaf. */
export const LEAF_ENTRIES_MAX = 64;

/**
 * Children of a branch: more than entries of a leaf, since every level is a few cache lines that are not at hand, and only
 * one insertion in thirty changes a branch.
 */
export const BRANCH_CHILDREN_MAX = 256;

export type Owner = object;

/**
 * A leaf, or a branch, whose entry `i` is the row of a lower bound of `children[i]`; that of the first child is never
 * compared.
 */
export interface Node {
  readonly owner: Owner;
  /** Digests of the entries' keys, and from `placesAt` on where their rows begin in their chunks. */
  readonly numbers: Int32Array;
  /** A node holds one entry too many before it is split. */
  readonly placesAt: number;
  /** The chunk of each entry's row. */
  readonly chunks: Uint8Array[];
  readonly children: Node[] | undefined;
  /** Whether its entries stand in order. Those of a leaf that is not are put in order when somebody goes through them. */
  isSorted: boolean;
}

export function emptyLeaf(owner: Owner): Node {
  return nodeOf(owner, undefined, true);
}

function nodeOf(owner: Owner, children: Node[] | undefined, isSorted: boolean): Node {
  const placesAt = 1 + (children === undefined ? LEAF_ENTRIES_MAX : BRANCH_CHILDREN_MAX);
  return { owner, numbers: new Int32Array(2 * placesAt), placesAt, chunks: [], children, isSorted };
}

export function branchOf(owner: Owner, children: Node[]): Node {
  const branch = nodeOf(owner, children, true);
  for (const child of children) pushEntry(branch, child.numbers[0]!, child.chunks[0]!, placeAt(child, 0));
  return branch;
}

/** The root above nodes of one level, in their order. */
export function rootOf(owner: Owner, nodes: readonly Node[]): Node {
  let level = nodes;
  while (level.length > 1) {
    const above: Node[] = [];
    for (let at = 0; at < level.length; at += BRANCH_CHILDREN_MAX) {
      above.push(branchOf(owner, level.slice(at, at + BRANCH_CHILDREN_MAX)));
    }
    level = above;
  }
  return level[0]!;
}

/** Where the row of an entry begins in its chunk. */
export function placeAt({ numbers, placesAt }: Node, index: number): number {
  return numbers[placesAt + index]!;
}

export function pushEntry({ numbers, placesAt, chunks }: Node, digest: number, chunk: Uint8Array, place: number): void {
  numbers[chunks.length] = digest;
  numbers[placesAt + chunks.length] = place;
  chunks.push(chunk);
}

export function insertEntry(
  { numbers, placesAt, chunks }: Node,
  index: number,
  digest: number,
  chunk: Uint8Array,
  place: number,
): void {
  for (let at = chunks.length; at > index; at--) {
    numbers[at] = numbers[at - 1]!;
    numbers[placesAt + at] = numbers[placesAt + at - 1]!;
  }
  numbers[index] = digest;
  numbers[placesAt + index] = place;
  insertAt(chunks, index, chunk);
}

export function removeEntry({ numbers, placesAt, chunks }: Node, index: number): void {
  chunks.splice(index, 1);
  for (let at = index; at < chunks.length; at++) {
    numbers[at] = numbers[at + 1]!;
    numbers[placesAt + at] = numbers[placesAt + at + 1]!;
  }
}

/** As `splice`, without its array of removed items: 15 % of an insertion. */
export function insertAt<T>(items: T[], index: number, item: T): void {
  items.push(item);
  for (let at = items.length - 1; at > index; at--) items[at] = items[at - 1]!;
  items[index] = item;
}

/** Takes the entries from `index` on out of a node in order; gives them as its new right neighbour. */
export function splitAt({ owner, numbers, placesAt, chunks, children }: Node, index: number): Node {
  const right = nodeOf(owner, children?.splice(index), true);
  for (let at = index; at < chunks.length; at++) {
    pushEntry(right, numbers[at]!, chunks[at]!, numbers[placesAt + at]!);
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
export function beginSearch(key: Uint8Array): number {
  lowCommon = DIGEST_BYTES;
  highCommon = DIGEST_BYTES;
  return digestOf(key);
}

/** Index of the first entry whose key is not below `key`. */
export function lowerBound(node: Node, key: Uint8Array, digest: number): number {
  return search(node, 0, key, digest, 0);
}

/** As `lowerBound`, of a key that is likely to follow all others: those of a stream arrive in order. */
export function placeFor(leaf: Node, key: Uint8Array, digest: number): number {
  const { numbers, chunks } = leaf;
  const last = chunks.length - 1;
  if (last < 0) return 0;
  if (numbers[last] === digest) {
    if (compareKey(chunks[last]!, placeAt(leaf, last), key, DIGEST_BYTES) < 0) return last + 1;
  } else if (numbers[last]! < digest) return last + 1;
  return lowerBound(leaf, key, digest);
}

/** Index of the child that holds `key` if any does: the last whose lower bound is not above it. */
export function childIndex(node: Node, key: Uint8Array, digest: number): number {
  return search(node, 1, key, digest, 1) - 1;
}

/** Index of the first entry from `from` on whose order to `key` is not below `order`. */
function search(
  { numbers, placesAt, chunks }: Node,
  from: number,
  key: Uint8Array,
  digest: number,
  order: number,
): number {
  let low = from;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const at = numbers[middle]!;
    if (at === digest) {
      const common = lowCommon < highCommon ? lowCommon : highCommon;
      if (compareKey(chunks[middle]!, numbers[placesAt + middle]!, key, common) < order) {
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

export function isAt(node: Node, index: number, key: Uint8Array, digest: number): boolean {
  const { numbers, chunks } = node;
  return index < chunks.length && numbers[index] === digest && isKey(chunks[index]!, placeAt(node, index), key);
}

/** Index of `key` in a leaf, or -1. */
export function indexOf(leaf: Node, key: Uint8Array, digest: number): number {
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
export function sort(leaf: Node): void {
  if (leaf.isSorted) return;
  const { numbers, placesAt, chunks } = leaf;
  const count = chunks.length;
  // By insertion: there are few, and most of them stand in order.
  for (let from = 1; from < count; from++) {
    const digest = numbers[from]!;
    const place = numbers[placesAt + from]!;
    const chunk = chunks[from]!;
    let to = from;
    while (to > 0 && isBehind(leaf, to - 1, digest, chunk, place)) {
      numbers[to] = numbers[to - 1]!;
      numbers[placesAt + to] = numbers[placesAt + to - 1]!;
      chunks[to] = chunks[to - 1]!;
      to--;
    }
    numbers[to] = digest;
    numbers[placesAt + to] = place;
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
export function partByDigest({ owner, numbers, placesAt, chunks }: Node): Node | undefined {
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
    const place = numbers[placesAt + index]!;
    if (digest >= middle) {
      pushEntry(right, digest, chunks[index]!, place);
      continue;
    }
    numbers[kept] = digest;
    numbers[placesAt + kept] = place;
    chunks[kept++] = chunks[index]!;
  }
  chunks.length = kept;
  putLowestFirst(right);
  return right;
}

/** The branch above takes its bound from the first entry. */
function putLowestFirst(leaf: Node): void {
  const { numbers, placesAt, chunks } = leaf;
  let lowest = 0;
  for (let index = 1; index < chunks.length; index++) {
    if (isBehind(leaf, lowest, numbers[index]!, chunks[index]!, placeAt(leaf, index))) lowest = index;
  }
  swapWithFirst(numbers, 0, lowest);
  swapWithFirst(numbers, placesAt, placesAt + lowest);
  swapWithFirst(chunks, 0, lowest);
}

function swapWithFirst<T>(items: { [index: number]: T }, first: number, index: number): void {
  const item = items[first]!;
  items[first] = items[index]!;
  items[index] = item;
}
