/**
 * The writer: every change of the chain goes through it.
 *
 * It pulls: it asks the turn at the front for its next input on the newest state, runs the step, and collects commits
 * into a group, which is one batch, so on a durable store a group costs one sync. After each batch it serves the other
 * waiting turns before it continues a long one, so a transaction that is sent during a Bitcoin block is in the next
 * batch. A long turn goes on while a batch of it alone is written, one batch ahead. When a batch is written, the new head is installed and readable; then listeners of the feed are told, then the
 * turns.
 *
 * A refused input ends its turn and has no effect. A failed batch ends the writer, because it is then unknown what is
 * on the disk, and everything later is refused with the same cause.
 *
 * Cost: a single turn adds some microtasks; with a durable store, rows that are not written yet are looked up in a map.
 * @module
 */
import {
  ROUNDS_BETWEEN_GROUPS,
  WRITER_BESIDE_COMMITS_MAX,
  WRITER_EVENT_LOOP_MS_MAX,
  WRITER_GROUP_COMMITS_MAX,
  WRITER_GROUP_MS_MAX,
  WRITER_GROUP_OPERATIONS_MAX,
  WRITER_MEMORY_GROUP_COMMITS_MAX,
} from '../config.ts';
import { EngineError } from '../error.ts';
import { type Head, headOperation } from '../ledger/head.ts';
import type { MachineCache } from '../runtime/machine-cache.ts';
import { nodeSource } from '../state/node-row.ts';
import { State } from '../state/state.ts';
import { beginBatch } from '../store/gathered-batch.ts';
import { checkOperations } from '../store/key-range.ts';
import { isRevertible, type Operation, type Store } from '../store/store.ts';
import type { NodeCache } from '../tree/cache.ts';
import { Tree } from '../tree/tree.ts';
import { type Commit, indexPieces, isLarge, prepareCommit } from './commit.ts';
import type { Feed } from './feed.ts';
import {
  type Advance,
  advanceOf,
  type Group,
  type GroupSize,
  type LargeTransaction,
  type LongTransaction,
  NOT_CUT,
  newGroup,
  type Waiting,
  type WaitingAction,
  type WaitingTurn,
} from './group.ts';
import { type GroupRows, gatheredRows, groupRows } from './group-rows.ts';
import type { TimedInput } from './input.ts';
import { keptRows } from './kept-rows.ts';
import { OrderSignatures, type OrderSigner } from './order-signatures.ts';
import { type PruneProgress, Pruner } from './pruner.ts';
import { Pruning } from './pruning.ts';
import { isRefusal } from './refusal.ts';
import type { OrderSignature } from './sequence.ts';
import type { Outcome, Present, Step, StepSettings } from './step.ts';
import type { StepsAside } from './step-aside.ts';
import type { SequencerClock, Turn } from './turn.ts';

/** What the writer needs before its first input. */
export interface WriterTools {
  readonly signer: OrderSigner;
  readonly step: Step;
  readonly machines: MachineCache;
  readonly settings: StepSettings;
}

/** Keeps commits before the store has them: a log that others follow. */
export interface CommitSink {
  /**
   * Resolves when all of the commits are safe, in order.
   * @param onOutage called if that takes so long that nobody should wait for it
   * @throws {EngineError} why they are not; after that the writer stops writing, since it does not know whether the log
   * has them.
   */
  append(commits: readonly Commit[], onOutage: (error: EngineError) => void): Promise<void>;
}

export interface WriterOptions {
  readonly store: Store;
  readonly nodes: NodeCache;
  readonly head: Head;
  readonly feed: Feed;
  /** The sequencer's clock. Default: the chain's own time. */
  readonly clock: SequencerClock | undefined;
  /** Gets each group before the store. Without it, only the store gets them. */
  readonly sink?: CommitSink | undefined;
  /** Why this chain takes no turns, if others write it. */
  readonly refusal?: (() => EngineError) | undefined;
  /** Runs what would hold the thread. Default: the writer runs everything itself. */
  readonly aside?: StepsAside | undefined;
  /** Called before the first input. */
  readonly tools: () => WriterTools;
  /** Called before a group begins: reads while it runs see the moment before it. */
  readonly onGroup: () => void;
  /** Called whenever a new head is installed, and when rows were pruned. */
  readonly onHead: () => void;
  /** Called when the history cannot be pruned: it grows from now on. */
  readonly onUnpruned: (error: unknown) => void;
}

