/**
 * How much work natives may do in one execution.
 *
 * What some natives take is out of all proportion to their gas, in the reference as here: one call can keep the thread
 * busy for minutes. So there is a bound. Work is counted and not timed, so the same call ends the same way on every
 * machine: each native that takes long says how long it was seen to take, before it begins. What has a deadline besides,
 * as views do, is refused what would not be done in time.
 * @module
 */
import type { Deadline } from '../vm/deadline.ts';
import { refuse } from '../vm/failure.ts';
import { StatusCode } from '../vm/status.ts';

export class NativeWork {
  readonly #microsecondsMax: number;
  #left: number;

  readonly #deadline: Deadline | undefined;

  /** @param microsecondsMax microseconds of work, of the machine that the natives were measured on */
  constructor(microsecondsMax: number, deadline?: Deadline) {
    this.#microsecondsMax = microsecondsMax;
    this.#left = microsecondsMax;
    this.#deadline = deadline;
  }

  /** Microseconds of work that are left, for natives that find out only while they work how much it is. */
  get left(): number {
    const left = Math.max(this.#left, 0);
    return this.#deadline === undefined ? left : Math.min(left, Math.max(this.#deadline.left, 0) * 1_000);
  }

  /**
   * @throws {ThrownFailure} EXECUTION_LIMIT_REACHED when the execution would have asked for more than there is.
   * @throws {EngineError} `deadline-exceeded` when it would not be done in time.
   */
  spend(microseconds: number): void {
    this.#left -= microseconds;
    if (this.#deadline !== undefined) this.#deadline.checkFor(microseconds / 1_000);
    if (this.#left >= 0) return;
    const asked = seconds(this.#microsecondsMax - this.#left);
    throw refuse(
      StatusCode.EXECUTION_LIMIT_REACHED,
      `expected native functions to take ${seconds(this.#microsecondsMax)} s at most, got calls that take about ${asked} s`,
    );
  }
}

function seconds(microseconds: number): number {
  return Math.ceil(microseconds / 1e6);
}
