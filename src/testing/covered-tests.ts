/**
 * Which Move code the tests of a file run.
 * @module
 */
import { observeSessions } from '../execution/runtime/session-observer.ts';
import { CodeRun, CoveredCode } from '../execution/trace/covered-code.ts';

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
