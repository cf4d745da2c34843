/**
 * A bound on the work of native functions in one execution.
 *
 * Some natives take time out of all proportion to their gas, in the reference as well as here: one call can occupy the
 * thread for minutes. Work is counted rather than timed, so that a call ends in the same way on every machine: before
 * it begins, each slow native declares how long such a call was measured to take. Executions with a deadline, such as
 * views, are also refused work that would not finish in time. Reading and verifying the modules and the script of a
 * transaction counts too.
 * @module
 */
import type { Deadline } from '../../vm/deadline.ts';
import { refuse, type ThrownFailure } from '../../vm/failure.ts';
import { StatusCode } from '../../vm/status.ts';

export class NativeWork {
  readonly #microsecondsMax: number;
  #left: number;

  readonly #deadline: Deadline | undefined;

  /** @param microsecondsMax microseconds of work, on the machine where the natives were measured */
  constructor(microsecondsMax: number, deadline?: Deadline) {
    this.#microsecondsMax = microsecondsMax;
    this.#left = microsecondsMax;
    this.#deadline = deadline;
  }

  /** The rest in microseconds, for natives that only learn their cost while they run. */
  get left(): number {
    const left = Math.max(this.#left, 0);
    return this.#deadline === undefined ? left : Math.min(left, Math.max(this.#deadline.left, 0) * 1_000);
  }

  /**
   * For natives that count their work while they run and spend it afterwards: `microseconds` is the work done so far.
   * @throws as `spend` would for this much; a deadline is only checked for having passed.
   */
  checkDone(microseconds: number): void {
    this.#deadline?.check();
    if (microseconds > this.#left) throw this.#refusal(this.#left - microseconds);
  }

  /**
   * @throws {ThrownFailure} EXECUTION_LIMIT_REACHED if this exceeds the rest.
   * @throws {EngineError} `deadline-exceeded` if it would not finish in time.
   */
  spend(microseconds: number): void {
    this.#left -= microseconds;
    if (this.#deadline !== undefined) this.#deadline.checkFor(microseconds / 1_000);
    if (this.#left < 0) throw this.#refusal(this.#left);
  }

  /** Runs code for which the transaction does not pay: its work does not count, but has to finish in time. */
  uncounted<T>(run: () => T): T {
    const left = this.#left;
    this.#left = Number.POSITIVE_INFINITY;
    try {
      return run();
    } finally {
      this.#left = left;
    }
  }

  #refusal(left: number): ThrownFailure {
    const asked = seconds(this.#microsecondsMax - left);
    return refuse(
      StatusCode.EXECUTION_LIMIT_REACHED,
      `expected native functions to take ${seconds(this.#microsecondsMax)} s at most, got calls that take about ${asked} s`,
    );
  }
}

function seconds(microseconds: number): number {
  return Math.ceil(microseconds / 1e6);
}

/** Code bytes read, searched or written per microsecond, measured on short functions. */
const BYTES_PER_WORK = 4;

/** Steps of the bytecode verifier per microsecond, measured. */
const STEPS_PER_WORK = 5;

/** Counts reading code of `bytes` bytes; otherwise as `NativeWork.spend`. */
export function spendReading(work: NativeWork, bytes: number): void {
  work.spend(Math.ceil(bytes / BYTES_PER_WORK));
}

/**
 * Counts the steps of a verification, which is abandoned midway if it exceeds the rest.
 * @param verify takes a function to call with the steps so far, and returns their total
 * @throws as `NativeWork.spend`
 */
export function spendVerification(work: NativeWork, verify: (onSteps: (taken: number) => void) => number): void {
  work.spend(workOf(verify((taken) => work.checkDone(workOf(taken)))));
}

function workOf(steps: number): number {
  return Math.ceil(steps / STEPS_PER_WORK);
}
