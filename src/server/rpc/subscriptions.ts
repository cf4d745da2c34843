/**
 * The subscriptions of an adapter, by connection, and when each of them sends.
 *
 * Those that have caught up send what a commit adds at once, before its submitter is answered, but together no more than
 * SUBSCRIPTION_ITEMS_AT_ONCE items. What is left, and what subscriptions from an earlier order catch up on, is sent in
 * turns of SUBSCRIPTION_TURN_MS, which their connections take beside the requests of all others (turns.ts).
 * @module
 */
import {
  CONNECTION_SUBSCRIPTIONS_MAX,
  SUBSCRIPTION_ITEMS_AT_ONCE,
  SUBSCRIPTION_TURN_MS,
  SUBSCRIPTION_WAIT_MS,
  SUBSCRIPTIONS_MAX,
} from '../../base/config.ts';
import { EngineError, messageOf } from '../../base/error.ts';
import { HANDLER_ERROR, TOO_MANY_SUBSCRIPTIONS } from '../../base/json-rpc.ts';
import { type RpcEngine, readNow } from './engine.ts';
import { rpcError } from './error.ts';
import { ItemPages } from './item-pages.ts';
import { stringifyJson } from './json.ts';
import { type Selection, Subscription, type SubscriptionSink } from './subscription.ts';
import type { Turns } from './turns.ts';

/** A connection that notifications can be pushed to. */
export interface PushConnection {
  readonly notify: (text: string) => boolean;
  readonly isWritable?: (() => boolean) | undefined;
  readonly closed: AbortSignal;
  /** Whose turns its subscriptions take. */
  readonly connection?: object | undefined;
  /** Resolves when the answer with the subscription's id is about to be sent; undefined if that is in this task. */
  readonly answered?: Promise<void> | undefined;
}

/** Shared by the adapters of a chain and of its forks. */
export class SubscriptionTally {
  /** Ids are unique on a connection, even if it is used for several chains. */
  lastId = 0;
  count = 0;
}

export class Subscriptions {
  readonly #engine: RpcEngine;
  readonly #tally: SubscriptionTally;
  readonly #turns: Turns;
  readonly #pages = new ItemPages();
  /** Each with the one whose turns it takes. */
  readonly #open = new Map<Subscription, object>();
  /** Those that have sent all there is. */
  readonly #live = new Set<Subscription>();
  /** Those whose connection takes no more. */
  readonly #heldUp = new Set<Subscription>();
  /**
   * By id, by the signal of a connection, which is the same for each of its requests, whatever else is known of them.
   */
  readonly #byConnection = new WeakMap<AbortSignal, Map<number, Subscription>>();
  #stopListening: (() => void) | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;

  constructor(engine: RpcEngine, tally: SubscriptionTally, turns: Turns) {
    this.#engine = engine;
    this.#tally = tally;
    this.#turns = turns;
  }

  /** How many there are. */
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
   * A subscription that ends with `closed`, and begins with `answered` or soon.
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
    // After the answer with its id; but no later, since a client with that may submit at once, and must be notified first.
    const begin = (): unknown => setImmediate(() => this.#advance(subscription, () => false));
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

  /** Lets a subscription send when it is its connection's turn. */
  #takeTurn(subscription: Subscription): void {
    const connection = this.#open.get(subscription);
    if (connection === undefined) return;
    this.#live.delete(subscription);
    this.#turns.later(connection, () => {
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
      else if (subscription.isWritable) this.#takeTurn(subscription);
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
    this.#poll.unref();
  }

  #resume(): void {
    const head = readNow(this.#engine, (chain) => chain.head.order);
    for (const subscription of [...this.#heldUp]) {
      if (subscription.isWritable) {
        this.#heldUp.delete(subscription);
        this.#takeTurn(subscription);
      } else subscription.endIfBehind(head);
    }
    if (this.#heldUp.size > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  /** Those of a connection, which end with it. */
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
    // One for all of them: the host warns when there are more than ten.
    closed.addEventListener('abort', end, { once: true });
    return own;
  }
}

function tooMany(where: string, max: number): Error {
  return rpcError(TOO_MANY_SUBSCRIPTIONS, `Too many subscriptions: at most ${max} ${where}`, 'limit-exceeded', {
    expected: `at most ${max} ${where}`,
  });
}
