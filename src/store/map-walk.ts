/**
 * Walks over the rows of an ordered map, in the order of their keys or against it.
 * @module
 */
import { byteOf, childrenOf, commonWith, isBranch, passedByte, SLOTS, slotOf } from './map-branch.ts';
import { type Chunks, digestOf, isAt, lowerBound, placeAt } from './map-leaf.ts';
import { NO_NODE, type Pages, pageOf, wordOf } from './node-pages.ts';
import { chunkOf, offsetOf } from './row-chunks.ts';
import { readKey, readValue } from './row-layout.ts';

/** Called with one row after the other, `undefined` for a deleted one; `false` ends the walk. */
export type Visit = (key: Uint8Array, value: Uint8Array | undefined) => boolean;

/** Where the nodes and rows of a map are, and the visitor. */
export interface Walk {
  readonly pages: Pages;
  readonly chunks: Chunks;
  readonly visit: Visit;
}

/**
 * Visits the rows below a node whose keys are not below `from`. All keys below the node share their first `skip` bytes
 * with each other and with `from`.
 */
export function ascend(walk: Walk, node: number, skip: number, from: Uint8Array | undefined): boolean {
  const page = walk.pages[pageOf(node)]!;
  const at = wordOf(node);
  if (!isBranch(page, at)) {
    let index = from === undefined ? 0 : lowerBoundOf(walk, page, at, skip, from);
    for (; index < page[at]!; index++) if (!visitEntry(walk, page, at, index)) return false;
    return true;
  }
  const side = from === undefined ? 1 : sideOf(page, at, from);
  if (side < 0) return true;
  const first = side > 0 ? undefined : from;
  const byte = byteOf(page, at);
  const children = childrenOf(page, at);
  let slot = first === undefined ? 0 : slotOf(first, 0, first.length, byte);
  const own = page[children + slot]!;
  let last = NO_NODE;
  for (; slot < SLOTS; slot++) {
    const child = page[children + slot]!;
    if (child === NO_NODE || child === last) continue;
    if (!ascend(walk, child, byte, child === own ? first : undefined)) return false;
    last = child;
  }
  return true;
}

/** Visits the rows below a node whose keys are not above `from`, in descending order; `skip` as for `ascend`. */
export function descend(walk: Walk, node: number, skip: number, from: Uint8Array | undefined): boolean {
  const page = walk.pages[pageOf(node)]!;
  const at = wordOf(node);
  if (!isBranch(page, at)) {
    let index = page[at]! - 1;
    if (from !== undefined) {
      index = lowerBoundOf(walk, page, at, skip, from);
      const digest = digestOf(from, 0, from.length, skip);
      if (!isAt(page, at, index, walk.chunks, digest, from, 0, from.length)) index--;
    }
    for (; index >= 0; index--) if (!visitEntry(walk, page, at, index)) return false;
    return true;
  }
  const side = from === undefined ? -1 : sideOf(page, at, from);
  if (side > 0) return true;
  const first = side < 0 ? undefined : from;
  const byte = byteOf(page, at);
  const children = childrenOf(page, at);
  let slot = first === undefined ? SLOTS - 1 : slotOf(first, 0, first.length, byte);
  const own = page[children + slot]!;
  let last = NO_NODE;
  for (; slot >= 0; slot--) {
    const child = page[children + slot]!;
    if (child === NO_NODE || child === last) continue;
    if (!descend(walk, child, byte, child === own ? first : undefined)) return false;
    last = child;
  }
  return true;
}

function visitEntry({ chunks, visit }: Walk, page: Int32Array, leaf: number, index: number): boolean {
  const place = placeAt(page, leaf, index);
  const chunk = chunks[chunkOf(place)]!;
  const at = offsetOf(place);
  return visit(readKey(chunk, at), readValue(chunk, at));
}

/** Index of the first entry of a leaf that is not below a key. */
function lowerBoundOf({ chunks }: Walk, page: Int32Array, leaf: number, skip: number, key: Uint8Array): number {
  return lowerBound(page, leaf, chunks, digestOf(key, 0, key.length, skip), key, 0, key.length, skip);
}

/** Whether all keys below a branch are above a key (positive) or below it (negative); 0 if they begin alike. */
function sideOf(page: Int32Array, branch: number, key: Uint8Array): number {
  const common = commonWith(page, branch, key, 0, key.length);
  if (common === byteOf(page, branch)) return 0;
  return common === key.length ? 1 : passedByte(page, branch, common) - key[common]!;
}
