/**
 * The clock for an engine's views and dry runs. It also says when to give one up, so that it can be restarted on a
 * thread that holds up nobody.
 *
 * Giving up is not an outcome: whoever asked for a brief run learns that there is none, however the run itself ended.
 * @module
 */
import type { DeadlineClock, Milliseconds } from '../vm/deadline.ts';

export class BriefClock implements DeadlineClock {
  readonly used?: Milliseconds;
  #end = Number.POSITIVE_INFINITY;
  #isGivenUp = false;

  /** @param used processor time; the host's if left out, which takes a call of the system for each run */
  constructor(used?: Milliseconds) {
    if (used !== undefined) this.used = used;
  }

  /** Runs `run` for at most `msMax` ms; its deadlines watch the clock. Returns undefined if it was given up. */
  briefly<T>(msMax: number, run: () => T): { readonly value: T } | undefined {
    this.#end = performance.now() + msMax;
    try {
      const value = run();
      return this.#isGivenUp ? undefined : { value };
    } catch (error) {
      if (this.#isGivenUp) return undefined;
      throw error;
    } finally {
      this.#end = Number.POSITIVE_INFINITY;
      this.#isGivenUp = false;
    }
  }

  givesUp(ms: number): boolean {
    if (this.#end === Number.POSITIVE_INFINITY) return false;
    if (!this.#isGivenUp) this.#isGivenUp = performance.now() + ms > this.#end;
    return this.#isGivenUp;
  }
}
