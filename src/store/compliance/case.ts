/**
 * One test of the suite.
 * @module
 */
import { messageOf } from '../../base/error.ts';
import type { Store } from '../store.ts';
import { RandomRows } from './random-rows.ts';

/** What a test is given. */
export interface CaseContext {
  /** An empty store, closed after the test. */
  open(): Promise<Store>;
  /** Random runs. */
  readonly runs: number;
  readonly seed: number;
}

export interface Case {
  readonly name: string;
  run(context: CaseContext): Promise<void>;
}

/** A case that is run `runs` times, each with a fresh store and different random rows. */
export function randomCase(name: string, play: (store: Store, random: RandomRows) => Promise<void>): Case {
  return {
    name,
    run: async ({ open, runs, seed }) => {
      for (let run = 0; run < runs; run++) {
        const store = await open();
        try {
          await play(store, new RandomRows(seed + run));
        } catch (error) {
          const reason = messageOf(error);
          throw new Error(`with seed ${seed + run}: ${reason}`, { cause: error });
        }
        await store.close();
      }
    },
  };
}

/** A case of one store. */
export function plainCase(name: string, play: (store: Store) => Promise<void>): Case {
  return { name, run: async ({ open }) => play(await open()) };
}
