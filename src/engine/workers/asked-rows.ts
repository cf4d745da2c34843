/**
 * The rows of the engine's store, on a worker, which requests each one and sleeps until the answer arrives.
 *
 * Missing nodes on the path to a leaf of the state tree are fetched with one request.
 * @module
 */

import type * as WorkerThreads from 'node:worker_threads';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { HEAD_KEY } from '../../chain/ledger/head.ts';
import { nodeSource } from '../../chain/state/node-row.ts';
import type { ReadableStore, Row } from '../../store/store.ts';
import type { NodeCache } from '../../store/tree/cache.ts';
import type { PathNode } from '../../store/tree/path.ts';
import { type Leaf, type NodeSource, Tree } from '../../store/tree/tree.ts';
import {
  ANSWERED,
  type AskedPath,
  type Job,
  type Question,
  type RowAnswer,
  type RowFailure,
  WAITED_MS,
  type WorkerSettings,
} from './exchange.ts';

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

  /** Sets the job whose rows are read from now on. */
  begin({ head }: Job): void {
    this.#head = head;
    this.#waitedMs = 0;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    if (equalBytes(key, HEAD_KEY)) return this.#head;
    // A message copies the whole buffer that an array is part of.
    return this.#ask(key.slice()) as Uint8Array | undefined;
  }

  /**
   * The nodes on the path from a root to a key, starting at one of them, unchecked; none if that node is not on the
   * path.
   */
  path({ root, key, from }: AskedPath): readonly PathNode[] {
    return this.#ask({ root: root.slice(), key: key.slice(), from: from.slice() }) as readonly PathNode[];
  }

  /** The sequencer's signature of an order. */
  sign(hash: Uint8Array, order: bigint): Uint8Array {
    return this.#ask({ hash: hash.slice(), order }) as Uint8Array;
  }

  #ask(question: Question): Exclude<RowAnswer, RowFailure> {
    const begun = performance.now();
    Atomics.store(this.#shared, ANSWERED, 0);
    this.#port.postMessage(question);
    // The wake-up for the previous question may arrive only now.
    while (Atomics.load(this.#shared, ANSWERED) === 0) Atomics.wait(this.#shared, ANSWERED, 0);
    this.#waitedMs += performance.now() - begun;
    Atomics.store(this.#shared, WAITED_MS, this.#waitedMs);
    const answer = this.#receive(this.#port)?.message as RowAnswer;
    if (answer === undefined || !('code' in answer)) return answer;
    throw new EngineError(answer.code, answer.message, { details: answer.details });
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

export class AskedTree extends Tree {
  readonly #walk: Walk;

  constructor(rows: AskedRows, cache: NodeCache) {
    const walk = new Walk(rows);
    super((hash) => walk.node(hash), cache);
    this.#walk = walk;
  }

  override getLeaf(root: Uint8Array, key: Uint8Array): Leaf | undefined {
    this.#walk.begin(root, key);
    try {
      return super.getLeaf(root, key);
    } finally {
      this.#walk.end();
    }
  }
}

/** The path of the current read, and the nodes fetched for it. */
class Walk {
  readonly #rows: AskedRows;
  readonly #single: NodeSource;
  #way: { readonly root: Uint8Array; readonly key: Uint8Array } | undefined;
  #came: readonly PathNode[] = [];

  constructor(rows: AskedRows) {
    this.#rows = rows;
    this.#single = nodeSource(rows);
  }

  begin(root: Uint8Array, key: Uint8Array): void {
    this.#way = { root, key };
  }

  end(): void {
    this.#way = undefined;
    this.#came = [];
  }

  node(hash: Uint8Array): Uint8Array | undefined {
    if (this.#way === undefined) return this.#single(hash);
    let found = this.#find(hash);
    if (found === undefined) {
      this.#came = this.#rows.path({ ...this.#way, from: hash });
      found = this.#find(hash);
    }
    return found?.bytes;
  }

  #find(hash: Uint8Array): PathNode | undefined {
    return this.#came.find((node) => equalBytes(node.hash, hash));
  }
}
