/**
 * Commits of a chain in memory that are seen, but whose roots and rows are not made yet.
 *
 * What a test looks at after a call is a balance, the result, an event: they are known once the transaction was
 * executed. All that follows from it (tree nodes, the state root, rows of the ledger and of the indexes) is made, in
 * order and in one go, when somebody asks for something that needs it, or when enough commits are pending. A chain that
 * is dropped before that never pays for it.
 *
 * Rows and nodes are then the same as if each commit had been made at once. Whoever reads the store finds all commits in
 * it: it is handed out by the writer, which makes what is pending first.
 * @module
 */
import { equalBytes, textOfBytes } from '../base/bytes/bytes.ts';
import { DATA_FORMAT_VERSION } from '../base/config.ts';
import { assert } from '../base/error.ts';
import type { EventRecord } from '../chain/ledger/events.ts';
import type { Head } from '../chain/ledger/head.ts';
import type { RowReader } from '../chain/ledger/transactions.ts';
import type { ChangedFields } from '../chain/object/change-set.ts';
import { MODULE_STORE_ID } from '../chain/object/object-id.ts';
import { nodeSource } from '../chain/state/node-row.ts';
import type { PendingTree } from '../chain/state/pending-meta.ts';
import { pendingState, takeRoots } from '../chain/state/pending-state.ts';
import { State } from '../chain/state/state.ts';
import { COLUMN, keyTail } from '../store/column.ts';
import { MemoryStore } from '../store/memory.ts';
import { RowBatch } from '../store/row-batch.ts';
import type { Store } from '../store/store.ts';
import type { NodeCache } from '../store/tree/cache.ts';
import { Tree } from '../store/tree/tree.ts';
import { type Commit, CommitGroup, type ExecutionOutput, prepareCommit, writeCommit } from './commit.ts';
import { type GroupRows, groupRows } from './group-rows.ts';
import type { TimedInput } from './input.ts';
import type { SequencedTransaction } from './sequence.ts';

/** Commits after which the pending ones are made, which holds the thread for some 0.2 s. */
export const PENDING_COMMITS_MAX = 1_024;

/**
 * Turns that wait from which on the commits of a chain that grows are made at once: its groups then share as much as
 * pending commits do, and keep less alive.
 */
const WAITING_TURNS_MIN = 8;

/** Bytes of values and events that a pending commit may hold: one that writes more is made at once. */
const PENDING_COMMIT_BYTES_MAX = 16_384;

/** The result of an input that is not a commit yet. */
export interface Advance {
  /** What it was executed on. */
  readonly state: State;
  readonly sequenced: SequencedTransaction;
  readonly output: ExecutionOutput;
  readonly given: TimedInput;
}

/** Where commits go. */
interface Destination {
  readonly rows: GroupRows;
  readonly commits: CommitGroup;
  readonly tree: Tree;
}

interface PendingOptions extends Destination {
  readonly store: Store;
  readonly nodes: NodeCache;
}

export class PendingCommits implements RowReader {
  /** What `commitsMax` begins with: tests set it, to see every chain with another one. */
  static commitsMax: number = PENDING_COMMITS_MAX;
  /** How many may be pending; 0: each commit is made at once. */
  commitsMax: number = PendingCommits.commitsMax;
  readonly #options: PendingOptions;
  #run: PendingRun;
  /** Whether there were too many once. */
  #isLong = false;

  constructor(options: PendingOptions) {
    this.#options = options;
    this.#run = new PendingRun(() => options);
  }

  /** Why they could not be made: then nobody knows what the store has. */
  get failure(): unknown {
    return this.#run.failure;
  }

