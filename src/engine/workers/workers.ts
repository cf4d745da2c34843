/**
 * Worker threads for what would occupy the engine's own thread for long: views and dry runs.
 *
 * Each is a pure function of a request and of the rows of one moment, so any thread that can read those rows gives the
 * same answer. Rows stay with the engine: a LevelDB can be opened only once, and a store in memory cannot be shared. A
 * worker asks for a row by message and sleeps until the engine's thread has answered, between two of its own tasks.
 * Nearly all rows are tree nodes, which are named by their hashes and never change: a worker keeps those that it has
 * seen, with the code compiled from them, for all states, forks and calls; neither a commit nor a revert invalidates
 * them. A call holds its moment, so a root that is released meanwhile is still there for it.
 *
 * A worker runs one call at a time. Waiting calls are taken by connection, the one that has used the least time first,
 * and are bounded in number. The worker enforces the deadline of views; a call that goes far beyond it, or beyond the
 * memory of a worker, ends the worker and gets an error that says so, and the next call starts another. Cost: the first
 * call of a worker loads the engine (0.2 s, 40 MB), and a worker ends when it has had no call for a while; a call that
 * finds all its nodes takes 0.1 ms more processor time.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import { Lines } from './lines.ts';
import { assertProgram, Thread, type ThreadOptions } from './thread.ts';

export interface WorkersOptions extends Omit<ThreadOptions, 'program'> {
  /** As `ThreadOptions.program`; undefined if unknown. */
  readonly program: string | undefined;
  /** The most threads; each starts when there is a call for it. They do not keep the process alive. */
  readonly count: number;
  /** Calls that may wait. */
  readonly waitingMax: number;
  /** Milliseconds without a call after which a thread is ended. */
  readonly idleMsMax: number;
}

/** The load of the worker threads. */
export interface WorkersUsage {
  /** Calls that wait for a thread, and how many may. */
  readonly waiting: number;
  readonly waitingMax: number;
  /** Running calls, and how many can run. */
  readonly running: number;
  readonly threadsMax: number;
}

interface Waiter {
  readonly resolve: (thread: Thread) => void;
  readonly reject: (error: EngineError) => void;
}

export class Workers {
  readonly #options: WorkersOptions & ThreadOptions;
  readonly #lines: Lines<Waiter>;
  readonly #threads = new Set<Thread>();
  #free: Thread[] = [];
  #running = 0;
  #isClosed = false;
  #hasAnswered = false;
  #idle: ReturnType<typeof setTimeout> | undefined;

  /** @throws {EngineError} `not-supported` if the program is missing */
  constructor(options: WorkersOptions) {
    const { program } = options;
    assertProgram(program);
    this.#options = { ...options, program };
    this.#lines = new Lines(options.waitingMax);
  }

  get usage(): WorkersUsage {
    const { waitingMax, count } = this.#options;
    return { waiting: this.#lines.size, waitingMax, running: this.#running, threadsMax: count };
  }

  /** Whether any of the threads ever got as far as answering. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /**
   * Runs `use` with an exclusive thread, when it is the connection's turn.
   * @throws {EngineError} `limit-exceeded` if too many calls wait, `closed`, `not-supported` if the host has no
   * threads, and what `use` throws
   */
  async use<T>(connection: object, use: (thread: Thread) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closed();
    const thread = await new Promise<Thread>((resolve, reject) => {
      const refused = this.#lines.join(connection, { resolve, reject });
      refused?.reject(busy(this.#options.waitingMax));
      this.#next();
    });
    const begun = performance.now();
    this.#running++;
    try {
      const answer = await use(thread);
      this.#hasAnswered = true;
      return answer;
    } finally {
      this.#running--;
      this.#lines.leave(connection, performance.now() - begun);
      if (!thread.isEnded) this.#free.push(thread);
      this.#next();
      if (this.#running === 0) this.#awaitIdle();
    }
  }

  /** Ends the threads. Calls that run or wait are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    for (let waiter = this.#lines.next(); waiter !== undefined; waiter = this.#lines.next()) waiter.reject(closed());
    await Promise.all([...this.#threads].map((thread) => thread.end(closed())));
  }

  /** Gives free threads to waiting calls. */
  #next(): void {
    this.#free = this.#free.filter((thread) => !thread.isEnded);
    while (!this.#isClosed && (this.#free.length > 0 || this.#threads.size < this.#options.count)) {
      const waiter = this.#lines.next();
      if (waiter === undefined) return;
      try {
        waiter.resolve(this.#free.pop() ?? this.#begin());
      } catch (error) {
        waiter.reject(error as EngineError);
      }
    }
  }

  /** Ends all threads once none has had a call for a while. */
  #awaitIdle(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if (this.#running > 0) return;
      for (const thread of this.#free.splice(0)) void thread.end(closed());
    }, this.#options.idleMsMax);
    this.#idle.unref();
  }

  #begin(): Thread {
    const thread = new Thread(this.#options, () => {
      this.#threads.delete(thread);
      this.#next();
    });
    this.#threads.add(thread);
    return thread;
  }
}

function closed(): EngineError {
  return new EngineError('closed', 'the worker threads were ended: the node is shutting down');
}

function busy(waitingMax: number): EngineError {
  const expected = `at most ${waitingMax} calls that wait for a worker thread`;
  return new EngineError('limit-exceeded', `the node is busy: expected ${expected}; ask again later, or for less`, {
    details: { expected },
  });
}
