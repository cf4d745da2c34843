/**
 * The one writer: every change of the chain takes its turn in its queue.
 *
 * Jobs run one after the other. Those that wait while a batch is written run next, each on the result of the one
 * before, and share the following batch: on a durable store a group pays for one sync. A job resolves only when its
 * batch is written and the head that includes it is readable. A job that throws leaves nothing; a batch that fails ends
 * the writer, because what is on the disk is then unknown, and every later turn is refused with the same cause.
 *
 * Cost: a job alone adds two microtasks; rows that are not written yet are looked up in a map before the store.
 * @module
 */
import { WRITER_GROUP_JOBS_MAX, WRITER_MEMORY_GROUP_JOBS_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import type { Head } from '../ledger/head.ts';
import { nodeSource } from '../state/node-row.ts';
import { State } from '../state/state.ts';
import { textOfBytes } from '../store/byte-text.ts';
import { isRevertible, type Operation, type Store } from '../store/store.ts';
import type { NodeCache } from '../tree/cache.ts';
import { Tree } from '../tree/tree.ts';
import { type Commit, CommitGroup } from './commit.ts';

/** What a job works on: the chain as the job before it left it. */
export interface WriterContext {
  readonly head: Head;
  /** The commits that are written with this one, those before it among its rows. */
  readonly group: CommitGroup;
  readonly state: State;
}

/** What a turn makes of the chain: one commit on the result of the one before. */
export type Job = (context: WriterContext) => Commit;

/** A turn that was not taken yet: a job, or an action that has the store to itself. */
type Waiting = WaitingJob | WaitingAction;

interface WaitingJob {
  readonly kind: 'job';
  readonly job: Job | Promise<Job>;
  readonly resolve: (commit: Commit) => void;
  readonly reject: (error: unknown) => void;
}

interface WaitingAction {
  readonly kind: 'action';
  readonly run: () => Head;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class Writer {
  readonly store: Store;
  readonly tree: Tree;
  readonly #pending: PendingRows;
  readonly #groupJobsMax: number;
  readonly #queue: Waiting[] = [];
  readonly #onHead: () => void;
  #head: Head;
  #running: Promise<void> | undefined;
  #failure: EngineError | undefined;
  #closed = false;

  /** `onHead` is called whenever another head is installed. */
  constructor(store: Store, cache: NodeCache, head: Head, onHead: () => void) {
    this.store = store;
    this.#head = head;
    this.#onHead = onHead;
    this.#pending = new PendingRows(store);
    this.#groupJobsMax = isRevertible(store) ? WRITER_MEMORY_GROUP_JOBS_MAX : WRITER_GROUP_JOBS_MAX;
    this.tree = new Tree(nodeSource(this.#pending), cache);
  }

  /** What the last written commit made of the chain. */
  get head(): Head {
    return this.#head;
  }

  /** Why no more writes are taken, once a batch has failed. */
  get failure(): EngineError | undefined {
    return this.#failure;
  }

  stateAt(head: Head): State {
    return new State(this.tree, head.stateRoot, head.size, head.unloadedRoots);
  }

  /**
   * Runs `job` in its turn and writes what it makes. A job that is not ready keeps its place: the others wait for it.
   * @throws {EngineError} what the job throws; `read-only` on a partial chain; `store-failed`; `closed`.
   */
  submit(job: Job | Promise<Job>): Promise<Commit> {
    const refusal = this.#refusal() ?? this.#partialRefusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise<Commit>((resolve, reject) => this.#wait({ kind: 'job', job, resolve, reject }));
  }

  /**
   * Runs `action` in its turn, when no batch is under way, and installs the head that it returns.
   * @throws {EngineError} what the action throws; `store-failed`; `closed`.
   */
  exclusive(action: () => Head): Promise<void> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise<void>((resolve, reject) => this.#wait({ kind: 'action', run: action, resolve, reject }));
  }

  /** Refuses new turns and waits for those that were asked for. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running !== undefined) await this.#running;
  }

  #wait(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#running ??= this.#drain();
  }

  #refusal(): EngineError | undefined {
    return this.#closed ? new EngineError('closed', 'the engine is closed') : this.#failure;
  }

  #partialRefusal(): EngineError | undefined {
    if (this.#head.unloadedRoots.length === 0) return undefined;
    return new EngineError('read-only', 'this chain holds only part of its state: it can be read, not written to');
  }

  async #drain(): Promise<void> {
    // Jobs that arrive in the same turn of the event loop join the first group.
    await Promise.resolve();
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (next.kind === 'job') {
        await this.#write(this.#takeGroup());
      } else {
        this.#queue.shift();
        this.#act(next);
      }
    }
    this.#running = undefined;
  }

  /** The jobs at the front of the queue, as far as they share a batch. */
  #takeGroup(): WaitingJob[] {
    const end = this.#queue.findIndex(({ kind }, index) => kind !== 'job' || index === this.#groupJobsMax);
    return this.#queue.splice(0, end === -1 ? this.#queue.length : end) as WaitingJob[];
  }

  #act({ run, resolve, reject }: WaitingAction): void {
    try {
      if (this.#failure !== undefined) throw this.#failure;
      this.#install(run());
      resolve();
    } catch (error) {
      reject(error);
    }
  }

  #install(head: Head): void {
    this.#head = head;
    this.#onHead();
  }

  /** Runs the jobs of a group and writes what they make as one batch. */
  async #write(group: readonly WaitingJob[]): Promise<void> {
    const operations: Operation[] = [];
    const made: [WaitingJob, Commit][] = [];
    const commits = new CommitGroup(this.#pending);
    let head = this.#head;
    for (const waiting of group) {
      try {
        if (this.#failure !== undefined) throw this.#failure;
        const run = await waiting.job;
        const commit = run({ head, group: commits, state: this.stateAt(head) });
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
      for (const operation of commits.operations(head)) operations.push(operation);
      await this.store.batch(operations, { order: head.order });
    } catch (error) {
      this.#failure = storeFailure(error);
      for (const [waiting] of made) waiting.reject(this.#failure);
      return;
    } finally {
      this.#pending.clear();
    }
    this.#install(head);
    for (const [waiting, commit] of made) waiting.resolve(commit);
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

function storeFailure(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new EngineError('store-failed', `the store did not take a batch: ${reason}; reads go on, writes are refused`, {
    cause: error,
  });
}
