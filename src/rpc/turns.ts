/**
 * The order in which the requests of all connections have the thread.
 *
 * What a request does until its first wait holds the thread, so it is a turn: a call that returns when it waits.
 * Turns go to the connection that will have had the least time then, by what its turns took so far: one that asks for
 * much is behind all who ask for little, and a batch, or a hundred requests in one read of a socket, is a hundred turns. A
 * connection that comes back after a rest begins where those are that were served meanwhile, so nobody saves up time.
 * (Start-time fair queueing: Goyal, Vin and Cheng, 1996, with guesses.)
 *
 * A view may hold the thread for seconds, and nothing ends it before. So dear requests wait until the event loop has been
 * round and who asks for little is answered; no two of them follow each other without that. Nobody waits for more than
 * the one that was begun. Of a connection whose dear requests took little, as those of most programs do, they are not dear.
 *
 * After `TURNS_MS` of turns the event loop has its own: sockets are read, answers go out, and whoever came meanwhile is
 * looked at. While nobody waits, a turn costs two looks at the clock.
 * @module
 */
import { DEAR_BEHIND_MS, DEAR_TURN_MS, TURNS_MS } from '../config.ts';

/** What turns are told by and handed on with; other than the host's in tests. */
export interface TurnsHost {
  /** Milliseconds, not going back. */
  now(): number;
  /** Runs `task` when the event loop has been round. */
  afterRound(task: () => void): void;
}

const HOST: TurnsHost = {
  now: () => performance.now(),
  // What runs out of a socket's event is followed by immediates before sockets are looked at again; a connection that is
  // new is accepted in one round and read in the next: hence three of them.
  afterRound: (task) => setImmediate(() => setImmediate(() => setImmediate(task))),
};

/** Requests of a connection that wait for their turn, and what the next one is expected to take. */
interface Queue {
  readonly waiting: (() => void)[];
  /** Milliseconds: half by the last one, half by those before. */
  expected: number;
}

/** The requests of a connection that wait, and its time. */
interface Line {
  readonly cheap: Queue;
  readonly dear: Queue;
  /** Milliseconds that it had, and those that it missed while it did not ask. */
  used: number;
}

/** Who asks without a connection: programs of this process, all of them together. */
const NO_CONNECTION = {};

export class Turns {
  readonly #host: TurnsHost;
  readonly #lines = new WeakMap<object, Line>();
  /** Those with requests that wait, the one that was served last behind the others. */
  readonly #asking = new Set<Line>();
  /** Requests that wait and take little. */
  #cheapCount = 0;
  /** Milliseconds of turns since the event loop had its own. */
  #spent = 0;
  #isRoundAwaited = false;
  /** What the connection had that was served last, when its turn began. */
  #level = 0;

  constructor(host: TurnsHost = HOST) {
    this.#host = host;
  }

  /** Begins `work` when it is the connection's turn, which ends when `work` returns. Gives what it gives. */
  run<T>(connection: object | undefined, work: () => T | Promise<T>): T | Promise<T> {
    const line = this.#line(connection);
    if (this.#cheapCount === 0 && this.#spent < TURNS_MS) return this.#run(line, line.cheap, work);
    this.#cheapCount++;
    return this.#wait(line, line.cheap, work);
  }

  /** The same for work that may hold the thread for long. */
  runDear<T>(connection: object | undefined, work: () => T | Promise<T>): T | Promise<T> {
    const line = this.#line(connection);
    const isFree = line.dear.waiting.length === 0 && this.#cheapCount === 0 && this.#spent < TURNS_MS;
    if (isFree && line.dear.expected < DEAR_TURN_MS) return this.#run(line, line.dear, work);
    return this.#wait(line, line.dear, work);
  }

  /** Notes time that a connection had outside of a turn: its answer is made after a wait. */
  spend(connection: object | undefined, ms: number): void {
    this.#line(connection).used += ms;
    this.#count(ms);
  }

  /** Milliseconds on the clock of turns. */
  now(): number {
    return this.#host.now();
  }

  #line(connection: object = NO_CONNECTION): Line {
    let line = this.#lines.get(connection);
    if (line === undefined) {
      // Nothing is known of it: what it asks for takes as long as such requests may.
      line = {
        cheap: { waiting: [], expected: 0 },
        dear: { waiting: [], expected: DEAR_TURN_MS },
        used: 0,
      };
      this.#lines.set(connection, line);
    }
    if (!this.#asking.has(line)) line.used = Math.max(line.used, this.#level);
    return line;
  }

  #wait<T>(line: Line, queue: Queue, work: () => T | Promise<T>): Promise<T> {
    this.#asking.add(line);
    this.#awaitRound();
    return new Promise((resolve, reject) => {
      queue.waiting.push(() => {
        try {
          resolve(this.#run(line, queue, work));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #run<T>(line: Line, queue: Queue, work: () => T): T {
    this.#level = Math.max(this.#level, line.used);
    const begun = this.#host.now();
    try {
      return work();
    } finally {
      const ms = this.#host.now() - begun;
      line.used += ms;
      queue.expected = (queue.expected + ms) / 2;
      this.#count(ms);
    }
  }

  #count(ms: number): void {
    this.#spent += ms;
    if (this.#spent >= TURNS_MS) this.#awaitRound();
  }

  #awaitRound(): void {
    if (this.#isRoundAwaited) return;
    this.#isRoundAwaited = true;
    this.#host.afterRound(() => this.#round());
  }

  #round(): void {
    this.#isRoundAwaited = false;
    this.#spent = 0;
    let isFirst = true;
    while (this.#asking.size > 0 && this.#spent < TURNS_MS) {
      const line = this.#least();
      const queue = queueOf(line);
      // What came while the others were served may take less.
      if (queue === line.dear && !isFirst) break;
      isFirst = false;
      this.#asking.delete(line);
      const begin = queue.waiting.shift();
      if (queue === line.cheap) this.#cheapCount--;
      if (line.cheap.waiting.length > 0 || line.dear.waiting.length > 0) this.#asking.add(line);
      begin?.();
    }
    if (this.#asking.size > 0) this.#awaitRound();
  }

  /** Who will have had the least time after its next turn. */
  #least(): Line {
    let least: Line | undefined;
    let leastTime = Number.POSITIVE_INFINITY;
    for (const line of this.#asking) {
      const queue = queueOf(line);
      const time = line.used + queue.expected + (queue === line.dear ? DEAR_BEHIND_MS : 0);
      if (least === undefined || time < leastTime) [least, leastTime] = [line, time];
    }
    return least!;
  }
}

/** Where the next request of a connection waits. */
function queueOf({ cheap, dear }: Line): Queue {
  return cheap.waiting.length > 0 ? cheap : dear;
}
