/**
 * The entry point `movelet/log-compliance`: what every commit log must do, as a test suite for implementers of a log.
 *
 * All it needs from a test runner is a function that takes a name and an asynchronous function:
 *
 * ```ts
 * import { test } from 'node:test';
 * import { logCompliance } from 'movelet/log-compliance';
 * logCompliance({ test, create: async () => { const name = await emptyLog(); return () => openMyLog(name); } });
 * ```
 * @module
 */
import { A_FUNCTION, assertFunction, assertOptions, wholeNumber } from '../../base/argument.ts';
import type { CommitLog } from '../commit-log.ts';
import { appending } from './appending.ts';
import { pruning } from './pruning.ts';
import { takingOver } from './taking-over.ts';

/** The test runner, and the log to test. */
export interface LogComplianceOptions {
  /** Registers a test, like `test` of Vitest, Jest and node:test. */
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** Makes an empty log and returns a function that opens it, once for each process. The suite closes what it opens. */
  readonly create: () => Promise<() => Promise<CommitLog>>;
  /** Random runs of each randomised test. Default: 5. */
  readonly runs?: number | undefined;
  /** Seed of the random runs; a failure names its own. Default: 1. */
  readonly seed?: number | undefined;
}

const OPTIONS = { test: A_FUNCTION, create: A_FUNCTION, runs: wholeNumber(0), seed: wholeNumber(0) };

/** Registers the tests. For a non-compliant log, one of them rejects with an Error that says why. */
export function logCompliance(options: LogComplianceOptions): void {
  assertOptions(options, OPTIONS);
  const { test, create, runs = 5, seed = 1 } = options;
  assertFunction(test, 'test');
  assertFunction(create, 'create');
  for (const { name, run } of [...appending, ...takingOver, ...pruning]) {
    test(name, async () => {
      const opened: CommitLog[] = [];
      const opening = await create();
      const open = async (): Promise<CommitLog> => {
        const log = await opening();
        opened.push(log);
        return log;
      };
      try {
        await run({ open, runs, seed });
      } finally {
        for (const log of opened) await log.close();
      }
    });
  }
}
