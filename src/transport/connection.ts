/**
 * What the HTTP listener knows of its connections and of the requests on them, and what it holds for both.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Lane } from './lane.ts';
import type { Refusal } from './refusal.ts';

/** The bytes of requests that a listener may hold at once. */
export class Budget {
  readonly bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** Takes bytes from the budget; false when they are more than is left. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#bytes -= bytes;
  }
}

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
  /** Why the connection must end after the answers that it is owed. */
  failure: Refusal | undefined;
  readonly #budget: Budget;
  readonly #lane: Lane;
  #heldBytes = 0;
  #unsentBytes = 0;

  constructor(excess: boolean, budget: Budget, unsentBytesMax: number) {
    this.excess = excess;
    this.#budget = budget;
    this.#lane = new Lane(1, () => this.#unsentBytes <= unsentBytesMax);
  }

  /**
   * Answers the requests of the connection in turn. HTTP writes answers in the order of the requests, so an answer that
   * is made early would only wait in memory; and none is made while the client leaves too much unread.
   */
  answer(task: () => Promise<void>): void {
    this.#lane.add(task);
  }

  /** Takes bytes of a request from the listener's budget; false when it is spent. */
  hold(bytes: number): boolean {
    if (!this.#budget.take(bytes)) return false;
    this.#heldBytes += bytes;
    return true;
  }

  /** Notes an answer that is handed over to be written. */
  sending(bytes: number): void {
    this.#unsentBytes += bytes;
  }

  /** Settles the account of a request whose answer is out. */
  settle(heldBytes: number, answerBytes: number): void {
    this.#release(heldBytes);
    this.#unsentBytes -= answerBytes;
    this.#lane.next();
  }

  /** Gives everything back: the connection has ended. */
  end(): void {
    this.#lane.clear();
    this.#release(this.#heldBytes);
  }

  /** What the end of the connection has given back is not given twice. */
  #release(bytes: number): void {
    const released = Math.min(bytes, this.#heldBytes);
    this.#heldBytes -= released;
    this.#budget.giveBack(released);
  }
}

/** One request on a connection, and its answer. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: Connection;
  #heldBytes = 0;
  #answerBytes = 0;

  constructor(request: IncomingMessage, response: ServerResponse, connection: Connection) {
    this.request = request;
    this.response = response;
    this.connection = connection;
    connection.requests++;
  }

  /** Takes bytes of the request from the listener's budget; false when it is spent. */
  hold(bytes: number): boolean {
    if (!this.connection.hold(bytes)) return false;
    this.#heldBytes += bytes;
    return true;
  }

  /** Notes the size of the answer that is handed over to be written. */
  sending(bytes: number): void {
    this.#answerBytes = bytes;
    this.connection.sending(bytes);
  }

  /** The answer is out, or never will be. */
  end(): void {
    this.connection.requests--;
    this.connection.bytesReadAtRest = this.request.socket.bytesRead;
    this.connection.settle(this.#heldBytes, this.#answerBytes);
  }
}
