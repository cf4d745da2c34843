/**
 * The one writer: every change of the chain is a job in its queue.
 *
 * Jobs run one after the other. Those that wait while a batch is written run next, each on the result of the one
 * before, and share the following batch: on a durable store a group pays for one sync. A job resolves only when its
 * batch is written and the head that includes it is readable. A job that throws leaves nothing; a batch that fails ends
 * the writer, because what is on the disk is then unknown, and every later job is refused with the same cause.
 *
 * Cost: a job alone adds two microtasks; rows that are not written yet are looked up in a map before the store.
 * @module
 */
import { WRITER_GROUP_JOBS_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import type { Head } from '../ledger/head.ts';
import { nodeSource } from '../state/node-row.ts';
import { State } from '../state/state.ts';
import { textOfBytes } from '../store/byte-text.ts';
import { isRevertible, type Operation, type Store } from '../store/store.ts';
import type { NodeCache } from '../tree/cache.ts';
import { Tree } from '../tree/tree.ts';
import type { Commit } from './commit.ts';

/** What a job works on: the chain as the job before it left it. */
export interface WriterContext {
  readonly head: Head;
  readonly rows: { get(key: Uint8Array): Uint8Array | undefined };
  readonly state: State;
}

/** A job makes one or more commits in a row, each on the result of the one before. */
export type Job = (context: WriterContext) => Commit;

interface Waiting {
  readonly run: Job;
  readonly resolve: (commit: Commit) => void;
  readonly reject: (error: unknown) => void;
}

export class Writer {
  readonly store: Store;
  readonly tree: Tree;
  readonly #pending: PendingRows;
  /** A store in memory has no sync to share, so its rows are written at once instead of being looked up beside it. */
  readonly #groupJobsMax: number;
  readonly #queue: Waiting[] = [];
  #head: Head;
  #running: Promise<void> | undefined;
  #failure: EngineError | undefined;
  #closed = false;

  constructor(store: Store, cache: NodeCache, head: Head) {
    this.store = store;
    this.#head = head;
    this.#pending = new PendingRows(store);
    this.#groupJobsMax = isRevertible(store) ? 1 : WRITER_GROUP_JOBS_MAX;
    this.tree = new Tree(nodeSource(this.#pending), cache);
  }

  /** What the last written commit made of the chain. */
  get head(): Head {
    return this.#head;
  }

  stateAt(head: Head): State {
    return new State(this.tree, head.stateRoot, head.size, head.unloadedRoots);
  }

  /**
   * Runs `job` in its turn and writes what it makes.
   * @throws {EngineError} what the job throws; `read-only` on a partial chain; `store-failed`; `closed`.
   */
  submit(job: Job): Promise<Commit> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const done = new Promise<Commit>((resolve, reject) => {
      this.#queue.push({ run: job, resolve, reject });
    });
    this.#running ??= this.#drain();
    return done;
  }

  /** Runs `action` when no batch is under way and no job runs, and installs the head that it returns. */
  async exclusive(action: () => Head): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    if (this.#closed) throw closedError();
    this.#head = action();
  }

  /** Refuses new jobs and waits for those that were taken. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running !== undefined) await this.#running;
  }

  #refusal(): EngineError | undefined {
    if (this.#closed) return closedError();
    if (this.#failure !== undefined) return this.#failure;
    if (this.#head.unloadedRoots.length === 0) return undefined;
    return new EngineError('read-only', 'this chain holds only part of its state: it can be read, not written to');
  }

  async #drain(): Promise<void> {
    // Jobs that arrive in the same turn of the event loop join the first group.
    await Promise.resolve();
    try {
      while (this.#queue.length > 0) await this.#group(this.#queue.splice(0, this.#groupJobsMax));
    } finally {
      this.#running = undefined;
    }
  }

  async #group(group: readonly Waiting[]): Promise<void> {
    const operations: Operation[] = [];
    const made: [Waiting, Commit][] = [];
    let head = this.#head;
    for (const waiting of group) {
      try {
        if (this.#failure !== undefined) throw this.#failure;
        const commit = waiting.run({ head, rows: this.#pending, state: this.stateAt(head) });
        if (group.length > 1) this.#pending.add(commit.operations);
        for (const operation of commit.operations) operations.push(operation);
        head = commit.head;
        made.push([waiting, commit]);
      } catch (error) {
        waiting.reject(error);
      }
    }
    if (made.length === 0) return;
    try {
      await this.store.batch(operations, { order: head.order });
      this.#head = head;
      for (const [waiting, commit] of made) waiting.resolve(commit);
    } catch (error) {
      this.#failure = storeFailure(error);
      for (const [waiting] of made) waiting.reject(this.#failure);
    } finally {
      this.#pending.clear();
    }
  }
}

/** Rows of commits that are made but not written, over the store. */
class PendingRows {
  readonly #store: Store;
  readonly #rows = new Map<string, Uint8Array | undefined>();

  constructor(store: Store) {
    this.#store = store;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    if (this.#rows.size > 0) {
      const text = textOfBytes(key);
      if (this.#rows.has(text)) return this.#rows.get(text);
    }
    return this.#store.get(key);
  }

  add(operations: readonly Operation[]): void {
    for (const operation of operations) {
      this.#rows.set(textOfBytes(operation.key), operation.type === 'put' ? operation.value : undefined);
    }
  }

  clear(): void {
    this.#rows.clear();
  }
}

function closedError(): EngineError {
  return new EngineError('closed', 'the engine is closed');
}

function storeFailure(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new EngineError('store-failed', `the store did not take a batch: ${reason}; reads go on, writes are refused`, {
    cause: error,
  });
}
