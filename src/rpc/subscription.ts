/**
 * Subscriptions: transactions and events pushed to a client in order, from a given order on.
 *
 * A subscription remembers the next order and reads the chain itself, so nothing is queued for a slow reader and
 * nothing is missed: it can start at any past order, and advances as fast as its connection accepts items. If it has
 * caught up with the head and later falls more than SUBSCRIPTION_LAG_ORDERS_MAX behind, it is closed, with the order at
 * which to reopen it. After a revert the client is told that orders will repeat.
 * Source: crates/rooch-rpc-server/src/service of the reference.
 * @module
 */
import { SUBSCRIPTION_LAG_ORDERS_MAX, SUBSCRIPTION_PIECE_ORDERS, SUBSCRIPTION_WAIT_MS } from '../config.ts';
import type { RpcChain, RpcEngine } from './engine.ts';
import type { JsonValue } from './json.ts';

/** The destination of a subscription. */
export interface SubscriptionSink {
  /** Sends one item; `isLast`: the last one of its order. */
  send(item: JsonValue, order: bigint, isLast: boolean): void;
  /** Says that the chain was reverted: orders from `nextOrder` on will repeat. */
  reverted(nextOrder: bigint): void;
  /** Whether another item would be sent at once rather than held. */
  isWritable(): boolean;
  /** The subscription has ended; a new one would resume at `resumeOrder`. */
  end(reason: string, resumeOrder: bigint): void;
}

/** The items of the transaction at an order. */
export type Collect = (chain: RpcChain, order: bigint) => readonly JsonValue[];

export class Subscription {
  readonly #engine: RpcEngine;
  readonly #collect: Collect;
  readonly #sink: SubscriptionSink;
  readonly #stopListening: () => void;
  readonly #onClose: () => void;
  /** The next order to send. */
  #next: bigint;
  /** Whether the chain has not come to its first order, so that going back repeats nothing of it. */
  #isAhead: boolean;
  /** Whether it has ever caught up with the head. */
  #isLive = false;
  #isOver = false;
  #isWaiting = false;

  /**
   * @param from the first order; existing items are sent soon, but not within this call
   * @param onClose called once, when it is over
   */
  constructor(engine: RpcEngine, from: bigint, collect: Collect, sink: SubscriptionSink, onClose: () => void) {
    this.#engine = engine;
    this.#collect = collect;
    this.#sink = sink;
    this.#next = from;
    this.#onClose = onClose;
    this.#isAhead = from > engine.peek(({ head }) => head.order) + 1n;
    this.#stopListening = engine.on('head', ({ isReverted, sharedOrder }) => {
      if (isReverted && sharedOrder < this.#next - 1n && !this.#isAhead) {
        this.#next = sharedOrder + 1n;
        sink.reverted(this.#next);
      }
      this.#send();
    });
    this.#soon();
  }

  /** Ends it without notifying the client. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopListening();
    this.#onClose();
  }

  /**
   * Sends after the current task, so that the answer with the subscription's id comes first; but no later, because a
   * client with that answer may submit at once, and must be notified before that is answered.
   */
  #soon(): void {
    this.#isWaiting = true;
    setImmediate(() => this.#resume());
  }

  #resume(): void {
    this.#isWaiting = false;
    this.#send();
  }

  /** Sends the available items, a bounded number of orders at a time. */
  #send(): void {
    if (this.#isOver || this.#isWaiting) return;
    this.#engine
      .moment((chain) => {
        if (this.#next <= chain.head.order + 1n) this.#isAhead = false;
        for (let count = 0; this.#next <= chain.head.order; count++) {
          if (this.#isOver) return;
          if (count === SUBSCRIPTION_PIECE_ORDERS) return this.#soon();
          if (!this.#sink.isWritable()) return this.#hold(chain.head.order);
          const order = this.#next;
          const items = this.#collect(chain, order);
          for (const [index, item] of items.entries()) this.#sink.send(item, order, index === items.length - 1);
          this.#next = order + 1n;
        }
        this.#isLive = true;
      })
      .catch((error: unknown) => this.end(error instanceof Error ? error.message : String(error)));
  }

  #hold(head: bigint): void {
    if (this.#isLive && head - this.#next >= SUBSCRIPTION_LAG_ORDERS_MAX) {
      this.end(`it is not read fast enough: more than ${SUBSCRIPTION_LAG_ORDERS_MAX} transactions behind`);
    } else {
      this.#isWaiting = true;
      setTimeout(() => this.#resume(), SUBSCRIPTION_WAIT_MS).unref();
    }
  }

  /** Ends it and tells the client why. */
  end(reason: string): void {
    if (this.#isOver) return;
    this.close();
    this.#sink.end(`${reason}; subscribe again from order ${this.#next}`, this.#next);
  }
}
