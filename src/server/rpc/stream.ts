/**
 * Subscriptions as streams, for clients that only read.
 * @module
 */
import { argumentError, assertMethods, assertObject, assertText } from '../../base/argument.ts';
import type { Forms } from './method.ts';
import type { SubscriptionSink } from './subscription.ts';

/** What a stream consists of. */
export type StreamTopic = 'events' | 'transactions';

/** A subscription as a URL asks for it. */
export interface StreamRequest {
  readonly topic: StreamTopic;
  /** JSON text of the filter. */
  readonly filter: string;
  /** The first order, in decimal. Default: the next transaction's. */
  readonly fromOrder?: string | undefined;
  /** The last order that the client has had, in decimal, if it comes back; `fromOrder` then says nothing. */
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
  /** Says from which `id` the client can resume before anything is sent. */
  begin?(id: string): void;
  isWritable(): boolean;
  /** Ends the stream. */
  end(): void;
  /** Aborted when the client is gone; with an EngineError as its reason if the client is still to be told that. */
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