export class Writer {
  readonly store: Store;
  readonly tree: Tree;
  readonly #options: WriterOptions;
  readonly #rows: GroupRows;
  readonly #pruning: Pruning;
  readonly #groupCommitsMax: number;
  readonly #sign: OrderSignature = (hash, order) => this.#signatures!.of(hash, order);
  #queue: Waiting[] = [];
  /** The size of the earlier parts of the same logical group. */
  #cut: GroupSize = NOT_CUT;
  /**
   * Whether the turn at the front filled the group that is being written. It then lets in others before its next one,
   * so that it lets in those who came meanwhile too.
   */
  #rotatesNext = false;
  #tools: WriterTools | undefined;
  #signatures: OrderSignatures | undefined;
  #head: Head;
  #running: Promise<void> | undefined;
  #failure: EngineError | undefined;
  /** Why nothing is accepted for now. */
  #outage: EngineError | undefined;
  #commits = 0;
  #closed = false;
  /** When the event loop must get its next turn, by `performance.now`. */
  #eventLoopDue: number | undefined;
  /** Whether a group may be filled before the one before it is written: rows in memory are written at once. */
  readonly #writesBeside: boolean;
  /** The group that is being written while the next one is filled. */
  #writing: { readonly group: Group; readonly written: Promise<unknown> } | undefined;

