/**
 * Callers that wait until a chain reaches an order: they have its receipt from another node of the same log and want to
 * read their own write.
 * @module
 */
import { A_U64, assertFits, wholeNumber } from '../base/argument.ts';

import { EngineError } from '../base/error.ts';
import type { Feed } from '../pipeline/feed.ts';

/** Milliseconds that a request may wait for an order: several polls of a reader. */
const ORDER_WAIT_MS_MAX = 5_000;

/** Requests that may wait for an order at a time, over all connections. */
export const ORDER_WAITS_MAX = 10_000;

const WAIT_MS = wholeNumber(0, ORDER_WAIT_MS_MAX);

interface Waiter {
  readonly order: bigint;
  readonly end: (error?: EngineError) => void;
}

export class OrderWaits {
  readonly #feed: Feed;
  readonly #present: () => bigint;
  readonly #waiters = new Set<Waiter>();
  #stopListening: (() => void) | undefined;
  #isClosed = false;

  /** @param present the order of the head */
  constructor(feed: Feed, present: () => bigint) {
    this.#feed = feed;
    this.#present = present;
  }

  /** @throws {EngineError} `behind`, `limit-exceeded`, `closed`, `invalid-argument`. */
  async reached(order: bigint, waitMs: number = ORDER_WAIT_MS_MAX): Promise<void> {
    assertFits(order, 'order', A_U64);
    assertFits(waitMs, 'waitMs', WAIT_MS);
    if (this.#present() >= order) return;
    // Nothing would end a later wait.
    if (this.#isClosed) throw new EngineError('closed', 'the engine is closed');
    if (this.#waiters.size >= ORDER_WAITS_MAX) {
      throw new EngineError(
        'limit-exceeded',
        `${ORDER_WAITS_MAX} requests wait for an order already (ORDER_WAITS_MAX)`,
      );
    }
    this.#stopListening ??= this.#feed.listen(() => this.#wake());
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => waiter.end(this.#behind(order, waitMs)), waitMs);
      const waiter: Waiter = {
        order,
        end: (error) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      this.#waiters.add(waiter);
    }).finally(() => this.#rest());
  }

  /** Ends all waits, and refuses later ones. */
  close(): void {
    this.#isClosed = true;
    for (const { end } of this.#waiters) end(new EngineError('closed', 'the engine is closed'));
  }

  #wake(): void {
    const present = this.#present();
    for (const { order, end } of this.#waiters) if (order <= present) end();
  }

  #rest(): void {
    if (this.#waiters.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #behind(order: bigint, waitMs: number): EngineError {
    const present = this.#present();
    return new EngineError(
      'behind',
      `expected the chain at order ${order} within ${waitMs} ms, it is at order ${present}`,
      {
        details: { expected: String(order), received: String(present) },
      },
    );
  }
}
