/** The suite that every store passes, run here for ours. */
import { describe, it } from 'vitest';
import { type Store, storeCompliance } from '../../src/store/index.ts';
import { runs as runsOf, seed } from '../effort.ts';

/** As many runs as find each fault of compliance.test.ts; `longRuns` in a long run. */
const RUNS = 10;

export function compliance(
  name: string,
  open: () => Promise<Store>,
  { longRuns = 100, cases = /./ }: { readonly longRuns?: number; readonly cases?: RegExp } = {},
): void {
  describe(`${name} complies with the contract of Store`, () => {
    storeCompliance({
      test: (title, run) => cases.test(title) && it(title, run),
      open,
      runs: runsOf(RUNS, longRuns),
      seed,
    });
  });
}