  constructor(options: WriterOptions) {
    const { store, nodes, head, sink } = options;
    this.store = store;
    this.#options = options;
    this.#head = head;
    const pruner = new Pruner(store);
    this.#pruning = new Pruning(pruner, options.onUnpruned);
    // The store must not show what the log may still refuse.
    const isDirect = isRevertible(store) && sink === undefined;
    const rows = isDirect ? groupRows(store) : gatheredRows(store);
    this.#rows = keptRows(store, rows, pruner.isBounded);
    this.#writesBeside = !isDirect && sink === undefined;
    this.#groupCommitsMax = isDirect ? WRITER_MEMORY_GROUP_COMMITS_MAX : WRITER_GROUP_COMMITS_MAX;
    this.tree = new Tree(nodeSource(this.#rows), nodes);
  }

  /** The head after the last written commit. */
  get head(): Head {
    return this.#head;
  }

  /** Why no more writes are accepted, once a batch has failed. */
  get failure(): EngineError | undefined {
    return this.#failure;
  }

  /** Whether the sink has been silent for so long that writes are refused for now. */
  get isSuspended(): boolean {
    return this.#outage !== undefined;
  }

  /** Whether other nodes have, or make, the same commits. */
  get isShared(): boolean {
    return this.#options.sink !== undefined || this.#options.refusal !== undefined;
  }

  /** The number of commits that were written. */
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
    const refusal = this.#refusal() ?? this.#options.refusal?.() ?? this.#outage ?? this.#partialRefusal();
    if (refusal !== undefined) throw refusal;
    this.#wait({ kind: 'turn', turn, step, isBegun: false });
  }

  /**
   * Runs `action` once everything submitted before is done and no batch is in progress, and installs the head that it
   * returns.
   * @throws {EngineError} what the action throws; `store-failed`; `closed`.
   */
  exclusive(action: () => Head): Promise<void> {
    return this.#alone(() => ({ kind: 'reverted', head: action() }));
  }

  /**
   * Lets `write` bring another writer's commits into the store, while no batch is in progress, and installs the head of
   * the last one. `write` is called between two groups, like a group: reads meanwhile see the moment before.
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
    const pruned = this.#pruning.ask(onProgress);
    this.#running ??= this.#drain();
    return pruned;
  }

  /** Refuses new turns and waits for those already submitted. */
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
    try {
      // Everything submitted in the same turn of the event loop joins the first group.
      await (this.#isEventLoopDue() ? nextEvent() : undefined);
      for (;;) {
        const next = this.#queue[0];
        if (next?.kind === 'turn') {
          if (this.#tools === undefined) this.#prepare();
          await this.#writeGroup();
        } else if (next !== undefined) {
          await this.#settle();
          this.#queue.shift();
          await this.#act(next);
          continue;
        }
        // A group that is being written has a piece with it.
        if (this.#writing !== undefined) continue;
        // At most one piece before the next commit.
        if (this.#pruning.isDue(this.#head, this.#closed)) {
          await this.#prunePiece();
          await nextEvent();
        } else if (next === undefined) break;
      }
    } catch (error) {
      this.#endAll(error);
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

  /** Prunes a piece of what the store has now; a batch that is written after this call comes after it. */
  async #prunePiece(): Promise<void> {
    const piece = this.#pruning.nextPiece(this.#head);
    if (piece === undefined) return;
    const { operations } = piece;
    try {
      if (operations.length > 0) await this.store.batch(operations, { sync: false });
    } catch (error) {
      this.#failure = storeFailure(error);
      throw this.#failure;
    }
    this.#pruning.took(piece);
    if (operations.length > 0) this.#options.onHead();
  }

  #prepare(): void {
    this.#tools = this.#options.tools();
    this.#signatures = new OrderSignatures(this.#tools.signer, (count) => this.#upcoming(count));
  }

  async #act({ run, resolve, reject }: WaitingAction): Promise<void> {
    try {
      const given = run();
      const message = given instanceof Promise ? await given : given;
      if (message.kind === 'reverted') this.#pruning.reload();
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
    if (this.#rotatesNext) this.#rotate();
    this.#options.onGroup();
    const group = newGroup(this.#rows, this.#writing?.group.head ?? this.#head);
    await this.#orFail(group, async () => {
      this.#fill(group);
      await this.#settle();
      if (group.made.length === 0) return;
      await this.#keep(group, group.made);
      const write = () => this.#rows.write(group.commits.operations(group.head), group.head.order);
      if (this.#mayWriteBeside(group)) this.#writeBeside(group, write);
      else await write();
    });
    if (this.#writing === undefined) this.#conclude(group);
    if (group.large !== undefined) await this.#writeLarge(group.large);
    if (group.long !== undefined) await this.#writeLong(group.long);
    if (!group.isCut && this.#writing === undefined) this.#rotate();
    this.#rotatesNext = !group.isCut && this.#writing !== undefined;
    if (this.#queue.length > 0) await nextEvent();
  }

  /** Whether nobody waits for this group: all of it is part of a turn that goes on with the next one. */
  #mayWriteBeside({ news, large, long }: Group): boolean {
    const next = this.#queue[0];
    return this.#writesBeside && (large ?? long) === undefined && news.every(({ waiting }) => waiting === next);
  }

  /** Begins to write a group, and a piece of pruning before it if one is due. `#settle` waits for both. */
  #writeBeside(group: Group, write: () => Promise<void>): void {
    const pruned = this.#pruning.isDue(this.#head, this.#closed) ? this.#prunePiece() : undefined;
    const written = Promise.all([pruned, write()]);
    // A failure is handled where it is waited for.
    written.catch(() => undefined);
    this.#writing = { group, written };
  }

  /** Waits until the group that is being written is, and reports it. */
  async #settle(): Promise<void> {
    if (this.#writing === undefined) return;
    const { group, written } = this.#writing;
    await this.#orFail(group, async () => void (await written));
    this.#writing = undefined;
    this.#conclude(group);
  }

  /** Writes one transaction in pieces, none of which is visible before the last one. */
  async #writeLarge({ waiting, sequenced, output, given }: LargeTransaction): Promise<void> {
    const head = this.#head;
    const group = newGroup(this.#rows, head);
    const { commits } = group;
    await this.#orFail(group, async () => {
      const batch = beginBatch(this.store);
      try {
        const prepared = prepareCommit(commits, this.#stateAt(head), head, sequenced, output, given);
        const { commit } = prepared;
        for (const piece of prepared.pieces) await batch.add(piece);
        for (const piece of indexPieces(commits, prepared)) await batch.add(piece);
        await this.#keep(group, [commit]);
        await batch.commit([headOperation(commit.head)], { order: commit.head.order });
        group.made.push(commit);
        group.news.push({ waiting, commit });
        group.head = commit.head;
      } catch (error) {
        await batch.abandon();
        if (!isRefusal(error)) throw error;
        this.#queue.shift();
        group.news.push({ waiting, error });
      }
    });
    this.#conclude(group);
  }

  /** Writes one transaction that is executed elsewhere, while the thread serves others. */
  async #writeLong({ waiting, given }: LongTransaction): Promise<void> {
    const outcome = await this.#options.aside!.elsewhere(given, this.#sign);
    const group = newGroup(this.#rows, this.#head);
    await this.#orFail(group, async () => {
      this.#take(group, waiting, () => advanceOf(outcome ?? this.#runHere(given), given));
      if (group.made.length === 0) return;
      await this.#keep(group, group.made);
      await this.#rows.write(group.commits.operations(group.head), group.head.order);
    });
    this.#conclude(group);
    if (group.large !== undefined) await this.#writeLarge(group.large);
  }

  /** Passes commits to the sink, which keeps them before the store does. */
  async #keep(group: Group, commits: readonly Commit[]): Promise<void> {
    const { sink } = this.#options;
    if (sink === undefined) return;
    try {
      await sink.append(commits, (error) => this.#suspend(group, error));
    } finally {
      this.#outage = undefined;
    }
  }

  /**
   * Stops callers from waiting for a silent sink: what has not begun is refused, and the rest has an unknown outcome.
   */
  #suspend({ news }: Group, cause: EngineError): void {
    this.#outage = new EngineError(
      'log-failed',
      `the commit log does not answer, so nothing was done; this node goes on trying: ${cause.message}`,
      { cause },
    );
    const doubt = new EngineError(
      'log-unknown',
      `the commit log does not answer: the transaction may or may not be in it; look it up by its hash later (${cause.message})`,
      { cause },
    );
    const begun = new Set(news.map(({ waiting }) => waiting.turn));
    const queue = this.#queue;
    this.#queue = [];
    for (const waiting of queue) {
      if (waiting.kind === 'turn' && !waiting.isBegun) {
        waiting.turn.end(this.#outage);
        continue;
      }
      this.#queue.push(waiting);
      if (waiting.kind === 'turn') begun.add(waiting.turn);
    }
    for (const turn of begun) turn.doubted?.(doubt);
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

  #fill(group: Group): void {
    // Turns change places by what they did, never by how long they took.
    let { commits, operations } = this.#cut;
    this.#cut = NOT_CUT;
    const end = performance.now() + WRITER_GROUP_MS_MAX;
    const front = this.#queue[0];
    while (commits < this.#groupCommitsMax && operations <= WRITER_GROUP_OPERATIONS_MAX) {
      const waiting = this.#queue[0];
      if (waiting?.kind !== 'turn') return;
      const isBeside = this.#writing !== undefined || (this.#writesBeside && waiting === front);
      if (isBeside && commits >= WRITER_BESIDE_COMMITS_MAX) return;
      // The first one always gets its turn; refused inputs take time too.
      if (group.news.length > 0 && performance.now() > end) {
        this.#cut = { commits, operations };
        group.isCut = true;
        return;
      }
      const taken = this.#take(group, waiting, () => this.#advance(waiting, group.head));
      if ((group.large ?? group.long) !== undefined) return;
      if (taken === undefined) continue;
      commits++;
      operations += taken;
    }
  }

  /**
   * Takes the next transaction of the turn at the front into a group, or notes that it follows alone, or that the turn is
   * over.
   * @returns how many operations it has; undefined if the group has no more than before
   */
  #take(group: Group, waiting: WaitingTurn, advance: () => Advance | LongTransaction | undefined): number | undefined {
    let made: { readonly commit: Commit; readonly operations: readonly Operation[] } | undefined;
    let error: unknown;
    try {
      const outcome = advance();
      if (outcome !== undefined && !('output' in outcome)) {
        group.long = outcome;
        return undefined;
      }
      if (outcome !== undefined && isLarge(outcome.output)) {
        group.large = { waiting, ...outcome };
        return undefined;
      }
      if (outcome !== undefined) made = this.#prepareShared(group, outcome);
    } catch (thrown) {
      error = thrown;
    }
    if (made === undefined) {
      this.#queue.shift();
      group.news.push({ waiting, error });
      return undefined;
    }
    // From here on the rows belong to the store: a failure now fails the writer.
    this.#rows.add(made.operations);
    group.head = made.commit.head;
    group.made.push(made.commit);
    group.news.push({ waiting, commit: made.commit });
    return made.operations.length;
  }

