/**
 * Worker threads for work that would occupy the engine's own thread for long: views and dry runs.
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
 *
 * Calls wait in lines, one for each connection. The line with the fewest running calls is served first, and among those
 * the one that has used the least time. A new or returning line starts level with the others, so no connection can save
 * up time. If too many calls wait, the last one of the longest line is refused.
 * @module
 */

import type * as WorkerThreads from 'node:worker_threads';
import type { MessagePort, Worker } from 'node:worker_threads';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { HOST } from '../../base/host.ts';
import { HEAD_KEY } from '../../chain/ledger/head.ts';
import { nodeSource } from '../../chain/state/node-row.ts';
import { knownSources, type ModuleSource } from '../../execution/module-sources.ts';
import type { ViewBasis } from '../../query/chain-view.ts';
import { type PathNode, pathNodes } from '../../store/tree/path.ts';
import { Deadline } from '../../vm/deadline.ts';
import {
  ANSWERED,
  type Job,
  type Question,
  type RowAnswer,
  SHARED_PLACES,
  WAITED_MS,
  type WorkerSettings,
} from './exchange.ts';

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

  /** Whether any of the threads has ever answered. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /**
   * Runs `use` with a thread of its own, in the connection's turn.
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

interface Line<Waiter> {
  readonly waiting: Waiter[];
  running: number;
  /** Milliseconds that it has used, plus those credited to it as used while it was idle. */
  used: number;
}

export class Lines<Waiter> {
  readonly #max: number;
  readonly #lines = new WeakMap<object, Line<Waiter>>();
  /** The lines with waiting calls; the last one served is at the end. */
  readonly #asking = new Set<Line<Waiter>>();
  #size = 0;
  /** The used time of the last line served, when it was served. */
  #level = 0;

  /** @param max how many may wait, in all lines together */
  constructor(max: number) {
    this.#max = max;
  }

  /** How many wait, in all lines together. */
  get size(): number {
    return this.#size;
  }

  /** Adds a call to a line; returns the one that must be refused for it, if any. */
  join(connection: object, waiter: Waiter): Waiter | undefined {
    const line = this.#line(connection);
    line.waiting.push(waiter);
    this.#asking.add(line);
    if (++this.#size <= this.#max) return undefined;
    let longest = line;
    for (const other of this.#asking) if (other.waiting.length > longest.waiting.length) longest = other;
    return this.#take(longest, longest.waiting.pop());
  }

  /** The next call, which counts as running from now on. */
  next(): Waiter | undefined {
    let least: Line<Waiter> | undefined;
    for (const line of this.#asking) if (least === undefined || isBefore(line, least)) least = line;
    if (least === undefined) return undefined;
    least.running++;
    this.#level = Math.max(this.#level, least.used);
    this.#asking.delete(least);
    if (least.waiting.length > 1) this.#asking.add(least);
    return this.#take(least, least.waiting.shift());
  }

  /** Ends a call of a line, which took `ms` milliseconds. */
  leave(connection: object, ms: number): void {
    const line = this.#line(connection);
    line.running--;
    line.used += ms;
  }

  #take(line: Line<Waiter>, waiter: Waiter | undefined): Waiter | undefined {
    this.#size--;
    if (line.waiting.length === 0) this.#asking.delete(line);
    return waiter;
  }

  #line(connection: object): Line<Waiter> {
    let line = this.#lines.get(connection);
    if (line === undefined) {
      line = { waiting: [], running: 0, used: 0 };
      this.#lines.set(connection, line);
    }
    if (line.waiting.length === 0 && line.running === 0) line.used = Math.max(line.used, this.#level);
    return line;
  }
}

function isBefore<Waiter>(line: Line<Waiter>, other: Line<Waiter>): boolean {
  return line.running === other.running ? line.used < other.used : line.running < other.running;
}

/**
 * MiB of the heap for the young generation. With V8's own 48, a thread that makes and drops large values takes 60 MB
 * more.
 */
export const WORKER_YOUNG_MB_MAX = 16;

/** Milliseconds beyond twice `viewMsMax` after which a worker thread is killed: a native exceeded its counted cost. */
const WORKER_MARGIN_MS = 2_000;

export interface ThreadOptions {
  /** `file:` URL of the program that runs on the worker. */
  readonly program: string;
  /** The most MiB of JavaScript objects that it may hold. */
  readonly heapMbMax: number;
}

/** What a job runs on. */
export interface JobBasis extends ViewBasis {
  /** Signs orders in jobs that make commits. */
  readonly sign?: (hash: Uint8Array, order: bigint) => Uint8Array;
}

interface Running extends Pick<JobBasis, 'rows' | 'sign'> {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: EngineError) => void;
}

export class Thread {
  readonly #worker: Worker;
  readonly #rows: MessagePort;
  readonly #shared: Int32Array = new Int32Array(new SharedArrayBuffer(4 * SHARED_PLACES));
  readonly #heapMbMax: number;
  /** The module sources that it has been sent. */
  #sources: readonly ModuleSource[] = [];
  #running: Running | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The reason for its end. */
  #reason: EngineError | undefined;

