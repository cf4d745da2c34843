/**
 * When an execution that is no consensus must end: a view, or a dry run.
 *
 * What a signed transaction may do is counted, so that it ends the same way on every machine, and no clock is near it.
 * Views and dry runs leave nothing behind; so what bounds them is the time for which they may hold the thread. It is
 * looked at where the gas counter takes its next chunk, which every loop and recursion comes to every few milliseconds,
 * at every native, and where code is made ready. A native says beforehand how long it will take (`NativeWork`), and is
 * refused when that is longer than what is left.
 * @module
 */
import { EngineError } from '../error.ts';

/** Milliseconds since some moment, not going back. */
export type Milliseconds = () => number;

const MONOTONIC: Milliseconds = () => performance.now();

export class Deadline {
  readonly #msMax: number;
  readonly #end: number;
  readonly #now: Milliseconds;

  /** Begins now. */
  constructor(msMax: number, now: Milliseconds = MONOTONIC) {
    this.#msMax = msMax;
    this.#now = now;
    this.#end = now() + msMax;
  }

  /** Milliseconds left; below zero when it has passed. */
  get left(): number {
    return this.#end - this.#now();
  }

  /** @throws {EngineError} `deadline-exceeded` when it has passed. */
  check(): void {
    if (this.left < 0) throw this.exceeded('took longer');
  }

  /** @throws {EngineError} `deadline-exceeded` when what takes `ms` milliseconds would not be done in time. */
  checkFor(ms: number): void {
    if (this.left < ms) throw this.exceeded('would take longer');
  }

  exceeded(what: string): EngineError {
    return new EngineError(
      'deadline-exceeded',
      `expected an answer within ${this.#msMax} ms (viewMsMax), and it ${what}: ask for less in one call`,
      { details: { expected: `at most ${this.#msMax} ms` } },
    );
  }
}
