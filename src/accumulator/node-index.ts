/**
 * Positions of an accumulator's nodes, numbered in order: leaf i at 2i, and between any two neighbours of one level
 * their parent.
 *
 * ```
 *                 7
 *         3               11
 *     1       5       9        13
 *   0   2   4   6   8   10   12   14
 * ```
 * The number of trailing ones is the level. A node's position never changes while the accumulator grows.
 * Source: moveos/moveos-commons/accumulator/src/node_index.rs of the reference.
 * @module
 */
import { assert } from '../error.ts';

/** Levels above the leaves at most: 2^63 leaves. */
export const ACCUMULATOR_LEVELS_MAX = 63;

/** Leaves at most. */
export const ACCUMULATOR_LEAVES_MAX: bigint = 1n << 63n;

/** The position of the node at `level` (0 for leaves) that is the `place`-th of its level from 0 on. */
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

/** Which node of its level stands at `position`, from 0 on. */
export function nodePlace(position: bigint): bigint {
  return position >> BigInt(nodeLevel(position) + 1);
}

/** The level of the root over `leaves` leaves: the smallest whose full tree holds them. */
export function rootLevel(leaves: bigint): number {
  let level = 0;
  while (1n << BigInt(level) < leaves) level++;
  return level;
}
