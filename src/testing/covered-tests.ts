/**
 * Which Move code the tests of a file run, and what gas their transactions use.
 * @module
 */
import { formatFunctionId } from '../chain/transaction/action.ts';
import { observeSessions } from '../execution/runtime/session-observer.ts';
import { CodeRun, CoveredCode } from '../execution/trace/covered-code.ts';
import { observeCommits } from '../pipeline/feed.ts';

/** Under which name the metadata of a test file has it. */
export const COVERAGE_META = 'movelet/coverage';

let covered: CoveredCode | undefined;

/** Counts from here on, in this thread, what Move code runs; what was counted before is forgotten. */
export function startCounting(): CoveredCode {
  if (covered !== undefined) {
    covered.clear();
    return covered;
  }
  const sum = new CoveredCode();
  observeSessions(() => {
    const run = new CodeRun();
    return Object.assign(run, { end: () => sum.add(run) });
  });
  covered = sum;
  return sum;
}

/** Under which name the metadata of a test file has the gas of its transactions. */
export const GAS_META = 'movelet/gas';

/** The gas of each executed transaction that called a function, by the function. */
export type GasByFunction = Map<string, number[]>;

let metered: GasByFunction | undefined;

/** Notes from here on, in this thread, the gas of executed transactions; what was noted before is forgotten. */
export function startMetering(): GasByFunction {
  if (metered !== undefined) {
    metered.clear();
    return metered;
  }
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
  metered = found;
  return found;
}
