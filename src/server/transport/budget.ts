/**
 * Shared memory budgets: what all connections of a listener may hold together, as bytes of requests and bytes of answers.
 *
 * A quarter of each budget is reserved in equal parts for every connection the listener accepts, so a small request or
 * answer always finds room, whatever others hold. The rest is first come, first served.
 * @module
 */
import { ALL_UNSENT_BYTES_MAX, IN_FLIGHT_BYTES_MAX } from '../../base/config.ts';

export class Budget {
  readonly max: number;
  /** Reserved for each connection. */
  readonly reserve: number;
  readonly #sharedMax: number;
  #taken = 0;

  constructor(max: number, connectionsMax: number) {
    this.max = max;
    this.reserve = Math.floor(max / 4 / connectionsMax);
    this.#sharedMax = max - this.reserve * connectionsMax;
  }

  /** Whether more than half of the shared part is taken. Then whatever can wait should wait. */
  get isTight(): boolean {
    return this.#taken > this.#sharedMax / 2;
  }

  /** Takes from the shared part. Returns false if less than that is left. */
  take(amount: number): boolean {
    if (this.#taken + amount > this.#sharedMax) return false;
    this.#taken += amount;
    return true;
  }

  giveBack(amount: number): void {
    this.#taken -= amount;
  }
}

/** What one connection holds of a budget. */
export class Share {
  readonly budget: Budget;
  #held = 0;
  #isClosed = false;

  constructor(budget: Budget) {
    this.budget = budget;
  }

  get held(): number {
    return this.#held;
  }

  /** Sets the amount held. Returns false, and changes nothing, if the budget is exhausted. */
  set(amount: number): boolean {
    if (this.#isClosed) return amount === 0;
    const { reserve } = this.budget;
    const more = Math.max(0, amount - reserve) - Math.max(0, this.#held - reserve);
    if (more > 0 && !this.budget.take(more)) return false;
    if (more < 0) this.budget.giveBack(-more);
    this.#held = amount;
    return true;
  }

  add(amount: number): boolean {
    return this.set(this.#held + amount);
  }

  remove(amount: number): void {
    this.set(Math.max(0, this.#held - amount));
  }

  /** Gives everything back. From then on the share holds nothing. */
  close(): void {
    this.set(0);
    this.#isClosed = true;
  }
}

/** Bytes that a request counts besides its body, if its headers have no more: it takes about twice as many. */
export const REQUEST_BYTES_MIN = 2_048;

/** The budgets of one listener. */
export interface Budgets {
  /** Bytes of requests that are arriving, waiting or being answered. */
  readonly requestBytes: Budget;
  /** Bytes of answers and notifications not yet sent. */
  readonly unsentBytes: Budget;
}

/** The most bytes of requests, and of unsent answers, that all connections may hold together. */
interface BytesMax {
  readonly inFlightBytesMax?: number | undefined;
  readonly allUnsentBytesMax?: number | undefined;
}

/**
 * The budgets of a listener.
 * @param connectionsMax including those that are refused
 */
export function listenerBudgets(
  { inFlightBytesMax = IN_FLIGHT_BYTES_MAX, allUnsentBytesMax = ALL_UNSENT_BYTES_MAX }: BytesMax,
  connectionsMax: number,
): Budgets {
  return {
    requestBytes: new Budget(inFlightBytesMax, connectionsMax),
    unsentBytes: new Budget(allUnsentBytesMax, connectionsMax),
  };
}
