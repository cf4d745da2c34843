/**
 * Counts which Move code the tests of a file run, and how much gas their transactions use.
 * @module
 */
import { formatFunctionId } from '../chain/transaction/action.ts';
import { observeSessions } from '../execution/runtime/session-observer.ts';
import { CodeRun, CoveredCode } from '../execution/trace/covered-code.ts';
import { observeCommits } from '../pipeline/feed.ts';

/** The names under which the metadata of a test file has the two counts. */
export const COVERAGE_META = 'movelet/coverage';
export const GAS_META = 'movelet/gas';

/** The gas of each executed transaction that called a function, by the function's name. */
export type GasByFunction = Map<string, number[]>;

/** Begins on the first call in this thread; each later call starts again from nothing. */
function anew<T extends { clear(): void }>(begin: () => T): () => T {
  let counted: T | undefined;
  return () => {
    counted?.clear();
    counted ??= begin();
    return counted;
  };
}

/** From here on, counts which Move code this thread runs. */
export const startCounting: () => CoveredCode = anew(() => {
  const sum = new CoveredCode();
  observeSessions(() => {
    const run = new CodeRun();
    return Object.assign(run, { end: () => sum.add(run) });
  });
  return sum;
});

/** From here on, notes the gas of the transactions that are executed in this thread. */
export const startMetering: () => GasByFunction = anew(() => {
  const found: GasByFunction = new Map();
  observeCommits((commits) => {
    for (const { record } of commits) {
      const { data } = record.transaction;
      if (data.kind !== 'l2-transaction' || record.executionInfo.status.kind !== 'executed') continue;
      const { action } = data.data;
      if (action.kind !== 'function') continue;
      const name = formatFunctionId(action.function);
      found.set(name, [...(found.get(name) ?? []), Number(record.executionInfo.gasUsed)]);
    }
  });
  return found;
});
