/**
 * An ordered map of rows that is copied in constant time: a tree over the bytes of keys whose nodes are copied on the first
 * write after a clone.
 *
 * Every node names the map that may write to it (its owner token). `clone` gives both maps fresh tokens, so that each
 * copies a shared node before it first changes it; nothing is copied that is not written, and what no map reaches any
 * more is collected. An emptied node is unlinked and half-empty ones are left ("free at empty").
 *
 * What an insertion takes is cache lines that are not at hand, as the store is many times larger than any cache. So nothing
 * is compared on the way down (map-branch.ts), a leaf is one array of numbers (map-node.ts), and there is no object for a
 * row (row-chunks.ts). A key that arrives behind all others of its leaf, as those of streams do, is compared with the
 * last one only.
 *
 * @module
 */
import {
  type Branch,
  branchOf,
  copyBranch,
  isEmpty,
  type Node,
  partLeaf,
  replaceChild,
  rootOfRows,
  SLOTS,
  slotAt,
  slotOf,
  somePlace,
} from './map-branch.ts';
import {
  type Chunks,
  copyLeaf,
  digestOf,
  insertEntry,
  isAt,
  LEAF_ENTRIES_MAX,
  type Leaf,
  lastPlace,
  leafOf,
  lowerBound,
  type Owner,
  placeAt,
  removeEntry,
} from './map-node.ts';
import { chunkOf, offsetOf, RowChunks } from './row-chunks.ts';
import { commonBytes, keyFrom, keyLength, orderBehind, readKey, readValue, rowLength } from './row-layout.ts';

/** Called with one row after the other, `undefined` for a deleted one; `false` ends the walk. */
export type Visit = (key: Uint8Array, value: Uint8Array | undefined) => boolean;

/** What an ordered map has under a key: a value, that it is deleted, or nothing. */
export type Found = Uint8Array | null | undefined;

export class OrderedMap {
  readonly #rows: RowChunks;
  #owner: Owner = {};
  #root: Node | undefined;
  #size: number;

  /** Empty, or with the nodes of another map, which are copied before they are written. */
  constructor(rows: RowChunks = new RowChunks(), root?: Node, size = 0) {
    this.#rows = rows;
    this.#root = root;
    this.#size = size;
  }

  /** The rows of a chunk, which are laid out as in row-layout.ts, in the order of their keys. The map keeps the chunk. */
  static ofChunk(chunk: Uint8Array): OrderedMap {
    const rows = new RowChunks();
    const placeOf = rows.adopt(chunk);
    const places: number[] = [];
    for (let at = 0; at < chunk.length; at += rowLength(chunk, at)) places.push(placeOf(at));
    const map = new OrderedMap(rows, undefined, places.length);
    if (places.length > 0) map.#root = rootOfRows(map.#owner, rows.chunks, places);
    return map;
  }

  /** Rows in the map, those that say that a key is deleted among them. */
  get size(): number {
    return this.#size;
  }

  /** The value of a key, in an array of its own; `null` where the map says that it is deleted. */
  get(key: Uint8Array): Found {
    const { length } = key;
    let node = this.#root;
    let skip = 0;
    while (node?.children !== undefined) {
      skip = node.at;
      node = node.children[slotOf(key, 0, length, skip)];
    }
    if (node === undefined) return undefined;
    const { chunks } = this.#rows;
    const digest = digestOf(key, 0, length, skip);
    const index = lowerBound(node, chunks, digest, key, 0, length, skip);
    if (!isAt(node, index, chunks, digest, key, 0, length)) return undefined;
    const place = placeAt(node, index);
    return readValue(chunks[chunkOf(place)]!, offsetOf(place)) ?? null;
  }

  /** Puts a row; without a value, one that says that the key is deleted. Both are copied. */
  set(key: Uint8Array, value: Uint8Array | undefined): void {
    this.#insert(key, 0, key.length, this.#rows.put(key, value));
  }

  /** Puts the row that is laid out at `at` as in row-layout.ts; it is copied. */
  setRow(rows: Uint8Array, at: number): void {
    this.#insert(rows, keyFrom(at), keyLength(rows, at), this.#rows.putRow(rows, at));
  }

  /** Removes the row of a key; tells whether it was there. */
  delete(key: Uint8Array): boolean {
    return this.#remove(key, 0, key.length);
  }

  /** Removes the row of the key that the row at `at` has; tells whether it was there. */
  deleteRow(rows: Uint8Array, at: number): boolean {
    return this.#remove(rows, keyFrom(at), keyLength(rows, at));
  }

