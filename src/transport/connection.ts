/**
 * What the HTTP listener knows of its connections, and the bytes of requests that it holds for them.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
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
  reading: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;
  /** What is to be done when everything before it on the connection is answered. */
  afterAnswers: (() => void) | undefined;
  /** A WebSocket now. */
  upgraded = false;
  /** Why the connection must end after the answers that it is owed. */
  failure: Refusal | undefined;
  readonly #budget: Budget;
  #heldBytes = 0;

  constructor(excess: boolean, budget: Budget) {
    this.excess = excess;
    this.#budget = budget;
  }

  /** Takes bytes of a request from the listener's budget; false when it is spent. */
  hold(bytes: number): boolean {
    if (!this.#budget.take(bytes)) return false;
    this.#heldBytes += bytes;
    return true;
  }

  /** Gives the bytes of an answered request back. What the end of the connection has given back is not given twice. */
  release(bytes: number): void {
    const released = Math.min(bytes, this.#heldBytes);
    this.#heldBytes -= released;
    this.#budget.giveBack(released);
  }

  /** Gives everything back: the connection has ended. */
  releaseAll(): void {
    this.release(this.#heldBytes);
  }
}
