/**
 * Fills groups of commits: it asks the turn at the front of the queue for its next input, runs the step on the state
 * after the input before, and adds what comes out to the group, until the group is full or nothing waits.
 *
 * Inputs do not affect each other: a refusal ends only its own turn, and an input that is too large or would take too
 * long is set aside, to follow the group alone. Turns rotate by their commits, never by time: a group that is cut short
 * because it took long is continued by the next one as if it had not been cut.
 * @module
 */

import { WRITER_GROUP_COMMITS_MAX } from '../base/config.ts';
import type { Head } from '../chain/ledger/head.ts';
import { type RowReader, readStoredTransaction } from '../chain/ledger/transactions.ts';
import { State } from '../chain/state/state.ts';
import { isSignedAsDev, type OrderSigner, signAsDev } from '../chain/transaction/order-signature.ts';
import { orderWitness } from '../chain/transaction/sequence-info.ts';
import type { MachineCache } from '../execution/runtime/machine-cache.ts';
import { RowBatch } from '../store/row-batch.ts';
import type { Tree } from '../store/tree/tree.ts';
import { type Commit, type CommitGroup, isLarge, type PreparedCommit, prepareCommit, writeCommit } from './commit.ts';
import type { GroupRows } from './group-rows.ts';
import type { TimedInput } from './input.ts';
import type { Advance, PendingCommits } from './pending-commits.ts';
import { type OrderSignature, SIGNED_LATER } from './sequence.ts';
import type { Outcome, Step, StepSettings } from './step.ts';
import type { StepsAside } from './step-aside.ts';
import type { SequencerClock } from './turn.ts';
import type { WaitingQueue, WaitingTurn } from './waiting-queue.ts';

/** A transaction that is too large to share a batch, executed on the head. */
export interface LargeTransaction extends Advance {
  readonly waiting: WaitingTurn;
}

/** A transaction that would hold the thread, to be executed elsewhere on the head. */
export interface LongTransaction {
  readonly waiting: WaitingTurn;
  readonly given: TimedInput;
}

/** Reported to a turn once the group is written: a commit, or its end. */
interface News {
  readonly waiting: WaitingTurn;
  readonly commit: Commit | undefined;
  readonly error: unknown;
}

export interface Group {
  readonly made: Commit[];
  /** In the order in which turns are told. */
  readonly news: News[];
  head: Head;
  /** What follows the group, alone. */
  large: LargeTransaction | undefined;
  long: LongTransaction | undefined;
  /** Whether it ended because it took long: the turns then continue in their order as if it had not. */
  isCut: boolean;
  /** Whether there are rows to write: those of commits that are not pending. */
  hasRows: boolean;
}

/** How full a group is. */
interface GroupSize {
  readonly commits: number;
  readonly operations: number;
}

const NOT_CUT: GroupSize = { commits: 0, operations: 0 };

/** As many as a transfer of coins writes. */
const OPERATIONS_OF_A_PENDING_COMMIT = 75;

export function newGroup(head: Head): Group {
  return { made: [], news: [], head, large: undefined, long: undefined, isCut: false, hasRows: false };
}

/**
 * Commits of one turn that share a batch which is written while the turn goes on. Whatever is sent meanwhile comes
 * after the next batch, which is already executed, so the two together are the size of one batch.
 */
export const WRITER_BESIDE_COMMITS_MAX: number = WRITER_GROUP_COMMITS_MAX / 2;

/**
 * Commits of a batch for a store in memory, which has no sync to share, only rows that every commit writes: reads
 * wait for a batch, and what it holds is kept alive.
 */
export const WRITER_MEMORY_GROUP_COMMITS_MAX = 32;

/**
 * Milliseconds of execution after which a group of commits is written even if more transactions are waiting: twice what
 * 256 transfers take at their best. Reads are answered between two groups.
 */
export const WRITER_GROUP_MS_MAX = 100;

/** Operations of a group of commits after which it is written even if more transactions are waiting. */
const WRITER_GROUP_OPERATIONS_MAX = 100_000;

/** What is needed before the first input. */
export interface WriterTools {
  readonly signer: OrderSigner;
  readonly step: Step;
  readonly machines: MachineCache;
  readonly settings: StepSettings;
}

