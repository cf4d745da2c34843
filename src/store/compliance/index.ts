/**
 * The entry point `movelet/store-compliance`: what every store must do, as a test suite for stores of your own.
 *
 * All it needs of a test runner is a function that takes a name and an asynchronous function:
 *
 * ```ts
 * import { test } from 'node:test';
 * import { storeCompliance } from 'movelet/store-compliance';
 * storeCompliance({ test, open: async () => new MyStore() });
 * ```
 *
 * Stores are compared with a sorted list of rows, in random runs that are the same for the same seed. Everything that
 * the store's `supports` claims is tested, except `permanence`, which is left to the store's author.
 * @module
 */
import { A_FUNCTION, assertFunction, assertOptions, wholeNumber } from '../../base/argument.ts';
import type { Store } from '../store.ts';
import { largeBatches } from './large-batches.ts';
import { readsAndWrites } from './reads-and-writes.ts';
import { refusals } from './refusals.ts';
import { viewsAndForks } from './views-and-forks.ts';

/** The test runner, and the store to be tested. */
export interface StoreComplianceOptions {
  /** Registers a test, as the functions of that name of Vitest, Jest and node:test do. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Opens an empty store. The suite closes it. */
  readonly open: () => Promise<Store>;
  /** Random runs of each test that has them. Default: 50. */
  readonly runs?: number | undefined;
  /** Seed of the first random run; a failure names its own. Default: 1. */
  readonly seed?: number | undefined;
}

const OPTIONS = { test: A_FUNCTION, open: A_FUNCTION, runs: wholeNumber(0), seed: wholeNumber(0) };

/** Registers the tests. A store that does not comply makes one of them reject with an Error that says how. */
export function storeCompliance(options: StoreComplianceOptions): void {
  assertOptions(options, OPTIONS);
  const { test, open, runs = 50, seed = 1 } = options;
  assertFunction(test, 'test');
  assertFunction(open, 'open');
  for (const { name, run } of [...readsAndWrites, ...viewsAndForks, ...largeBatches, ...refusals]) {
    test(name, async () => {
      const opened: Store[] = [];
      const opening = async (): Promise<Store> => {
        const store = await open();
        opened.push(store);
        return store;
      };
      try {
        await run({ open: opening, runs, seed });
      } finally {
        for (const store of opened) await store.close();
      }
    });
  }
}
