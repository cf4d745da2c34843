/**
 * Subscriptions: transactions and events pushed to a client in order, from a given order on.
 *
 * A subscription remembers the next order and reads the chain itself, so nothing is queued for a slow reader and
 * nothing is missed: it can start at any past order, and advances as fast as its connection accepts items, also
 * within an order, whose events may be more than a connection holds. If it has caught up with the head and later
 * falls more than SUBSCRIPTION_LAG_ORDERS_MAX behind, it is closed, with the order at which to reopen it. After a
 * revert the client is told that orders will repeat.
 * Source: crates/rooch-rpc-server/src/service of the reference.
 * @module
 */
import {
  SUBSCRIPTION_LAG_ORDERS_MAX,
  SUBSCRIPTION_PIECE_ITEMS,
  SUBSCRIPTION_PIECE_ORDERS,
  SUBSCRIPTION_WAIT_MS,
} from '../config.ts';
import type { RpcChain, RpcEngine } from './engine.ts';
import type { JsonValue } from './json.ts';
import type { SubscribedItem } from './method.ts';

/** The destination of a subscription. */
export interface SubscriptionSink {
  /** Sends one item; `isLast`: the last one of its order. Returns false if there was no room for it. */
  send(item: JsonValue, order: bigint, isLast: boolean): boolean;
  /** Says that the chain was reverted: orders from `nextOrder` on will repeat. */
  reverted(nextOrder: bigint): boolean;
  /** Whether another item would be sent at once rather than held. */
  isWritable(): boolean;
  /** The subscription has ended; a new one would resume at `resumeOrder`. */
  end(reason: string, resumeOrder: bigint): void;
}

/** The items of the transaction at an order, from an index on. */
export type Collect = (chain: RpcChain, order: bigint, from: number) => Iterable<SubscribedItem>;

const NO_ROOM = 'the connection had no room for an item';

export class Subscription {
  readonly #engine: RpcEngine;
  readonly #collect: Collect;
  readonly #sink: SubscriptionSink;
  readonly #stopListening: () => void;
  readonly #onClose: () => void;
  /** The next order to send. */
  #next: bigint;
  /** The index within its transaction from which nothing of it has been sent. */
  #from = 0;
  /** Whether the chain has not come to its first order, so that going back repeats nothing of it. */
  #isAhead: boolean;
  /** Whether it has ever caught up with the head. */
  #isLive = false;
  #isOver = false;
  #isWaiting = false;

  /**
   * @param from the first order; existing items are sent soon, but not within this call
   * @param onClose called once, when it is over
   * @param answered until when nothing is sent, if its id is told later than in this task
   */
  constructor(
    engine: RpcEngine,
    from: bigint,
    collect: Collect,
    sink: SubscriptionSink,
    onClose: () => void,
    answered?: Promise<void>,
  ) {
    this.#engine = engine;
    this.#collect = collect;
    this.#sink = sink;
    this.#next = from;
    this.#onClose = onClose;
    this.#isAhead = from > engine.peek(({ head }) => head.order) + 1n;
    const stopHeads = engine.on('head', ({ isReverted, sharedOrder }) => {
      if (isReverted) this.#goBack(sharedOrder + 1n);
      this.#send();
    });
    const stopClosed = engine.on('closed', () => this.end('the engine was closed'));
    this.#stopListening = () => {
      stopHeads();
      stopClosed();
    };
    this.#isWaiting = true;
    if (answered === undefined) this.#soon();
    else void answered.then(() => this.#soon());
  }

  /** Ends it without notifying the client. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopListening();
    this.#onClose();
  }

  /** Tells that orders from `again` on repeat, if any of their items was sent. */
  #goBack(again: bigint): void {
    const isRepeated = again < this.#next || (again === this.#next && this.#from > 0);
    if (!isRepeated || this.#isAhead) return;
    this.#next = again;
    this.#from = 0;
    if (!this.#sink.reverted(again)) this.end(NO_ROOM);
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

  /** Sends the available items, a bounded number of orders and items at a time. */
  #send(): void {
    if (this.#isOver || this.#isWaiting) return;
    this.#engine
      .moment((chain) => {
        if (this.#next <= chain.head.order + 1n) this.#isAhead = false;
        let items = 0;
        for (let count = 0; this.#next <= chain.head.order; count++) {
          if (this.#isOver) return;
          if (count === SUBSCRIPTION_PIECE_ORDERS || items >= SUBSCRIPTION_PIECE_ITEMS) return this.#soon();
          if (!this.#sink.isWritable()) return this.#hold(chain.head.order);
          items += this.#sendOrder(chain, SUBSCRIPTION_PIECE_ITEMS - items);
        }
        this.#isLive = true;
      })
      .catch((error: unknown) => this.end(error instanceof Error ? error.message : String(error)));
  }

  /**
   * Sends what is left of the next order, at most `itemsMax` items, and no more than the connection takes.
   * @returns how many
   */
  #sendOrder(chain: RpcChain, itemsMax: number): number {
    const order = this.#next;
    let count = 0;
    // Whether an item is the last is known once the next one is looked for.
    let held: SubscribedItem | undefined;
    for (const item of this.#collect(chain, order, this.#from)) {
      if (held !== undefined) {
        if (!this.#sendItem(held, order, false) || ++count === itemsMax || !this.#sink.isWritable()) return count;
      }
      held = item;
    }
    if (held !== undefined && !this.#sendItem(held, order, true)) return count;
    this.#next = order + 1n;
    this.#from = 0;
    return held === undefined ? count : count + 1;
  }

  /** Returns false if that ended the subscription. */
  #sendItem(item: SubscribedItem, order: bigint, isLast: boolean): boolean {
    if (!this.#sink.send(item.json(), order, isLast)) this.end(NO_ROOM);
    if (this.#isOver) return false;
    this.#from = item.index + 1;
    return true;
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
