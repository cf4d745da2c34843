/**
 * An ordered map of rows that is cloned in constant time: a tree over the bytes of keys whose nodes are copied on the
 * first write after a clone.
 *
 * A clone shares the memory of the nodes (node-pages.ts): each of the two maps copies a node before first changing it,
 * so nothing is copied that is not written. An emptied node is unlinked; half-empty ones stay ("free at empty").
 *
 * What an insertion costs is cache misses, as the store is many times larger than any cache. So the bytes of a key tell
 * where it belongs, and no other key is looked at on the way down (map-branch.ts), a leaf is a few lines of numbers
 * (map-leaf.ts), and there is no object for a node or a row (row-chunks.ts).
 *
 * @module
 */
import { mayGrow, partLeaf } from './leaf-parting.ts';
import {
  byteOf,
  childrenOf,
  commonWith,
  copyNode,
  copyTree,
  emptyBranchOfBranch,
  emptyBranchOfRow,
  fillSlots,
  isBranch,
  isEmpty,
  nodeWords,
  passedByte,
  replaceChild,
  SLOTS,
  shortenedBranch,
  slotOf,
} from './map-branch.ts';
import {
  digestOf,
  digestOfEntry,
  insertEntry,
  isAt,
  leafOf,
  lowerBound,
  orderAt,
  placeAt,
  removeEntry,
  replacePlace,
  resizedLeaf,
  roomOf,
} from './map-leaf.ts';
import { ascend, descend, type Visit } from './map-walk.ts';
import { NO_NODE, NodePages, pageOf, wordOf } from './node-pages.ts';
import { chunkOf, offsetOf, RowChunks } from './row-chunks.ts';
import { isDeletion, keyFrom, keyLength, readValue, rowLength } from './row-layout.ts';
import { rootOfRows } from './sorted-rows.ts';

export type { Visit } from './map-walk.ts';

/** What an ordered map has under a key: a value, a deletion (`null`), or nothing. */
export type Found = Uint8Array | null | undefined;

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

  /** A map of the rows of a chunk, which are laid out as in row-layout.ts, in key order. The map keeps the chunk. */
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
    const { length } = key;
    const { pages } = this.#nodes;
    let skip = 0;
    for (let node = this.#root; node !== NO_NODE; ) {
      const page = pages[pageOf(node)]!;
      const at = wordOf(node);
      if (!isBranch(page, at)) {
        const { chunks } = this.#rows;
        const digest = digestOf(key, 0, length, skip);
        const index = lowerBound(page, at, chunks, digest, key, 0, length, skip);
        if (!isAt(page, at, index, chunks, digest, key, 0, length)) return undefined;
        const place = placeAt(page, at, index);
        return readValue(chunks[chunkOf(place)]!, offsetOf(place)) ?? null;
      }
      // Bytes passed over are not compared here: the row found at the end is, with the whole key.
      skip = byteOf(page, at);
      node = page[childrenOf(page, at) + slotOf(key, 0, length, skip)]!;
    }
    return undefined;
  }

  /** Puts a row; without a value, one that records a deletion. Key and value are copied. */
  set(key: Uint8Array, value: Uint8Array | undefined): void {
    this.#insert(key, 0, key.length, this.#rows.put(key, value));
  }

  /**
   * Puts rows laid out as in row-layout.ts, one after another; they are copied. A row that records a deletion removes
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
  }

  /** Removes the row of a key; returns whether it was there. */
  delete(key: Uint8Array): boolean {
    return this.#remove(key, 0, key.length);
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
    if (this.#root === NO_NODE) return;
    ascend({ pages: this.#nodes.pages, chunks: this.#rows.chunks, visit }, this.#root, 0, from);
  }

  /** As `ascend`, downwards, starting at the last key that is not above `from`. */
  descend(from: Uint8Array | undefined, visit: Visit): void {
    if (this.#root === NO_NODE) return;
    descend({ pages: this.#nodes.pages, chunks: this.#rows.chunks, visit }, this.#root, 0, from);
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
        this.#link(branch, slot, leafOf(this.#nodes, digestOf(bytes, from, length, skip), place));
        this.#size++;
        return;
      }
      if (!this.#nodes.isOwn(node)) node = this.#copyChild(branch, slot, node);
      const page = pages[pageOf(node)]!;
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
      const ownPage = pages[pageOf(node)]!;
      node = ownPage[childrenOf(ownPage, wordOf(node)) + slot]!;
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
    const page = this.#nodes.pages[pageOf(node)]!;
    const leaf = wordOf(node);
    const { chunks } = this.#rows;
    const digest = digestOf(bytes, from, length, skip);
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
    const page = nodes.pages[pageOf(node)]!;
    const leaf = wordOf(node);
    if (mayGrow(page, leaf, chunks, skip)) {
      this.#link(branch, slot, resizedLeaf(nodes, node, roomOf(page, leaf) + 1));
    } else if (branch === NO_NODE) {
      // Before their first byte, all keys are alike.
      this.#root = emptyBranchOfRow(nodes, 0, 0, chunks, placeAt(page, leaf, 0));
      fillSlots(nodes, this.#root, 0, SLOTS - 1, node);
    } else partLeaf(nodes, branch, skip, slot, chunks);
  }

  /** Puts a branch on `byte`, which another branch passed over, above that one. */
  #branchAbove(parent: number, parentSlot: number, node: number, byte: number): number {
    const nodes = this.#nodes;
    const page = nodes.pages[pageOf(node)]!;
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
      const page = pages[pageOf(node)]!;
      const at = wordOf(node);
      if (!isBranch(page, at)) break;
      skip = byteOf(page, at);
      branch = node;
      slot = slotOf(bytes, from, length, skip);
      node = page[childrenOf(page, at) + slot]!;
    }
    const page = pages[pageOf(node)]!;
    const leaf = wordOf(node);
    const { chunks } = this.#rows;
    const digest = digestOf(bytes, from, length, skip);
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

  /** Unlinks what is empty on the way to a key; returns whether the node is. */
  #unlinkEmpty(node: number, bytes: Uint8Array, from: number, length: number): boolean {
    const page = this.#nodes.pages[pageOf(node)]!;
    const at = wordOf(node);
    if (isBranch(page, at)) {
      const slot = slotOf(bytes, from, length, byteOf(page, at));
      if (!this.#unlinkEmpty(page[childrenOf(page, at) + slot]!, bytes, from, length)) return false;
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
