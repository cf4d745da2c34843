/**
 * When an execution that is no consensus must end: a view, or a dry run.
 *
 * What a signed transaction may do is counted, so that it ends the same way on every machine, and no clock is near it.
 * Views and dry runs leave nothing behind; so what bounds them is the time for which they may hold the thread. It is
 * looked at where the gas counter takes its next chunk, which every loop and recursion comes to every few milliseconds,
 * at every native, and where code is made ready. A native says beforehand how long it will take (`NativeWork`), and is
 * refused when that is longer than what is left.
 *
 * On a machine that is busy with other programs, time passes in which the thread does not run. That is no reason to
 * refuse a view, so a deadline is put off by the processor time that the process did not get.
 * @module
 */
import { EngineError } from '../error.ts';

/** Milliseconds since some moment, not going back. */
export type Milliseconds = () => number;

/** What a deadline is told by. */
export interface DeadlineClock {
  readonly now: Milliseconds;
  /** Processor time of the process, all threads together. */
  readonly used: Milliseconds;
}

const HOST: DeadlineClock = {
  now: () => performance.now(),
  used: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

export class Deadline {
  readonly #msMax: number;
  readonly #clock: DeadlineClock;
  readonly #usedBefore: number;
  #end: number;

  /** Begins now. */
  constructor(msMax: number, clock: DeadlineClock = HOST) {
    this.#msMax = msMax;
    this.#clock = clock;
    this.#usedBefore = clock.used();
    this.#end = clock.now() + msMax;
  }

  /** Milliseconds left; not above zero when it has passed. */
  get left(): number {
    const left = this.#end - this.#clock.now();
    return left > 0 ? left : this.#putOff(left);
  }

  /** @throws {EngineError} `deadline-exceeded` when it has passed. */
  check(): void {
    if (this.left < 0) throw this.#exceeded('took longer');
  }

  /** @throws {EngineError} `deadline-exceeded` when what takes `ms` milliseconds would not be done in time. */
  checkFor(ms: number): void {
    const { left } = this;
    if (left < ms && this.#putOff(left) < ms) throw this.#exceeded('would take longer');
  }

  /** Gives what is left, which was `left`, once the time is added that the process did not have. */
  #putOff(left: number): number {
    const unused = this.#usedBefore + this.#msMax - this.#clock.used();
    if (unused <= left) return left;
    this.#end += unused - left;
    return unused;
  }

  #exceeded(what: string): EngineError {
    return new EngineError(
      'deadline-exceeded',
      `expected an answer within ${this.#msMax} ms (viewMsMax), and it ${what}: ask for less in one call`,
      { details: { expected: `at most ${this.#msMax} ms` } },
    );
  }
}
