/**
 * An ordered map of rows that is cloned in constant time: a tree over the bytes of keys whose nodes are copied on the
 * first write after a clone.
 *
 * A clone shares the memory of the nodes (node-pages.ts): each of the two maps copies a node before first changing it,
 * so nothing is copied that is not written. An emptied node is unlinked; half-empty ones stay ("free at empty").
 *
 * What an insertion costs is cache misses, as the store is many times larger than any cache. So the bytes of a key tell
 * where it belongs, and no other key is looked at on the way down (map-nodes.ts), a leaf is a few lines of numbers
 * (map-nodes.ts), and there is no object for a node or a row (row-chunks.ts).
 * @module
 */
import { compareBytes } from '../base/bytes/bytes.ts';
import {
  branchChildren,
  byteOf,
  type Chunks,
  commonOfRows,
  commonWith,
  copyNode,
  copyTree,
  digestOfEntry,
  emptyBranchOfBranch,
  emptyBranchOfRow,
  fillSlots,
  insertEntry,
  isAt,
  isBranch,
  isEmpty,
  keyDigest,
  LEAF_ENTRIES_MAX,
  leafOf,
  leafOfRows,
  lowerBound,
  mayGrow,
  nodeWords,
  orderAt,
  partLeaf,
  passedByte,
  placeAt,
  removeEntry,
  replaceChild,
  replacePlace,
  resizedLeaf,
  roomOf,
  SLOTS,
  shortenedBranch,
  slotAt,
  slotOf,
} from './map-nodes.ts';
import { NO_NODE, NodePages, type Pages, pageNumberOf, wordOf } from './node-pages.ts';
import {
  chunkOf,
  isDeletion,
  keyFrom,
  keyLength,
  offsetOf,
  RowChunks,
  readKey,
  readValue,
  rowLength,
} from './row-chunks.ts';
import type { KeyRange } from './store.ts';

/** The entry of a key: a value, a deletion (`null`), or nothing. */
type Found = Uint8Array | null | undefined;

/** Called with one row after the other, `undefined` for a deleted one; `false` ends the walk. */
type Visit = (key: Uint8Array, value: Uint8Array | undefined) => boolean;

/** A walk over the rows of a map: upwards in steps of 1, or downwards in steps of -1. */
interface Walk {
  readonly pages: Pages;
  readonly chunks: Chunks;
  readonly step: 1 | -1;
  readonly visit: Visit;
}

/** A key and its entry in an ordered map: no value if it records a deletion. */
export interface MapRow {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

export class OrderedMap {
  readonly #rows: RowChunks;
  #nodes: NodePages;
  #root: number;
  #size: number;

  /** Empty, or with the nodes of another map, which are copied before they are written. */
  constructor(rows: RowChunks = new RowChunks(), nodes: NodePages = new NodePages(), root: number = NO_NODE, size = 0) {
    this.#rows = rows;
    this.#nodes = nodes;
    this.#root = root;
    this.#size = size;
  }

  /** A map of the rows of a chunk, which are laid out as in row-chunks.ts, in key order. The map keeps the chunk. */
  static ofChunk(chunk: Uint8Array): OrderedMap {
    const rows = new RowChunks();
    const placeOf = rows.adopt(chunk);
    const places: number[] = [];
    for (let at = 0; at < chunk.length; at += rowLength(chunk, at)) places.push(placeOf(at));
    const nodes = new NodePages();
    const root = places.length === 0 ? NO_NODE : rootOfRows(nodes, rows.chunks, places);
    return new OrderedMap(rows, nodes, root, places.length);
  }

  /** Rows in the map, including those that record a deletion. */
  get size(): number {
    return this.#size;
  }

