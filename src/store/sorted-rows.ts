/**
 * Builds the nodes of an ordered map over rows that are already in key order, all at once.
 * @module
 */

import { commonOfRows } from './leaf-parting.ts';
import { emptyBranchOfRow, fillSlots, slotAt } from './map-branch.ts';
import { type Chunks, LEAF_ENTRIES_MAX, leafOfRows } from './map-leaf.ts';
import type { NodePages } from './node-pages.ts';

/** The root above rows in key order; there is at least one. */
export function rootOfRows(nodes: NodePages, chunks: Chunks, places: readonly number[]): number {
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
