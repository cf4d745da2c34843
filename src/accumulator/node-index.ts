/**
 * Positions of an accumulator's nodes, numbered in order: leaf i is at 2i, and a parent is between its two children.
 *
 * ```
 *                 7
 *         3               11
 *     1       5       9        13
 *   0   2   4   6   8   10   12   14
 * ```
 * The number of trailing ones is the level. A node's position never changes while the accumulator grows. Source:
 * moveos/moveos-commons/accumulator/src/node_index.rs of the reference.
 * @module
 */
import { assert } from '../error.ts';

/** The highest level above the leaves: 2^63 leaves. */
export const ACCUMULATOR_LEVELS_MAX = 63;

/** The largest number of leaves. */
export const ACCUMULATOR_LEAVES_MAX: bigint = 1n << 63n;

/** The position of the `place`-th node (from 0) of `level` (0 for leaves). */
export function nodePosition(level: number, place: bigint): bigint {
  return (place << BigInt(level + 1)) | ((1n << BigInt(level)) - 1n);
}

/** The level of the node at `position`, 0 for a leaf. */
export function nodeLevel(position: bigint): number {
  assert(position >= 0n, `a node position is not negative, got ${position}`);
  let level = 0;
  for (let rest = position; (rest & 1n) === 1n; rest >>= 1n) level++;
  return level;
}

/** Which node of its level is at `position`, counted from 0. */
export function nodePlace(position: bigint): bigint {
  return position >> BigInt(nodeLevel(position) + 1);
}

/** The level of the root over `leaves` leaves: the lowest whose full tree holds them. */
export function rootLevel(leaves: bigint): number {
  let level = 0;
  while (1n << BigInt(level) < leaves) level++;
  return level;
}
