/**
 * Worker threads that answer what would hold the engine's own thread for long: views and dry runs.
 *
 * Each is a pure function of what a request says and of the rows of one moment, so any thread that can read those rows
 * gives the same answer. Rows stay with the engine: a LevelDB is opened once, a store in memory is shared with nobody. A
 * worker asks for a row by message and sleeps until the engine's thread has answered, between two of its own tasks.
 * Nearly all rows are tree nodes, which are named by their hashes and never change: a worker keeps those that it has
 * seen, with the code made of them, for all states, forks and calls; there is nothing that a commit or a revert makes
 * wrong. A call holds its moment, so a root that was let go meanwhile is still there for it.
 *
 * One call at a time runs on a worker. Those that wait are taken by connection, the one that had least first, and are
 * bounded in number. The deadline of views holds in the worker; whoever goes far beyond it, or beyond the memory of a
 * worker, loses the worker and gets an error that says so, and the next call begins another. Cost: the first call of a
 * worker loads the engine (0.2 s, 40 MB), and it ends when it had no call for a while; a call that finds all its nodes takes 0.1 ms of processor time more.
 * @module
 */
import { EngineError } from '../error.ts';
import { Lines } from './lines.ts';
import { assertProgram, Thread, type ThreadOptions } from './thread.ts';

export interface WorkersOptions extends Omit<ThreadOptions, 'program'> {
  /** As `ThreadOptions.program`; undefined where nobody knows it. */
  readonly program: string | undefined;
  /** Threads at most; each begins when there is a call for it. They let a process end. */
  readonly count: number;
  /** Calls that may wait. */
  readonly waitingMax: number;
  /** Milliseconds without a call after which a thread is ended. */
  readonly idleMsMax: number;
}

/** What worker threads have to do. */
export interface WorkersUsage {
  /** Calls that wait for a thread, and how many may. */
  readonly waiting: number;
  readonly waitingMax: number;
  /** Calls at work, and how many can be. */
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

  /** @throws {EngineError} `not-supported` where the program is not there */
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

  /** Whether one of the threads ever came as far as answering. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /**
   * Runs `use` with a thread of its own, when it is the turn of the connection.
   * @throws {EngineError} `limit-exceeded` where too many calls wait, `closed`, `not-supported` where the host has no
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

  /** Gives free threads to those that wait. */
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

  /** Ends all threads once none has had a call for long. */
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