  /** Executes the next transaction of a turn, unless it is to be executed elsewhere; undefined if it has no more. */
  #advance(waiting: WaitingTurn, head: Head): Advance | LongTransaction | undefined {
    const { turn, step: own } = waiting;
    const present = this.#presentAt(head);
    const input = turn.next(present);
    if (input === undefined) return undefined;
    waiting.isBegun = true;
    const { clock = this.#options.clock } = turn;
    const now = clock?.read() ?? head.timestamp;
    const given = { input, now, clockOffset: clock?.offset };
    const context = { ...present, now, clockOffset: given.clockOffset, sign: turn.sign ?? this.#sign };
    const { aside } = this.#options;
    const { step } = this.#tools!;
    // A turn with a step or a signer of its own repeats what was done before.
    const isOwn = own !== undefined || turn.sign !== undefined;
    const outcome = aside === undefined || isOwn ? (own ?? step)(input, context) : aside.attempt(step, given, context);
    return outcome === undefined ? { waiting, given } : advanceOf(outcome, given);
  }

  #runHere({ input, now, clockOffset }: TimedInput): Outcome {
    return this.#tools!.step(input, { ...this.#presentAt(this.#head), now, clockOffset, sign: this.#sign });
  }

  #presentAt(head: Head): Present {
    const { settings, machines } = this.#tools!;
    return { head, state: this.#stateAt(head), rows: this.#rows, machines, settings };
  }

