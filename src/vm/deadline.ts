/**
 * Deadlines of executions outside consensus: views and dry runs.
 *
 * The work of a signed transaction is counted, so that it ends in the same way on every machine; no clock is involved.
 * Views and dry runs have no effects, so they are bounded by the time for which they may occupy the thread. The clock
 * is checked when the gas counter takes its next chunk, which every loop and recursion does every few milliseconds, at
 * every native, and when code is prepared. A native declares in advance how long it will take (`NativeWork`) and is
 * refused if that exceeds the time left.
 *
 * On a busy machine, time passes while the thread does not run. The deadline is extended by the processor time that the
 * process did not get.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { HOST } from '../base/host.ts';

/** Milliseconds since some moment; never goes back. */
type Milliseconds = () => number;

/** The clocks of a deadline; the host's if left out. */
export interface DeadlineClock {
  readonly now?: Milliseconds;
  /** Processor time of the process, all threads together. */
  readonly used?: Milliseconds;
  /**
   * Whether to abandon a run that would take `ms` more milliseconds, to restart it elsewhere (src/engine/long-work.ts).
   */
  givesUp?(ms: number): boolean;
}

const CLOCKS = {
  now: () => performance.now(),
  used: () => HOST.processorMs(),
};

export class Deadline {
  readonly #msMax: number;
  readonly #clock: DeadlineClock;
  readonly #now: Milliseconds;
  readonly #used: Milliseconds;
  readonly #usedBefore: number;
  #end: number;

  /** Starts now. */
  constructor(msMax: number, clock: DeadlineClock = {}) {
    this.#msMax = msMax;
    this.#clock = clock;
    this.#now = clock.now ?? CLOCKS.now;
    this.#used = clock.used ?? CLOCKS.used;
    this.#usedBefore = this.#used();
    this.#end = this.#now() + msMax;
  }

  /** Milliseconds left; zero or less once it has passed. */
  get left(): number {
    const left = this.#end - this.#now();
    return left > 0 ? left : this.#putOff(left);
  }

  /** @throws {EngineError} `deadline-exceeded` when it has passed. */
  check(): void {
    this.checkBrief(0);
    if (this.left < 0) throw this.#exceeded('took longer');
  }

  /** @throws {EngineError} `deadline-exceeded` if another `ms` milliseconds of work would not finish in time. */
  checkFor(ms: number): void {
    this.checkBrief(ms);
    const { left } = this;
    if (left < ms && this.#putOff(left) < ms) throw this.#exceeded('would take longer');
  }

  /** @throws {EngineError} if a run that must be short would not be, with `ms` more milliseconds. */
  checkBrief(ms: number): void {
    if (this.#clock.givesUp?.(ms) === true) throw this.#exceeded('would hold the thread for long');
  }

  /** The time left: `left` and the time that the process did not get. */
  #putOff(left: number): number {
    const unused = this.#usedBefore + this.#msMax - this.#used();
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
