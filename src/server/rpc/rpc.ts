/**
 * The interface of the adapter to transports and programs: requests, the context that a transport gives with a message,
 * and streams for clients that only read.
 * @module
 */

import { argumentError, assertMethods, assertObject, assertText } from '../../base/argument.ts';
import type { Metric } from '../metrics.ts';
import type { Forms } from './method.ts';
import type { MethodName, MethodParams, MethodResult } from './methods.ts';
import type { SubscriptionSink } from './subscriptions.ts';

/** Parameters by name, in snake case or camel case. */
export type NamedParams = Readonly<Record<string, unknown>>;

/** Positional or named parameters of a method. */
export type RequestParams<N extends MethodName = MethodName> = MethodParams<N> | NamedParams;

/** JSON-RPC over one engine, in process: pass it to a transport, or call `request`. */
export interface Rpc {
  /**
   * Answers one message or batch, as received.
   * @returns compact JSON without line breaks; undefined if there were only notifications. Never rejects.
   */
  handle(text: string, context?: RpcContext): Promise<string | undefined>;
  /** As `handle`, but may answer in UTF-8, which saves the transport the encoding. */
  handleEncoded(text: string, context?: RpcContext): Promise<string | Uint8Array | undefined>;
  /**
   * Calls a method directly. The result is the value that transports send as text; integers beyond 2^53 are bigints.
   * @throws {RpcError} with the number and data that a transport would send
   */
  request<N extends MethodName>(method: N, params?: RequestParams<N>, context?: RpcContext): Promise<MethodResult<N>>;
  /**
   * Streams a subscription to a client that only reads, as events named `message`, until it is closed.
   * @throws {RpcError} before anything is sent: for an invalid filter or order, or for too many subscriptions
   */
  stream(request: StreamRequest, sink: StreamSink): Promise<void>;
  /** Starts counting requests and returns a meter that reads the figures. Calling it again changes nothing. */
  measure(): Meter;
  /** Whether the node is healthy, and its progress as JSON text. */
  health(): Promise<{ readonly isWell: boolean; readonly text: string }>;
  /**
   * Ends subscriptions, worker threads and the forks made by clients. Needed only with `dev` or `workers`, since the
   * thread for long transactions ends by itself. Close the engine afterwards.
   */
  close(): Promise<void>;
}

/** Reads what has been counted and measured so far. */
export interface Meter {
  metrics(): Promise<readonly Metric[]>;
}

/** What a transport knows about the connection of a message. */
export interface RpcContext {
  /** Base path of the request. */
  readonly path?: string | undefined;
  /** Id of the fork that requests go to unless they name another. */
  readonly fork?: string | undefined;
  /** The order the chain must have reached before a request is answered, so that a client reads its own writes. */
  readonly minOrder?: bigint | undefined;
  /** Whether another node forwarded the request; it is then not forwarded again. */
  readonly isForwarded?: boolean | undefined;
  /** Base URL of the listener, under which forks answer at `/fork/ID`. */
  readonly url?: string | undefined;
  /** Whether programs on other machines may be at the other end, so that the controls of a test node are refused. */
  readonly exposed?: boolean | undefined;
  /** The connection, or any other object that identifies a client: each gets an equal share of the thread. */
  readonly connection?: object | undefined;
  /** Whether the client is gone, so that requests not yet started are dropped. */
  readonly isGone?: (() => boolean) | undefined;
  /**
   * Sends a notification, for subscriptions. Returns false if it was not accepted. Absent if the transport cannot push.
   */
  readonly notify?: ((text: string) => boolean) | undefined;
  /** Resolves when the batch of the request is answered, so that the ids of its subscriptions are known. */
  readonly answered?: Promise<void> | undefined;
  /** Whether another text would be sent at once instead of being held back. Default: always true. */
  readonly isWritable?: (() => boolean) | undefined;
  /**
   * Aborted when the connection ends. Present if `notify` is. If the reason is an EngineError, subscriptions end with its
   * message, which is still sent by `notify`.
   */
  readonly closed?: AbortSignal | undefined;
}

/** What a stream sends. */
export type StreamTopic = 'events' | 'transactions';

/** A subscription requested by URL. */
export interface StreamRequest {
  readonly topic: StreamTopic;
  /** JSON text of the filter. */
  readonly filter: string;
  /** The first order, in decimal. Default: the next transaction's. */
  readonly fromOrder?: string | undefined;
  /** The last order that a reconnecting client has received, in decimal; `fromOrder` is then ignored. */
  readonly lastOrder?: string | undefined;
  readonly forms: Forms;
  /** Id of a fork. */
  readonly fork?: string | undefined;
}

/** The destination of a stream. */
export interface StreamSink {
  /**
   * Sends one line of JSON as a named event. The client can resume from `id`. Returns false if there was no room for it,
   * which ends the stream.
   */
  send(event: string, data: string, id?: string): unknown;
  /** Sends an `id` from which the client can resume before the first event. */
  begin?(id: string): void;
  isWritable(): boolean;
  /** Ends the stream. */
  end(): void;
  /** Aborted when the client is gone; an EngineError as the reason is for a client that is still there. */
  readonly closed: AbortSignal;
}

/** @throws {EngineError} `invalid-argument` if the request names no subscription, or the sink cannot be written to */
export function assertStream(request: StreamRequest, sink: StreamSink): void {
  assertObject(request, 'request', '{ topic, filter, fromOrder, forms, fork }');
  const { topic, filter } = request;
  if (topic !== 'events' && topic !== 'transactions') {
    throw argumentError('request.topic', "'events' or 'transactions'", topic);
  }
  assertText(filter, 'request.filter', 'JSON text');
  assertMethods(sink, 'sink', 'a sink { send, isWritable, end, closed }', ['send', 'isWritable', 'end']);
}

/** A subscription's sink over a stream: the last item of each order says where to resume. */
export function streamed(stream: StreamSink): SubscriptionSink {
  return {
    send: (item, order, isLast) => stream.send('message', item, isLast ? order.toString() : undefined) !== false,
    // A client that reconnects with the id of an order that is no more would miss those that took its place.
    reverted: (order) =>
      stream.send('reverted', JSON.stringify({ next_order: order.toString() }), (order - 1n).toString()) !== false,
    isWritable: () => stream.isWritable(),
    end: (reason) => {
      stream.send('error', reason);
      stream.end();
    },
  };
}
