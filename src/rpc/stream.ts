/**
 * Subscriptions as streams, for clients that only read.
 * @module
 */
import { argumentError, assertMethods, assertObject, assertText } from '../argument.ts';
import { stringifyResult } from './json.ts';
import type { Forms } from './method.ts';
import type { SubscriptionSink } from './subscription.ts';

/** What a stream is of. */
export type StreamTopic = 'events' | 'transactions';

/** A subscription as a URL asks for it. */
export interface StreamRequest {
  readonly topic: StreamTopic;
  /** JSON text of the filter. */
  readonly filter: string;
  /** The first order, in decimal; the next transaction's without. */
  readonly fromOrder?: string | undefined;
  readonly forms: Forms;
  /** Id of a fork. */
  readonly fork?: string | undefined;
}

/** Where a stream is written to. */
export interface StreamSink {
  /** Sends one line of JSON under the name of an event. `id` is that from which the client may go on. */
  send(event: string, data: string, id?: string): void;
  isWritable(): boolean;
  /** Ends the stream. */
  end(): void;
  /** Aborted when the client is gone. */
  readonly closed: AbortSignal;
}

/** @throws {EngineError} `invalid-argument` for what names no subscription, or cannot be written to */
export function assertStream(request: StreamRequest, sink: StreamSink): void {
  assertObject(request, 'request', '{ topic, filter, fromOrder, forms, fork }');
  const { topic, filter } = request;
  if (topic !== 'events' && topic !== 'transactions') {
    throw argumentError('request.topic', "'events' or 'transactions'", topic);
  }
  assertText(filter, 'request.filter', 'JSON text');
  assertMethods(sink, 'sink', 'a sink { send, isWritable, end, closed }', ['send', 'isWritable', 'end']);
}

/** A subscription's sink over a stream: the last item of each order says where to go on. */
export function streamed(stream: StreamSink): SubscriptionSink {
  return {
    send: (item, order, isLast) => stream.send('message', stringifyResult(item), isLast ? order.toString() : undefined),
    reverted: (order) => stream.send('reverted', JSON.stringify({ next_order: order.toString() })),
    isWritable: () => stream.isWritable(),
    end: (reason) => {
      stream.send('error', reason);
      stream.end();
    },
  };
}
