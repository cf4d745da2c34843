/**
 * A subscription: transactions or events pushed to a client in order, from a given order on.
 *
 * It remembers the next order and reads the chain itself, so nothing is queued for a slow reader and nothing is missed: it
 * can start at any past order, and advances as fast as its connection accepts items, also within an order, whose events
 * may be more than a connection holds. If it has caught up with the head and later falls more than
 * SUBSCRIPTION_LAG_ORDERS_MAX behind, it is closed, with the order at which to reopen it. After a revert the client is told
 * that orders will repeat. When it advances, Subscriptions decides.
 * Source: crates/rooch-rpc-server/src/service of the reference.
 * @module
 */
import { SUBSCRIPTION_LAG_ORDERS_MAX } from '../../base/config.ts';
import type { RpcChain } from './engine.ts';
import type { ItemPages, ItemStream } from './item-pages.ts';

/** The destination of a subscription. */
export interface SubscriptionSink {
  /** Sends one item, as JSON; `isLast`: the last one of its order. Returns false if there was no room for it. */
  send(item: string, order: bigint, isLast: boolean): boolean;
  /** Says that the chain was reverted: orders from `nextOrder` on will repeat. */
  reverted(nextOrder: bigint): boolean;
  /** Whether another item would be sent at once rather than held. */
  isWritable(): boolean;
  /** The subscription has ended; a new one would resume at `resumeOrder`. */
  end(reason: string, resumeOrder: bigint): void;
}

/** What a subscription sends: those items of a stream that pass its filter. */
export interface Selection<T = unknown> {
  readonly stream: ItemStream<T>;
  readonly matches: (value: T) => boolean;
}

const NO_ROOM = 'the connection had no room for an item';

export class Subscription {
  readonly #pages: ItemPages;
  readonly #selection: Selection;
  readonly #sink: SubscriptionSink;
  readonly #onOver: () => void;
  /** The next order to send. */
  #next: bigint;
  /** The index within its transaction of the next item to look at. */
  #index = 0;
  /** The index of an item that is not sent before it is known whether it is the last one of its order. */
  #held: number | undefined;
  /** Whether an item of the next order has been sent. */
  #hasBegun = false;
  /** Whether the chain has not come to its first order, so that going back repeats nothing of it. */
  #isAhead: boolean;
  /** Whether it has ever caught up with the head. */
  #isLive = false;
  #isOver = false;

  /**
   * @param from the first order
   * @param head the order of the chain's head
   * @param onOver called once, when it is over
   */
  constructor(
    pages: ItemPages,
    from: bigint,
    head: bigint,
    selection: Selection,
    sink: SubscriptionSink,
    onOver: () => void,
  ) {
    this.#pages = pages;
    this.#selection = selection;
    this.#sink = sink;
    this.#next = from;
    this.#onOver = onOver;
    this.#isAhead = from > head + 1n;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether another item would be sent at once. */
  get isWritable(): boolean {
    return this.#sink.isWritable();
  }

  /**
   * Sends available items until it has caught up with the head, the connection takes no more, or `mayGoOn`, which is
   * asked before each item, returns false. Returns whether it has caught up.
   */
  advance(chain: RpcChain, mayGoOn: () => boolean): boolean {
    const head = chain.head.order;
    if (this.#next <= head + 1n) this.#isAhead = false;
    while (this.#next <= head) {
      if (this.#isOver || !this.#sink.isWritable() || !mayGoOn()) return false;
      this.#step(chain);
    }
    this.#isLive = true;
    return true;
  }

  /** Looks at the next items of the transaction, one page at most, until one has been sent. */
  #step(chain: RpcChain): void {
    const page = this.#pages.at(this.#selection.stream, chain, this.#next, this.#index);
    for (const end = page.first + page.items.length; this.#index < end; ) {
      const index = this.#index++;
      if (!this.#selection.matches(page.items[index - page.first]!.value)) continue;
      const held = this.#held;
      this.#held = index;
      if (held !== undefined) {
        this.#send(chain, held, false);
        return;
      }
    }
    if (!page.isLast) return;
    if (this.#held !== undefined) this.#send(chain, this.#held, true);
    if (!this.#isOver) this.#goTo(this.#next + 1n);
  }

  #send(chain: RpcChain, index: number, isLast: boolean): void {
    const page = this.#pages.at(this.#selection.stream, chain, this.#next, index);
    const isSent = this.#sink.send(this.#pages.text(page, chain, index), this.#next, isLast);
    if (isSent) this.#hasBegun = true;
    else this.end(NO_ROOM);
  }

  #goTo(order: bigint): void {
    this.#next = order;
    this.#index = 0;
    this.#held = undefined;
    this.#hasBegun = false;
  }

  /** The chain was reverted: tells that orders from `again` on repeat, if any of their items was sent. */
  goBack(again: bigint): void {
    if (again > this.#next || this.#isAhead) return;
    const isRepeated = again < this.#next || this.#hasBegun;
    this.#goTo(again);
    if (isRepeated && !this.#sink.reverted(again)) this.end(NO_ROOM);
  }

  /** Ends it if it has caught up before and is now too far behind the head. */
  endIfBehind(head: bigint): void {
    if (!this.#isLive || head - this.#next < SUBSCRIPTION_LAG_ORDERS_MAX) return;
    this.end(`it is not read fast enough: more than ${SUBSCRIPTION_LAG_ORDERS_MAX} transactions behind`);
  }

  /** Ends it without notifying the client. */
  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onOver();
  }

  /** Ends it and tells the client why. */
  end(reason: string): void {
    if (this.#isOver) return;
    this.close();
    this.#sink.end(`${reason}; subscribe again from order ${this.#next}`, this.#next);
  }
}
