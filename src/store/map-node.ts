/**
 * Leaves of an ordered map: entries in the order of their keys, what is found among them, and how they change.
 *
 * An entry is two numbers: the digest of a key, and the place of its row (row-chunks.ts). All keys of a leaf have their first
 * bytes in common, as many as the branch above it skips; the digest is the next four, and compares as they do. So most
 * searches look at no row but the one that they find.
 * @module
 */
import { chunkOf, offsetOf } from './row-chunks.ts';
import { commonBytes, isKey, keyFrom, keyLength, orderBehind } from './row-layout.ts';

/** A leaf is split before it has more entries. */
export const LEAF_ENTRIES_MAX = 128;
const LEAF_ENTRIES_MIN = 4;

/** The chunks of rows, by their numbers. */
export type Chunks = readonly Uint8Array[];

/** Who may write to a node. */
export type Owner = object;

export interface Leaf {
  readonly owner: Owner;
  readonly children: undefined;
  /** Digest and place of each entry, and room for more. */
  entries: Int32Array;
  count: number;
}

export function leafOf(owner: Owner, digest: number, place: number): Leaf {
  const entries = new Int32Array(2 * LEAF_ENTRIES_MIN);
  entries[0] = digest;
  entries[1] = place;
  return { owner, children: undefined, entries, count: 1 };
}

/** A leaf of rows in the order of their keys, `LEAF_ENTRIES_MAX` at most, whose digests begin behind `skip` bytes. */
export function leafOfRows(owner: Owner, chunks: Chunks, places: readonly number[], skip: number): Leaf {
  const count = places.length;
  const entries = new Int32Array(2 * Math.max(count, LEAF_ENTRIES_MIN));
  for (let index = 0; index < count; index++) entries[2 * index + 1] = places[index]!;
  const leaf = { owner, children: undefined, entries, count };
  setDigests(leaf, chunks, skip);
  return leaf;
}

export function copyLeaf(owner: Owner, { entries, count }: Leaf): Leaf {
  return { owner, children: undefined, entries: entries.slice(), count };
}

/** Four bytes of a key from `skip` on, missing ones as zeros, as a number of 32 bits that is ordered as they are. */
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
export function digestAt(chunks: Chunks, place: number, skip: number): number {
  const chunk = chunks[chunkOf(place)]!;
  const at = offsetOf(place);
  return digestOf(chunk, keyFrom(at), keyLength(chunk, at), skip);
}

/** The first of the bytes that a digest is made of. */
export function firstByte(digest: number): number {
  return (digest >>> 24) ^ 0x80;
}

/** The place of an entry. */
export function placeAt({ entries }: Leaf, index: number): number {
  return entries[2 * index + 1]!;
}

export function lastPlace({ entries, count }: Leaf): number {
  return entries[2 * count - 1]!;
}

/** Index of the first entry whose key is not below the key at `from`, with which it has the first `skip` bytes in common. */
export function lowerBound(
  { entries, count }: Leaf,
  chunks: Chunks,
  digest: number,
  bytes: Uint8Array,
  from: number,
  length: number,
  skip: number,
): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const own = entries[2 * middle]!;
    if (own < digest) low = middle + 1;
    else if (own > digest) high = middle;
    else if (orderAt(chunks, entries[2 * middle + 1]!, bytes, from, length, skip) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The order of the key of a row and another key, of which the first `known` bytes are equal: negative, zero or positive. */
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
  { entries, count }: Leaf,
  index: number,
  chunks: Chunks,
  digest: number,
  bytes: Uint8Array,
  from: number,
  length: number,
): boolean {
  if (index >= count || entries[2 * index] !== digest) return false;
  const place = entries[2 * index + 1]!;
  return isKey(chunks[chunkOf(place)]!, offsetOf(place), bytes, from, length);
}

/** Inserts an entry into a leaf that is not full. */
export function insertEntry(leaf: Leaf, index: number, digest: number, place: number): void {
  const { count } = leaf;
  let { entries } = leaf;
  if (2 * count === entries.length) {
    const larger = new Int32Array(Math.min(2 * entries.length, 2 * LEAF_ENTRIES_MAX));
    larger.set(entries);
    leaf.entries = larger;
    entries = larger;
  }
  const at = 2 * index;
  for (let to = 2 * count - 1; to >= at; to--) entries[to + 2] = entries[to]!;
  entries[at] = digest;
  entries[at + 1] = place;
  leaf.count = count + 1;
}

export function removeEntry(leaf: Leaf, index: number): void {
  const { entries } = leaf;
  const count = leaf.count - 1;
  leaf.count = count;
  for (let at = 2 * index; at < 2 * count; at++) entries[at] = entries[at + 2]!;
  const room = entries.length >> 1;
  if (room > LEAF_ENTRIES_MIN && 4 * count < room) leaf.entries = entries.slice(0, 2 * (room >> 1));
}

/** Takes the entries from `index` on out of a leaf; gives them as a leaf. */
export function splitLeaf(leaf: Leaf, index: number): Leaf {
  const { owner, entries, count } = leaf;
  leaf.count = index;
  return { owner, children: undefined, entries: entries.slice(2 * index), count: count - index };
}

/** Gives back the room for more entries of a leaf. */
export function trimLeaf(leaf: Leaf): void {
  leaf.entries = leaf.entries.slice(0, 2 * leaf.count);
}

/** Makes the digests of a leaf begin behind `skip` bytes. */
export function setDigests({ entries, count }: Leaf, chunks: Chunks, skip: number): void {
  for (let at = 0; at < 2 * count; at += 2) entries[at] = digestAt(chunks, entries[at + 1]!, skip);
}
