/**
 * The nodes of an ordered map.
 *
 * A leaf holds entries in key order. An entry is two numbers: the digest of a key, and the place of its row
 * (row-chunks.ts). All keys of a leaf share their first bytes, as many as the branch above it skips; the digest is the
 * next four bytes, and compares as they do. So most searches look only at the row that they find.
 *
 * A leaf in a page (node-pages.ts) is: the number of its entries, its capacity, and the entries. Functions take the
 * page and the leaf's offset in it; those that may move the leaf take the node.
 *
 * A branch splits keys by one of their bytes. All keys below it share the bytes before that one, and no branch below
 * looks at the same byte or an earlier one; there is no branch for bytes in which no keys differ. So the path to a key
 * is as long as the number of bytes that tell it from others. The bytes passed over are stored in the branch, so no row
 * is read on the way.
 *
 * A leaf is the child for a range of bytes. When it is full, it grows, or the range is split. If the range is a single
 * byte, the leaf is replaced by a branch on the first byte in which its keys differ.
 *
 * A branch in a page is: the complement of the index of its byte, which tells it from a leaf; the index of the first
 * byte passed over; these bytes, four to a word; and the children, by slot. The first slot is for the key that ends
 * before the byte, the others are for the bytes from 0 on.
 * @module
 */
import { NO_NODE, type NodePages, pageNumberOf, wordOf } from './node-pages.ts';
import { chunkOf, commonBytes, isKey, keyFrom, keyLength, offsetOf, orderBehind } from './row-chunks.ts';

/** Leaves have room for 3, 7, 15 entries and so on: with the two numbers, that makes a power of two. */
const ROOM_MIN = 3;
/** A leaf is split before it exceeds this, unless that takes another branch below its own. */
const PARTED_ENTRIES_MAX = 31;
export const LEAF_ENTRIES_MAX = 127;

const ENTRIES = 2;

/** The chunks of rows, by their numbers. */
export type Chunks = readonly Uint8Array[];

function leafWords(room: number): number {
  return ENTRIES + 2 * room;
}

export function roomOf(page: Int32Array, leaf: number): number {
  return page[leaf + 1]!;
}

function emptyLeaf(nodes: NodePages, count: number): number {
  let room = ROOM_MIN;
  while (room < count) room = 2 * room + 1;
  const node = nodes.take(leafWords(room));
  const page = nodes.pages[pageNumberOf(node)]!;
  page[wordOf(node)] = 0;
  page[wordOf(node) + 1] = room;
  return node;
}

export function leafOf(nodes: NodePages, digest: number, place: number): number {
  const node = emptyLeaf(nodes, 1);
  insertEntry(nodes.pages[pageNumberOf(node)]!, wordOf(node), 0, digest, place);
  return node;
}

/** A leaf of rows in key order, `LEAF_ENTRIES_MAX` at most, whose digests begin after `skip` bytes. */
export function leafOfRows(nodes: NodePages, chunks: Chunks, places: readonly number[], skip: number): number {
  const node = emptyLeaf(nodes, places.length);
  const page = nodes.pages[pageNumberOf(node)]!;
  for (const place of places) appendEntry(page, wordOf(node), digestAt(chunks, place, skip), place);
  return node;
}

/** Four bytes of a key from `skip` on, missing ones as zeros, as a 32-bit number that sorts as they do. */
export function keyDigest(bytes: Uint8Array, from: number, length: number, skip: number): number {
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
  return keyDigest(chunk, keyFrom(at), keyLength(chunk, at), skip);
}

/** The first of the bytes that the digest of an entry is made of. */
function firstByteAt(page: Int32Array, leaf: number, index: number): number {
  return (page[leaf + ENTRIES + 2 * index]! >>> 24) ^ 0x80;
}

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

/** Moves the entries from `index` on into a new leaf, which is returned. */
function splitLeaf(nodes: NodePages, node: number, index: number): number {
  const page = nodes.pages[pageNumberOf(node)]!;
  const leaf = wordOf(node);
  const rest = leafOfEntries(nodes, page, leaf, index, page[leaf]! - index);
  page[leaf] = index;
  return rest;
}

