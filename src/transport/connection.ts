/**
 * The HTTP listener's connections and their requests, with the memory each holds.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RpcContext } from '../rpc/context.ts';
import { type Budgets, Share } from './budget.ts';
import { Lane } from './lane.ts';
import { PipelinedRequests } from './pipelined-requests.ts';
import type { Refusal } from './refusal.ts';
import type { Route } from './route.ts';

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
  /** The route and Host of its last request, and the context passed to the RPC for it. */
  asked: { readonly route: Route; readonly host: string | undefined; readonly context: RpcContext } | undefined;
  /** Whether its socket is closed. */
  isEnded = false;
  /** Why the connection must end once its outstanding requests are answered. */
  failure: Refusal | undefined;
  /** Bytes of requests that it holds. */
  readonly requestBytes: Share;
  /** Bytes of answers handed to the socket and not yet written. */
  readonly unsentBytes: Share;
  /** Number of its requests. */
  readonly requestCount: Share;
  /** Its requests that wait for a turn. */
  readonly pipelined: PipelinedRequests;
  readonly #lane: Lane;
  /** Its exchanges that have not ended. */
  readonly #exchanges = new Set<Exchange>();

  constructor(socket: Socket, excess: boolean, budgets: Budgets, unsentBytesMax: number) {
    this.excess = excess;
    this.pipelined = new PipelinedRequests(socket, () => this.afterAnswers === undefined);
    this.requestBytes = new Share(budgets.requestBytes);
    this.unsentBytes = new Share(budgets.unsentBytes);
    this.requestCount = new Share(budgets.requests);
    this.#lane = new Lane(1, () => this.unsentBytes.held <= unsentBytesMax);
  }

  /**
   * Answers the connection's requests one after another. HTTP sends answers in the order of the requests, so one that
   * is ready early would only wait in memory. None is started while the client leaves too much unread.
   */
  answer(task: () => Promise<void>): void {
    this.#lane.add(task);
  }

  /** Counts a request that has begun. Returns false if the listener already has as many as it accepts. */
  begin(exchange: Exchange): boolean {
    this.newest = exchange;
    this.requests++;
    this.#exchanges.add(exchange);
    return this.requestCount.add(1);
  }

  /** Releases what a request held, once its answer is out. */
  settle(exchange: Exchange, isCounted: boolean, heldBytes: number, answerBytes: number): void {
    this.requests--;
    this.#exchanges.delete(exchange);
    if (isCounted) this.requestCount.remove(1);
    this.requestBytes.remove(heldBytes);
    this.unsentBytes.remove(answerBytes);
    this.#lane.next();
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
   * Gives everything back: the connection has ended. node:http tells so only the response that has the socket; those
   * behind it, such as an event stream, would go on for nobody.
   */
  end(): void {
    this.isEnded = true;
    this.#lane.clear();
    for (const share of [this.requestBytes, this.unsentBytes, this.requestCount]) share.close();
    for (const { response } of [...this.#exchanges]) {
      if (response.socket !== null) continue;
      response.destroy();
      response.emit('close');
    }
  }
}

/** Bytes of headers that are not counted: about what a browser sends. */
const FREE_HEADER_BYTES = 2_048;

/** One request on a connection, and its answer. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  /** Whether the listener has room for the request and its headers. */
  readonly isAdmitted: boolean;
  readonly #isCounted: boolean;
  #heldBytes = 0;
  #answerBytes = 0;

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection) {
    this.request = request;
    this.response = response;
    this.connection = connection;
    this.#isCounted = connection.begin(this);
    const excess = headerBytes(request) - FREE_HEADER_BYTES;
    this.isAdmitted = this.#isCounted && (excess <= 0 || this.hold(excess));
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
    this.connection.settle(this, this.#isCounted, this.#heldBytes, this.#answerBytes);
  }
}

function headerBytes({ rawHeaders, url = '' }: IncomingMessage): number {
  let bytes = url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}