  /** An independent map with the same rows, in constant time. */
  clone(): OrderedMap {
    this.#owner = {};
    return new OrderedMap(this.#rows.clone(), this.#root, this.#size);
  }

  /**
   * Visits rows in ascending order, starting at the first key that is not below `from`, until `visit` says false.
   * The map must not be written meanwhile.
   */
  ascend(from: Uint8Array | undefined, visit: Visit): void {
    if (this.#root !== undefined) ascend(this.#root, 0, this.#rows.chunks, from, visit);
  }

  /** As `ascend`, downwards, starting at the last key that is not above `from`. */
  descend(from: Uint8Array | undefined, visit: Visit): void {
    if (this.#root !== undefined) descend(this.#root, 0, this.#rows.chunks, from, visit);
  }

  /** Inserts the entry of a row that stands at its place. */
  #insert(bytes: Uint8Array, from: number, length: number, place: number): void {
    let node = this.#writableRoot();
    if (node === undefined) {
      this.#root = leafOf(this.#owner, digestOf(bytes, from, length, 0), place);
      this.#size++;
      return;
    }
    let branch: Branch | undefined;
    let slot = 0;
    // Whether all bytes in front of those that the branch looks at were looked at.
    let isExact = true;
    while (node.children !== undefined) {
      isExact &&= node.at === (branch === undefined ? 0 : branch.at + 1);
      branch = node;
      slot = slotOf(bytes, from, length, branch.at);
      const child: Node | undefined = branch.children[slot];
      if (child === undefined) {
        this.#insertIntoGap(branch, slot, isExact, bytes, from, length, place);
        return;
      }
      node = child.owner === this.#owner ? child : this.#copyChild(branch, slot, child);
    }
    this.#insertIntoLeaf(node, branch, slot, isExact, bytes, from, length, place);
  }

  #insertIntoLeaf(
    leaf: Leaf,
    branch: Branch | undefined,
    slot: number,
    isExact: boolean,
    bytes: Uint8Array,
    from: number,
    length: number,
    place: number,
  ): void {
    const { entries, count } = leaf;
    const { chunks } = this.#rows;
    const skip = branch === undefined ? 0 : branch.at;
    const digest = digestOf(bytes, from, length, skip);
    const lastDigest = entries[2 * count - 2]!;
    let index = count;
    if (!isExact || digest === lastDigest) {
      const last = lastPlace(leaf);
      const chunk = chunks[chunkOf(last)]!;
      const at = offsetOf(last);
      const common = commonBytes(chunk, at, bytes, from, length, 0);
      if (common < skip) {
        this.#branchAt(common, last, bytes, from, length);
        this.#insert(bytes, from, length, place);
        return;
      }
      if (orderBehind(chunk, at, bytes, from, length, common) >= 0) {
        index = lowerBound(leaf, chunks, digest, bytes, from, length, skip);
      }
    } else if (digest < lastDigest) index = lowerBound(leaf, chunks, digest, bytes, from, length, skip);
    if (isAt(leaf, index, chunks, digest, bytes, from, length)) {
      this.#rows.remove(placeAt(leaf, index));
      entries[2 * index + 1] = place;
    } else if (count < LEAF_ENTRIES_MAX) {
      insertEntry(leaf, index, digest, place);
      this.#size++;
    } else {
      if (branch === undefined) this.#root = branchOf(this.#owner, 0, leaf, 0, SLOTS - 1);
      else partLeaf(branch, slot, chunks, bytes, from, length);
      this.#insert(bytes, from, length, place);
    }
  }

  /** Inserts an entry below a branch that has nothing in its slot. */
  #insertIntoGap(
    branch: Branch,
    slot: number,
    isExact: boolean,
    bytes: Uint8Array,
    from: number,
    length: number,
    place: number,
  ): void {
    if (!isExact) {
      const other = somePlace(branch);
      const common = commonBytes(this.#rows.chunks[chunkOf(other)]!, offsetOf(other), bytes, from, length, 0);
      if (common < branch.at) {
        this.#branchAt(common, other, bytes, from, length);
        this.#insert(bytes, from, length, place);
        return;
      }
    }
    replaceChild(branch, slot, leafOf(this.#owner, digestOf(bytes, from, length, branch.at), place));
    this.#size++;
  }

  /**
   * Puts a branch on the way to a key: at a byte that no branch looked at, in which it differs from the row at `place`, which
   * the way led to.
   */
  #branchAt(at: number, place: number, bytes: Uint8Array, from: number, length: number): void {
    let above = this.#root as Branch;
    let slot = slotOf(bytes, from, length, above.at);
    let below = above.children[slot] as Branch;
    while (below.at < at) {
      above = below;
      slot = slotOf(bytes, from, length, above.at);
      below = above.children[slot] as Branch;
    }
    const own = slotAt(this.#rows.chunks, place, at);
    above.children[slot] = branchOf(this.#owner, at, below, own, own);
  }

  #remove(bytes: Uint8Array, from: number, length: number): boolean {
    let node = this.#writableRoot();
    let skip = 0;
    while (node?.children !== undefined) {
      skip = node.at;
      const slot = slotOf(bytes, from, length, skip);
      const child: Node | undefined = node.children[slot];
      node = child === undefined || child.owner === this.#owner ? child : this.#copyChild(node, slot, child);
    }
    if (node === undefined) return false;
    const { chunks } = this.#rows;
    const digest = digestOf(bytes, from, length, skip);
    const index = lowerBound(node, chunks, digest, bytes, from, length, skip);
    if (!isAt(node, index, chunks, digest, bytes, from, length)) return false;
    this.#rows.remove(placeAt(node, index));
    removeEntry(node, index);
    this.#size--;
    if (node.count === 0 && unlinkEmpty(this.#root!, bytes, from, length)) this.#root = undefined;
    return true;
  }

  #writableRoot(): Node | undefined {
    const root = this.#root;
    if (root === undefined || root.owner === this.#owner) return root;
    const copy = copyNode(this.#owner, root);
    this.#root = copy;
    return copy;
  }

  /** Copies the child at a slot of a writable branch. */
  #copyChild(branch: Branch, slot: number, child: Node): Node {
    const copy = copyNode(this.#owner, child);
    replaceChild(branch, slot, copy);
    return copy;
  }
}

function visitEntry(leaf: Leaf, index: number, chunks: Chunks, visit: Visit): boolean {
  const place = placeAt(leaf, index);
  const chunk = chunks[chunkOf(place)]!;
  const at = offsetOf(place);
  return visit(readKey(chunk, at), readValue(chunk, at));
}

function ascend(node: Node, skip: number, chunks: Chunks, from: Uint8Array | undefined, visit: Visit): boolean {
  if (node.children === undefined) {
    let index = from === undefined ? 0 : lowerBoundOf(node, skip, chunks, from);
    for (; index < node.count; index++) if (!visitEntry(node, index, chunks, visit)) return false;
    return true;
  }
  const side = from === undefined ? 1 : sideOf(node, chunks, from);
  if (side < 0) return true;
  const first = from === undefined || side > 0 ? undefined : from;
  let slot = first === undefined ? 0 : slotOf(first, 0, first.length, node.at);
  let last: Node | undefined;
  const own = node.children[slot];
  for (; slot < SLOTS; slot++) {
    const child = node.children[slot];
    if (child === undefined || child === last) continue;
    if (!ascend(child, node.at, chunks, child === own ? first : undefined, visit)) return false;
    last = child;
  }
  return true;
}

function descend(node: Node, skip: number, chunks: Chunks, from: Uint8Array | undefined, visit: Visit): boolean {
  if (node.children === undefined) {
    let index = node.count - 1;
    if (from !== undefined) {
      index = lowerBoundOf(node, skip, chunks, from);
      if (!isAt(node, index, chunks, digestOf(from, 0, from.length, skip), from, 0, from.length)) index--;
    }
    for (; index >= 0; index--) if (!visitEntry(node, index, chunks, visit)) return false;
    return true;
  }
  const side = from === undefined ? -1 : sideOf(node, chunks, from);
  if (side > 0) return true;
  const first = from === undefined || side < 0 ? undefined : from;
  let slot = first === undefined ? SLOTS - 1 : slotOf(first, 0, first.length, node.at);
  let last: Node | undefined;
  const own = node.children[slot];
  for (; slot >= 0; slot--) {
    const child = node.children[slot];
    if (child === undefined || child === last) continue;
    if (!descend(child, node.at, chunks, child === own ? first : undefined, visit)) return false;
    last = child;
  }
  return true;
}

/** Index of the first entry of a leaf that is not below a key. */
function lowerBoundOf(leaf: Leaf, skip: number, chunks: Chunks, key: Uint8Array): number {
  return lowerBound(leaf, chunks, digestOf(key, 0, key.length, skip), key, 0, key.length, skip);
}

/** Whether all keys below a branch are above a key (positive) or below it (negative); 0 if it begins as they all do. */
function sideOf(branch: Branch, chunks: Chunks, key: Uint8Array): number {
  const place = somePlace(branch);
  const chunk = chunks[chunkOf(place)]!;
  const at = offsetOf(place);
  const common = commonBytes(chunk, at, key, 0, key.length, 0);
  return common >= branch.at ? 0 : orderBehind(chunk, at, key, 0, key.length, common);
}

function copyNode(owner: Owner, node: Node): Node {
  return node.children === undefined ? copyLeaf(owner, node) : copyBranch(owner, node);
}

/** Unlinks what is empty on the way to a key; tells whether the node is. */
function unlinkEmpty(node: Node, bytes: Uint8Array, from: number, length: number): boolean {
  if (node.children === undefined) return node.count === 0;
  const slot = slotOf(bytes, from, length, node.at);
  if (!unlinkEmpty(node.children[slot]!, bytes, from, length)) return false;
  replaceChild(node, slot, undefined);
  return isEmpty(node);
}
