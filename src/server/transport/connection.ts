/**
 * The HTTP listener's connections and their requests, with the memory each holds.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RpcContext } from '../rpc/rpc.ts';
import { type Budgets, REQUEST_BYTES_MIN, Share } from './budget.ts';
import type { Route } from './http-request.ts';
import type { Refusal } from './refusal.ts';
import { RequestQueue } from './request-queue.ts';

/** One TCP connection of the listener. */
export class Connection {
  /** Whether it is one connection too many, which only gets an error. */
  readonly excess: boolean;
  /** Requests not fully answered yet. */
  requests = 0;
  /** Bytes read when the last answer went out: more means that a request has begun to arrive. */
  bytesReadAtRest = 0;
  /** The latest request that has begun. */
  newest: Exchange | undefined;
  /** The request whose body is arriving. */
  reading: Exchange | undefined;
  /** What to do once all earlier requests on the connection are answered. */
  afterAnswers: (() => void) | undefined;
  /** Whether it has become a WebSocket. */
  upgraded = false;
  /** The route and Host of its last request, and the context that the RPC got with it. */
  last: { readonly route: Route; readonly host: string | undefined; readonly context: RpcContext } | undefined;
  /** Whether its socket is closed. */
  isEnded = false;
  /** Why the connection must end once its outstanding requests are answered. */
  failure: Refusal | undefined;
  readonly requestBytes: Share;
  /** Bytes of answers handed to the socket and not yet written. */
  readonly unsentBytes: Share;
  /** Its requests that wait to be served. */
  readonly pipelined: PipelinedRequests;
  readonly #queue: RequestQueue;
  /** Its exchanges that have not ended. */
  readonly #exchanges = new Set<Exchange>();

  constructor(socket: Socket, excess: boolean, budgets: Budgets, unsentBytesMax: number) {
    this.excess = excess;
    this.pipelined = new PipelinedRequests(socket, () => this.afterAnswers === undefined);
    this.requestBytes = new Share(budgets.requestBytes);
    this.unsentBytes = new Share(budgets.unsentBytes);
    this.#queue = new RequestQueue(1, () => this.unsentBytes.held <= unsentBytesMax);
  }

  /**
   * Answers the connection's requests one after another. HTTP sends answers in the order of the requests, so one that
   * is ready early would only wait in memory. None is started while the client leaves too much unread.
   */
  answer(task: () => Promise<void>): void {
    this.#queue.add(task);
  }

  /** Counts a request that has begun. */
  begin(exchange: Exchange): void {
    this.newest = exchange;
    this.requests++;
    this.#exchanges.add(exchange);
  }

  /** Releases what a request held, once its answer is out. */
  settle(exchange: Exchange, heldBytes: number, answerBytes: number): void {
    this.requests--;
    this.#exchanges.delete(exchange);
    this.requestBytes.remove(heldBytes);
    this.unsentBytes.remove(answerBytes);
    this.#queue.next();
  }

  /**
   * Whether output that can wait may be added: up to `unsentMax` bytes, or half of the connection's reserve while the
   * budget is tight.
   */
  isWritable(unsentMax: number): boolean {
    const { held, budget } = this.unsentBytes;
    return held <= (budget.isTight ? Math.min(unsentMax, budget.reserve / 2) : unsentMax);
  }

  /**
   * Returns everything to the budgets: the connection has ended. node:http notifies only the response that has the socket;
   * those queued behind it, such as an event stream, would otherwise continue.
   */
  end(): void {
    this.isEnded = true;
    this.#queue.clear();
    for (const share of [this.requestBytes, this.unsentBytes]) share.close();
    for (const { response } of [...this.#exchanges]) {
      if (response.socket !== null) continue;
      response.destroy();
      response.emit('close');
    }
  }
}

/** One request on a connection, and its answer. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** Whether the listener has room for the request and its headers. */
  readonly isAdmitted: boolean;
  #heldBytes = 0;
  #answerBytes = 0;

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection) {
    this.request = request;
    this.response = response;
    this.connection = connection;
    connection.begin(this);
    this.isAdmitted = this.hold(Math.max(REQUEST_BYTES_MIN, headerBytes(request)));
  }

  /** Takes bytes of the request from the listener's budget. Returns false if it is exhausted. */
  hold(bytes: number): boolean {
    if (!this.connection.requestBytes.add(bytes)) return false;
    this.#heldBytes += bytes;
    return true;
  }

  /** Takes bytes of the answer from the listener's budget before they are written. Returns false if it is exhausted. */
  send(bytes: number): boolean {
    if (!this.connection.unsentBytes.add(bytes)) return false;
    this.#answerBytes += bytes;
    return true;
  }

  /** Returns bytes that the client has read before the end of the answer. */
  sent(bytes: number): void {
    this.connection.unsentBytes.remove(bytes);
    this.#answerBytes -= bytes;
  }

  /** Ends the exchange: the answer is out, or never will be. */
  end(): void {
    this.connection.bytesReadAtRest = this.request.socket.bytesRead;
    this.connection.settle(this, this.#heldBytes, this.#answerBytes);
  }
}

function headerBytes({ rawHeaders, url = '' }: IncomingMessage): number {
  let bytes = url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/** Pipelined requests served before the event loop runs again. */
const SERVED_AT_ONCE = 4;

/**
 * Requests of one HTTP connection that were sent without waiting for answers (RFC 9112 9.3.2).
 *
 * node:http emits all requests of a read in a row, and a read can hold two thousand. The first few are served immediately,
 * the others one in each round of the event loop, and nothing more is read from the socket until none is left.
 */
class PipelinedRequests {
  readonly #socket: Socket;
  readonly #isRead: () => boolean;
  #waiting: (() => void)[] = [];
  /** How many have been served at once. */
  #served = 0;

  /** @param isRead whether node:http reads the socket: not if there is an upgrade behind the requests */
  constructor(socket: Socket, isRead: () => boolean) {
    this.#socket = socket;
    this.#isRead = isRead;
    // node:http resumes the socket after every request; the event arrives later.
    socket.on('resume', () => {
      if (this.#waiting.length > 0 && isRead()) socket.pause();
    });
    socket.once('close', () => {
      this.#waiting = [];
    });
  }

  /** Serves a request now, or after those that wait. */
  add(serve: () => void): void {
    if (this.#waiting.length === 0 && this.#served < SERVED_AT_ONCE) {
      if (++this.#served === SERVED_AT_ONCE) {
        setImmediate(() => {
          this.#served = 0;
        });
      }
      serve();
    } else if (this.#waiting.push(serve) === 1) {
      this.#socket.pause();
      setImmediate(() => this.#go());
    }
  }

  #go(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#go());
    else if (this.#isRead()) this.#socket.resume();
  }
}
