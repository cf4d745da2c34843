/**
 * What the HTTP listener knows of its connections and of the requests on them, and what it holds for both.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RpcContext } from '../rpc/context.ts';
import { type Budgets, Share } from './budget.ts';
import { Lane } from './lane.ts';
import type { Refusal } from './refusal.ts';
import type { Route } from './route.ts';

/** One TCP connection of the listener. */
export class Connection {
  /** One too many: it is only told so. */
  readonly excess: boolean;
  /** Requests whose answer is not out yet. */
  requests = 0;
  /** Bytes read when the last answer went out: more means that a request has begun to arrive. */
  bytesReadAtRest = 0;
  /** The request whose body is arriving. */
  reading: Exchange | undefined;
  /** What is to be done when everything before it on the connection is answered. */
  afterAnswers: (() => void) | undefined;
  /** A WebSocket now. */
  upgraded = false;
  /** How it was asked last, and what the RPC was told of it. */
  asked: { readonly route: Route; readonly host: string | undefined; readonly context: RpcContext } | undefined;
  /** Whether its socket is closed. */
  isEnded = false;
  /** Why the connection must end after the answers that it is owed. */
  failure: Refusal | undefined;
  /** Bytes of requests that it holds. */
  readonly requestBytes: Share;
  /** Bytes of answers that are handed over to be written. */
  readonly unsentBytes: Share;
  /** Requests that it has, as a number. */
  readonly requestCount: Share;
  readonly #lane: Lane;

  constructor(excess: boolean, budgets: Budgets, unsentBytesMax: number) {
    this.excess = excess;
    this.requestBytes = new Share(budgets.requestBytes);
    this.unsentBytes = new Share(budgets.unsentBytes);
    this.requestCount = new Share(budgets.requests);
    this.#lane = new Lane(1, () => this.unsentBytes.held <= unsentBytesMax);
  }

  /**
   * Answers the requests of the connection in turn. HTTP writes answers in the order of the requests, so an answer that
   * is made early would only wait in memory; and none is made while the client leaves too much unread.
   */
  answer(task: () => Promise<void>): void {
    this.#lane.add(task);
  }

  /** Notes that a request has begun; false when the listener has as many as it takes. */
  begin(): boolean {
    this.requests++;
    return this.requestCount.add(1);
  }

  /** Settles the account of a request whose answer is out. */
  settle(isCounted: boolean, heldBytes: number, answerBytes: number): void {
    this.requests--;
    if (isCounted) this.requestCount.remove(1);
    this.requestBytes.remove(heldBytes);
    this.unsentBytes.remove(answerBytes);
    this.#lane.next();
  }

  /** Whether it takes more that could as well wait: `unsentMax` bytes, or what is its own where others hold much. */
  isWritable(unsentMax: number): boolean {
    const { held, budget } = this.unsentBytes;
    return held <= (budget.isTight ? Math.min(unsentMax, budget.reserve / 2) : unsentMax);
  }

  /** Gives everything back: the connection has ended. */
  end(): void {
    this.isEnded = true;
    this.#lane.clear();
    for (const share of [this.requestBytes, this.unsentBytes, this.requestCount]) share.close();
  }
}

/** Bytes of headers that a request may have for nothing: those of a browser. */
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
    this.#isCounted = connection.begin();
    const excess = headerBytes(request) - FREE_HEADER_BYTES;
    this.isAdmitted = this.#isCounted && (excess <= 0 || this.hold(excess));
  }

  /** Takes bytes of the request from the listener's budget; false when it is spent. */
  hold(bytes: number): boolean {
    if (!this.connection.requestBytes.add(bytes)) return false;
    this.#heldBytes += bytes;
    return true;
  }

  /** Takes bytes of the answer from the listener's budget, to be handed over to be written; false when it is spent. */
  send(bytes: number): boolean {
    if (!this.connection.unsentBytes.add(bytes)) return false;
    this.#answerBytes += bytes;
    return true;
  }

  /** Notes that bytes of the answer were taken before its end. */
  sent(bytes: number): void {
    this.connection.unsentBytes.remove(bytes);
    this.#answerBytes -= bytes;
  }

  /** The answer is out, or never will be. */
  end(): void {
    this.connection.bytesReadAtRest = this.request.socket.bytesRead;
    this.connection.settle(this.#isCounted, this.#heldBytes, this.#answerBytes);
  }
}

function headerBytes({ rawHeaders, url = '' }: IncomingMessage): number {
  let bytes = url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}
