/** The suite that every store passes, run here for ours. */
import { describe, it } from 'vitest';
import { type Store, storeCompliance } from '../../src/store/index.ts';
import { runs as runsOf, seed } from '../effort.ts';

export function compliance(
  name: string,
  open: () => Promise<Store>,
  { runs = 100, cases = /./ }: { readonly runs?: number; readonly cases?: RegExp } = {},
): void {
  describe(`${name} complies with the contract of Store`, () => {
    storeCompliance({ test: (title, run) => cases.test(title) && it(title, run), open, runs: runsOf(runs), seed });
  });
}