  /** The value of a key, in an array of its own; `null` if the map records its deletion. */
  get(key: Uint8Array): Found {
    const place = this.#find(key, 0, key.length);
    if (place === undefined) return undefined;
    return readValue(this.#rows.chunks[chunkOf(place)]!, offsetOf(place)) ?? null;
  }

  /** The place of the row of a key. */
  #find(key: Uint8Array, from: number, length: number): number | undefined {
    const { pages } = this.#nodes;
    let skip = 0;
    for (let node = this.#root; node !== NO_NODE; ) {
      const page = pages[pageNumberOf(node)]!;
      const at = wordOf(node);
      if (!isBranch(page, at)) {
        const { chunks } = this.#rows;
        const digest = keyDigest(key, from, length, skip);
        const index = lowerBound(page, at, chunks, digest, key, from, length, skip);
        return isAt(page, at, index, chunks, digest, key, from, length) ? placeAt(page, at, index) : undefined;
      }
      // Bytes passed over are not compared here: the row found at the end is, with the whole key.
      skip = byteOf(page, at);
      node = page[branchChildren(page, at) + slotOf(key, from, length, skip)]!;
    }
    return undefined;
  }

  /** Puts a row; without a value, one that records a deletion. Key and value are copied. */
  set(key: Uint8Array, value: Uint8Array | undefined): void {
    this.#insert(key, 0, key.length, this.#rows.put(key, value));
    this.#compact();
  }

  /**
   * Puts rows laid out as in row-chunks.ts, one after another; they are copied. A row that records a deletion removes
   * the row of its key, unless deletions are kept.
   */
  putRows(rows: Uint8Array, keepsDeletions: boolean): void {
    const places = this.#rows.putRows(rows, keepsDeletions);
    let index = 0;
    for (let at = 0; at < rows.length; at += rowLength(rows, at)) {
      const length = keyLength(rows, at);
      if (keepsDeletions || !isDeletion(rows, at)) this.#insert(rows, keyFrom(at), length, places[index++]!);
      else this.#remove(rows, keyFrom(at), length);
    }
    this.#compact();
  }

  /** Removes the row of a key; returns whether it was there. */
  delete(key: Uint8Array): boolean {
    const wasThere = this.#remove(key, 0, key.length);
    this.#compact();
    return wasThere;
  }