  /** Makes them if there are too many. */
  bound(): void {
    if (this.#run.pending.length < this.commitsMax) return;
    this.#isLong = true;
    this.make();
  }

  /** The state after the last one. */
  get state(): State | undefined {
    return this.#run.state;
  }

  /** Rows of the store, for a step. Whether a transaction was sequenced is known of a pending one, too. */
  get(key: Uint8Array): Uint8Array | undefined {
    if (key[0] !== COLUMN.transactionOrder || this.#run.hashes.has(textOfBytes(keyTail(key, 0)))) this.make();
    return this.#options.rows.get(key);
  }

  /**
   * Whether the commit of this output is to be pending.
   * @param waiting how many turns wait
   */
  takes({ output, given: { input } }: Advance, waiting: number): boolean {
    if (this.commitsMax === 0 || (this.#isLong && waiting >= WAITING_TURNS_MIN)) return false;
    if (input.kind !== 'call' && input.kind !== 'signed') return false;
    const { events, changeSet } = output;
    const bytes = events.reduce((sum, { eventData }) => sum + eventData.length, 0);
    // Modules are found by the root of their store.
    const isOfModules = changeSet.changes.some(([key]) => equalBytes(key, MODULE_STORE_ID[0]!));
    return !isOfModules && writtenBytes(changeSet.changes, bytes) <= PENDING_COMMIT_BYTES_MAX;
  }

  /** Takes the next one, which follows `before`. */
  add({ state: old, sequenced, output, given }: Advance, before: Head): Commit {
    const run = this.#run;
    const { state, trees } = pendingState(old, output.changeSet, run.make);
    const content = { sequenced, output, given, trees };
    const pending = new Pending(run, content);
    run.before ??= before;
    run.pending.push(pending);
    run.state = state;
    run.hashes.add(textOfBytes(sequenced.hash));
    return pendingCommit(pending, content, before);
  }

  /** Makes all of them. */
  make(): void {
    this.#run.make();
  }

  /**
   * Leaves them out of the store, which goes on without them. What was handed out of them is made in a copy of the store,
   * if it is asked for.
   */
  forsake(): void {
    const { store, nodes } = this.#options;
    if (!(store instanceof MemoryStore)) this.make();
    if (this.#run.pending.length === 0) return;
    const copy = store.fork();
    this.#run.to = () => {
      const rows = groupRows(copy);
      return { rows, tree: new Tree(nodeSource(rows), nodes), commits: new CommitGroup(rows, rows.keepsNodes) };
    };
    this.#run.isForsaken = true;
    this.#run = new PendingRun(() => this.#options);
  }
}

/** Bytes of the values in `changes`, and `before`. */
function writtenBytes(changes: ChangedFields, before: number): number {
  let bytes = before;
  for (const [, { value, fields }] of changes) {
    if (value !== undefined && value.kind !== 'delete') bytes += value.value.length;
    bytes = writtenBytes(fields, bytes);
  }
  return bytes;
}

/** What a commit is made of. */
interface Ingredients extends Omit<Advance, 'state'> {
  /** The trees that its changes lead to, that of the root object first. */
  readonly trees: readonly PendingTree[];
}

/** What is not known of a commit before it is made, besides its roots. */
interface Made {
  readonly eventRoot: Uint8Array;
  readonly eventSeqs: readonly bigint[];
}

/**
 * A commit that is pending. Until it is made, it has become old, and what an old object refers to survives minor garbage
 * collections even if nothing refers to the object itself. So it holds no more of the made commit than receipts may need.
 */
class Pending {
  readonly run: PendingRun;
  readonly content: Ingredients;
  made: Made | undefined;

  constructor(run: PendingRun, content: Ingredients) {
    this.run = run;
    this.content = content;
  }
}

/** Commits that are made in one go, in order. */
class PendingRun {
  to: () => Destination;
  isForsaken = false;
  failure: unknown;
  pending: Pending[] = [];
  /** The head that the first of them follows. */
  before: Head | undefined;
  /** The state after the last one. */
  state: State | undefined;
  /** The hashes of their transactions, as text. */
  readonly hashes = new Set<string>();

  constructor(to: () => Destination) {
    this.to = to;
  }

  readonly make = (): void => {
    if (this.failure !== undefined) throw this.failure;
    const { pending, before } = this;
    if (before === undefined) return;
    this.pending = [];
    this.before = undefined;
    this.state = undefined;
    this.hashes.clear();
    try {
      this.#write(pending, before);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  };

  #write(pending: readonly Pending[], before: Head): void {
    const { rows, commits, tree } = this.to();
    const batch = new RowBatch();
    let head = before;
    for (const each of pending) {
      const { sequenced, output, given, trees } = each.content;
      const state = new State(tree, head.stateRoot, head.size, head.unloadedRoots);
      const prepared = prepareCommit(commits, state, head, sequenced, output, given);
      const { commit } = prepared;
      takeRoots(trees, commit.changeSet);
      const { eventRoot } = commit.record.executionInfo;
      each.made = { eventRoot, eventSeqs: commit.events.map(({ event }) => event.eventSeq) };
      head = commit.head;
      batch.clear();
      batch.writeAll(writeCommit(batch, prepared));
      commits.add(prepared);
      rows.add(batch);
    }
    batch.clear();
    batch.writeAll(commits.write(batch, head));
    rows.add(batch);
  }
}

/** What is not known of a commit, or of a part of it, before it is made. Own getters would cost each a dictionary. */
class Later {
  readonly #pending: Pending;
  readonly #index: number;

  /** @param index of an event */
  constructor(pending: Pending, index = 0) {
    this.#pending = pending;
    this.#index = index;
  }

  get stateRoot(): Uint8Array {
    return this.#pending.content.trees[0]!.root;
  }

  get eventRoot(): Uint8Array {
    return this.#made.eventRoot;
  }

  get eventSeq(): bigint {
    return this.#made.eventSeqs[this.#index]!;
  }

  get events(): readonly EventRecord[] {
    const { sequenced, output } = this.#pending.content;
    const order = sequenced.sequenceInfo.txOrder;
    return output.events.map((event, index) => ({
      position: { order, index },
      event: Object.assign(new Later(this.#pending, index), event),
    }));
  }

  get isPending(): boolean {
    return this.#pending.made === undefined && !this.#pending.run.isForsaken;
  }

  get #made(): Made {
    if (this.#pending.made === undefined) this.#pending.run.make();
    assert(this.#pending.made !== undefined, 'pending commits are made together');
    return this.#pending.made;
  }
}

/** What is known of a commit that is pending, and the rest of it once that is asked for. */
function pendingCommit(
  pending: Pending,
  { sequenced, output, given }: Ingredients,
  { genesisHash, chainId, unloadedRoots }: Head,
): Commit {
  const { data, hash: txHash, sequenceInfo, accumulator } = sequenced;
  const { txOrder: order, txTimestamp: timestamp } = sequenceInfo;
  const { status, gasUsed, ofAction, failure, isUpgrade = false, notices = [], prints, rows = [] } = output;
  const { changeSet } = output;
  const { globalSize: size } = changeSet;
  const formatVersion = DATA_FORMAT_VERSION;
  const ofHead = { formatVersion, genesisHash, chainId, order, size, accumulator, timestamp, unloadedRoots };
  const executionInfo = Object.assign(new Later(pending), { txHash, size, gasUsed, status });
  return Object.assign(new Later(pending), {
    head: Object.assign(new Later(pending), ofHead),
    record: { order, transaction: { data, sequenceInfo }, executionInfo },
    changeSet,
    ofAction,
    failure,
    notices,
    prints,
    isUpgrade,
    rows,
    given,
  });
}
