/**
 * How much work natives may do in one execution.
 *
 * What some natives take is out of all proportion to their gas, in the reference as here: one call can keep the thread
 * busy for minutes. A transaction may ask for all of that, or its outcome would differ from the network's; a view, which
 * anybody may send and nobody pays for, is bounded. Work is counted and not timed, so the same call ends the same way on
 * every machine: each native that takes long says how long it was seen to take, before it begins.
 * @module
 */
import { EngineError } from '../error.ts';

export class NativeWork {
  readonly #microsecondsMax: number;
  #left: number;

  /** @param microsecondsMax microseconds of work, of the machine that the natives were measured on */
  constructor(microsecondsMax: number) {
    this.#microsecondsMax = microsecondsMax;
    this.#left = microsecondsMax;
  }

  /** @throws {EngineError} `limit-exceeded` when the execution would have asked for more than there is. */
  spend(microseconds: number): void {
    this.#left -= microseconds;
    if (this.#left >= 0) return;
    const asked = seconds(this.#microsecondsMax - this.#left);
    throw new EngineError(
      'limit-exceeded',
      `expected native functions to take ${seconds(this.#microsecondsMax)} s at most (VIEW_NATIVE_WORK_MAX), got calls that take about ${asked} s: ask for less in one view`,
    );
  }
}

function seconds(microseconds: number): number {
  return Math.ceil(microseconds / 1e6);
}