/** The sources of the inputs of groups, and what their commits share. */
interface FillerOptions {
  readonly queue: WaitingQueue;
  readonly rows: GroupRows;
  /** Commits whose rows are made later; undefined where all of them are made at once. */
  readonly pending: PendingCommits | undefined;
  readonly commits: CommitGroup;
  readonly tree: Tree;
  /** Whether rows are in the store as soon as they are added. */
  readonly isDirect: boolean;
  /** Whether a group may be filled before the one before it is written. */
  readonly writesBeside: boolean;
  readonly clock: SequencerClock | undefined;
  readonly aside?: StepsAside | undefined;
  readonly tools: () => WriterTools;
}

export class GroupFiller {
  readonly #options: FillerOptions;
  readonly #queue: WaitingQueue;
  readonly #rows: GroupRows;
  readonly #commitsMax: number;
  /** The rows of the last commit that was made. */
  readonly #batch = new RowBatch();
  readonly #sign: OrderSignature = (hash, order) => this.#tools!.signer(orderWitness(hash, order));
  /** How orders are signed. Rows omit signatures that anyone can make at any time. */
  #signHere: OrderSignature | typeof SIGNED_LATER = this.#sign;
  #tools: WriterTools | undefined;
  /** The size of the earlier parts of the same logical group. */
  #cut: GroupSize = NOT_CUT;

  constructor(options: FillerOptions) {
    this.#options = options;
    this.#queue = options.queue;
    this.#rows = options.rows;
    this.#commitsMax = options.isDirect ? WRITER_MEMORY_GROUP_COMMITS_MAX : WRITER_GROUP_COMMITS_MAX;
  }

