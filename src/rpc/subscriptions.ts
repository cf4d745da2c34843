/**
 * The subscriptions of an adapter, by connection.
 * @module
 */
import { CONNECTION_SUBSCRIPTIONS_MAX, SUBSCRIPTIONS_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import { HANDLER_ERROR, TOO_MANY_SUBSCRIPTIONS } from '../json-rpc.ts';
import type { RpcEngine } from './engine.ts';
import { rpcError } from './error.ts';
import { type JsonValue, stringifyResult } from './json.ts';
import { type Collect, Subscription, type SubscriptionSink } from './subscription.ts';

/** A connection that notifications can be pushed to. */
export interface PushConnection {
  readonly notify: (text: string) => boolean;
  readonly isWritable?: (() => boolean) | undefined;
  readonly closed: AbortSignal;
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
  readonly #open = new Set<Subscription>();
  readonly #bySignal = new WeakMap<AbortSignal, Set<Subscription>>();
  /** By the signal of a connection, which is the same for each of its requests, whatever else is known of them. */
  readonly #byConnection = new WeakMap<AbortSignal, Map<number, Subscription>>();

  constructor(engine: RpcEngine, tally: SubscriptionTally) {
    this.#engine = engine;
    this.#tally = tally;
  }

  /** How many there are. */
  get size(): number {
    return this.#open.size;
  }

  /** Ends all of them and tells their clients why. */
  end(reason: string): void {
    for (const subscription of [...this.#open]) subscription.end(reason);
  }

  /**
   * Subscribes the connection that sent a request. Returns the id that its notifications carry; `method` is
   * their name.
   * @throws {RpcError} -32006 for too many on one connection or in total
   */
  open(connection: PushConnection, method: string, from: bigint, collect: Collect): number {
    const own = this.#of(connection);
    if (own.size >= CONNECTION_SUBSCRIPTIONS_MAX) throw tooMany('on one connection', CONNECTION_SUBSCRIPTIONS_MAX);
    const id = ++this.#tally.lastId;
    const send = (members: Record<string, JsonValue>): boolean =>
      connection.notify(stringifyResult({ jsonrpc: '2.0', method, params: { subscription: id, ...members } }));
    const sink: SubscriptionSink = {
      send: (result) => send({ result }),
      reverted: (order) => send({ reverted: { next_order: order.toString() } }),
      isWritable: () => connection.isWritable?.() ?? true,
      end: (message, order) => {
        send({ error: { code: HANDLER_ERROR, message, data: { code: 'closed', from_order: order.toString() } } });
        this.#close(own, id);
      },
    };
    own.set(id, this.add(from, collect, sink, connection.closed, connection.answered));
    return id;
  }

  /** Ends a subscription of the connection. Returns false if it has none with that id. */
  close(connection: PushConnection, id: number): boolean {
    return this.#close(this.#of(connection), id);
  }

  /**
   * A subscription that ends with `closed`, and begins with `answered` or soon.
   * @throws {RpcError} -32006 for too many in total
   */
  add(
    from: bigint,
    collect: Collect,
    sink: SubscriptionSink,
    closed: AbortSignal,
    answered?: Promise<void>,
  ): Subscription {
    if (this.#tally.count >= SUBSCRIPTIONS_MAX) throw tooMany('of all connections', SUBSCRIPTIONS_MAX);
    const together = this.#endingWith(closed);
    const onClose = (): void => {
      this.#tally.count--;
      this.#open.delete(subscription);
      together.delete(subscription);
    };
    const subscription = new Subscription(this.#engine, from, collect, sink, onClose, answered);
    this.#tally.count++;
    this.#open.add(subscription);
    together.add(subscription);
    if (closed.aborted) subscription.close();
    return subscription;
  }

  /**
   * The subscriptions that end with a signal. They share one listener, since the host warns when there are more than
   * ten.
   */
  #endingWith(closed: AbortSignal): Set<Subscription> {
    let together = this.#bySignal.get(closed);
    if (together === undefined) {
      const made = new Set<Subscription>();
      this.#bySignal.set(closed, made);
      const end = (): void => {
        const { reason } = closed;
        for (const subscription of made) {
          if (reason instanceof EngineError) subscription.end(reason.message);
          else subscription.close();
        }
      };
      closed.addEventListener('abort', end, { once: true });
      together = made;
    }
    return together;
  }

  #close(own: Map<number, Subscription>, id: number): boolean {
    own.get(id)?.close();
    return own.delete(id);
  }

  #of({ closed }: PushConnection): Map<number, Subscription> {
    let own = this.#byConnection.get(closed);
    if (own === undefined) {
      own = new Map();
      this.#byConnection.set(closed, own);
    }
    return own;
  }
}

function tooMany(where: string, max: number): Error {
  return rpcError(TOO_MANY_SUBSCRIPTIONS, `Too many subscriptions: at most ${max} ${where}`, 'limit-exceeded', {
    expected: `at most ${max} ${where}`,
  });
}
