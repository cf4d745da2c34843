/**
 * The writer: every change of the chain goes through it.
 *
 * It pulls: it asks the turn at the front for its next input on the newest state, runs the step, and collects commits
 * into a group, which is one batch, so on a durable store a group costs one sync. After each batch it serves the other
 * waiting turns before it continues a long one, so a transaction that is sent during a Bitcoin block is in the next
 * batch. While a batch of a long turn alone is being written, the turn goes on, one batch ahead. When a batch is
 * written, the new head is installed and readable; then listeners of the feed are told, then the turns.
 *
 * A refused input ends its turn and has no effect. A failed batch ends the writer, because it is then unknown what is
 * on the disk, and everything later is refused with the same cause.
 *
 * Cost: a single turn adds some microtasks; with a durable store, rows that are not written yet are looked up in a map.
 * @module
 */
import { EngineError, messageOf } from '../base/error.ts';
import { HOST } from '../base/host.ts';
import type { Head } from '../chain/ledger/head.ts';
import { nodeSource } from '../chain/state/node-row.ts';
import { RowBatch } from '../store/row-batch.ts';
import { isRevertible, type Store } from '../store/store.ts';
import type { NodeCache } from '../store/tree/cache.ts';
import { type NodeSource, Tree } from '../store/tree/tree.ts';
import { type Commit, CommitGroup, writeAlone } from './commit.ts';
import { type CommitSink, SinkKeeper } from './commit-sink.ts';
import type { Feed, Reverted } from './feed.ts';
import {
  type Group,
  GroupFiller,
  type LargeTransaction,
  type LongTransaction,
  newGroup,
  type WriterTools,
} from './group-filler.ts';
import { type GroupRows, gatheredRows, groupRows } from './group-rows.ts';
import { isRefusal } from './input.ts';
import { keptRows } from './kept-rows.ts';
import { PendingCommits } from './pending-commits.ts';
import { type PruneProgress, Pruner } from './pruner.ts';
import type { Step } from './step.ts';
import type { StepsAside } from './step-aside.ts';
import type { SequencerClock, Turn } from './turn.ts';
import { type Waiting, type WaitingAction, WaitingQueue } from './waiting-queue.ts';

/**
 * Milliseconds after which the event loop gets a turn even if no transaction waits: a program that sends the next one
 * as soon as it has a receipt would otherwise starve timers, sockets and files.
 */
export const WRITER_EVENT_LOOP_MS_MAX = 10;

/**
 * Rounds of the event loop between two groups of commits: a waiting request gets its turn three rounds after it was read
 * (src/server/rpc/fair-queue.ts), and what was sent in the meantime is read in the round after that.
 */
const ROUNDS_BETWEEN_GROUPS = 5;

/** Lets the event loop do its other work first: answers, timers, new submissions, waiting requests. */
async function nextEvent(): Promise<void> {
  for (let round = 0; round < ROUNDS_BETWEEN_GROUPS; round++)
    await new Promise<void>((resolve) => HOST.afterTurn(resolve));
}

interface WriterOptions {
  readonly store: Store;
  /** Whether all reads of the store go through the writer. Default: false. */
  readonly isOwnStore?: boolean;
  readonly nodes: NodeCache;
  /** The tree over the nodes of the store. Default: one with `nodes` in memory. */
  readonly tree?: (source: NodeSource) => Tree;
  readonly head: Head;
  readonly feed: Feed;
  /** The sequencer's clock. Default: the chain's own time. */
  readonly clock: SequencerClock | undefined;
  /** Gets each group before the store does. Without it, only the store gets them. */
  readonly sink?: CommitSink | undefined;
  /** Why this engine takes no turns if another one writes the chain. */
  readonly refusal?: (() => EngineError) | undefined;
  /** Runs steps that would hold the thread. Default: the writer runs all of them. */
  readonly aside?: StepsAside | undefined;
  /** Called before the first input. */
  readonly tools: () => WriterTools;
  /** Called before a group begins: reads while it runs see the chain as it was before. */
  readonly onGroup: () => void;
  /** Called whenever a new head is installed, and when rows were pruned. */
  readonly onHead: () => void;
  /** Called when the history cannot be pruned: it grows from now on. */
  readonly onUnpruned: (error: unknown) => void;
}

