/**
 * What the connections of a listener hold in memory together, by kind: bytes of requests, bytes of answers, requests.
 *
 * A quarter of a budget is divided among the connections that there may be, so that a small request or answer always
 * finds room, whatever others hold; the rest goes to whoever comes first.
 * @module
 */
export class Budget {
  readonly max: number;
  /** What each connection has of its own. */
  readonly reserve: number;
  readonly #sharedMax: number;
  #taken = 0;

  constructor(max: number, connectionsMax: number) {
    this.max = max;
    this.reserve = Math.floor(max / 4 / connectionsMax);
    this.#sharedMax = max - this.reserve * connectionsMax;
  }

  /** Whether more than half of what is shared is taken: nothing is added then that could as well wait. */
  get isTight(): boolean {
    return this.#taken > this.#sharedMax / 2;
  }

  /** Takes from what is shared; false when that is more than is left. */
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

  /** Holds so much from now on. False when the budget is spent: it then holds what it held. */
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

  /** Gives everything back, and holds nothing from now on. */
  close(): void {
    this.set(0);
    this.#isClosed = true;
  }
}

/** The budgets of one listener. */
export interface Budgets {
  /** Bytes of requests, arriving, waiting or at work. */
  readonly requestBytes: Budget;
  /** The same as a number of requests. */
  readonly requests: Budget;
  /** Bytes of answers and notifications that are not sent. */
  readonly unsentBytes: Budget;
}
