/**
 * The JSON-RPC layer as a transport sees it: one function from text to text.
 * @module
 */

/** What a transport knows about the connection that a request came by. */
export interface RpcContext {
  /** Base path of the listener: `/` (also where a transport has no paths) or `/rooch`, which selects the current forms. */
  readonly path?: '/' | '/rooch';
  /**
   * Sends a text that answers no request, for subscriptions. False when it was not taken: the connection is closed, or
   * its reader is too far behind. Absent where nothing can be pushed (HTTP POST).
   */
  readonly notify?: (text: string) => boolean;
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
}