  /** Rows of a commit that shares the group's batch; one that no store can take is refused here, alone. */
  #prepareShared(
    { commits, head }: Group,
    { sequenced, output, given }: Advance,
  ): { readonly commit: Commit; readonly operations: readonly Operation[] } {
    const prepared = prepareCommit(commits, this.#stateAt(head), head, sequenced, output, given);
    const operations = [...prepared.pieces].flat();
    checkOperations(operations);
    commits.add(prepared);
    return { commit: prepared.commit, operations };
  }

  #stateAt(head: Head): State {
    return new State(this.tree, head.stateRoot, head.size, head.unloadedRoots);
  }

  /** Hashes of the transactions that the turns at the front of the queue expect next. */
  #upcoming(count: number): readonly Uint8Array[] {
    const hashes: Uint8Array[] = [];
    for (const waiting of this.#queue) {
      if (waiting.kind !== 'turn' || hashes.length >= count) break;
      for (const hash of waiting.turn.ahead?.(count - hashes.length) ?? []) hashes.push(hash);
    }
    return hashes;
  }

  /**
   * Moves a turn that has filled a batch and is not done behind the others, up to the next action or turn of its lane.
   */
  #rotate(): void {
    const [first, ...others] = this.#queue;
    if (first?.kind !== 'turn' || !first.isBegun) return;
    const { lane } = first.turn;
    const end = others.findIndex(
      (waiting) => waiting.kind === 'action' || (lane !== undefined && waiting.turn.lane === lane),
    );
    others.splice(end === -1 ? others.length : end, 0, first);
    this.#queue = others;
  }

  /** Ends everything that waits: nothing more can be done. */
  #endAll(error: unknown): void {
    const queue = this.#queue;
    this.#queue = [];
    this.#pruning.end(error);
    for (const waiting of queue) {
      if (waiting.kind === 'turn') waiting.turn.end(error);
      else waiting.reject(error);
    }
  }
}

/** The host's own timer: with a fake timer of a test, the writer would wait forever. */
const { setImmediate } = globalThis;

/** Lets the event loop do its other work first: answers, timers, new submissions, waiting requests. */
async function nextEvent(): Promise<void> {
  for (let round = 0; round < ROUNDS_BETWEEN_GROUPS; round++) await new Promise(setImmediate);
}

function storeFailure(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new EngineError('store-failed', `the store did not take a batch: ${reason}; reads go on, writes are refused`, {
    cause: error,
  });
}
