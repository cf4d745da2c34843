/**
 * The bounds of the transports, and shared memory budgets: what all connections of a listener may hold together, as bytes of
 * requests and bytes of answers.
 *
 * A quarter of each budget is reserved, in equal parts, for the connections that the listener accepts, so there is always
 * room for a small request or answer, whatever other connections hold. The rest is first come, first served.
 * @module
 */
import { bound, type Expectation } from '../../base/argument.ts';
import {
  ALL_UNSENT_BYTES_MAX,
  ANSWER_MS_MAX,
  CLOSE_MS_MAX,
  CONNECTIONS_MAX,
  HEADERS_MS_MAX,
  IDLE_MS_MAX,
  IN_FLIGHT_BYTES_MAX,
  IN_FLIGHT_REQUESTS_MAX,
  PING_INTERVAL_MS,
  PIPELINED_REQUESTS_MAX,
  PORT_REQUESTS_MAX,
  REQUEST_BYTES_MAX,
  REQUEST_MS_MAX,
  RESPONSE_BYTES_MAX,
  SEND_MS_MAX,
  UNSENT_BYTES_MAX,
} from '../../base/config.ts';

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

  /** Whether more than half of the shared part is taken, so that output that can wait should wait. */
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

/** What a request counts at least besides its body, in bytes: about half of what it takes. */
export const REQUEST_BYTES_MIN = 2_048;

export interface Budgets {
  /** Bytes of requests that are arriving, waiting or being answered. */
  readonly requestBytes: Budget;
  /** Bytes of answers and notifications not yet sent. */
  readonly unsentBytes: Budget;
}

/**
 * The budgets of a listener.
 * @param connectionsMax including those that are refused
 */
export function listenerBudgets({ inFlightBytesMax, allUnsentBytesMax }: Bounds, connectionsMax: number): Budgets {
  return {
    requestBytes: new Budget(inFlightBytesMax, connectionsMax),
    unsentBytes: new Budget(allUnsentBytesMax, connectionsMax),
  };
}

const BOUNDS = {
  allUnsentBytesMax: ALL_UNSENT_BYTES_MAX as number,
  answerMsMax: ANSWER_MS_MAX as number,
  closeMsMax: CLOSE_MS_MAX as number,
  connectionsMax: CONNECTIONS_MAX as number,
  headersMsMax: HEADERS_MS_MAX as number,
  idleMsMax: IDLE_MS_MAX as number,
  inFlightBytesMax: IN_FLIGHT_BYTES_MAX as number,
  inFlightRequestsMax: IN_FLIGHT_REQUESTS_MAX as number,
  pingIntervalMs: PING_INTERVAL_MS as number,
  pipelinedRequestsMax: PIPELINED_REQUESTS_MAX as number,
  requestBytesMax: REQUEST_BYTES_MAX as number,
  requestMsMax: REQUEST_MS_MAX as number,
  responseBytesMax: RESPONSE_BYTES_MAX as number,
  sendMsMax: SEND_MS_MAX as number,
  unsentBytesMax: UNSENT_BYTES_MAX as number,
  waitingRequestsMax: PORT_REQUESTS_MAX as number,
};

/** The bounds that the options of transports set; each transport uses its own of them. */
export type Bounds = { readonly [name in keyof typeof BOUNDS]: number };

/** The bounds that the options give, and the defaults for the others. */
export function boundsOf(given: { readonly [name in keyof Bounds]?: number | undefined }): Bounds {
  const names = Object.keys(BOUNDS) as (keyof Bounds)[];
  return Object.fromEntries(names.map((name) => [name, given[name] ?? BOUNDS[name]])) as Bounds;
}

/** The valid values of these options. */
export function boundOptions<Name extends keyof Bounds>(names: readonly Name[]): Record<Name, Expectation> {
  return Object.fromEntries(names.map((name) => [name, bound(0)])) as Record<Name, Expectation>;
}