  /** An independent map with the same rows, in constant time; occasionally, the nodes are copied. */
  clone(): OrderedMap {
    if (this.#nodes.isSparse) {
      const nodes = new NodePages();
      if (this.#root !== NO_NODE) this.#root = copyTree(this.#nodes.pages, this.#root, nodes);
      this.#nodes = nodes;
    }
    return new OrderedMap(this.#rows.clone(), this.#nodes.clone(), this.#root, this.#size);
  }

  /**
   * Visits rows in ascending order, starting at the first key that is not below `from`, until `visit` returns false.
   * The map must not be written meanwhile.
   */
  ascend(from: Uint8Array | undefined, visit: Visit): void {
    this.#walk(1, from, visit);
  }

  /** As `ascend`, downwards, starting at the last key that is not above `from`. */
  descend(from: Uint8Array | undefined, visit: Visit): void {
    this.#walk(-1, from, visit);
  }

  #walk(step: Walk['step'], from: Uint8Array | undefined, visit: Visit): void {
    if (this.#root === NO_NODE) return;
    visitBelow({ pages: this.#nodes.pages, chunks: this.#rows.chunks, step, visit }, this.#root, 0, from);
  }

  /** Moves the rows out of chunks that are mostly unused. */
  #compact(): void {
    for (let number = this.#rows.takeSparse(); number !== undefined; number = this.#rows.takeSparse()) {
      const chunk = this.#rows.chunks[number]!;
      for (let at = 0; at < chunk.length; at += rowLength(chunk, at)) {
        const from = keyFrom(at);
        const length = keyLength(chunk, at);
        const place = this.#find(chunk, from, length);
        if (place === undefined || chunkOf(place) !== number || offsetOf(place) !== at) continue;
        this.#insert(chunk, from, length, this.#rows.copy(chunk, at));
      }
    }
  }

  /** Inserts the entry of a row that is already in its place. */
  #insert(bytes: Uint8Array, from: number, length: number, place: number): void {
    const { pages } = this.#nodes;
    let branch = NO_NODE;
    let slot = 0;
    let skip = 0;
    let node = this.#root;
    for (;;) {
      if (node === NO_NODE) {
        this.#link(branch, slot, leafOf(this.#nodes, keyDigest(bytes, from, length, skip), place));
        this.#size++;
        return;
      }
      if (!this.#nodes.isOwn(node)) node = this.#copyChild(branch, slot, node);
      const page = pages[pageNumberOf(node)]!;
      const at = wordOf(node);
      if (!isBranch(page, at)) break;
      const byte = byteOf(page, at);
      const common = commonWith(page, at, bytes, from, length);
      if (common < byte) {
        node = this.#branchAbove(branch, slot, node, common);
        skip = common;
      } else skip = byte;
      branch = node;
      slot = slotOf(bytes, from, length, skip);
      const ownPage = pages[pageNumberOf(node)]!;
      node = ownPage[branchChildren(ownPage, wordOf(node)) + slot]!;
    }
    this.#insertIntoLeaf(node, branch, slot, skip, bytes, from, length, place);
  }

  #insertIntoLeaf(
    node: number,
    branch: number,
    slot: number,
    skip: number,
    bytes: Uint8Array,
    from: number,
    length: number,
    place: number,
  ): void {
    const page = this.#nodes.pages[pageNumberOf(node)]!;
    const leaf = wordOf(node);
    const { chunks } = this.#rows;
    const digest = keyDigest(bytes, from, length, skip);
    const count = page[leaf]!;
    const lastDigest = digestOfEntry(page, leaf, count - 1);
    // Keys that arrive in order go after all others of their leaf.
    const isBehind =
      digest > lastDigest ||
      (digest === lastDigest && orderAt(chunks, placeAt(page, leaf, count - 1), bytes, from, length, skip) < 0);
    const index = isBehind ? count : lowerBound(page, leaf, chunks, digest, bytes, from, length, skip);
    if (isAt(page, leaf, index, chunks, digest, bytes, from, length)) {
      this.#rows.remove(placeAt(page, leaf, index));
      replacePlace(page, leaf, index, place);
    } else if (count < roomOf(page, leaf)) {
      insertEntry(page, leaf, index, digest, place);
      this.#size++;
    } else {
      this.#makeRoom(node, branch, slot, skip);
      this.#insert(bytes, from, length, place);
    }
  }

  /** Makes room for a key in the full leaf that it belongs to. */
  #makeRoom(node: number, branch: number, slot: number, skip: number): void {
    const nodes = this.#nodes;
    const { chunks } = this.#rows;
    const page = nodes.pages[pageNumberOf(node)]!;
    const leaf = wordOf(node);
    if (mayGrow(page, leaf, chunks, skip)) {
      this.#link(branch, slot, resizedLeaf(nodes, node, roomOf(page, leaf) + 1));
    } else if (branch === NO_NODE) {
      // Before their first byte, all keys are equal.
      this.#root = emptyBranchOfRow(nodes, 0, 0, chunks, placeAt(page, leaf, 0));
      fillSlots(nodes, this.#root, 0, SLOTS - 1, node);
    } else partLeaf(nodes, branch, skip, slot, chunks);
  }

  /** Puts a branch on `byte`, which another branch passed over, above that one. */
  #branchAbove(parent: number, parentSlot: number, node: number, byte: number): number {
    const nodes = this.#nodes;
    const page = nodes.pages[pageNumberOf(node)]!;
    const at = wordOf(node);
    const slot = passedByte(page, at, byte) + 1;
    const branch = emptyBranchOfBranch(nodes, page, at, byte);
    fillSlots(nodes, branch, slot, slot, shortenedBranch(nodes, page, at, byte + 1));
    nodes.release(node, nodeWords(page, at));
    this.#link(parent, parentSlot, branch);
    return branch;
  }

  #remove(bytes: Uint8Array, from: number, length: number): boolean {
    const { pages } = this.#nodes;
    let branch = NO_NODE;
    let slot = 0;
    let skip = 0;
    let node = this.#root;
    for (;;) {
      if (node === NO_NODE) return false;
      if (!this.#nodes.isOwn(node)) node = this.#copyChild(branch, slot, node);
      const page = pages[pageNumberOf(node)]!;
      const at = wordOf(node);
      if (!isBranch(page, at)) break;
      skip = byteOf(page, at);
      branch = node;
      slot = slotOf(bytes, from, length, skip);
      node = page[branchChildren(page, at) + slot]!;
    }
    const page = pages[pageNumberOf(node)]!;
    const leaf = wordOf(node);
    const { chunks } = this.#rows;
    const digest = keyDigest(bytes, from, length, skip);
    const index = lowerBound(page, leaf, chunks, digest, bytes, from, length, skip);
    if (!isAt(page, leaf, index, chunks, digest, bytes, from, length)) return false;
    this.#rows.remove(placeAt(page, leaf, index));
    removeEntry(page, leaf, index);
    this.#size--;
    const count = page[leaf]!;
    if (count === 0) {
      if (this.#unlinkEmpty(this.#root, bytes, from, length)) this.#root = NO_NODE;
    } else if (4 * count < roomOf(page, leaf)) this.#link(branch, slot, resizedLeaf(this.#nodes, node, 2 * count));
    return true;
  }

  /** Unlinks empty nodes on the path to a key; returns whether this node was empty. */
  #unlinkEmpty(node: number, bytes: Uint8Array, from: number, length: number): boolean {
    const page = this.#nodes.pages[pageNumberOf(node)]!;
    const at = wordOf(node);
    if (isBranch(page, at)) {
      const slot = slotOf(bytes, from, length, byteOf(page, at));
      if (!this.#unlinkEmpty(page[branchChildren(page, at) + slot]!, bytes, from, length)) return false;
      replaceChild(this.#nodes, node, slot, NO_NODE);
      if (!isEmpty(page, at)) return false;
    }
    this.#nodes.release(node, nodeWords(page, at));
    return true;
  }

  /** Copies the child at a slot of a writable branch, or the root. */
  #copyChild(branch: number, slot: number, child: number): number {
    const copy = copyNode(this.#nodes, child);
    this.#link(branch, slot, copy);
    return copy;
  }

  /** Puts a node in place of the child at a slot of a branch, or of the root if there is no branch. */
  #link(branch: number, slot: number, node: number): void {
    if (branch === NO_NODE) this.#root = node;
    else replaceChild(this.#nodes, branch, slot, node);
  }
}

/** The rows of a range, in its direction, `limit` at most. */
export function collectRows(rows: OrderedMap, range: KeyRange, limit: number): MapRow[] {
  const found: MapRow[] = [];
  if (limit === 0) return found;
  const low = range.gte ?? range.gt;
  const high = range.lte ?? range.lt;
  // An exclusive bound itself compares as beyond the range.
  const lowest = range.gt === undefined ? 0 : 1;
  const highest = range.lt === undefined ? 0 : -1;
  const isBelow = (key: Uint8Array): boolean => low !== undefined && compareBytes(key, low) < lowest;
  const isAbove = (key: Uint8Array): boolean => high !== undefined && compareBytes(key, high) > highest;
  const push = (key: Uint8Array, value: Uint8Array | undefined): boolean => found.push({ key, value }) < limit;
  if (range.reverse === true) {
    rows.descend(high, (key, value) => isAbove(key) || (!isBelow(key) && push(key, value)));
  } else {
    rows.ascend(low, (key, value) => isBelow(key) || (!isAbove(key) && push(key, value)));
  }
  return found;
}

/**
 * Visits the rows below a node in the direction of the walk, from the first key that `from` does not come after. All
 * keys below the node share their first `skip` bytes with each other and with `from`.
 * @returns false once the visitor has ended the walk
 */
function visitBelow(walk: Walk, node: number, skip: number, from: Uint8Array | undefined): boolean {
  const { step } = walk;
  const page = walk.pages[pageNumberOf(node)]!;
  const at = wordOf(node);
  if (!isBranch(page, at)) {
    let index = firstIndex(walk, page, at, skip, from);
    for (const count = page[at]!; index >= 0 && index < count; index += step) {
      if (!visitEntry(walk, page, at, index)) return false;
    }
    return true;
  }
  const side = from === undefined ? 1 : step * sideOf(page, at, from);
  if (side < 0) return true;
  const first = side > 0 ? undefined : from;
  const byte = byteOf(page, at);
  const children = branchChildren(page, at);
  let slot = step > 0 ? 0 : SLOTS - 1;
  if (first !== undefined) slot = slotOf(first, 0, first.length, byte);
  const own = page[children + slot]!;
  let last = NO_NODE;
  for (; slot >= 0 && slot < SLOTS; slot += step) {
    const child = page[children + slot]!;
    if (child === NO_NODE || child === last) continue;
    if (!visitBelow(walk, child, byte, child === own ? first : undefined)) return false;
    last = child;
  }
  return true;
}

/** Index of the first entry of a leaf that a walk visits; beyond its entries if there is none. */
function firstIndex(
  { chunks, step }: Walk,
  page: Int32Array,
  leaf: number,
  skip: number,
  from: Uint8Array | undefined,
): number {
  if (from === undefined) return step > 0 ? 0 : page[leaf]! - 1;
  const { length } = from;
  const digest = keyDigest(from, 0, length, skip);
  const index = lowerBound(page, leaf, chunks, digest, from, 0, length, skip);
  return step > 0 || isAt(page, leaf, index, chunks, digest, from, 0, length) ? index : index - 1;
}

function visitEntry({ chunks, visit }: Walk, page: Int32Array, leaf: number, index: number): boolean {
  const place = placeAt(page, leaf, index);
  const chunk = chunks[chunkOf(place)]!;
  const at = offsetOf(place);
  return visit(readKey(chunk, at), readValue(chunk, at));
}

/** Whether all keys below a branch are above a key (positive) or below it (negative); 0 if they begin alike. */
function sideOf(page: Int32Array, branch: number, key: Uint8Array): number {
  const common = commonWith(page, branch, key, 0, key.length);
  if (common === byteOf(page, branch)) return 0;
  return common === key.length ? 1 : passedByte(page, branch, common) - key[common]!;
}

/** The root above rows in key order; there is at least one. */
function rootOfRows(nodes: NodePages, chunks: Chunks, places: readonly number[]): number {
  return places.length <= LEAF_ENTRIES_MAX
    ? leafOfRows(nodes, chunks, places, 0)
    : branchOfRows(nodes, chunks, places, 0, 0);
}

/**
 * A branch that looks at `byte` above rows that do not fit into a leaf, in key order, their keys equal up to that byte;
 * no branch looks at the bytes from `passed` on.
 */
function branchOfRows(
  nodes: NodePages,
  chunks: Chunks,
  places: readonly number[],
  passed: number,
  byte: number,
): number {
  const branch = emptyBranchOfRow(nodes, passed, byte, chunks, places[0]!);
  const slots = places.map((place) => slotAt(chunks, place, byte));
  for (let from = 0; from < slots.length; ) {
    const end = endOfPart(slots, from);
    const part = places.slice(from, end);
    const child =
      part.length <= LEAF_ENTRIES_MAX
        ? leafOfRows(nodes, chunks, part, byte)
        : branchOfRows(nodes, chunks, part, byte + 1, commonOfRows(chunks, part[0]!, part.at(-1)!, byte + 1));
    fillSlots(nodes, branch, slots[from]!, slots[end - 1]!, child);
    from = end;
  }
  return branch;
}

/** Where the rows from `from` on end that fit into one leaf, or share one slot: rows of one slot are never split up. */
function endOfPart(slots: readonly number[], from: number): number {
  let end = from;
  while (end < slots.length) {
    let next = end + 1;
    while (next < slots.length && slots[next] === slots[end]) next++;
    if (next - from > LEAF_ENTRIES_MAX) return end === from ? next : end;
    end = next;
  }
  return end;
}