/** Replaces a leaf by one with the same entries and room for `count`. */
export function resizedLeaf(nodes: NodePages, node: number, count: number): number {
  const page = nodes.pages[pageNumberOf(node)]!;
  const leaf = wordOf(node);
  const other = leafOfEntries(nodes, page, leaf, 0, count);
  nodes.release(node, leafWords(roomOf(page, leaf)));
  return other;
}

/** A copy of a leaf from `index` on, with room for `count`. */
function leafOfEntries(nodes: NodePages, page: Int32Array, leaf: number, index: number, count: number): number {
  const node = emptyLeaf(nodes, count);
  const own = nodes.pages[pageNumberOf(node)]!;
  const end = page[leaf]!;
  for (let at = index; at < end; at++) {
    appendEntry(own, wordOf(node), digestOfEntry(page, leaf, at), placeAt(page, leaf, at));
  }
  return node;
}

/** Recomputes the digests of a leaf from the bytes after the first `skip`. */
function setDigests(page: Int32Array, leaf: number, chunks: Chunks, skip: number): void {
  const count = page[leaf]!;
  for (let index = 0; index < count; index++) {
    page[leaf + ENTRIES + 2 * index] = digestAt(chunks, placeAt(page, leaf, index), skip);
  }
}

export const SLOTS = 257;

const PASSED = 2;

export function isBranch(page: Int32Array, at: number): boolean {
  return page[at]! < 0;
}

/** Index of the byte that a branch looks at. */
export function byteOf(page: Int32Array, branch: number): number {
  return ~page[branch]!;
}

/** Index of the first byte passed over. */
function passedFrom(page: Int32Array, branch: number): number {
  return page[branch + 1]!;
}

export function branchChildren(page: Int32Array, branch: number): number {
  return branch + headWords(passedFrom(page, branch), byteOf(page, branch));
}

export function passedByte(page: Int32Array, branch: number, index: number): number {
  const at = index - passedFrom(page, branch);
  return (page[branch + PASSED + (at >> 2)]! >>> ((at & 3) << 3)) & 0xff;
}

/** How many bytes a key shares with all keys below a branch, up to the byte that it looks at. */
export function commonWith(page: Int32Array, branch: number, bytes: Uint8Array, from: number, length: number): number {
  const byte = byteOf(page, branch);
  const both = byte < length ? byte : length;
  let index = passedFrom(page, branch);
  while (index < both && passedByte(page, branch, index) === bytes[from + index]) index++;
  return index;
}

/** The slot of a key in a branch that looks at this byte. */
export function slotOf(bytes: Uint8Array, from: number, length: number, byte: number): number {
  return byte < length ? bytes[from + byte]! + 1 : 0;
}

/** The slot of the key of a row. */
export function slotAt(chunks: Chunks, place: number, byte: number): number {
  const chunk = chunks[chunkOf(place)]!;
  const row = offsetOf(place);
  return slotOf(chunk, keyFrom(row), keyLength(chunk, row), byte);
}

/** A branch without children that looks at `byte` of keys like a row's, passing over the bytes from `passed` on. */
export function emptyBranchOfRow(
  nodes: NodePages,
  passed: number,
  byte: number,
  chunks: Chunks,
  place: number,
): number {
  const from = keyFrom(offsetOf(place));
  return emptyBranch(nodes, passed, chunks[chunkOf(place)]!.subarray(from + passed, from + byte));
}

/** Likewise, for keys like those below a branch that passed `byte` over. */
export function emptyBranchOfBranch(nodes: NodePages, page: Int32Array, branch: number, byte: number): number {
  const passed = passedFrom(page, branch);
  return emptyBranch(nodes, passed, passedBytes(page, branch, passed, byte));
}

/** A branch with the same children that passes over bytes only from `passed` on. */
export function shortenedBranch(nodes: NodePages, page: Int32Array, branch: number, passed: number): number {
  const shortened = emptyBranch(nodes, passed, passedBytes(page, branch, passed, byteOf(page, branch)));
  const children = branchChildren(page, branch);
  const own = nodes.pages[pageNumberOf(shortened)]!;
  own.set(page.subarray(children, children + SLOTS), branchChildren(own, wordOf(shortened)));
  return shortened;
}

