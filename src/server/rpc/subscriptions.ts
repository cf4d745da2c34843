/**
 * The subscriptions of an adapter, by connection: what each sends, and when.
 *
 * Those that have caught up send what a commit adds immediately, before its submitter is answered, but together no more
 * than SUBSCRIPTION_ITEMS_AT_ONCE items. The rest, and the items of subscriptions that are catching up, are sent in
 * pieces of SUBSCRIPTION_TURN_MS, which are queued among the requests of their connection (fair-queue.ts).
 * Source: crates/rooch-rpc-server/src/service of the reference.
 * @module
 */

import {
  CONNECTION_SUBSCRIPTIONS_MAX,
  SUBSCRIPTION_ITEMS_AT_ONCE,
  SUBSCRIPTION_LAG_ORDERS_MAX,
  SUBSCRIPTION_PAGE_ITEMS,
  SUBSCRIPTION_TURN_MS,
  SUBSCRIPTION_WAIT_MS,
  SUBSCRIPTIONS_MAX,
} from '../../base/config.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { HOST } from '../../base/host.ts';
import { HANDLER_ERROR, TOO_MANY_SUBSCRIPTIONS } from '../../base/json-rpc.ts';
import { type RpcChain, type RpcEngine, readNow } from './engine.ts';
import { rpcError } from './error.ts';
import type { FairQueue } from './fair-queue.ts';
import { stringifyJson, stringifyResult } from './json.ts';
import type { MethodContext, SubscribedItem, SubscribedItems } from './method.ts';
import type { RpcContext } from './rpc.ts';

/** A connection that notifications can be pushed to. */
export type PushConnection = RpcContext & {
  readonly [name in 'notify' | 'closed']: NonNullable<RpcContext[name]>;
};

/** Shared by the adapters of a chain and of its forks. */
export class SubscriptionTally {
  /** Ids are unique on a connection, even if it is used for several chains. */
  lastId = 0;
  count = 0;
}

export class Subscriptions {
  readonly #engine: RpcEngine;
  readonly #tally: SubscriptionTally;
  readonly #queue: FairQueue;
  readonly #pages = new ItemPages();
  /** Each with the connection in whose queue it waits. */
  readonly #open = new Map<Subscription, object>();
  /** Those that have caught up with the head. */
  readonly #live = new Set<Subscription>();
  /** Those whose connection takes no more. */
  readonly #heldUp = new Set<Subscription>();
  /** By connection, identified by its signal, which all its requests share; then by id. */
  readonly #byConnection = new WeakMap<AbortSignal, Map<number, Subscription>>();
  #stopListening: (() => void) | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;

