/**
 * The clock of an engine's views and dry runs, which also tells when to give one up, so that it is begun anew on a thread
 * that nobody waits for.
 *
 * Giving up is not an outcome: whoever asked for a brief run learns that there is none, whatever the run made of it.
 * @module
 */
import type { DeadlineClock } from './vm/deadline.ts';

export class BriefClock implements DeadlineClock {
  #end = Number.POSITIVE_INFINITY;
  #isGivenUp = false;

  /** Runs what ends within `msMax` milliseconds, as its deadlines look at the clock; gives undefined if it was given up. */
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
