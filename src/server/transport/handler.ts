/**
 * The JSON-RPC layer as a transport sees it: one function from text to text.
 * @module
 */
import { assertMethods } from '../../base/argument.ts';
import type { Metric } from '../metrics.ts';
import type { RpcContext } from '../rpc/context.ts';
import type { StreamRequest, StreamSink } from '../rpc/stream.ts';

/**
 * Answers JSON-RPC requests. A connection passes the same `context` object with each of its requests, so it can serve
 * as a key for the connection's state.
 */
export interface RpcHandler {
  /**
   * @param text one JSON-RPC message or batch, as received
   * @returns compact JSON without line breaks, or `undefined` if there were only notifications. Never rejects, whatever
   *   a client sends.
   */
  handle(text: string, context?: RpcContext): Promise<string | undefined>;
  /** As `handle`, but may answer in UTF-8, which saves the transport the encoding. */
  handleEncoded?(text: string, context?: RpcContext): Promise<string | Uint8Array | undefined>;
  /**
   * Streams a subscription to a client that only reads, until it is closed.
   * @throws if the filter or the order is invalid; nothing has been sent then
   */
  stream?(request: StreamRequest, sink: StreamSink): Promise<void>;
  /** Starts counting requests, for a listener that serves metrics. */
  measure?(): Meter;
  /** Whether the node is healthy, and the JSON text that a probe gets. */
  health?(): Promise<{ readonly isWell: boolean; readonly text: string }>;
}

/** What has been counted and measured so far. */
export interface Meter {
  metrics(): Promise<readonly Metric[]>;
}

/** @throws {EngineError} `invalid-argument` for anything that is not a handler, such as the engine itself */
export function assertHandler(handler: RpcHandler): void {
  assertMethods(handler, 'handler', 'a JSON-RPC handler, such as createRpc(engine)', ['handle']);
}
