/**
 * The adapter as transports and programs see it.
 * @module
 */

import type { Metric } from '../metrics.ts';
import type { RpcContext } from './context.ts';
import type { MethodName, MethodParams, MethodResult } from './methods.ts';
import type { StreamRequest, StreamSink } from './stream.ts';

/** Parameters by name, in snake case or camel case. */
export type NamedParams = Readonly<Record<string, unknown>>;

/** Positional or named parameters of a method. */
export type RequestParams<N extends MethodName = MethodName> = MethodParams<N> | NamedParams;

/** JSON-RPC over one engine, in process: pass it to a transport, or call `request`. */
export interface Rpc {
  /** Answers one message or batch, with undefined if there is nothing to answer. Never rejects. */
  handle(text: string, context?: RpcContext): Promise<string | undefined>;
  /** As `handle`, for transports: a large answer that a worker thread wrote comes as UTF-8. */
  handleEncoded(text: string, context?: RpcContext): Promise<string | Uint8Array | undefined>;
  /**
   * Calls a method directly. The result is the value that transports send as text; integers beyond 2^53 are bigints.
   * @throws {RpcError} with the number and data that a transport would send
   */
  request<N extends MethodName>(method: N, params?: RequestParams<N>, context?: RpcContext): Promise<MethodResult<N>>;
  /**
   * Streams a subscription to a client that only reads, as events named `message`, until it is closed.
   * @throws {RpcError} for an invalid filter or order, or for too many subscriptions
   */
  stream(request: StreamRequest, sink: StreamSink): Promise<void>;
  /** Starts counting requests and returns a meter that reads the figures. Calling it again changes nothing. */
  measure(): { metrics(): Promise<readonly Metric[]> };
  /** Whether the node is healthy, and its progress as JSON text. */
  health(): Promise<{ readonly isWell: boolean; readonly text: string }>;
  /**
   * Ends subscriptions, worker threads and the forks made by clients. Needed only with `dev` or `workers`, since the
   * thread for long transactions ends by itself. Close the engine afterwards.
   */
  close(): Promise<void>;
}
