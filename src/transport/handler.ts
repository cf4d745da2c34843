/**
 * The JSON-RPC layer as a transport sees it: one function from text to text.
 * @module
 */
import { assertMethods } from '../argument.ts';

import type { Metric } from '../rpc/metric.ts';

/** What a transport knows about the connection that a request came by. */
export interface RpcContext {
  /** Base path of the listener: `/` (also where a transport has no paths) or `/rooch`, which selects the current forms. */
  readonly path?: '/' | '/rooch';
  /** Id of the fork of the chain that requests are for. */
  readonly fork?: string;
  /** Base URL of the listener, under which forks answer. Absent where there is none. */
  readonly url?: string;
  /** Whether others than programs of this machine may be at the other end. Absent where they cannot. */
  readonly exposed?: true;
  /** What stands for the connection where connections share the thread. */
  readonly connection?: object;
  /** Whether nobody is left to answer. Absent where that cannot be seen. */
  readonly isGone?: () => boolean;
  /**
   * Sends a text that answers no request, for subscriptions. False when it was not taken: the connection is closed, or
   * its reader is too far behind. Absent where nothing can be pushed (HTTP POST).
   */
  readonly notify?: (text: string) => boolean;
  /** Whether another text would be sent at once rather than held. Absent where that cannot be seen. */
  readonly isWritable?: () => boolean;
  /** Aborted when the connection ends; what was subscribed on it ends then. Absent where `notify` is. */
  readonly closed?: AbortSignal;
}

/**
 * Answers JSON-RPC requests. A connection passes the same `context` object with each of its requests, so it may serve
 * as the key of what belongs to the connection.
 */
export interface RpcHandler {
  /**
   * @param text one JSON-RPC message or batch, as it came
   * @returns compact JSON without line breaks, or `undefined` when there were only notifications. Never rejects for
   *   anything that a client can send.
   */
  handle(text: string, context?: RpcContext): Promise<string | undefined>;
  /**
   * Streams a subscription to a client that only reads, until it is closed.
   * @throws when the filter or the order is none; nothing was sent then
   */
  stream?(request: StreamRequest, sink: StreamSink): Promise<void>;
  /** Begins to count requests, for a listener that is to give metrics. */
  measure?(): Meter;
  /** Whether what answers does its work, and what a probe is told, as JSON text. */
  health?(): Promise<{ readonly isWell: boolean; readonly text: string }>;
}

/** What was counted and measured so far. */
export interface Meter {
  metrics(): Promise<readonly Metric[]>;
}

/** @throws {EngineError} `invalid-argument` for what does not answer, such as an engine itself */
export function assertHandler(handler: RpcHandler): void {
  assertMethods(handler, 'handler', 'a JSON-RPC handler, such as createRpc(engine)', ['handle']);
}

export type StreamTopic = 'events' | 'transactions';

/** A subscription as a URL asks for it. */
export interface StreamRequest {
  readonly topic: StreamTopic;
  /** JSON text. */
  readonly filter: string;
  /** The first order, in decimal; the next transaction's without. */
  readonly fromOrder: string | undefined;
  readonly forms: 'interface' | 'current';
  /** Id of a fork. */
  readonly fork: string | undefined;
}

export interface StreamSink {
  /** Sends one line of JSON under the name of an event. `id` is that from which the client may go on. */
  send(event: string, data: string, id?: string): void;
  isWritable(): boolean;
  /** Ends the stream. */
  end(): void;
  /** Aborted when the client is gone. */
  readonly closed: AbortSignal;
}
