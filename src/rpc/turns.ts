/**
 * The order in which the requests of all connections have the thread.
 *
 * What a request does between two waits holds the thread, so it is a turn, and only one connection has a turn at a time.
 * Turns go to the connection that will have had the least time then, by what its turns took so far: one that asks for
 * much is behind all who ask for little, and a batch, or a hundred requests in one read of a socket, is a hundred turns. A
 * connection that comes back after a rest begins where those are that were served meanwhile, so nobody saves up time; of
 * a new one nothing is expected, so it is before all who are known to ask for much. (Start-time fair queueing: Goyal, Vin and Cheng, 1996, with guesses.)
 *
 * After `TURNS_MS` of turns the event loop has its own: sockets are read, answers go out, and whoever came meanwhile is
 * looked at. While nobody waits, a turn costs a look at the clock.
 * @module
 */
import { TURNS_MS } from '../config.ts';

/** What turns are told by and handed on with; other than the host's in tests. */
export interface TurnsHost {
  /** Milliseconds, not going back. */
  now(): number;
  /** Runs `task` when the event loop has been round. */
  afterRound(task: () => void): void;
}

const HOST: TurnsHost = {
  now: () => performance.now(),
  // What runs out of a socket's event is followed by immediates before sockets are looked at again: hence two of them.
  afterRound: (task) => setImmediate(() => setImmediate(task)),
};

/** The requests of a connection that wait, and its time. */
interface Line {
  readonly waiting: ((turn: Turn) => void)[];
  /** Milliseconds that it had, and those that it missed while it did not ask. */
  used: number;
  /** Milliseconds that its next turn is expected to take: half by the last one, half by those before. */
  expected: number;
}

/** Who asks without a connection: programs of this process, all of them together. */
const NO_CONNECTION = {};

/** A right to the thread until the first wait. */
export class Turn {
  readonly #turns: Turns;
  readonly line: Line;
  readonly begun: number;

  /** Use `Turns.take`. */
  constructor(turns: Turns, line: Line, begun: number) {
    this.#turns = turns;
    this.line = line;
    this.begun = begun;
  }

  /** What follows waits for something, or is done. May be called again. */
  end(): void {
    this.#turns.end(this);
  }
}

export class Turns {
  readonly #host: TurnsHost;
  readonly #lines = new WeakMap<object, Line>();
  /** Those with requests that wait, the one that was served last behind the others. */
  readonly #asking = new Set<Line>();
  #current: Turn | undefined;
  /** Milliseconds of turns since the event loop had its own. */
  #spent = 0;
  #isRoundAwaited = false;
  /** What the connection had that was served last, when its turn began. */
  #level = 0;

  constructor(host: TurnsHost = HOST) {
    this.#host = host;
  }

  /** Resolves when it is the connection's turn. The turn ends when `end` is called, or the event loop has been round. */
  async take(connection: object | undefined): Promise<Turn> {
    const line = this.#line(connection ?? NO_CONNECTION);
    if (this.#current !== undefined || this.#asking.size > 0 || this.#spent >= TURNS_MS) {
      this.#asking.add(line);
      this.#awaitRound();
      return new Promise<Turn>((resolve) => line.waiting.push(resolve));
    }
    return this.#begin(line);
  }

  /** Notes time that a connection had outside of a turn: its answer is made after a wait. */
  spend(connection: object | undefined, ms: number): void {
    this.#line(connection ?? NO_CONNECTION).used += ms;
    this.#spent += ms;
    this.#awaitRound();
  }

  /** Milliseconds on the clock of turns. */
  now(): number {
    return this.#host.now();
  }

  /** As `Turn.end`. */
  end(turn: Turn): void {
    if (this.#current !== turn) return;
    this.#spent += this.#account(turn);
    if (this.#spent < TURNS_MS) this.#next();
  }

  #line(connection: object): Line {
    let line = this.#lines.get(connection);
    if (line === undefined) {
      line = { waiting: [], used: 0, expected: 0 };
      this.#lines.set(connection, line);
    }
    if (line.waiting.length === 0 && this.#current?.line !== line) line.used = Math.max(line.used, this.#level);
    return line;
  }

  #begin(line: Line): Turn {
    this.#level = Math.max(this.#level, line.used);
    this.#current = new Turn(this, line, this.#host.now());
    this.#awaitRound();
    return this.#current;
  }

  #next(): void {
    let least: Line | undefined;
    for (const line of this.#asking) {
      if (least === undefined || line.used + line.expected < least.used + least.expected) least = line;
    }
    if (least === undefined) return;
    this.#asking.delete(least);
    const resolve = least.waiting.shift();
    if (least.waiting.length > 0) this.#asking.add(least);
    resolve?.(this.#begin(least));
  }

  /** Takes a turn back; gives what it took. */
  #account({ line, begun }: Turn): number {
    this.#current = undefined;
    const ms = this.#host.now() - begun;
    line.used += ms;
    line.expected = (line.expected + ms) / 2;
    return ms;
  }

  #awaitRound(): void {
    if (this.#isRoundAwaited) return;
    this.#isRoundAwaited = true;
    this.#host.afterRound(() => this.#round());
  }

  /** Whatever had the turn has come to its first wait by now. */
  #round(): void {
    this.#isRoundAwaited = false;
    if (this.#current !== undefined) this.#account(this.#current);
    this.#spent = 0;
    this.#next();
  }
}
