/**
 * The order in which the requests of all connections get the thread.
 *
 * A request holds the thread until it first waits. The next one is that of the connection which will then have used the
 * least time, judging by its earlier requests: a connection with heavy requests comes after all those with light ones,
 * and the requests of a batch, or of one socket read, are queued one by one. A connection that returns after a pause
 * starts level with those served in the meantime, so idle time earns no credit.
 * (Start-time fair queueing: Goyal, Vin and Cheng, 1996, with estimates.)
 *
 * A view may hold the thread for seconds and cannot be interrupted. So each expensive request waits until the event
 * loop has run and cheap requests are answered. No request waits for more than the one that has started. If a connection's
 * last views were quick, its views do not count as expensive.
 *
 * A long page is made in pieces, so that others are served in between, but all of its items are held meanwhile, in several
 * forms. So only a few are made at once. A slow one, such as a scan for rare items, makes room for another after a while,
 * up to a limit.
 *
 * After `TURNS_MS` the event loop runs: sockets are read, answers are sent, and new connections are considered. While no
 * request waits, another one costs two clock reads.
 * @module
 */
import { EXPENSIVE_BEHIND_MS, EXPENSIVE_TURN_MS, TURNS_MS } from '../../base/config.ts';
import { HOST } from '../../base/host.ts';

/** Pages of more than PAGE_ITEMS_DEFAULT items made at once: the largest take some 15 MB each meanwhile. */
export const LONG_PAGES_AT_ONCE = 2;

/** Milliseconds after which another such page is started beside one that is still scanning. */
export const LONG_PAGE_MS = 2_000;

/** Such pages at once, however long they take. */
export const LONG_PAGES_MAX = 16;

/** The clock and scheduler of a queue; tests replace the host's. */
interface QueueHost {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Runs `task` after a full round of the event loop. */
  afterRound(task: () => void): void;
}

const QUEUE_HOST: QueueHost = {
  now: () => performance.now(),
  // After a socket event, immediates run before sockets are polled again; a new connection is accepted in one round and
  // read in the next: hence three immediates.
  afterRound: (task) => HOST.afterTurn(() => HOST.afterTurn(() => HOST.afterTurn(task))),
};

/** A connection's waiting requests of one kind, and how long the next one is expected to take. */
interface Waiting {
  readonly requests: (() => void)[];
  /** Milliseconds: half the last one, half those before. */
  expected: number;
}

/** The waiting requests of a connection, and the time it has used. */
interface Flow {
  readonly cheap: Waiting;
  readonly expensive: Waiting;
  readonly longPages: Waiting;
  /** Milliseconds it has used, plus those it forwent while idle. */
  used: number;
}

/** The connection of all callers that have none: programs in this process. */
export const NO_CONNECTION: object = {};

export class FairQueue {
  readonly #host: QueueHost;
  readonly #flows = new WeakMap<object, Flow>();
  /** Connections with waiting requests, the one served last at the end. */
  readonly #backlog = new Set<Flow>();
  #cheapCount = 0;
  /** Milliseconds used since the event loop last ran. */
  #spent = 0;
  #isRoundAwaited = false;
  /** Whether this round has done background work, which ends it. */
  #isRoundOver = false;
  /** Time the connection served last had used when its request began. */
  #virtualTime = 0;
  #pages = 0;
  /** How many of them have taken LONG_PAGE_MS. */
  #slowPages = 0;

  constructor(host: QueueHost = QUEUE_HOST) {
    this.#host = host;
  }

