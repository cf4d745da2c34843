/**
 * Requests of one HTTP connection that were sent without waiting for answers (RFC 9112 9.3.2).
 *
 * node:http announces all requests of a read in a row, and a read can hold two thousand. A few of them are served at
 * once; the rest wait for turns, and nothing more is read from the socket until none is left.
 * @module
 */
import type { Socket } from 'node:net';
import { READ_TURN_REQUESTS } from '../config.ts';
import type { Connection } from './connection.ts';
import type { ReadTurns } from './read-turns.ts';

export class Pipeline {
  readonly #socket: Socket;
  readonly #connection: Connection;
  readonly #turns: ReadTurns;
  #waiting: (() => void)[] = [];
  /** The round of the event loop in which the last request arrived, and how many were served at once in it. */
  #round = 0;
  #served = 0;

  constructor(socket: Socket, connection: Connection, turns: ReadTurns) {
    this.#socket = socket;
    this.#connection = connection;
    this.#turns = turns;
    // node:http resumes the socket after every request, and that arrives here later.
    socket.on('resume', () => {
      if (this.#holdsSocket) socket.pause();
    });
    socket.once('close', () => {
      this.#waiting = [];
    });
  }

  /** Serves a request that has been counted in: now, or after those that wait. */
  add(serve: () => void): void {
    const { round } = this.#turns;
    if (round !== this.#round) this.#served = 0;
    this.#round = round;
    if (this.#waiting.length === 0 && this.#served < READ_TURN_REQUESTS) {
      this.#served++;
      serve();
      return;
    }
    if (this.#waiting.push(serve) > 1) return;
    this.#socket.pause();
    this.#turns.add(() => this.#go());
  }

  /** A socket with an upgrade behind its requests is no longer read by node:http. */
  get #holdsSocket(): boolean {
    return this.#waiting.length > 0 && this.#connection.afterAnswers === undefined;
  }

  #go(): void {
    for (let served = 0; served < READ_TURN_REQUESTS; served++) this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#turns.add(() => this.#go());
    else if (this.#connection.afterAnswers === undefined) this.#socket.resume();
  }
}