  constructor(engine: RpcEngine, tally: SubscriptionTally, queue: FairQueue) {
    this.#engine = engine;
    this.#tally = tally;
    this.#queue = queue;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Ends all of them and tells their clients why. */
  end(reason: string): void {
    for (const subscription of [...this.#open.keys()]) subscription.end(reason);
  }

  /**
   * Subscribes the connection that sent a request. Returns the id that its notifications carry; `method` is
   * their name.
   * @throws {RpcError} -32006 for too many on one connection or in total
   */
  open(connection: PushConnection, method: string, from: bigint, selection: Selection): number {
    const { size } = this.#of(connection);
    if (size >= CONNECTION_SUBSCRIPTIONS_MAX) throw tooMany('on one connection', CONNECTION_SUBSCRIPTIONS_MAX);
    const id = this.#tally.lastId + 1;
    const head = `{"jsonrpc":"2.0","method":"${method}","params":{"subscription":${id},`;
    const send = (member: string, json: string): boolean => connection.notify(`${head}"${member}":${json}}}`);
    const sink: SubscriptionSink = {
      send: (item) => send('result', item),
      reverted: (order) => send('reverted', stringifyJson({ next_order: order.toString() })),
      isWritable: () => connection.isWritable?.() ?? true,
      end: (message, order) => {
        const data = { code: 'closed', from_order: order.toString() };
        send('error', stringifyJson({ code: HANDLER_ERROR, message, data }));
      },
    };
    this.add(from, selection, sink, connection);
    return id;
  }

  /** Ends a subscription of the connection. Returns false if it has none with that id. */
  close(connection: PushConnection, id: number): boolean {
    const subscription = this.#of(connection).get(id);
    subscription?.close();
    return subscription !== undefined;
  }

  /**
   * A subscription that begins after `answered`, or soon if that is undefined, and ends with `closed`.
   * @throws {RpcError} -32006 for too many in total
   */
  add(from: bigint, selection: Selection, sink: SubscriptionSink, given: Omit<PushConnection, 'notify'>): void {
    const { closed, connection = closed, answered } = given;
    if (this.#tally.count >= SUBSCRIPTIONS_MAX) throw tooMany('of all connections', SUBSCRIPTIONS_MAX);
    const id = ++this.#tally.lastId;
    const own = this.#of(given);
    const head = readNow(this.#engine, (chain) => chain.head.order);
    const subscription = new Subscription(this.#pages, from, head, selection, sink, () => {
      this.#tally.count--;
      for (const set of [this.#open, this.#live, this.#heldUp]) set.delete(subscription);
      own.delete(id);
      if (this.#open.size === 0) this.#rest();
    });
    this.#listen();
    this.#tally.count++;
    this.#open.set(subscription, connection);
    own.set(id, subscription);
    if (closed.aborted) subscription.close();
    // Right after the answer with its id: the client may submit immediately, and must be notified first.
    const begin = (): void => HOST.afterTurn(() => this.#advance(subscription, () => false));
    if (answered === undefined) begin();
    else void answered.then(begin);
  }

  #listen(): void {
    if (this.#stopListening !== undefined) return;
    const stopHeads = this.#engine.on('head', ({ isReverted, sharedOrder }) => {
      if (isReverted) this.#goBack(sharedOrder + 1n);
      this.#sendNew();
    });
    const stopClosed = this.#engine.on('closed', () => this.end('the engine was closed'));
    this.#stopListening = () => {
      stopHeads();
      stopClosed();
    };
  }

  #rest(): void {
    this.#stopListening?.();
    this.#stopListening = undefined;
    clearInterval(this.#poll);
    this.#poll = undefined;
    this.#pages.clear();
  }

  #goBack(again: bigint): void {
    this.#pages.clear();
    for (const subscription of [...this.#open.keys()]) subscription.goBack(again);
  }

  /** Sends what the latest commits added. */
  #sendNew(): void {
    let left = SUBSCRIPTION_ITEMS_AT_ONCE;
    for (const subscription of [...this.#live]) this.#advance(subscription, () => left-- > 0);
  }

  /** Lets a subscription send when its connection is next. */
  #sendLater(subscription: Subscription): void {
    const connection = this.#open.get(subscription);
    if (connection === undefined) return;
    this.#live.delete(subscription);
    this.#queue.later(connection, () => {
      const end = performance.now() + SUBSCRIPTION_TURN_MS;
      this.#advance(subscription, () => performance.now() < end);
    });
  }

  #advance(subscription: Subscription, mayGoOn: () => boolean): void {
    if (subscription.isOver) return;
    try {
      const isLive = readNow(this.#engine, (chain) => subscription.advance(chain, mayGoOn));
      if (subscription.isOver) return;
      if (isLive) this.#live.add(subscription);
      else if (subscription.isWritable) this.#sendLater(subscription);
      else this.#holdUp(subscription);
    } catch (error) {
      subscription.end(messageOf(error));
    }
  }

  /** Waits until the connection takes more. */
  #holdUp(subscription: Subscription): void {
    this.#live.delete(subscription);
    this.#heldUp.add(subscription);
    if (this.#poll !== undefined) return;
    this.#poll = setInterval(() => this.#resume(), SUBSCRIPTION_WAIT_MS);
    (this.#poll as { unref?(): void }).unref?.();
  }

  #resume(): void {
    const head = readNow(this.#engine, (chain) => chain.head.order);
    for (const subscription of [...this.#heldUp]) {
      if (subscription.isWritable) {
        this.#heldUp.delete(subscription);
        this.#sendLater(subscription);
      } else subscription.endIfBehind(head);
    }
    if (this.#heldUp.size > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  /** The subscriptions of a connection, which end with it. */
  #of({ closed }: Pick<PushConnection, 'closed'>): Map<number, Subscription> {
    const known = this.#byConnection.get(closed);
    if (known !== undefined) return known;
    const own = new Map<number, Subscription>();
    this.#byConnection.set(closed, own);
    const end = (): void => {
      const { reason } = closed;
      for (const subscription of [...own.values()]) {
        if (reason instanceof EngineError) subscription.end(reason.message);
        else subscription.close();
      }
    };
    // One listener for all of them: the host warns about more than ten.
    closed.addEventListener('abort', end, { once: true });
    return own;
  }
}

function tooMany(where: string, max: number): Error {
  return rpcError(TOO_MANY_SUBSCRIPTIONS, `Too many subscriptions: at most ${max} ${where}`, 'limit-exceeded', {
    expected: `at most ${max} ${where}`,
  });
}

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
  /** Selections of the same name have the same items in the same form. */
  readonly name: string;
  readonly items: SubscribedItems<T>;
  readonly matches: (value: T) => boolean;
  /** The context for reading and rendering the items at a state of the chain. */
  readonly context: (chain: RpcChain) => MethodContext;
}

const NO_ROOM = 'the connection had no room for an item';

/**
 * Transactions or events pushed to a client in order, from a given order on.
 *
 * It remembers the next order and reads the chain itself, so nothing is queued for a slow reader and nothing is missed: it
 * can start at any past order, and advances as fast as its connection accepts items, also within an order, which may have
 * more events than a connection holds. If it has caught up with the head and later falls more than
 * SUBSCRIPTION_LAG_ORDERS_MAX behind, it is closed, with the order at which to reopen it. After a revert the client is told
 * that orders will repeat. Subscriptions decides when it advances.
 */
class Subscription {
  readonly #pages: ItemPages;
  readonly #selection: Selection;
  readonly #sink: SubscriptionSink;
  readonly #onOver: () => void;
  /** The next order to send. */
  #next: bigint;
  /** The index within its transaction of the next item to look at. */
  #index = 0;
  /** The index of an item held back until it is known whether it is the last one of its order. */
  #held: number | undefined;
  /** Whether an item of the next order has been sent. */
  #hasBegun = false;
  /** Whether its first order is still ahead of the chain, so that a revert repeats nothing. */
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
    const page = this.#pages.at(this.#selection, chain, this.#next, this.#index);
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
    const page = this.#pages.at(this.#selection, chain, this.#next, index);
    const isSent = this.#sink.send(this.#pages.text(page, this.#selection, chain, index), this.#next, isLast);
    if (isSent) this.#hasBegun = true;
    else this.end(NO_ROOM);
  }

  #goTo(order: bigint): void {
    this.#next = order;
    this.#index = 0;
    this.#held = undefined;
    this.#hasBegun = false;
  }

  /** After a revert: tells the client that orders from `again` on repeat, if any of their items was sent. */
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

/** Bytes of items that are kept for the next subscription: a few thousand events. */
const SUBSCRIPTION_PAGES_BYTES_MAX: number = 4 * 1024 * 1024;

/** Consecutive items of one transaction. */
interface ItemPage {
  readonly first: number;
  readonly items: readonly SubscribedItem<unknown>[];
  /** Whether the transaction has no further items. */
  readonly isLast: boolean;
  readonly texts: string[];
  bytes: number;
  isKept: boolean;
}

/** Bytes that an item takes besides its value and its text. */
const ITEM_BYTES = 256;

/**
 * The items of transactions, read and turned into text once for all subscriptions that reach a transaction at about the
 * same time, whether live or catching up. The most recently read pages are kept.
 */
class ItemPages {
  readonly #pages = new Map<string, ItemPage>();
  #bytes = 0;

  /** The page of a transaction's items that includes an index. */
  at({ name, items: all, context }: Selection, chain: RpcChain, order: bigint, index: number): ItemPage {
    const first = index - (index % SUBSCRIPTION_PAGE_ITEMS);
    const key = `${name} ${order} ${first}`;
    let page = this.#pages.get(key);
    if (page === undefined) {
      const items = all.page(context(chain), order, first);
      const isLast = items.length < SUBSCRIPTION_PAGE_ITEMS;
      page = { first, items, isLast, texts: [], bytes: 0, isKept: true };
      this.#pages.set(key, page);
      this.#count(
        page,
        items.reduce((sum, { bytes }) => sum + bytes + ITEM_BYTES, ITEM_BYTES),
      );
    }
    return page;
  }

  text(page: ItemPage, { context }: Selection, chain: RpcChain, index: number): string {
    const at = index - page.first;
    let text = page.texts[at];
    if (text === undefined) {
      text = stringifyResult(page.items[at]!.json(context(chain)));
      page.texts[at] = text;
      this.#count(page, text.length);
    }
    return text;
  }

  /** Forgets all of them: orders may now have other transactions. */
  clear(): void {
    for (const [key, page] of this.#pages) this.#forget(key, page);
  }

  #count(page: ItemPage, bytes: number): void {
    page.bytes += bytes;
    if (!page.isKept) return;
    this.#bytes += bytes;
    for (const [key, oldest] of this.#pages) {
      if (this.#bytes <= SUBSCRIPTION_PAGES_BYTES_MAX) return;
      this.#forget(key, oldest);
    }
  }

  #forget(key: string, page: ItemPage): void {
    page.isKept = false;
    this.#bytes -= page.bytes;
    this.#pages.delete(key);
  }
}
