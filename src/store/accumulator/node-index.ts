/** The highest level above the leaves: 2^63 leaves. */
export const ACCUMULATOR_LEVELS_MAX = 63;

/** The largest number of leaves. */
export const ACCUMULATOR_LEAVES_MAX: bigint = 1n << 63n;

/** The position of the `place`-th node (from 0) of `level` (0 for leaves). */
export function nodePosition(level: number, place: bigint): bigint {
  return (place << BigInt(level + 1)) | ((1n << BigInt(level)) - 1n);
}

/** The level of the root over `leaves` leaves: the lowest whose full tree holds them. */
export function rootLevel(leaves: bigint): number {
  let level = 0;
  while (1n << BigInt(level) < leaves) level++;
  return level;
}
