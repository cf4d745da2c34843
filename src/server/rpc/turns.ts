/**
 * The order in which the requests of all connections get the thread.
 *
 * A request holds the thread until it first waits: that is a turn. The next turn goes to the connection that will have
 * used the least time by the end of it, judging by its earlier turns: one that asks for a lot comes after all those
 * that ask for little, and a batch of a hundred requests, or a hundred in one socket read, is a hundred turns. A
 * connection that returns after a pause starts level with those served in the meantime, so nobody saves up time.
 * (Start-time fair queueing: Goyal, Vin and Cheng, 1996, with guesses.)
 *
 * A view may hold the thread for seconds and cannot be interrupted. So each expensive request waits until the event
 * loop has run and cheap requests are answered. Nobody waits for more than the one that has started. If a connection's
 * last views were quick, as they are for most programs, its views do not count as expensive.
 *
 * After `TURNS_MS` of turns the event loop runs: sockets are read, answers go out, and new connections are considered.
 * While nobody waits, a turn costs two clock reads.
 * @module
 */
import { EXPENSIVE_BEHIND_MS, EXPENSIVE_TURN_MS, TURNS_MS } from '../../base/config.ts';

/** The clock and scheduler of turns; tests replace the host's. */
interface TurnsHost {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Runs `task` after a full round of the event loop. */
  afterRound(task: () => void): void;
}

const HOST: TurnsHost = {
  now: () => performance.now(),
  // After a socket event, immediates run before sockets are polled again; a new connection is accepted in one round and
  // read in the next: hence three immediates.
  afterRound: (task) => setImmediate(() => setImmediate(() => setImmediate(task))),
};

/** A connection's waiting requests of one kind, and how long the next one is expected to take. */
interface Queue {
  readonly waiting: (() => void)[];
  /** Milliseconds: half the last one, half those before. */
  expected: number;
}

/** The waiting requests of a connection, and the time it has used. */
interface Line {
  readonly cheap: Queue;
  readonly expensive: Queue;
  /** Milliseconds it has used, plus those it forwent while idle. */
  used: number;
}

/** Stands for all callers without a connection: programs in this process. */
const NO_CONNECTION = {};

export class Turns {
  readonly #host: TurnsHost;
  readonly #lines = new WeakMap<object, Line>();
  /** Connections with waiting requests, the one served last at the end. */
  readonly #asking = new Set<Line>();
  /** Number of cheap requests waiting. */
  #cheapCount = 0;
  /** Milliseconds of turns since the event loop last ran. */
  #spent = 0;
  #isRoundAwaited = false;
  /** Whether there has been work in this round that nobody waits for. */
  #isRoundOver = false;
  /** Time the connection served last had used when its turn began. */
  #level = 0;

  constructor(host: TurnsHost = HOST) {
    this.#host = host;
  }

  /** Starts `work` when it is the connection's turn, which ends when `work` returns. Returns its result. */
  run<T>(connection: object | undefined, work: () => T | Promise<T>): T | Promise<T> {
    const line = this.#line(connection);
    if (this.#cheapCount === 0 && this.#spent < TURNS_MS) return this.#run(line, line.cheap, work);
    this.#cheapCount++;
    return this.#wait(line, line.cheap, () => {
      this.#cheapCount--;
      return work();
    });
  }

  /** The same for work that may hold the thread for a long time. */
  runExpensive<T>(connection: object | undefined, work: () => T | Promise<T>): T | Promise<T> {
    const line = this.#line(connection);
    const isFree = line.expensive.waiting.length === 0 && this.#cheapCount === 0 && this.#spent < TURNS_MS;
    if (isFree && line.expensive.expected < EXPENSIVE_TURN_MS) return this.#run(line, line.expensive, work);
    return this.#wait(line, line.expensive, work);
  }

  /** Starts `work`, which nobody waits for, when it is the connection's turn, but not within this call: one in a round. */
  later(connection: object, work: () => void): void {
    const line = this.#line(connection);
    void this.#wait(line, line.cheap, () => {
      this.#isRoundOver = true;
      work();
    });
  }

  /** Counts time that a connection used outside a turn, when its answer is made after a wait. */
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
      // Nothing is known about it, so assume that its requests take as long as they may.
      line = {
        cheap: { waiting: [], expected: 0 },
        expensive: { waiting: [], expected: EXPENSIVE_TURN_MS },
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
    this.#isRoundOver = false;
    while (this.#asking.size > 0 && this.#spent < TURNS_MS && !this.#isRoundOver) {
      const line = this.#least();
      const queue = queueOf(line);
      // A request that arrived in the meantime may take less.
      if (queue === line.expensive && !isFirst) break;
      isFirst = false;
      this.#asking.delete(line);
      const begin = queue.waiting.shift();
      if (line.cheap.waiting.length > 0 || line.expensive.waiting.length > 0) this.#asking.add(line);
      begin?.();
    }
    if (this.#asking.size > 0) this.#awaitRound();
  }

  /** The connection that will have used the least time after its next turn. */
  #least(): Line {
    let least: Line | undefined;
    let leastTime = Number.POSITIVE_INFINITY;
    for (const line of this.#asking) {
      const queue = queueOf(line);
      const time = line.used + queue.expected + (queue === line.expensive ? EXPENSIVE_BEHIND_MS : 0);
      if (least === undefined || time < leastTime) [least, leastTime] = [line, time];
    }
    return least!;
  }
}

/** The queue of a connection's next request. */
function queueOf({ cheap, expensive }: Line): Queue {
  return cheap.waiting.length > 0 ? cheap : expensive;
}
