/**
 * Where a message came from, as a transport tells the adapter.
 * @module
 */

/** What a transport says about the connection of a message. */
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
   * message, which `notify` still takes.
   */
  readonly closed?: AbortSignal | undefined;
}
