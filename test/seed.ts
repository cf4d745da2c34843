/**
 * The seed of a run: the number that every random choice of its tests starts from. It is chosen once, before the first
 * test, and printed. `MOVELET_FUZZ_SEED` repeats a run; where `CI` is set the seed never changes, so that a change of the
 * code is judged by the same cases as the one before it.
 * @module
 */
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly seed: number;
    /** Somebody asked for this seed, to look at a failure again. */
    readonly isRepeated: boolean;
  }
}

const CI_SEED = 1;

export default function chooseSeed({ provide }: TestProject): void {
  const { CI, MOVELET_FUZZ_SEED } = process.env;
  const fresh = CI === undefined || CI === '' ? Date.now() % 2 ** 31 : CI_SEED;
  const seed = MOVELET_FUZZ_SEED === undefined ? fresh : Number(MOVELET_FUZZ_SEED);
  if (!Number.isInteger(seed)) throw new Error(`MOVELET_FUZZ_SEED is ${MOVELET_FUZZ_SEED}: give a whole number`);
  provide('seed', seed);
  provide('isRepeated', MOVELET_FUZZ_SEED !== undefined);
  console.info(`Random tests start from seed ${seed}; MOVELET_FUZZ_SEED=${seed} repeats them.`);
}