  /** Starts `work` when the connection is next. Returns its result. */
  run<T>(connection: object | undefined, work: () => T | Promise<T>): T | Promise<T> {
    const flow = this.#flow(connection);
    if (this.#isIdle) return this.#run(flow, flow.cheap, work);
    this.#cheapCount++;
    return this.#wait(flow, flow.cheap, () => {
      this.#cheapCount--;
      return work();
    });
  }

  /** The same for work that may hold the thread for a long time. */
  runExpensive<T>(connection: object | undefined, work: () => T | Promise<T>): T | Promise<T> {
    const flow = this.#flow(connection);
    const { requests, expected } = flow.expensive;
    const isFree = this.#isIdle && requests.length === 0 && expected < EXPENSIVE_TURN_MS;
    return isFree ? this.#run(flow, flow.expensive, work) : this.#wait(flow, flow.expensive, work);
  }

  /** The same for making a long page. */
  runLongPage<T>(connection: object | undefined, make: () => Promise<T>): Promise<T> {
    const flow = this.#flow(connection);
    const work = (): Promise<T> => this.#makePage(flow, make);
    const isFree = this.#isIdle && flow.longPages.requests.length === 0 && this.#mayMakePage;
    return isFree ? this.#run(flow, flow.longPages, work) : this.#wait(flow, flow.longPages, work);
  }

  /** Starts background work when the connection is next, never within this call: one such task in each round. */
  later(connection: object, work: () => void): void {
    const flow = this.#flow(connection);
    void this.#wait(flow, flow.cheap, () => {
      this.#isRoundOver = true;
      work();
    });
  }

  /** Counts time used after a request first waited, such as for writing its answer. */
  spend(connection: object | undefined, ms: number): void {
    this.#flow(connection).used += ms;
    this.#count(ms);
  }

  /** Milliseconds on the clock of the queue. */
  now(): number {
    return this.#host.now();
  }

  /** Whether a cheap request would start at once. */
  get #isIdle(): boolean {
    return this.#cheapCount === 0 && this.#spent < TURNS_MS;
  }

  get #mayMakePage(): boolean {
    return this.#pages < LONG_PAGES_MAX && this.#pages - this.#slowPages < LONG_PAGES_AT_ONCE;
  }

  async #makePage<T>(flow: Flow, make: () => Promise<T>): Promise<T> {
    this.#pages++;
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.#slowPages++;
      this.#awaitRound();
    }, LONG_PAGE_MS);
    // Timers in a page have no `unref`.
    (timer as { unref?(): void }).unref?.();
    // In a later microtask: a page does not count as work of this round, or all requests would wait for the next one.
    await undefined;
    const begun = this.#host.now();
    try {
      return await make();
    } finally {
      clearTimeout(timer);
      this.#pages--;
      if (isSlow) this.#slowPages--;
      flow.used += this.#host.now() - begun;
      this.#awaitRound();
    }
  }

  #flow(connection: object = NO_CONNECTION): Flow {
    let flow = this.#flows.get(connection);
    if (flow === undefined) {
      // Nothing is known about it, so assume that its requests take the longest allowed.
      flow = {
        cheap: { requests: [], expected: 0 },
        expensive: { requests: [], expected: EXPENSIVE_TURN_MS },
        longPages: { requests: [], expected: EXPENSIVE_TURN_MS },
        used: 0,
      };
      this.#flows.set(connection, flow);
    }
    if (!this.#backlog.has(flow)) flow.used = Math.max(flow.used, this.#virtualTime);
    return flow;
  }

  #wait<T>(flow: Flow, waiting: Waiting, work: () => T | Promise<T>): Promise<T> {
    this.#backlog.add(flow);
    this.#awaitRound();
    return new Promise((resolve, reject) => {
      waiting.requests.push(() => {
        try {
          resolve(this.#run(flow, waiting, work));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #run<T>(flow: Flow, waiting: Waiting, work: () => T): T {
    this.#virtualTime = Math.max(this.#virtualTime, flow.used);
    const begun = this.#host.now();
    try {
      return work();
    } finally {
      const ms = this.#host.now() - begun;
      flow.used += ms;
      waiting.expected = (waiting.expected + ms) / 2;
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
    this.#isRoundOver = false;
    let next = this.#next();
    for (let isFirst = true; next !== undefined && this.#spent < TURNS_MS && !this.#isRoundOver; isFirst = false) {
      const { flow, waiting } = next;
      // A request that arrived in the meantime may take less.
      if (waiting !== flow.cheap && !isFirst) break;
      this.#backlog.delete(flow);
      const begin = waiting.requests.shift();
      if (hasWaiting(flow)) this.#backlog.add(flow);
      begin?.();
      next = this.#next();
    }
    if (next !== undefined) this.#awaitRound();
  }

  /** The request of the connection that will have used the least time after it. */
  #next(): { readonly flow: Flow; readonly waiting: Waiting } | undefined {
    let least: { readonly flow: Flow; readonly waiting: Waiting } | undefined;
    let leastTime = Number.POSITIVE_INFINITY;
    for (const flow of this.#backlog) {
      const waiting = this.#nextOf(flow);
      if (waiting === undefined) continue;
      const time = flow.used + waiting.expected + (waiting === flow.cheap ? 0 : EXPENSIVE_BEHIND_MS);
      if (time < leastTime) [least, leastTime] = [{ flow, waiting }, time];
    }
    return least;
  }

  #nextOf({ cheap, expensive, longPages }: Flow): Waiting | undefined {
    if (cheap.requests.length > 0) return cheap;
    if (expensive.requests.length > 0) return expensive;
    return longPages.requests.length > 0 && this.#mayMakePage ? longPages : undefined;
  }
}

function hasWaiting({ cheap, expensive, longPages }: Flow): boolean {
  return cheap.requests.length + expensive.requests.length + longPages.requests.length > 0;
}