  /**
   * @param onEnd called when the thread has ended
   * @throws {EngineError} `not-supported` if the host has no threads, or allows none
   */
  constructor({ program, heapMbMax }: ThreadOptions, onEnd: () => void) {
    const { MessageChannel, Worker } = workerThreads();
    const { port1, port2 } = new MessageChannel();
    const settings: WorkerSettings = { shared: this.#shared, rows: port2 };
    this.#heapMbMax = heapMbMax;
    this.#worker = new Worker(new URL(program), {
      workerData: settings,
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax, maxYoungGenerationSizeMb: WORKER_YOUNG_MB_MAX },
      execArgv: [],
      env: {},
    });
    this.#rows = port1;
    port1.on('message', (question: Question) => this.#answer(question));
    port1.unref();
    this.#worker.on('message', (answer: unknown) => this.#done()?.resolve(answer));
    this.#worker.on('error', (error) => {
      this.#reason ??= this.#failure(error);
    });
    this.#worker.on('exit', () => {
      this.#reason ??= this.#failure(new Error('it ended'));
      port1.close();
      this.#done()?.reject(this.#reason);
      onEnd();
    });
    this.#worker.unref();
  }

  /** Whether it accepts no more jobs. */
  get isEnded(): boolean {
    return this.#reason !== undefined;
  }

  /**
   * Runs a task on the chain of `basis`, which the caller must hold until it is done. One at a time.
   * @throws {EngineError} `deadline-exceeded` and `limit-exceeded` if the worker had to be ended, `closed`
   */
  ask({ rows, sign, ...basis }: JobBasis, task: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#reason !== undefined) throw this.#reason;
      const { viewMsMax } = basis;
      const sources = knownSources();
      const isTold = sources === this.#sources || sources.length === 0;
      const job: Job = { head: rows.get(HEAD_KEY)?.slice(), basis, task, ...(!isTold && { sources }) };
      Atomics.store(this.#shared, ANSWERED, 1);
      Atomics.store(this.#shared, WAITED_MS, 0);
      this.#worker.postMessage(job);
      this.#sources = sources;
      this.#running = { rows, resolve, reject, ...(sign && { sign }) };
      this.#worker.ref();
      this.#watch(new Deadline(2 * viewMsMax + WORKER_MARGIN_MS), viewMsMax);
    });
  }

  /** Ends the worker; its pending job is rejected with this reason. */
  async end(reason: EngineError): Promise<void> {
    this.#reason ??= reason;
    await this.#worker.terminate();
  }

  /** Ends the running job and returns its caller. */
  #done(): Running | undefined {
    const running = this.#running;
    this.#running = undefined;
    clearTimeout(this.#timer);
    this.#worker.unref();
    return running;
  }

  /**
   * The worker enforces the deadline of views itself, and rendering their results may take as long again. Anything
   * beyond both is code that does not check the clock. Time in which the worker waited for this thread does not count.
   */
  #watch(deadline: Deadline, viewMsMax: number): void {
    const left = deadline.left + Atomics.load(this.#shared, WAITED_MS);
    const isWaiting = Atomics.load(this.#shared, ANSWERED) === 0;
    if (left > 0 || isWaiting) {
      this.#timer = setTimeout(() => this.#watch(deadline, viewMsMax), isWaiting ? WORKER_MARGIN_MS : left + 1);
      this.#timer.unref();
      return;
    }
    const expected = `at most ${viewMsMax} ms`;
    const message = `expected an answer within ${viewMsMax} ms (viewMsMax), and the worker thread had to be ended: ask for less in one call`;
    void this.end(new EngineError('deadline-exceeded', message, { details: { expected } }));
  }

  #answer(question: Question): void {
    let answer: RowAnswer;
    try {
      answer = this.#running && answerOf(question, this.#running);
    } catch (error) {
      const { code, message, details } = asEngineError(error);
      answer = { code, message, details };
    }
    this.#rows.postMessage(answer);
    Atomics.store(this.#shared, ANSWERED, 1);
    Atomics.notify(this.#shared, ANSWERED);
  }

  #failure(cause: Error): EngineError {
    if ((cause as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
      const expected = `a call that takes at most ${this.#heapMbMax} MiB`;
      return new EngineError('limit-exceeded', `expected ${expected} (WORKER_HEAP_MB_MAX): ask for less in one call`, {
        details: { expected },
        cause,
      });
    }
    return new EngineError('invariant-violation', `a worker thread failed: ${cause.message}`, { cause });
  }
}

function workerThreads(): typeof WorkerThreads {
  const found = HOST.builtin('node:worker_threads');
  if (found !== undefined) return found;
  throw new EngineError('not-supported', 'this host has no worker threads: leave the option workers out');
}

/** @throws {EngineError} `not-supported` if threads are denied, or their program is missing */
export function assertProgram(program: string | undefined): asserts program is string {
  if (!HOST.allowsWorkers()) {
    const message = "Node's permission model denies worker threads; start node with --allow-worker";
    throw new EngineError('not-supported', message, { details: { permission: '--allow-worker' } });
  }
  if (program !== undefined && HOST.builtin('node:fs')?.existsSync(new URL(program)) === true) return;
  const expected = `the file of the worker threads at ${program ?? 'a path beside the package'}`;
  throw new EngineError(
    'not-supported',
    `expected ${expected}: leave the package out of your bundle, or do without the option workers`,
    { details: { expected } },
  );
}

/** Copies, since a message takes along the whole buffer that an array lies in. */
function answerOf(question: Question, { rows, sign }: Running): RowAnswer {
  if (question instanceof Uint8Array) return rows.get(question)?.slice();
  if ('order' in question) return sign?.(question.hash, question.order).slice();
  const { root, key, from } = question;
  const nodes: PathNode[] = [];
  for (const { hash, bytes } of pathNodes(nodeSource(rows), root, key)) {
    if (nodes.length > 0 || equalBytes(hash, from)) nodes.push({ hash: hash.slice(), bytes: bytes.slice() });
  }
  return nodes;
}

function asEngineError(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  return new EngineError('invariant-violation', `a row could not be read: ${String(error)}`, { cause: error });
}
