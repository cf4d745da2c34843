/**
 * One worker, seen from the engine's thread: it gets one job at a time and the rows that it asks for, and is ended if a
 * job takes too long or too much memory.
 * @module
 */
import type { MessagePort, Worker } from 'node:worker_threads';
import { equalBytes } from '../../base/bytes/bytes.ts';

import { EngineError } from '../../base/error.ts';
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

/**
 * MiB of that for the young generation. With V8's own 48, a thread that makes and drops large values takes 60 MB more.
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

type WorkerThreads = typeof import('node:worker_threads');
type FileSystem = typeof import('node:fs');

interface HostModules {
  (name: 'node:worker_threads'): WorkerThreads | undefined;
  (name: 'node:fs'): FileSystem | undefined;
}

/** What a job runs on. */
export interface JobBasis extends ViewBasis {
  /** Signs orders, for jobs that make commits. */
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
  /** Why it ends, or has ended. */
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
   * Runs a task on a moment, which the caller must hold until it is done. One at a time.
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

  /** The caller that waits for the running job, which is now over. */
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

interface Host {
  readonly process?: {
    readonly getBuiltinModule?: HostModules;
    /** For Node's permission model. */
    readonly permission?: { has(scope: 'worker'): boolean };
  };
}

const { process: host } = globalThis as Host;
const getBuiltinModule = host?.getBuiltinModule;

function workerThreads(): WorkerThreads {
  const found = getBuiltinModule?.('node:worker_threads');
  if (found !== undefined) return found;
  throw new EngineError('not-supported', 'this host has no worker threads: leave the option workers out');
}

/** @throws {EngineError} `not-supported` if threads are denied, or their program is missing */
export function assertProgram(program: string | undefined): asserts program is string {
  if (host?.permission?.has('worker') === false) {
    const message = "Node's permission model denies worker threads; start node with --allow-worker";
    throw new EngineError('not-supported', message, { details: { permission: '--allow-worker' } });
  }
  if (program !== undefined && getBuiltinModule?.('node:fs')?.existsSync(new URL(program)) === true) return;
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
