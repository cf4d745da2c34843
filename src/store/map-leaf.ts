/**
 * Leaves of an ordered map: entries in key order, how they are searched and how they change.
 *
 * An entry is two numbers: the digest of a key, and the place of its row (row-chunks.ts). All keys of a leaf share
 * their first bytes, as many as the branch above it skips; the digest is the next four bytes, and compares as they do.
 * So most searches look at no row but the one they find.
 *
 * A leaf in a page (node-pages.ts) is: the number of its entries, the number it has room for, and the entries.
 * Functions take the page and the leaf's offset in it; those that may move the leaf take the node.
 * @module
 */
import { type NodePages, pageOf, wordOf } from './node-pages.ts';
import { chunkOf, offsetOf } from './row-chunks.ts';
import { commonBytes, isKey, keyFrom, keyLength, orderBehind } from './row-layout.ts';

/** A leaf has room for one of 3, 7, 15 entries and so on: with its two numbers, that is a power of two. */
const ROOM_MIN = 3;
/** A leaf is split before it exceeds this, if that takes no further branch below its own. */
export const PARTED_ENTRIES_MAX = 31;
export const LEAF_ENTRIES_MAX = 127;

const ENTRIES = 2;

/** The chunks of rows, by their numbers. */
export type Chunks = readonly Uint8Array[];

/** Words of a leaf. */
export function leafWords(room: number): number {
  return ENTRIES + 2 * room;
}

export function roomOf(page: Int32Array, leaf: number): number {
  return page[leaf + 1]!;
}

/** A leaf without entries. */
function emptyLeaf(nodes: NodePages, count: number): number {
  let room = ROOM_MIN;
  while (room < count) room = 2 * room + 1;
  const node = nodes.take(leafWords(room));
  const page = nodes.pages[pageOf(node)]!;
  page[wordOf(node)] = 0;
  page[wordOf(node) + 1] = room;
  return node;
}

/** A leaf with one entry. */
export function leafOf(nodes: NodePages, digest: number, place: number): number {
  const node = emptyLeaf(nodes, 1);
  insertEntry(nodes.pages[pageOf(node)]!, wordOf(node), 0, digest, place);
  return node;
}

/** A leaf of rows in key order, `LEAF_ENTRIES_MAX` at most, whose digests begin after `skip` bytes. */
export function leafOfRows(nodes: NodePages, chunks: Chunks, places: readonly number[], skip: number): number {
  const node = emptyLeaf(nodes, places.length);
  const page = nodes.pages[pageOf(node)]!;
  for (const place of places) appendEntry(page, wordOf(node), digestAt(chunks, place, skip), place);
  return node;
}

/** Four bytes of a key from `skip` on, missing ones as zeros, as a 32-bit number that sorts as they do. */
export function digestOf(bytes: Uint8Array, from: number, length: number, skip: number): number {
  const at = from + skip;
  if (skip + 4 <= length) {
    return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) ^ 0x80000000;
  }
  let digest = 0;
  for (let index = 0; index < 4; index++) digest = (digest << 8) | (skip + index < length ? bytes[at + index]! : 0);
  return digest ^ 0x80000000;
}

/** The digest of the key of a row. */
function digestAt(chunks: Chunks, place: number, skip: number): number {
  const chunk = chunks[chunkOf(place)]!;
  const at = offsetOf(place);
  return digestOf(chunk, keyFrom(at), keyLength(chunk, at), skip);
}

/** The first of the bytes that the digest of an entry is made of. */
export function firstByteAt(page: Int32Array, leaf: number, index: number): number {
  return (page[leaf + ENTRIES + 2 * index]! >>> 24) ^ 0x80;
}

/** The digest of an entry. */
export function digestOfEntry(page: Int32Array, leaf: number, index: number): number {
  return page[leaf + ENTRIES + 2 * index]!;
}

/** The place of the row of an entry. */
export function placeAt(page: Int32Array, leaf: number, index: number): number {
  return page[leaf + ENTRIES + 2 * index + 1]!;
}

/** Points an entry at another row with the same key. */
export function replacePlace(page: Int32Array, leaf: number, index: number, place: number): void {
  page[leaf + ENTRIES + 2 * index + 1] = place;
}

