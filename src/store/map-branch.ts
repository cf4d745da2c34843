/**
 * Branches of an ordered map: nodes that part keys by one of their bytes.
 *
 * All keys below a branch have the bytes in front of that one in common, and no branch below looks at the same byte or one
 * before it: bytes that nothing differs in have no branch. So the way to a key is as long as there are bytes that tell it
 * from many others, and a branch compares nothing: it takes the child that stands under the byte.
 *
 * A leaf stands under a range of bytes. When it is full, the range is parted; where it is one byte only, a branch takes its
 * place that looks at the first byte in which its keys differ.
 * @module
 */
import {
  type Chunks,
  firstByte,
  LEAF_ENTRIES_MAX,
  type Leaf,
  lastPlace,
  leafOfRows,
  type Owner,
  placeAt,
  setDigests,
  splitLeaf,
  trimLeaf,
} from './map-node.ts';
import { chunkOf, offsetOf } from './row-chunks.ts';
import { commonBytes, keyFrom, keyLength } from './row-layout.ts';

export interface Branch {
  readonly owner: Owner;
  /** By slots: the first is that of the key that ends before the byte, the others are those of the bytes from 0 on. */
  readonly children: (Node | undefined)[];
  /** Index of the byte. */
  readonly at: number;
}

export type Node = Leaf | Branch;

export const SLOTS = 257;

/** A branch with one child, which stands in the slots from `low` to `high`. */
export function branchOf(owner: Owner, at: number, child: Node, low: number, high: number): Branch {
  const children: (Node | undefined)[] = [];
  for (let slot = 0; slot < SLOTS; slot++) children.push(slot < low || slot > high ? undefined : child);
  return { owner, children, at };
}

/** The root above rows in the order of their keys, of which there is one at least. */
export function rootOfRows(owner: Owner, chunks: Chunks, places: readonly number[]): Node {
  return places.length <= LEAF_ENTRIES_MAX
    ? leafOfRows(owner, chunks, places, 0)
    : branchOfRows(owner, chunks, places, 0);
}

/** A branch at `at` above rows that do not fit into a leaf, in the order of their keys, which are equal up to there. */
function branchOfRows(owner: Owner, chunks: Chunks, places: readonly number[], at: number): Branch {
  const slots = places.map((place) => slotAt(chunks, place, at));
  const children: (Node | undefined)[] = [];
  for (let from = 0; from < slots.length; ) {
    const end = endOfPart(slots, from);
    const part = places.slice(from, end);
    const child =
      part.length <= LEAF_ENTRIES_MAX
        ? leafOfRows(owner, chunks, part, at)
        : branchOfRows(owner, chunks, part, commonOfRows(chunks, part[0]!, part.at(-1)!));
    while (children.length < slots[from]!) children.push(undefined);
    while (children.length <= slots[end - 1]!) children.push(child);
    from = end;
  }
  while (children.length < SLOTS) children.push(undefined);
  return { owner, children, at };
}

/** Where the rows from `from` on end that fit into one leaf, or that have one slot: those of a slot are never parted. */
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

/** How many bytes the keys of two rows have in common. */
function commonOfRows(chunks: Chunks, place: number, other: number): number {
  const chunk = chunks[chunkOf(other)]!;
  const at = offsetOf(other);
  return commonBytes(chunks[chunkOf(place)]!, offsetOf(place), chunk, keyFrom(at), keyLength(chunk, at), 0);
}

export function copyBranch(owner: Owner, { children, at }: Branch): Branch {
  return { owner, children: children.slice(), at };
}

/** The slot of a key in a branch at this byte. */
export function slotOf(bytes: Uint8Array, from: number, length: number, at: number): number {
  return at < length ? bytes[from + at]! + 1 : 0;
}

/** The slot of the key of a row. */
export function slotAt(chunks: Chunks, place: number, at: number): number {
  const chunk = chunks[chunkOf(place)]!;
  const row = offsetOf(place);
  return slotOf(chunk, keyFrom(row), keyLength(chunk, row), at);
}

