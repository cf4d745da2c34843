/** How much memory a process holds on to: what is left when its garbage has been collected. */
import { setImmediate as afterRound } from 'node:timers/promises';
import { TREE_CACHE_BYTES_MAX } from '../../src/base/config.ts';
import { collectGarbage } from '../garbage.ts';

/** Bytes of a process after a collection. */
export interface HeldMemory {
  /** JavaScript objects. */
  readonly objects: number;
  /** Byte arrays, which are outside the JavaScript heap. */
  readonly arrays: number;
  /** What the operating system has given, including what the process keeps for its next allocation. */
  readonly resident: number;
}

/**
 * How much more a process may hold in the end than when every area had run once. Engines of one genesis share a cache of
 * tree nodes, which may take TREE_CACHE_BYTES_MAX by its own estimate, and fills up in minutes; all other caches together
 * have as much. Nothing else may grow, however long it takes: if each of ten thousand inputs leaves 14 kB, that is
 * noticed.
 */
export const GROWTH_BYTES_MAX: number = 2 * TREE_CACHE_BYTES_MAX;

/** Collects the garbage of this process, and tells what is left. */
export async function heldMemory(): Promise<HeldMemory> {
  // What a finished promise or a closed socket has just let go is garbage only after the event loop has gone round.
  for (let round = 0; round < 3; round++) {
    await afterRound();
    collectGarbage();
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return { objects: heapUsed, arrays: arrayBuffers, resident: rss };
}

/** Whether a process holds as much at the end as at the start, except for what GROWTH_BYTES_MAX allows. */
export const isBack = (start: HeldMemory, end: HeldMemory): boolean =>
  end.objects + end.arrays <= start.objects + start.arrays + GROWTH_BYTES_MAX;

export function memoryText({ objects, arrays, resident }: HeldMemory): string {
  const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
  return `${megabytes(objects)} of objects, ${megabytes(arrays)} of byte arrays, ${megabytes(resident)} resident`;
}
