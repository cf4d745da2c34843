/**
 * Requests of one HTTP connection that were sent without waiting for answers (RFC 9112 9.3.2).
 *
 * node:http announces all requests of a read in a row, and a read can hold two thousand. The first few are served at
 * once, the others one in each round of the event loop, and nothing more is read from the socket until none is left.
 * @module
 */
import type { Socket } from 'node:net';

/** A client that sends one request at a time makes the event loop turn for it only every so many requests. */
const SERVED_AT_ONCE = 4;

export class PipelinedRequests {
  readonly #socket: Socket;
  readonly #isRead: () => boolean;
  #waiting: (() => void)[] = [];
  /** How many have been served at once. */
  #served = 0;

  /** @param isRead whether node:http reads the socket: not if there is an upgrade behind the requests */
  constructor(socket: Socket, isRead: () => boolean) {
    this.#socket = socket;
    this.#isRead = isRead;
    // node:http resumes the socket after every request, and that arrives here later.
    socket.on('resume', () => {
      if (this.#waiting.length > 0 && isRead()) socket.pause();
    });
    socket.once('close', () => {
      this.#waiting = [];
    });
  }

  /** Serves a request that has been counted in: now, or after those that wait. */
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
