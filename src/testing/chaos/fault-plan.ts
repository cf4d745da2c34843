/**
 * Faults from a seed: which ones happen, and how severe they are. Each kind draws independently, so what happens on
 * sockets does not affect what happens to the store.
 * @module
 */

/** Faults that a chaos remembers, so that a list nobody reads stops growing. */
const CHAOS_EVENTS_MAX = 10_000;

/** How often something happens, and for how long at most. */
export interface Chance {
  /** From 0, never, to 1, always. */
  readonly chance: number;
  /** Maximum milliseconds, at least 1; the seed decides how many. */
  readonly msMax: number;
}

/** A fault that happened. */
export type ChaosEvent =
  /** The commit of an order was delayed before being written. */
  | { readonly kind: 'store-slow'; readonly order: bigint; readonly ms: number }
  /** The commit of an order could not be written, nor anything after it. */
  | { readonly kind: 'store-failed'; readonly order: bigint }
  /** The clock was moved after the commit of an order; back if the milliseconds are negative. */
  | { readonly kind: 'clock-jumped'; readonly order: bigint; readonly ms: number }
  /** Answers on a connection were late. Connections are counted from 1. */
  | { readonly kind: 'socket-slow'; readonly connection: number; readonly ms: number }
  /** A connection was dropped after this many bytes of answers. */
  | { readonly kind: 'socket-dropped'; readonly connection: number; readonly bytes: number }
  /** The last blocks were replaced by a longer branch, which ends at this height. */
  | { readonly kind: 'reorganised'; readonly depth: number; readonly height: number };

/** Draws a fraction from 0 to 1; the same seed gives the same sequence (mulberry32). */
export type Draw = () => number;

export class FaultPlan {
  readonly #seed: number;
  readonly #events: ChaosEvent[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** The faults so far, up to the first CHAOS_EVENTS_MAX. */
  get events(): readonly ChaosEvent[] {
    return this.#events;
  }

  note(event: ChaosEvent): void {
    if (this.#events.length < CHAOS_EVENTS_MAX) this.#events.push(event);
  }

  /** The draws of one kind of fault. */
  draws(kind: number): Draw {
    let state = Math.imul(this.#seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(kind + 1, 0xc2b2ae35);
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    };
  }
}

/**
 * Milliseconds if it happens, otherwise undefined. Always draws twice, so that later draws do not depend on the
 * outcome.
 */
export function drawMs(draw: Draw, { chance, msMax }: Chance): number | undefined {
  const happens = draw() < chance;
  const ms = 1 + Math.floor(draw() * msMax);
  return happens ? ms : undefined;
}
