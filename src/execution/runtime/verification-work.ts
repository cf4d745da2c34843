/**
 * What reading and verifying code counts as work of natives: of the modules that a transaction publishes, and of its
 * script.
 * @module
 */
import type { NativeWork } from './native-work.ts';

/** Bytes of code that are read, searched or written per microsecond, measured on short functions. */
const BYTES_PER_WORK = 4;

/** Steps of the bytecode verifier per microsecond, measured. */
const STEPS_PER_WORK = 5;

/** Counts reading code of `bytes` bytes; otherwise as `NativeWork.spend`. */
export function spendReading(work: NativeWork, bytes: number): void {
  work.spend(Math.ceil(bytes / BYTES_PER_WORK));
}

/**
 * Counts the steps of one verification, which is abandoned midway if there is no room for it.
 * @param verify takes what is to be told of the steps so far, and returns all of them
 * @throws as `NativeWork.spend`
 */
export function spendVerification(work: NativeWork, verify: (onSteps: (taken: number) => void) => number): void {
  work.spend(workOf(verify((taken) => work.checkDone(workOf(taken)))));
}

function workOf(steps: number): number {
  return Math.ceil(steps / STEPS_PER_WORK);
}
