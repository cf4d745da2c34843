/**
 * Branches of an ordered map: nodes that split keys by one of their bytes.
 *
 * All keys below a branch share the bytes before that one, and no branch below looks at the same byte or an earlier
 * one; bytes in which no keys differ have no branch. So the path to a key is as long as the number of bytes that tell
 * it from many others. The bytes passed over are stored in the branch: no row is looked at on the way.
 *
 * A leaf is the child for a range of bytes. When it is full, the range is split; if it is a single byte, a branch takes
 * the leaf's place and looks at the first byte in which its keys differ.
 *
 * A branch in a page (node-pages.ts) is: the complement of the index of its byte, which tells it from a leaf; the index
 * of the first byte passed over; these bytes, four to a word; and the children, by slot. The first slot is for the key
 * that ends before the byte, the others are for the bytes from 0 on.
 * @module
 */
import { type Chunks, leafWords, roomOf } from './map-leaf.ts';
import { NO_NODE, type NodePages, pageOf, wordOf } from './node-pages.ts';
import { chunkOf, offsetOf } from './row-chunks.ts';
import { keyFrom, keyLength } from './row-layout.ts';

export const SLOTS = 257;

const PASSED = 2;

/** Whether a node is a branch. */
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

/** Where the children of a branch begin. */
export function childrenOf(page: Int32Array, branch: number): number {
  return branch + headWords(passedFrom(page, branch), byteOf(page, branch));
}

/** A byte passed over. */
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
  const children = childrenOf(page, branch);
  const own = nodes.pages[pageOf(shortened)]!;
  own.set(page.subarray(children, children + SLOTS), childrenOf(own, wordOf(shortened)));
  return shortened;
}

/** A branch without children that passes these bytes over, and looks at the next. */
function emptyBranch(nodes: NodePages, passed: number, bytes: Uint8Array): number {
  const byte = passed + bytes.length;
  const node = nodes.take(branchWords(passed, byte));
  const page = nodes.pages[pageOf(node)]!;
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

/** Puts a child into the slots from `low` to `high`. */
export function fillSlots(nodes: NodePages, node: number, low: number, high: number, child: number): void {
  const page = nodes.pages[pageOf(node)]!;
  const children = childrenOf(page, wordOf(node));
  page.fill(child, children + low, children + high + 1);
}

/** Puts another child into all slots of the one at `slot`. */
export function replaceChild(nodes: NodePages, node: number, slot: number, child: number): void {
  const page = nodes.pages[pageOf(node)]!;
  const children = childrenOf(page, wordOf(node));
  const at = children + slot;
  const old = page[at]!;
  for (let to = at; to >= children && page[to] === old; to--) page[to] = child;
  for (let to = at + 1; to < children + SLOTS && page[to] === old; to++) page[to] = child;
}

/** Whether a branch has no child. */
export function isEmpty(page: Int32Array, branch: number): boolean {
  const children = childrenOf(page, branch);
  for (let at = children; at < children + SLOTS; at++) if (page[at] !== NO_NODE) return false;
  return true;
}

/** Words of a node. */
export function nodeWords(page: Int32Array, at: number): number {
  return isBranch(page, at) ? branchWords(passedFrom(page, at), byteOf(page, at)) : leafWords(roomOf(page, at));
}

/** A writable copy of a node, which replaces it. */
export function copyNode(nodes: NodePages, node: number): number {
  const page = nodes.pages[pageOf(node)]!;
  const at = wordOf(node);
  const words = nodeWords(page, at);
  const copy = nodes.take(words);
  nodes.pages[pageOf(copy)]!.set(page.subarray(at, at + words), wordOf(copy));
  nodes.release(node, words);
  return copy;
}

/** A copy of all nodes below one, in other pages. */
export function copyTree(pages: readonly Int32Array[], node: number, nodes: NodePages): number {
  const page = pages[pageOf(node)]!;
  const at = wordOf(node);
  const words = nodeWords(page, at);
  const copy = nodes.take(words);
  const copied = nodes.pages[pageOf(copy)]!;
  copied.set(page.subarray(at, at + words), wordOf(copy));
  if (!isBranch(page, at)) return copy;
  const from = childrenOf(page, at);
  const to = childrenOf(copied, wordOf(copy));
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