/** A branch without children that passes these bytes over, and looks at the next. */
function emptyBranch(nodes: NodePages, passed: number, bytes: Uint8Array): number {
  const byte = passed + bytes.length;
  const node = nodes.take(branchWords(passed, byte));
  const page = nodes.pages[pageNumberOf(node)]!;
  const branch = wordOf(node);
  page[branch] = ~byte;
  page[branch + 1] = passed;
  page.fill(0, branch + PASSED, branch + branchWords(passed, byte));
  for (const [index, value] of bytes.entries()) page[branch + PASSED + (index >> 2)]! |= value << ((index & 3) << 3);
  return node;
}

function passedBytes(page: Int32Array, branch: number, from: number, to: number): Uint8Array {
  return Uint8Array.from({ length: to - from }, (_, index) => passedByte(page, branch, from + index));
}

/** Sets the slots from `low` to `high`. */
export function fillSlots(nodes: NodePages, node: number, low: number, high: number, child: number): void {
  const page = nodes.pages[pageNumberOf(node)]!;
  const children = branchChildren(page, wordOf(node));
  page.fill(child, children + low, children + high + 1);
}

/** Replaces the child at `slot` in all of its slots. */
export function replaceChild(nodes: NodePages, node: number, slot: number, child: number): void {
  const page = nodes.pages[pageNumberOf(node)]!;
  const children = branchChildren(page, wordOf(node));
  const at = children + slot;
  const old = page[at]!;
  for (let to = at; to >= children && page[to] === old; to--) page[to] = child;
  for (let to = at + 1; to < children + SLOTS && page[to] === old; to++) page[to] = child;
}

export function isEmpty(page: Int32Array, branch: number): boolean {
  const children = branchChildren(page, branch);
  for (let at = children; at < children + SLOTS; at++) if (page[at] !== NO_NODE) return false;
  return true;
}

export function nodeWords(page: Int32Array, at: number): number {
  return isBranch(page, at) ? branchWords(passedFrom(page, at), byteOf(page, at)) : leafWords(roomOf(page, at));
}

export function copyNode(nodes: NodePages, node: number): number {
  const page = nodes.pages[pageNumberOf(node)]!;
  const at = wordOf(node);
  const words = nodeWords(page, at);
  const copy = nodes.take(words);
  nodes.pages[pageNumberOf(copy)]!.set(page.subarray(at, at + words), wordOf(copy));
  nodes.release(node, words);
  return copy;
}

/** A copy of all nodes below one, in other pages. */
export function copyTree(pages: readonly Int32Array[], node: number, nodes: NodePages): number {
  const page = pages[pageNumberOf(node)]!;
  const at = wordOf(node);
  const words = nodeWords(page, at);
  const copy = nodes.take(words);
  const copied = nodes.pages[pageNumberOf(copy)]!;
  copied.set(page.subarray(at, at + words), wordOf(copy));
  if (!isBranch(page, at)) return copy;
  const from = branchChildren(page, at);
  const to = branchChildren(copied, wordOf(copy));
  for (let slot = 0; slot < SLOTS; slot++) {
    const child = page[from + slot]!;
    if (child === NO_NODE) continue;
    const isSame = slot > 0 && page[from + slot - 1] === child;
    copied[to + slot] = isSame ? copied[to + slot - 1]! : copyTree(pages, child, nodes);
  }
  return copy;
}

function headWords(passed: number, byte: number): number {
  return PASSED + ((byte - passed + 3) >> 2);
}

function branchWords(passed: number, byte: number): number {
  return headWords(passed, byte) + SLOTS;
}

/** Whether a full leaf grows instead of being split: it is small, or all of its keys are in one slot. */
export function mayGrow(page: Int32Array, leaf: number, chunks: Chunks, byte: number): boolean {
  const room = roomOf(page, leaf);
  if (room < PARTED_ENTRIES_MAX) return true;
  return room < LEAF_ENTRIES_MAX && slotOfEntry(page, leaf, 0, chunks, byte) === lastSlot(page, leaf, chunks, byte);
}

/**
 * Makes room for a key in the full leaf at its slot of a branch that looks at `byte`. The key must then be inserted
 * from the root again: it may share fewer bytes with the leaf's keys than they share with each other.
 */
