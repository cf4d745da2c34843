/**
 * The rows of the engine's store, on a worker: each is asked for, and the worker sleeps until it is there.
 * @module
 */
import type * as WorkerThreads from 'node:worker_threads';
import { equalBytes } from '../bytes/compare.ts';
import { EngineError } from '../error.ts';
import { HEAD_KEY } from '../ledger/head.ts';
import type { ReadableStore, Row } from '../store/store.ts';
import { ANSWERED, type AskedRow, type Job, WAITED_MS, type WorkerSettings } from './exchange.ts';

type Receive = typeof WorkerThreads.receiveMessageOnPort;

export class AskedRows implements ReadableStore {
  readonly #shared: Int32Array;
  readonly #port: WorkerSettings['rows'];
  readonly #receive: Receive;
  #head: Job['head'];
  #waitedMs = 0;

  /** @param receive takes a message that has arrived, without waiting */
  constructor({ shared, rows }: WorkerSettings, receive: Receive) {
    this.#shared = shared;
    this.#port = rows;
    this.#receive = receive;
  }

  /** Milliseconds of this job in which the worker slept. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Reads what a job is for from now on. */
  begin({ head }: Job): void {
    this.#head = head;
    this.#waitedMs = 0;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    if (equalBytes(key, HEAD_KEY)) return this.#head;
    const begun = performance.now();
    Atomics.store(this.#shared, ANSWERED, 0);
    // A message takes all of the buffer that an array lies in.
    this.#port.postMessage(key.slice());
    Atomics.wait(this.#shared, ANSWERED, 0);
    this.#waitedMs += performance.now() - begun;
    Atomics.store(this.#shared, WAITED_MS, this.#waitedMs);
    const row = this.#receive(this.#port)?.message as AskedRow;
    if (row === undefined || row instanceof Uint8Array) return row;
    throw new EngineError(row.code, row.message, { details: row.details });
  }

  async range(): Promise<readonly Row[]> {
    throw notHere();
  }

  scan(): AsyncIterable<Row> {
    throw notHere();
  }
}

function notHere(): EngineError {
  return new EngineError('invariant-violation', 'a worker thread reads rows by their keys, one at a time');
}
