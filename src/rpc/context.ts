/**
 * Where a message came from: what a transport tells the adapter of a connection.
 * @module
 */

/** What a transport tells of the connection that a message came by. */
export interface RpcContext {
  /** Base path of the request. */
  readonly path?: string | undefined;
  /** Id of the fork that requests are for unless they name one. */
  readonly fork?: string | undefined;
  /** Base URL of the listener, under which forks answer at `/fork/ID`. */
  readonly url?: string | undefined;
  /** Whether others than programs of this machine may be at the other end: the controls of a test node are refused. */
  readonly exposed?: boolean | undefined;
  /** The connection, or whoever else is to have as much of the thread as each of the others. */
  readonly connection?: object | undefined;
  /** Whether nobody is left to answer: what was not begun is not done. */
  readonly isGone?: (() => boolean) | undefined;
  /** Sends a text that answers no request, for subscriptions; false when it was not taken. Absent where none can be. */
  readonly notify?: ((text: string) => boolean) | undefined;
  /** Whether another text would be sent at once rather than held. Default: always. */
  readonly isWritable?: (() => boolean) | undefined;
  /** Aborted when the connection ends. Present where `notify` is. */
  readonly closed?: AbortSignal | undefined;
}
