/**
 * Worker threads beside the engine's thread (src/engine/workers): they answer methods that take long, and one of them
 * executes long transactions for the writer.
 *
 * A worker answers with the row of the same name (worker.ts) and also writes the answer's text, which for large results
 * takes as long as the view itself. Parameters are parsed and validated beforehand.
 * @module
 */
import { STEP_MS_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { SERVICE_UNAVAILABLE } from '../../base/json-rpc.ts';
import type { Log } from '../../base/log.ts';
import type { LentThread } from '../../engine/long-work.ts';
import { Workers, type WorkersUsage } from '../../engine/workers/workers.ts';
import { EncodedAnswer, WrittenResult } from './answer.ts';
import { type RpcEngine, readPinned } from './engine.ts';
import { RpcError, rpcError } from './error.ts';
import { NO_CONNECTION } from './fair-queue.ts';
import type { JsonValue } from './json.ts';
import type { Forms } from './method.ts';
import type { RpcContext } from './rpc.ts';

/** Calls that wait for a worker thread: two for each connection that a listener may have. */
export const WORKER_CALLS_WAITING_MAX = 512;

/** MiB of JavaScript objects that a worker thread may hold: a view with the largest answer gets by with 96. */
export const WORKER_HEAP_MB_MAX = 256;

/**
 * As WORKER_HEAP_MB_MAX, for the thread that executes transactions: it exceeds what the default gas limit pays for. A
 * transaction that needs more runs on the engine's thread.
 */
const STEP_HEAP_MB_MAX = 320;

/** Milliseconds without a call after which a worker thread ends; the next call starts another. */
const WORKER_IDLE_MS_MAX = 60_000;

/**
 * Milliseconds that a view or a dry run may hold the engine's thread if worker threads start automatically: one that
 * takes longer is restarted on such a thread.
 */
const BRIEF_MS_MAX = 25;

/**
 * As STEP_MS_MAX, if no worker threads were requested (`createRpc` without `workers`): a program that has the engine to
 * itself should not pay for a thread because a transaction is slow only while its code is new or the machine busy.
 */
const STEP_MS_MAX_IN_PROCESS = 500;

export interface WorkerTask {
  readonly method: string;
  readonly forms: Forms;
  /** The row's parameters, parsed. */
  readonly values: readonly unknown[];
  /** If the answer is to be text: what precedes the result, and the maximum length of the result in characters. */
  readonly written: { readonly head: string; readonly charactersMax: number } | undefined;
  readonly findsCallStacks: boolean;
}

export type WorkerAnswer =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'encoded'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | {
      readonly kind: 'refused';
      readonly error: Pick<RpcError, 'code' | 'message' | 'data'>;
      /** The stack of an unexpected error, for the log. */
      readonly stack: string | undefined;
    };

interface WorkerThreadsOptions {
  /**
   * Number of threads for views and dry runs. 'auto': one, for those given up on the engine's thread. 0: no threads at all.
   * undefined: none but the one for transactions.
   */
  readonly workers: number | 'auto' | undefined;
  readonly log: Log;
  /** `file:` URL of the threads' program. Default: beside this code. */
  readonly program?: string | undefined;
}

export class WorkerThreads {
  readonly #views: Workers | undefined;
  /** For long transactions, which do not wait behind views. */
  readonly #steps: Workers | undefined;
  readonly #stepMsMax: number;
  readonly #isAuto: boolean;
  readonly #log: Log;
  /** Connections whose last task took long: their next one is not tried on the engine's thread. */
  readonly #slow = new WeakSet<object>();
  /** Whether there is a thread for views, as far as is known. */
  #isAble: boolean;

  /** @throws {EngineError} `not-supported` if there can be no threads and `workers` is a number */
  constructor({ workers, log, program = workerProgram() }: WorkerThreadsOptions) {
    this.#isAuto = workers === 'auto';
    this.#isAble = workers !== undefined && workers !== 0;
    this.#stepMsMax = workers === undefined ? STEP_MS_MAX_IN_PROCESS : STEP_MS_MAX;
    this.#log = log;
    const rest = { program, waitingMax: WORKER_CALLS_WAITING_MAX, idleMsMax: WORKER_IDLE_MS_MAX };
    try {
      const count = workers === 'auto' ? 1 : (workers ?? 0);
      if (this.#isAble) this.#views = new Workers({ ...rest, count, heapMbMax: WORKER_HEAP_MB_MAX });
      if (workers !== 0) this.#steps = new Workers({ ...rest, count: 1, heapMbMax: STEP_HEAP_MB_MAX });
    } catch (error) {
      if (!isNoThread(error) || (this.#isAble && !this.#isAuto)) throw error;
      this.#giveUp(error);
    }
  }

  get usage(): WorkersUsage | undefined {
    return this.#views?.usage;
  }

  /** Lends an engine the thread for transactions, until the returned function is called. */
  lendTo(engine: RpcEngine): (() => void) | undefined {
    const steps = this.#steps;
    return (
      steps &&
      engine.inside?.core.longWork?.lend(
        (basis, task) => steps.use(engine, (thread) => thread.ask(basis, task) as ReturnType<LentThread>),
        this.#stepMsMax,
      )
    );
  }

  /** Where a task of this connection starts: on a worker thread, or on the engine's own, briefly or to completion. */
  placeOf(connection: object = NO_CONNECTION): 'thread' | 'briefly' | 'here' {
    if (!this.#isAble) return 'here';
    return this.#isAuto && !this.#slow.has(connection) ? 'briefly' : 'thread';
  }

  /**
   * Runs a task on the engine's thread, if it may start there.
   * @returns undefined if it belongs on a worker thread, be it because it would hold this one
   */
  here<T>(engine: RpcEngine, connection: object = NO_CONNECTION, run: () => T): { readonly value: T } | undefined {
    const place = this.placeOf(connection);
    if (place !== 'briefly') return place === 'here' ? { value: run() } : undefined;
    const done = engine.inside?.core.longWork?.briefly(BRIEF_MS_MAX, run);
    if (done === undefined) this.#slow.add(connection);
    return done;
  }

  /**
   * Runs a task on the chain as it is once a thread is free.
   * @returns undefined if no thread can start, so the engine's own must do it
   * @throws {RpcError} the method's own error, or `limit-exceeded` if the node is busy
   */
  async answer(
    engine: RpcEngine,
    task: WorkerTask,
    { connection = NO_CONNECTION, isGone }: Pick<RpcContext, 'connection' | 'isGone'>,
  ): Promise<JsonValue | WrittenResult | EncodedAnswer | undefined> {
    const workers = this.#views;
    const isHereOnly = engine.inside?.core.longWork?.isHereOnly === true;
    if (workers === undefined || !this.#isAble || isHereOnly) return undefined;
    try {
      const answer = await workers.use(connection, (thread) => {
        // The client is gone and will not read this error.
        if (isGone?.() === true) throw rpcError(SERVICE_UNAVAILABLE, 'the client is gone', 'closed');
        const begun = performance.now();
        return readPinned(engine, (chain) => thread.ask(chain.basis, task)).finally(() => {
          if (performance.now() - begun < BRIEF_MS_MAX) this.#slow.delete(connection);
        });
      });
      return resultOf(answer as WorkerAnswer);
    } catch (error) {
      if (!this.#isAuto || workers.hasAnswered || !isNoThread(error)) throw error;
      this.#giveUp(error);
      return undefined;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#views?.close(), this.#steps?.close()]);
  }

  #giveUp({ message }: EngineError): void {
    if (!this.#isAble) return;
    this.#isAble = false;
    this.#log({
      level: 'warning',
      message: `long views and dry runs will hold up other requests, since no worker thread can start: ${message}`,
    });
  }
}

/** Whether a thread could not start, or died. */
function isNoThread(error: unknown): error is EngineError {
  return error instanceof EngineError && (error.code === 'not-supported' || error.code === 'invariant-violation');
}

function resultOf(answer: WorkerAnswer): JsonValue | WrittenResult | EncodedAnswer {
  switch (answer.kind) {
    case 'written':
      return new WrittenResult(answer.text);
    case 'encoded':
      return new EncodedAnswer(answer.bytes);
    case 'value':
      return answer.value;
    case 'refused': {
      const { error, stack } = answer;
      // Expected errors have no stack.
      if (stack !== undefined) throw Object.assign(new Error(error.message), { stack });
      throw new RpcError(error.code, error.message, error.data);
    }
  }
}

/** Its `file:` URL: beside this code in a build, and in the build's folder when running from the sources. */
function workerProgram(): string | undefined {
  const { url } = import.meta;
  if (url?.startsWith('file:') !== true) return undefined;
  // A separate function, because bundlers would look for the file otherwise.
  const beside = (file: string): string => new URL(file, url).href;
  return beside(url.endsWith('.ts') ? '../../../dist/worker.js' : './worker.js');
}