export function partLeaf(nodes: NodePages, branch: number, byte: number, slot: number, chunks: Chunks): void {
  const branchPage = nodes.pages[pageNumberOf(branch)]!;
  const children = branchChildren(branchPage, wordOf(branch));
  const node = branchPage[children + slot]!;
  const page = nodes.pages[pageNumberOf(node)]!;
  const leaf = wordOf(node);
  const first = slotOfEntry(page, leaf, 0, chunks, byte);
  const last = lastSlot(page, leaf, chunks, byte);
  // Keys that arrive in order leave full leaves behind.
  if (slot > last) fillSlots(nodes, branch, slot, endOf(branchPage, children, slot), NO_NODE);
  else if (slot < first) emptyUpTo(branchPage, children, slot);
  else if (first === last) {
    replaceChild(nodes, branch, slot, NO_NODE);
    branchPage[children + slot] = branchAbove(nodes, node, byte + 1, chunks);
  } else {
    const index = indexToPart(page, leaf, slot === last, chunks, byte);
    const low = slotOfEntry(page, leaf, index, chunks, byte);
    const high = endOf(branchPage, children, slot);
    fillSlots(nodes, branch, low, high, splitLeaf(nodes, node, index));
    if (slot === last && index <= roomOf(page, leaf) >> 1) {
      replaceChild(nodes, branch, low - 1, resizedLeaf(nodes, node, index));
    }
  }
}

/** The last slot of the child at `slot`. */
function endOf(page: Int32Array, children: number, slot: number): number {
  let end = slot;
  while (end + 1 < SLOTS && page[children + end + 1] === page[children + slot]) end++;
  return end;
}

/** Clears the slots of a child up to and including `slot`. */
function emptyUpTo(page: Int32Array, children: number, slot: number): void {
  const old = page[children + slot];
  for (let at = slot; at >= 0 && page[children + at] === old; at--) page[children + at] = NO_NODE;
}

/** A branch at the first byte in which a leaf's keys differ, above the leaf; their first `passed` bytes are equal. */
function branchAbove(nodes: NodePages, node: number, passed: number, chunks: Chunks): number {
  const page = nodes.pages[pageNumberOf(node)]!;
  const leaf = wordOf(node);
  const place = placeAt(page, leaf, 0);
  const byte = commonOfRows(chunks, place, placeAt(page, leaf, page[leaf]! - 1), passed);
  setDigests(page, leaf, chunks, byte);
  const branch = emptyBranchOfRow(nodes, passed, byte, chunks, place);
  fillSlots(nodes, branch, 0, SLOTS - 1, node);
  return branch;
}

/** How many bytes the keys of two rows have in common; the first `known` are known to be equal. */
export function commonOfRows(chunks: Chunks, place: number, other: number, known: number): number {
  const chunk = chunks[chunkOf(other)]!;
  const at = offsetOf(other);
  return commonBytes(chunks[chunkOf(place)]!, offsetOf(place), chunk, keyFrom(at), keyLength(chunk, at), known);
}

/** Where to split a leaf: where the slot changes near the middle, or before the last slot. */
function indexToPart(page: Int32Array, leaf: number, atEnd: boolean, chunks: Chunks, byte: number): number {
  const count = page[leaf]!;
  const middle = atEnd ? count - 1 : count >> 1;
  const slot = slotOfEntry(page, leaf, middle, chunks, byte);
  let low = middle;
  while (low > 0 && slotOfEntry(page, leaf, low - 1, chunks, byte) === slot) low--;
  let high = middle;
  while (high < count && slotOfEntry(page, leaf, high, chunks, byte) === slot) high++;
  if (atEnd) return low;
  return low > 0 && middle - low < high - middle ? low : high;
}

function lastSlot(page: Int32Array, leaf: number, chunks: Chunks, byte: number): number {
  return slotOfEntry(page, leaf, page[leaf]! - 1, chunks, byte);
}

/** The slot of an entry: the digest begins with its byte, but a zero may also mean that the key ends there. */
function slotOfEntry(page: Int32Array, leaf: number, index: number, chunks: Chunks, at: number): number {
  const byte = firstByteAt(page, leaf, index);
  return byte === 0 ? slotAt(chunks, placeAt(page, leaf, index), at) : byte + 1;
}