/** Puts another child into all slots of the one at `slot`. */
export function replaceChild({ children }: Branch, slot: number, child: Node | undefined): void {
  const old = children[slot];
  for (let at = slot; at >= 0 && children[at] === old; at--) children[at] = child;
  for (let at = slot + 1; at < SLOTS && children[at] === old; at++) children[at] = child;
}

/** Whether a branch has no child. */
export function isEmpty({ children }: Branch): boolean {
  return children.every((child) => child === undefined);
}

/** The place of some row below a node. */
export function somePlace(node: Node): number {
  let below = node;
  while (below.children !== undefined) below = below.children.find((child) => child !== undefined)!;
  return placeAt(below, 0);
}

/** Makes room for a key in the full leaf at its slot: leaves it with fewer entries, or with fewer slots, or below a branch. */
export function partLeaf(
  branch: Branch,
  slot: number,
  chunks: Chunks,
  bytes: Uint8Array,
  from: number,
  length: number,
): void {
  const { children, at } = branch;
  const leaf = children[slot] as Leaf;
  const first = slotOfEntry(leaf, 0, chunks, at);
  const last = slotOfEntry(leaf, leaf.count - 1, chunks, at);
  if (slot > last) {
    // Keys that arrive in order leave full leaves behind.
    trimLeaf(leaf);
    clear(children, slot, 1);
  } else if (slot < first) clear(children, slot, -1);
  else if (first === last) {
    replaceChild(branch, slot, undefined);
    children[slot] = branchAbove(leaf, chunks, bytes, from, length);
  } else {
    const index = indexToPart(leaf, slot === last, chunks, at);
    const low = slotOfEntry(leaf, index, chunks, at);
    const right = splitLeaf(leaf, index);
    if (slot === last) trimLeaf(leaf);
    for (let to = low; to < SLOTS && children[to] === leaf; to++) children[to] = right;
  }
}

/** Empties the slots of a child from one of them on, upwards or downwards. */
function clear(children: (Node | undefined)[], slot: number, step: number): void {
  const old = children[slot];
  for (let at = slot; at >= 0 && at < SLOTS && children[at] === old; at += step) children[at] = undefined;
}

/** A branch at the first byte in which the keys of a leaf and another one differ, with the leaf below it. */
function branchAbove(leaf: Leaf, chunks: Chunks, bytes: Uint8Array, from: number, length: number): Branch {
  const place = placeAt(leaf, 0);
  const at = Math.min(
    commonBytes(chunks[chunkOf(place)]!, offsetOf(place), bytes, from, length, 0),
    commonOfRows(chunks, place, lastPlace(leaf)),
  );
  setDigests(leaf, chunks, at);
  return branchOf(leaf.owner, at, leaf, 0, SLOTS - 1);
}

/** Where to split a leaf: an index at which the slot changes, near the middle, or before the last slot. */
function indexToPart(leaf: Leaf, atEnd: boolean, chunks: Chunks, at: number): number {
  const { count } = leaf;
  const middle = atEnd ? count - 1 : count >> 1;
  const slot = slotOfEntry(leaf, middle, chunks, at);
  let low = middle;
  while (low > 0 && slotOfEntry(leaf, low - 1, chunks, at) === slot) low--;
  let high = middle;
  while (high < count && slotOfEntry(leaf, high, chunks, at) === slot) high++;
  if (atEnd || high === count) return low;
  return low > 0 && middle - low < high - middle ? low : high;
}

/** The slot of an entry: the digest begins with its byte, but a zero may stand for none. */
function slotOfEntry({ entries }: Leaf, index: number, chunks: Chunks, at: number): number {
  const byte = firstByte(entries[2 * index]!);
  return byte === 0 ? slotAt(chunks, entries[2 * index + 1]!, at) : byte + 1;
}
