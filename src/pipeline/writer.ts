/**
 * The one writer: every change of the chain takes its turn in its queue.
 *
 * Jobs run one after the other. Those that wait while a batch is written run next, each on the result of the one
 * before, and share the following batch: on a durable store a group pays for one sync. A job resolves only when its
 * batch is written and the head that includes it is readable. A job that throws leaves nothing; a batch that fails ends
 * the writer, because what is on the disk is then unknown, and every later turn is refused with the same cause.
 *
 * Cost: a job alone adds two microtasks; beside a durable store, rows that are not written yet are looked up in a map.
 * @module
 */
import { WRITER_GROUP_JOBS_MAX, WRITER_GROUP_OPERATIONS_MAX, WRITER_MEMORY_GROUP_JOBS_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import type { Head } from '../ledger/head.ts';
import type { RowReader } from '../ledger/transactions.ts';
import { nodeSource } from '../state/node-row.ts';
import { State } from '../state/state.ts';
import { textOfBytes } from '../store/byte-text.ts';
import { isRevertible, type Operation, type RevertibleStore, type Store } from '../store/store.ts';
import type { NodeCache } from '../tree/cache.ts';
import { Tree } from '../tree/tree.ts';
import { type Commit, CommitGroup, type PreparedCommit } from './commit.ts';

/** What a job works on: the chain as the job before it left it. */
export interface WriterContext {
  readonly head: Head;
  /** The commits that are written with this one, those before it among its rows. */
  readonly group: CommitGroup;
  readonly state: State;
}

/** What a turn makes of the chain: one commit on the result of the one before. */
export type Job = (context: WriterContext) => PreparedCommit;

/** A turn that was not taken yet: a job, or an action that has the store to itself. */
type Waiting = WaitingJob | WaitingAction;

interface WaitingJob {
  readonly kind: 'job';
  readonly job: Promise<Job>;
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
  readonly #rows: GroupRows;
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
    this.#rows = isRevertible(store) ? new DirectRows(store) : new PendingRows(store);
    this.#groupJobsMax = isRevertible(store) ? WRITER_MEMORY_GROUP_JOBS_MAX : WRITER_GROUP_JOBS_MAX;
    this.tree = new Tree(nodeSource(this.#rows), cache);
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
   * Runs a job in its turn and writes what it makes. `prepare` is called at once, unless the job is refused; a job that
   * is not ready keeps its place: the others wait for it.
   * @throws {EngineError} what the job throws; `read-only` on a partial chain; `store-failed`; `closed`.
   */
  submit(prepare: () => Promise<Job>): Promise<Commit> {
    const refusal = this.#refusal() ?? this.#partialRefusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const job = prepare();
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

  /** Runs the jobs of a group, as many as one batch has room for, and writes what they make. */
  async #write(group: readonly WaitingJob[]): Promise<void> {
    const ready = await readyJobs(group, this.#failure);
    const made: [WaitingJob, Commit][] = [];
    try {
      const commits = new CommitGroup(this.#rows);
      let head = this.#head;
      let count = 0;
      for (const [index, { waiting, job }] of ready.entries()) {
        if (count > WRITER_GROUP_OPERATIONS_MAX) {
          this.#queue.unshift(...ready.slice(index).map((later) => later.waiting));
          break;
        }
        const prepared = attempt(() => job({ head, group: commits, state: this.stateAt(head) }), waiting.reject);
        if (prepared === undefined) continue;
        made.push([waiting, prepared.commit]);
        this.#rows.add(prepared.operations, index < ready.length - 1);
        count += prepared.operations.length;
        head = prepared.commit.head;
      }
      if (made.length === 0) return;
      await this.#rows.write(commits.operations(head), head.order);
      this.#install(head);
    } catch (error) {
      this.#failure = storeFailure(error);
      for (const { waiting } of ready) waiting.reject(this.#failure);
      return;
    }
    for (const [waiting, commit] of made) waiting.resolve(commit);
  }
}

interface ReadyJob {
  readonly waiting: WaitingJob;
  readonly job: Job;
}

/** The jobs of a group once all are ready; those that will never be are rejected, and all after a failure. */
async function readyJobs(group: readonly WaitingJob[], failure: EngineError | undefined): Promise<ReadyJob[]> {
  const ready: ReadyJob[] = [];
  for (const waiting of group) {
    try {
      if (failure !== undefined) throw failure;
      ready.push({ waiting, job: await waiting.job });
    } catch (error) {
      waiting.reject(error);
    }
  }
  return ready;
}

function attempt<T>(run: () => T, reject: (error: unknown) => void): T | undefined {
  try {
    return run();
  } catch (error) {
    reject(error);
    return undefined;
  }
}

/** The rows of a group on their way to the store. Reads see those that were added. */
interface GroupRows extends RowReader {
  /** `isRead`: whether another commit of the group may look for them. */
  add(operations: readonly Operation[], isRead: boolean): void;
  /** Writes all that was added, and `last`. */
  write(last: readonly Operation[], order: bigint): Promise<void>;
}

/**
 * Into a store that applies what it is given at once, row by row: nothing is kept until the end of the group, which
 * halves what a collection finds alive. Nobody looks in between, since a group runs in one turn of the event loop.
 */
class DirectRows implements GroupRows {
  readonly #store: RevertibleStore;

  constructor(store: RevertibleStore) {
    this.#store = store;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#store.get(key);
  }

  add(operations: readonly Operation[]): void {
    this.#store.apply(operations);
  }

  async write(last: readonly Operation[]): Promise<void> {
    this.#store.apply(last);
  }
}

/** Into any other store: gathered beside it, and written as one batch. */
class PendingRows implements GroupRows {
  readonly #store: Store;
  readonly #rows = new Map<string, Uint8Array | undefined>();
  #operations: Operation[] = [];

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

  add(operations: readonly Operation[], isRead: boolean): void {
    for (const operation of operations) {
      this.#operations.push(operation);
      if (!isRead) continue;
      this.#rows.set(textOfBytes(operation.key), operation.type === 'put' ? operation.value : undefined);
    }
  }

  async write(last: readonly Operation[], order: bigint): Promise<void> {
    for (const operation of last) this.#operations.push(operation);
    const operations = this.#operations;
    this.#operations = [];
    try {
      await this.#store.batch(operations, { order });
    } finally {
      this.#rows.clear();
    }
  }
}

function storeFailure(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new EngineError('store-failed', `the store did not take a batch: ${reason}; reads go on, writes are refused`, {
    cause: error,
  });
}