export class Writer {
  /** Commits whose roots and rows are made when they are needed; undefined where that is at once. */
  readonly pending: PendingCommits | undefined;
  readonly #store: Store;
  readonly tree: Tree;
  readonly #options: WriterOptions;
  readonly #rows: GroupRows;
  readonly #shared: CommitGroup;
  /** The rows that the last group wrote once for all of its commits. */
  readonly #last = new RowBatch();
  readonly #pruner: Pruner;
  readonly #queue: WaitingQueue;
  readonly #filler: GroupFiller;
  readonly #keeper: SinkKeeper;
  /** When the event loop must get its next turn, by `performance.now`. */
  #eventLoopDue: number | undefined;
  /**
   * Whether the turn at the front filled the group that is being written: it then lets others in before its next group,
   * including those that came meanwhile.
   */
  #rotatesNext = false;
  #head: Head;
  #running: Promise<void> | undefined;
  #failure: EngineError | undefined;
  #commits = 0;
  #closed = false;
  /** Whether a group may be filled before the one before it is written: rows in memory are written at once. */
  readonly #writesBeside: boolean;
  /** The group that is being written while the next one is filled. */
  #writing: { readonly group: Group; readonly written: Promise<unknown> } | undefined;

  constructor(options: WriterOptions) {
    const { store, nodes, head, sink, clock, aside, tools } = options;
    this.#store = store;
    this.#options = options;
    this.#head = head;
    this.#pruner = new Pruner(store, options.onUnpruned);
    // The store must not show what the log may still refuse.
    const isDirect = isRevertible(store) && sink === undefined;
    const rows = keptRows(store, isDirect ? groupRows(store) : gatheredRows(store));
    const source = nodeSource(rows);
    const tree = options.tree?.(source) ?? new Tree(source, nodes);
    const queue = new WaitingQueue();
    const commits = new CommitGroup(rows, rows.keepsNodes);
    const writesBeside = !isDirect && sink === undefined;
    // With a bounded history, what a group of commits leaves depends on where it ends.
    const isLater = options.isOwnStore === true && isDirect && rows.keepsNodes;
    const pending = isLater ? new PendingCommits({ store, rows, commits, tree, nodes }) : undefined;
    this.pending = pending;
    this.#rows = rows;
    this.#shared = commits;
    this.tree = tree;
    this.#queue = queue;
    this.#writesBeside = writesBeside;
    this.#keeper = new SinkKeeper(sink, queue);
    // Its properties are written out, since spreading takes many times longer.
    this.#filler = new GroupFiller({
      queue,
      rows,
      pending,
      commits,
      tree,
      isDirect,
      writesBeside,
      clock,
      aside,
      tools,
    });
  }

  /** Lacks the rows of pending commits. */
  get storeSoFar(): Store {
    return this.#store;
  }

  /** The store, with the rows of all commits. */
  get store(): Store {
    this.pending?.make();
    return this.#store;
  }

  /** The head after the last written commit. */
  get head(): Head {
    return this.#head;
  }

  /** Why no more writes are accepted, once a batch has failed. */
  get failure(): EngineError | undefined {
    const ofPending = this.pending?.failure;
    return this.#failure ?? (ofPending === undefined ? undefined : storeFailure(ofPending));
  }

  /** Whether the sink has been silent for so long that writes are refused for now. */
  get isSuspended(): boolean {
    return this.#keeper.outage !== undefined;
  }

  /** Whether other nodes share, or make, the same commits. */
  get isShared(): boolean {
    return this.#options.sink !== undefined || this.#options.refusal !== undefined;
  }

  get commits(): number {
    return this.#commits;
  }

  /** The number of submissions that are not done. */
  get queueLength(): number {
    return this.#queue.length;
  }

  /**
   * Takes a turn, after those that were submitted before.
   * @param step runs its inputs. Default: the engine's own step.
   * @throws {EngineError} `read-only` on a partial chain; `store-failed`; `closed`.
   */
  submit(turn: Turn, step?: Step): void {
    const refusal = this.#refusal() ?? this.#options.refusal?.() ?? this.#keeper.outage ?? this.#partialRefusal();
    if (refusal !== undefined) throw refusal;
    this.#wait({ kind: 'turn', turn, step, isBegun: false });
  }

  /**
   * Runs `action` once everything submitted before is done and no batch is in progress, and installs the head to which it
   * brought the chain.
   * @throws {EngineError} what the action throws; `store-failed`; `closed`.
   */
  exclusive(action: () => Omit<Reverted, 'kind'>): Promise<void> {
    return this.#alone(() => ({ kind: 'reverted', ...action() }));
  }

  /**
   * Lets `write` bring another writer's commits into the store, while no batch is in progress, and installs the head of
   * the last one. `write` is called between two groups, like a group: reads meanwhile see the chain as it was before.
   * @throws {EngineError} what `write` throws; `closed`.
   */
  replicate(write: () => Promise<readonly Commit[]>): Promise<void> {
    return this.#alone(async () => {
      this.#options.onGroup();
      const commits = await write();
      this.#commits += commits.length;
      return { kind: 'commits', commits };
    });
  }

  #alone(run: WaitingAction['run']): Promise<void> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise<void>((resolve, reject) => this.#wait({ kind: 'action', run, resolve, reject }));
  }

  /**
   * Prunes everything that the history no longer has to keep, between groups of commits.
   * @param onProgress called after each piece
   * @throws {EngineError} `read-only`, `corrupt`, `store-failed`, `closed`
   */
  prune(onProgress?: (progress: PruneProgress) => void): Promise<PruneProgress> {
    const refusal = this.#refusal() ?? this.#partialRefusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const pruned = this.#pruner.request(onProgress);
    this.#running ??= this.#drain();
    return pruned;
  }

  /** Refuses new turns and waits for those already submitted. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running !== undefined) await this.#running;
  }

  #wait(waiting: Waiting): void {
    this.#queue.add(waiting);
    this.#running ??= this.#drain();
  }

  #refusal(): EngineError | undefined {
    return this.#closed ? new EngineError('closed', 'the engine is closed') : this.failure;
  }

  #partialRefusal(): EngineError | undefined {
    if (this.#head.unloadedRoots.length === 0) return undefined;
    return new EngineError('read-only', 'this chain holds only part of its state: it can be read, not written to');
  }

  async #drain(): Promise<void> {
    try {
      // Everything submitted in the same turn of the event loop joins the first group.
      await (this.#isEventLoopDue() ? nextEvent() : undefined);
      for (;;) {
        const next = this.#queue.first;
        if (next?.kind === 'turn') {
          this.#filler.prepare(this.#head);
          await this.#writeGroup();
        } else if (next !== undefined) {
          await this.#settle();
          this.#queue.removeFirst();
          await this.#act(next);
          continue;
        }
        // A group that is being written has a piece with it.
        if (this.#writing !== undefined) continue;
        // At most one piece before the next commit.
        if (this.#pruner.isDue(this.#head, this.#closed)) {
          await this.#prunePiece();
          await nextEvent();
        } else if (next === undefined) break;
      }
    } catch (error) {
      // Nothing more can be done.
      this.#pruner.end(error);
      this.#queue.endAll(error);
    }
    this.#running = undefined;
  }

  /** Whether the event loop has waited so long that it comes first now. */
  #isEventLoopDue(): boolean {
    const now = performance.now();
    const due = this.#eventLoopDue;
    if (due !== undefined && now < due) return false;
    this.#eventLoopDue = now + WRITER_EVENT_LOOP_MS_MAX;
    return due !== undefined;
  }

  /** Prunes a piece of what the store has now; batches written after this call come after it. */
  async #prunePiece(): Promise<void> {
    const head = this.#head;
    const piece = this.#pruner.nextPiece(head);
    if (piece === undefined) return;
    const { operations } = piece;
    try {
      if (operations.length > 0) await this.#store.batch(operations, { sync: false });
    } catch (error) {
      this.#failure = storeFailure(error);
      throw this.#failure;
    }
    this.#pruner.written(piece, head);
    if (operations.length > 0) this.#options.onHead();
  }

  async #act({ run, resolve, reject }: WaitingAction): Promise<void> {
    this.#shared.forget();
    try {
      const given = run();
      const message = given instanceof Promise ? await given : given;
      if (message.kind === 'reverted') this.#pruner.reload();
      const head = message.kind === 'reverted' ? message.head : message.commits.at(-1)?.head;
      if (head !== undefined) {
        this.#install(head);
        this.#options.feed.tell(message);
      }
      resolve();
    } catch (error) {
      reject(error);
    }
  }

  #install(head: Head): void {
    this.#head = head;
    this.#options.onHead();
  }

  /** Makes commits until a batch is full or nothing is waiting, writes them, and reports them. */
  async #writeGroup(): Promise<void> {
    if (this.#rotatesNext) this.#queue.rotate();
    this.#options.onGroup();
    const group = newGroup(this.#writing?.group.head ?? this.#head);
    await this.#orFail(group, async () => {
      this.#filler.fill(group, this.#writing !== undefined);
      // Rows in memory are in the store by now: nothing else may run before the head is, or it would see part of the group.
      if (this.#writing !== undefined) await this.#settle();
      if (group.made.length === 0) return;
      if (this.#keeper.isNeeded) await this.#keep(group);
      this.pending?.bound();
      if (!group.hasRows) return;
      const write = () => this.#writeLast(group);
      if (this.#mayWriteBeside(group)) this.#writeBeside(group, write);
      else await write();
    });
    if (this.#writing === undefined) this.#conclude(group);
    if (group.large !== undefined) await this.#writeLarge(group.large);
    if (group.long !== undefined) await this.#writeLong(group.long);
    if (!group.isCut && this.#writing === undefined) this.#queue.rotate();
    this.#rotatesNext = !group.isCut && this.#writing !== undefined;
    if (this.#queue.length > 0) await nextEvent();
  }

  /** Whether no caller waits for this group: it belongs to one turn, which goes on with the next. */
  #mayWriteBeside({ news, large, long }: Group): boolean {
    const next = this.#queue.first;
    return this.#writesBeside && (large ?? long) === undefined && news.every(({ waiting }) => waiting === next);
  }

  /** Starts writing a group, and a piece of pruning before it if one is due. `#settle` waits for both. */
  #writeBeside(group: Group, write: () => Promise<void>): void {
    const pruned = this.#pruner.isDue(this.#head, this.#closed) ? this.#prunePiece() : undefined;
    const written = Promise.all([pruned, write()]);
    // A failure is handled where it is awaited.
    written.catch(() => undefined);
    this.#writing = { group, written };
  }

  /** Waits until the group in progress is written, and reports it. */
  async #settle(): Promise<void> {
    if (this.#writing === undefined) return;
    const { group, written } = this.#writing;
    await this.#orFail(group, async () => void (await written));
    this.#writing = undefined;
    this.#conclude(group);
  }

  /** Writes one transaction in pieces, none of which is visible before the last one. */
  async #writeLarge(large: LargeTransaction): Promise<void> {
    const group = newGroup(this.#head);
    await this.#orFail(group, async () => {
      try {
        const prepared = this.#filler.commitOf(group, large);
        const { commit } = prepared;
        await writeAlone(this.#store, prepared, () => this.#keeper.keep([commit], () => []));
        group.made.push(commit);
        group.news.push({ waiting: large.waiting, commit, error: undefined });
        group.head = commit.head;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        this.#queue.removeFirst();
        group.news.push({ waiting: large.waiting, commit: undefined, error });
      } finally {
        // It wrote its rows by itself.
        this.#shared.forget();
      }
    });
    this.#conclude(group);
  }

  /** Writes one transaction that is executed elsewhere, while the thread serves others. */
  async #writeLong(long: LongTransaction): Promise<void> {
    const outcome = await this.#filler.elsewhere(long);
    const group = newGroup(this.#head);
    await this.#orFail(group, async () => {
      this.#filler.takeLong(group, long, outcome);
      if (group.made.length === 0) return;
      if (this.#keeper.isNeeded) await this.#keep(group);
      if (group.hasRows) await this.#writeLast(group);
    });
    this.#conclude(group);
    if (group.large !== undefined) await this.#writeLarge(group.large);
  }

  /** Writes the rows that the commits of a group share, and with them all of its rows. */
  #writeLast({ head }: Group): Promise<void> {
    this.#last.clear();
    this.#last.writeAll(this.#shared.write(this.#last, head));
    return this.#rows.write(this.#last, head.order);
  }

  /** Keeps the commits of a group in the sink, before the store has them. */
  #keep({ made, news }: Group): Promise<void> {
    return this.#keeper.keep(made, () => news.map(({ waiting }) => waiting.turn));
  }

  /** Runs what produces the rows of a group; if that fails, the writer has failed. */
  async #orFail(group: Group, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#failure = storeFailure(error);
      for (const { waiting, commit } of group.news) if (commit === undefined) waiting.turn.end(this.#failure);
      throw this.#failure;
    }
  }

  /** Installs the head of a written group, and reports its commits. */
  #conclude({ made, news, head }: Group): void {
    if (made.length > 0) {
      this.#commits += made.length;
      this.#install(head);
      this.#options.feed.tell({ kind: 'commits', commits: made });
    }
    for (const { waiting, commit, error } of news) {
      if (commit === undefined) waiting.turn.end(error);
      else waiting.turn.committed(commit);
    }
  }
}

function storeFailure(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const reason = messageOf(error);
  return new EngineError('store-failed', `the store did not take a batch: ${reason}; reads go on, writes are refused`, {
    cause: error,
  });
}