  /** Creates what the first input needs, which follows `head`. Call it before `fill`. */
  prepare({ order }: Head): void {
    if (this.#tools !== undefined) return;
    const { tools, isDirect, rows } = this.#options;
    this.#tools = tools();
    if (this.#tools.signer !== signAsDev) return;
    if (isDirect || order === 0n || mayFollowUnsigned(rows, order)) this.#signHere = SIGNED_LATER;
  }

  /**
   * Makes commits until the group is full or nothing waits.
   * @param isBeside whether the group before it is still being written
   */
  fill(group: Group, isBeside: boolean): void {
    const { writesBeside } = this.#options;
    let { commits, operations } = this.#cut;
    this.#cut = NOT_CUT;
    const end = performance.now() + WRITER_GROUP_MS_MAX;
    const front = this.#queue.first;
    while (commits < this.#commitsMax && operations <= WRITER_GROUP_OPERATIONS_MAX) {
      const waiting = this.#queue.first;
      if (waiting?.kind !== 'turn') return;
      const mayBeBeside = isBeside || (writesBeside && waiting === front);
      if (mayBeBeside && commits >= WRITER_BESIDE_COMMITS_MAX) return;
      // The first one always gets its turn; refused inputs take time too.
      if (group.news.length > 0 && performance.now() > end) {
        this.#cut = { commits, operations };
        group.isCut = true;
        return;
      }
      const taken = this.#take(group, waiting);
      if ((group.large ?? group.long) !== undefined) return;
      if (taken === undefined) continue;
      commits++;
      operations += taken;
    }
  }

  /**
   * Executes a transaction that would hold the thread, elsewhere if that is possible.
   * @returns undefined if it has to be done here
   */
  elsewhere({ given }: LongTransaction): Promise<Outcome | undefined> {
    return this.#options.aside!.elsewhere(given, this.#sign);
  }

  /**
   * Takes such a transaction into a group of its own.
   * @param outcome that of `elsewhere`
   */
  takeLong(group: Group, { waiting, given }: LongTransaction, outcome: Outcome | undefined): void {
    this.#take(group, waiting, { given, outcome });
  }

  /** What a transaction's commit writes as the next one of a group, which has not taken it yet. */
  commitOf({ head }: Group, { state, sequenced, output, given }: Advance): PreparedCommit {
    this.#options.pending?.make();
    return prepareCommit(this.#options.commits, state, head, sequenced, output, given);
  }

  /**
   * Takes the next transaction of the turn at the front into a group, or notes that it follows alone, or that the turn is
   * over.
   * @param long the transaction, if it was already taken from the turn
   * @returns the number of its operations; undefined if the group did not grow
   */
  #take(group: Group, waiting: WaitingTurn, long?: Attempted): number | undefined {
    const { pending } = this.#options;
    let made: Commit | undefined;
    let error: unknown;
    try {
      const next = long === undefined ? this.#advance(waiting, group.head) : this.#advanceLong(group.head, long);
      if (next !== undefined && !('output' in next)) group.long = next;
      else if (next !== undefined && isLarge(next.output)) group.large = { waiting, ...next };
      else if (next !== undefined && !group.hasRows && pending?.takes(next, this.#queue.length) === true) {
        made = pending.add(next, group.head);
      } else made = next && this.#prepareShared(group, next);
    } catch (thrown) {
      error = thrown;
    }
    if ((group.large ?? group.long) !== undefined) return undefined;
    if (made?.isPending === true) return this.#addTo(group, waiting, made, OPERATIONS_OF_A_PENDING_COMMIT);
    if (made === undefined) {
      this.#queue.removeFirst();
      group.news.push({ waiting, commit: undefined, error });
      return undefined;
    }
    // From here on the rows belong to the store: a failure now fails the writer.
    this.#rows.add(this.#batch);
    group.hasRows = true;
    return this.#addTo(group, waiting, made, this.#batch.length);
  }

  #addTo(group: Group, waiting: WaitingTurn, made: Commit, operations: number): number {
    group.head = made.head;
    group.made.push(made);
    group.news.push({ waiting, commit: made, error: undefined });
    return operations;
  }

  /**
   * Executes the next transaction of a turn, unless it is to be executed elsewhere; undefined if it has no more.
   * @throws {EngineError} the refusal, if it is refused
   */
  #advance(waiting: WaitingTurn, head: Head): Advance | LongTransaction | undefined {
    const { turn, step: own } = waiting;
    const { step, settings, machines } = this.#tools!;
    const state = this.#stateAt(head);
    const rows = this.#options.pending ?? this.#rows;
    const input = turn.next({ head, state, rows, machines, settings });
    if (input === undefined) return undefined;
    waiting.isBegun = true;
    const { clock = this.#options.clock } = turn;
    const now = clock?.read() ?? head.timestamp;
    const clockOffset = clock?.offset;
    const given = { input, now, clockOffset };
    // Its properties are written out, since spreading takes many times longer.
    const context = { head, state, rows, machines, settings, now, clockOffset, sign: turn.sign ?? this.#signHere };
    const { aside } = this.#options;
    // A turn with its own step or signer repeats what was done before.
    const isOwn = own !== undefined || turn.sign !== undefined;
    const outcome = aside === undefined || isOwn ? (own ?? step)(input, context) : aside.attempt(step, given, context);
    return outcome === undefined ? { waiting, given } : advanceOf(outcome, state, given);
  }

  /** As `#advance`, for a transaction that was executed elsewhere, or has to be executed here. */
  #advanceLong(head: Head, { given, outcome }: Attempted): Advance {
    const { step, settings, machines } = this.#tools!;
    const { input, now, clockOffset } = given;
    const state = this.#stateAt(head);
    const rows = this.#options.pending ?? this.#rows;
    const context = { head, state, rows, machines, settings, now, clockOffset, sign: this.#signHere };
    return advanceOf(outcome ?? step(input, context), state, given);
  }

  /** Writes the rows of a commit that shares the group's batch; one that no store can take is refused here, alone. */
  #prepareShared(group: Group, advance: Advance): Commit {
    const prepared = this.commitOf(group, advance);
    this.#batch.clear();
    this.#batch.writeAll(writeCommit(this.#batch, prepared));
    this.#options.commits.add(prepared);
    return prepared.commit;
  }

  #stateAt(head: Head): State {
    return this.#options.pending?.state ?? new State(this.#options.tree, head.stateRoot, head.size, head.unloadedRoots);
  }
}

/**
 * Whether rows after `order` may omit the dev key's signature: not after a row of another key, or it would be unclear
 * whose is missing.
 */
function mayFollowUnsigned(rows: RowReader, order: bigint): boolean {
  const { txOrderSignature } = readStoredTransaction(rows, order).transaction.sequenceInfo;
  return txOrderSignature.length === 0 || isSignedAsDev(txOrderSignature);
}

/** A transaction that was executed elsewhere, if it has an outcome. */
interface Attempted {
  readonly given: TimedInput;
  readonly outcome: Outcome | undefined;
}

/** @throws {EngineError} the refusal, if the input is refused */
function advanceOf(outcome: Outcome, state: State, given: TimedInput): Advance {
  if (outcome.kind === 'refused') throw outcome.error;
  return { state, sequenced: outcome.sequenced, output: outcome.output, given: kept(given) };
}

/** What a commit keeps of its input: not the decoded block, which takes ten times the memory of its bytes. */
function kept(given: TimedInput): TimedInput {
  const { input } = given;
  if (input.kind !== 'l1-block') return given;
  const { kind, height, bytes } = input;
  return { ...given, input: { kind, height, bytes } };
}
