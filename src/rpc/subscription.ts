/**
 * Subscriptions: transactions and events pushed to a client, in their order, from a given one on.
 *
 * A subscription keeps the order that comes next and reads the chain itself, so nothing is queued for a slow reader and
 * nothing is missed: it begins with any order of the past, and goes on as fast as its connection takes what it sends.
 * One that has seen the head and then falls more than SUBSCRIPTION_LAG_ORDERS_MAX behind it is closed, with the order
 * from which it can be opened again. After the chain went back to a snapshot, orders come again, and the client is told.
 * Source: crates/rooch-rpc-server/src/service of the reference.
 * @module
 */
import { SUBSCRIPTION_LAG_ORDERS_MAX, SUBSCRIPTION_PIECE_ORDERS, SUBSCRIPTION_WAIT_MS } from '../config.ts';
import type { RpcChain, RpcEngine } from './engine.ts';
import type { JsonValue } from './json.ts';

/** Where a subscription sends to. */
export interface SubscriptionSink {
  /** Sends one item; `isLast` of its order. */
  send(item: JsonValue, order: bigint, isLast: boolean): void;
  /** Says that the chain went to a snapshot: orders from `nextOrder` on come again. */
  reverted(nextOrder: bigint): void;
  /** Whether another item would be sent at once rather than held. */
  isWritable(): boolean;
  /** The subscription is over; `resumeOrder` is where another one would go on. */
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
  /** The order that is sent next. */
  #next: bigint;
  /** Whether it has caught up with the head once. */
  #isLive = false;
  #isOver = false;
  #isWaiting = false;

  /**
   * @param from the first order; what stands there already is sent soon, not within this call
   * @param onClose called once, when it is over
   */
  constructor(engine: RpcEngine, from: bigint, collect: Collect, sink: SubscriptionSink, onClose: () => void) {
    this.#engine = engine;
    this.#collect = collect;
    this.#sink = sink;
    this.#next = from;
    this.#onClose = onClose;
    this.#stopListening = engine.on('head', ({ head, isReverted }) => {
      if (isReverted && head.order < this.#next - 1n) {
        this.#next = head.order + 1n;
        sink.reverted(this.#next);
      }
      this.#send();
    });
    this.#soon();
  }

  /** Ends it without a word. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopListening();
    this.#onClose();
  }

  /**
   * Sends after what is going on now: the answer that tells of the subscription comes first. Not a millisecond later
   * either, since whoever has that answer may submit at once, and is told what he did before he is answered.
   */
  #soon(): void {
    this.#isWaiting = true;
    setImmediate(() => this.#resume());
  }

  #resume(): void {
    this.#isWaiting = false;
    this.#send();
  }

  /** Sends what there is, a bounded number of orders at a time. */
  #send(): void {
    if (this.#isOver || this.#isWaiting) return;
    this.#engine
      .moment((chain) => {
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

  /** Ends it, and tells the client why. */
  end(reason: string): void {
    if (this.#isOver) return;
    this.close();
    this.#sink.end(`${reason}; subscribe again from order ${this.#next}`, this.#next);
  }
}
