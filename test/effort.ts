/**
 * How hard a run of the tests tries. `npm test` takes a sample; `npm run test:long` sets MOVELET_LONG=1 and takes the
 * whole counts. MOVELET_FUZZ_RUNS sets the number of runs of every random test, MOVELET_FUZZ_SEED repeats a run whose
 * seed was printed (test/seed.ts).
 */
import type { Parameters } from 'fast-check';
import { inject } from 'vitest';

const { MOVELET_LONG, MOVELET_FUZZ_RUNS } = process.env;

export const isLong: boolean = MOVELET_LONG === '1';

/** How often to try: `short` by default, `long` in a long run. */
export function runs(short: number, long: number = short): number {
  if (MOVELET_FUZZ_RUNS !== undefined) return Number(MOVELET_FUZZ_RUNS);
  return isLong ? long : short;
}

/** The number to start random choices from, the same one in all files of a run. */
export const seed: number = inject('seed');

/**
 * The options of a property whose runs are expensive. A failing case is not shrunk at once, which can take an hour, but
 * only when the run is repeated with MOVELET_FUZZ_SEED.
 */
export function property<T>(short: number, long: number): Parameters<T> {
  return { numRuns: runs(short, long), endOnFailure: !inject('isRepeated') };
}

export { type RandomNumber, randomBytes, randomNumbers } from './random.ts';
