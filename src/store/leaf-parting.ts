/**
 * How room is made for a key in a full leaf of an ordered map: the leaf grows, or keeps fewer slots or fewer entries,
 * or moves below a branch.
 * @module
 */
import { childrenOf, emptyBranchOfRow, fillSlots, replaceChild, SLOTS, slotAt } from './map-branch.ts';
import {
  type Chunks,
  firstByteAt,
  LEAF_ENTRIES_MAX,
  PARTED_ENTRIES_MAX,
  placeAt,
  resizedLeaf,
  roomOf,
  setDigests,
  splitLeaf,
} from './map-leaf.ts';
import { NO_NODE, type NodePages, pageOf, wordOf } from './node-pages.ts';
import { chunkOf, offsetOf } from './row-chunks.ts';
import { commonBytes, keyFrom, keyLength } from './row-layout.ts';

/** Whether a full leaf grows rather than being split: if it is small, or all of its keys have one slot. */
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
  const branchPage = nodes.pages[pageOf(branch)]!;
  const children = childrenOf(branchPage, wordOf(branch));
  const node = branchPage[children + slot]!;
  const page = nodes.pages[pageOf(node)]!;
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

/** Empties the slots of a child, up to and including `slot`. */
function emptyUpTo(page: Int32Array, children: number, slot: number): void {
  const old = page[children + slot];
  for (let at = slot; at >= 0 && page[children + at] === old; at--) page[children + at] = NO_NODE;
}

/** A branch at the first byte in which a leaf's keys differ, above the leaf; their first `passed` bytes are equal. */
function branchAbove(nodes: NodePages, node: number, passed: number, chunks: Chunks): number {
  const page = nodes.pages[pageOf(node)]!;
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

/** Where to split a leaf: an index at which the slot changes, near the middle, or before the last slot. */
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
