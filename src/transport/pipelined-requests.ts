/**
 * Requests of one HTTP connection that were sent without waiting for answers (RFC 9112 9.3.2).
 *
 * node:http announces all requests of a read in a row, and a read can hold two thousand. A few of them are served at
 * once; the rest wait for turns, and nothing more is read from the socket until none is left.
 * @module
 */
import type { Socket } from 'node:net';
import { READ_TURN_REQUESTS } from '../config.ts';
import type { ReadTurns } from './read-turns.ts';

export class PipelinedRequests {
  readonly #socket: Socket;
  readonly #isRead: () => boolean;
  readonly #turns: ReadTurns;
  #waiting: (() => void)[] = [];
  /** Served at once, of the READ_TURN_REQUESTS after which others have their turn. */
  #served = 0;

  /** @param isRead whether node:http reads the socket: not if there is an upgrade behind the requests */
  constructor(socket: Socket, turns: ReadTurns, isRead: () => boolean) {
    this.#socket = socket;
    this.#isRead = isRead;
    this.#turns = turns;
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
    if (this.#waiting.length === 0 && this.#served < READ_TURN_REQUESTS) {
      // Forgotten no earlier: most connections send one request at a time, and need no round of their own.
      if (++this.#served === READ_TURN_REQUESTS) {
        setImmediate(() => {
          this.#served = 0;
        });
      }
      serve();
      return;
    }
    if (this.#waiting.push(serve) > 1) return;
    this.#socket.pause();
    this.#turns.add(() => this.#go());
  }

  #go(): void {
    for (let served = 0; served < READ_TURN_REQUESTS; served++) this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#turns.add(() => this.#go());
    else if (this.#isRead()) this.#socket.resume();
  }
}
