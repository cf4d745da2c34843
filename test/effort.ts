/**
 * How hard a run of the tests tries. `npm test` takes a sample; `npm run test:long` sets MOVELET_LONG=1 and takes the
 * whole counts. MOVELET_FUZZ_RUNS sets the number of runs of every random test, MOVELET_FUZZ_SEED repeats one: the seed
 * of a random test is printed or part of its failure.
 */
import type { Parameters } from 'fast-check';

const { MOVELET_LONG, MOVELET_FUZZ_RUNS, MOVELET_FUZZ_SEED } = process.env;

export const isLong: boolean = MOVELET_LONG === '1';

/** How often to try: `short` by default, `long` in a long run. */
export function runs(short: number, long: number): number {
  if (MOVELET_FUZZ_RUNS !== undefined) return Number(MOVELET_FUZZ_RUNS);
  return isLong ? long : short;
}

/** A number to start random choices from, another one in each run unless MOVELET_FUZZ_SEED says which. */
export const seed: number = Number(MOVELET_FUZZ_SEED ?? Date.now() % 2 ** 31);

/**
 * The options of a property whose runs are expensive. What fails is not made smaller at once, which can take an hour:
 * it is when the run is repeated with MOVELET_FUZZ_SEED.
 */
export function property<T>(short: number, long: number): Parameters<T> {
  return { numRuns: runs(short, long), seed, endOnFailure: MOVELET_FUZZ_SEED === undefined };
}

/** Random whole numbers below a bound, the same ones for the same seed (mulberry32). */
export function randomNumbers(from: number): (below: number) => number {
  let state = from >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
