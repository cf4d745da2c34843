/**
 * The worker thread for long transactions, which do not wait behind views. It starts with the first of them and ends
 * after a while without any.
 * @module
 */
import { STEP_HEAP_MB_MAX, WORKER_CALLS_WAITING_MAX, WORKER_IDLE_MS_MAX } from '../../base/config.ts';
import type { LentThread } from '../../engine/long-steps.ts';
import { Workers } from '../../engine/workers/workers.ts';
import type { RpcEngine } from './engine.ts';
import { workerProgram } from './worker-program.ts';

export class StepThread {
  readonly #workers: Workers;
  readonly #msMax: number | undefined;

  /**
   * @param msMax milliseconds that a transaction may hold the engine's own thread; the engine's default if undefined
   * @throws {EngineError} `not-supported` if this host has no threads, denies them, or lacks their program
   */
  constructor(msMax?: number) {
    this.#msMax = msMax;
    this.#workers = new Workers({
      program: workerProgram(),
      count: 1,
      waitingMax: WORKER_CALLS_WAITING_MAX,
      heapMbMax: STEP_HEAP_MB_MAX,
      idleMsMax: WORKER_IDLE_MS_MAX,
    });
  }

  /** Lends it to an engine, until the returned function is called. */
  lendTo(engine: RpcEngine): (() => void) | undefined {
    const run = (...[basis, task]: Parameters<LentThread>): ReturnType<LentThread> =>
      this.#workers.use(engine, (thread) => thread.ask(basis, task) as ReturnType<LentThread>);
    return engine.lendThread?.(run, this.#msMax);
  }

  close(): Promise<void> {
    return this.#workers.close();
  }
}