/** Index of the first entry whose key is not below the key at `from`, which shares the leaf's first `skip` bytes. */
export function lowerBound(
  page: Int32Array,
  leaf: number,
  chunks: Chunks,
  digest: number,
  bytes: Uint8Array,
  from: number,
  length: number,
  skip: number,
): number {
  const entries = leaf + ENTRIES;
  let low = 0;
  let high = page[leaf]!;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const own = page[entries + 2 * middle]!;
    if (own < digest) low = middle + 1;
    else if (own > digest) high = middle;
    else if (orderAt(chunks, page[entries + 2 * middle + 1]!, bytes, from, length, skip) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The order of a row's key and another key whose first `known` bytes are equal: negative, zero or positive. */
export function orderAt(
  chunks: Chunks,
  place: number,
  bytes: Uint8Array,
  from: number,
  length: number,
  known: number,
): number {
  const chunk = chunks[chunkOf(place)]!;
  const at = offsetOf(place);
  return orderBehind(chunk, at, bytes, from, length, commonBytes(chunk, at, bytes, from, length, known));
}

/** Whether the key of an entry is the key at `from`. */
export function isAt(
  page: Int32Array,
  leaf: number,
  index: number,
  chunks: Chunks,
  digest: number,
  bytes: Uint8Array,
  from: number,
  length: number,
): boolean {
  if (index >= page[leaf]! || page[leaf + ENTRIES + 2 * index] !== digest) return false;
  const place = placeAt(page, leaf, index);
  return isKey(chunks[chunkOf(place)]!, offsetOf(place), bytes, from, length);
}

/** Inserts an entry into a leaf that is not full. */
export function insertEntry(page: Int32Array, leaf: number, index: number, digest: number, place: number): void {
  const count = page[leaf]!;
  const at = leaf + ENTRIES + 2 * index;
  for (let to = leaf + ENTRIES + 2 * count - 1; to >= at; to--) page[to + 2] = page[to]!;
  page[at] = digest;
  page[at + 1] = place;
  page[leaf] = count + 1;
}

function appendEntry(page: Int32Array, leaf: number, digest: number, place: number): void {
  insertEntry(page, leaf, page[leaf]!, digest, place);
}

export function removeEntry(page: Int32Array, leaf: number, index: number): void {
  const count = page[leaf]! - 1;
  const end = leaf + ENTRIES + 2 * count;
  for (let at = leaf + ENTRIES + 2 * index; at < end; at++) page[at] = page[at + 2]!;
  page[leaf] = count;
}

/** Moves the entries from `index` on out of a leaf; returns the leaf that they are in. */
export function splitLeaf(nodes: NodePages, node: number, index: number): number {
  const page = nodes.pages[pageOf(node)]!;
  const leaf = wordOf(node);
  const rest = leafOfEntries(nodes, page, leaf, index, page[leaf]! - index);
  page[leaf] = index;
  return rest;
}

/** A leaf with the same entries and room for `count`, which replaces the old one. */
export function resizedLeaf(nodes: NodePages, node: number, count: number): number {
  const page = nodes.pages[pageOf(node)]!;
  const leaf = wordOf(node);
  const other = leafOfEntries(nodes, page, leaf, 0, count);
  nodes.release(node, leafWords(roomOf(page, leaf)));
  return other;
}

/** A leaf with the entries of another one from `index` on, and room for `count`. */
function leafOfEntries(nodes: NodePages, page: Int32Array, leaf: number, index: number, count: number): number {
  const node = emptyLeaf(nodes, count);
  const own = nodes.pages[pageOf(node)]!;
  const end = page[leaf]!;
  for (let at = index; at < end; at++) {
    appendEntry(own, wordOf(node), digestOfEntry(page, leaf, at), placeAt(page, leaf, at));
  }
  return node;
}

/** Makes the digests of a leaf begin after `skip` bytes. */
export function setDigests(page: Int32Array, leaf: number, chunks: Chunks, skip: number): void {
  const count = page[leaf]!;
  for (let index = 0; index < count; index++) {
    page[leaf + ENTRIES + 2 * index] = digestAt(chunks, placeAt(page, leaf, index), skip);
  }
}
