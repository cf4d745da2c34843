/**
 * Commits: the store operations of one executed transaction, and those that a group of them shares, such as the new
 * head.
 *
 * Every column of a transaction (nodes, ledger, events, indexes, head) is in the same batch, so a store holds all of it
 * or none, and no index ever lags behind the state.
 * @module
 */

import { equalBytes } from '../base/bytes/bytes.ts';
import { COMMIT_SHARED_OPERATIONS_MAX, DATA_FORMAT_VERSION, FIELD_PARENTS_MAX } from '../base/config.ts';
import { assert } from '../base/error.ts';
import { changedIndexer, FIELD_INDEXER_ID, fieldIndexOperations, type RegisteredField } from '../chain/index/fields.ts';
import { ObjectIndexUpdate, writeObjectIndex } from '../chain/index/objects.ts';
import { transactionSender, writeEventIndex, writeTransactionIndex } from '../chain/index/transactions.ts';
import { writeChangeSet } from '../chain/ledger/change-sets.ts';
import { type CountedEvents, EventCounts, type EventRecord, eventRecords, writeEvent } from '../chain/ledger/events.ts';
import { type Head, headOperation, writeHead } from '../chain/ledger/head.ts';
import { type RowReader, type TransactionRecord, writeTransaction } from '../chain/ledger/transactions.ts';
import type { ChangedFields, StateChangeSet } from '../chain/object/change-set.ts';
import { applyChangeSet, type ChangedTrees } from '../chain/state/apply.ts';
import { writeNodes } from '../chain/state/node-row.ts';
import type { State } from '../chain/state/state.ts';
import type { TransactionEvent } from '../chain/transaction/event.ts';
import type { KeptStatus } from '../chain/transaction/execution-info.ts';
import type { LedgerTransactionData } from '../chain/transaction/ledger.ts';
import type { TraceValue } from '../execution/trace/kept-value.ts';
import { type AccumulatorNodeRow, eventRoot } from '../store/accumulator/accumulator.ts';
import { beginBatch } from '../store/gathered-batch.ts';
import { RowBatch, type RowWriting } from '../store/row-batch.ts';
import type { Operation, Store } from '../store/store.ts';
import type { Failure } from '../vm/failure.ts';
import type { Notice } from './feed.ts';
import type { TimedInput } from './input.ts';
import type { SequencedTransaction } from './sequence.ts';

/** Events of a transaction by their indexes; `to` is not one of them. */
export interface EventRange {
  readonly from: number;
  readonly to: number;
}

/** The result of an execution: its effects, not yet applied. */
export interface ExecutionOutput {
  readonly status: KeptStatus;
  readonly gasUsed: bigint;
  /** Made at the state that the transaction was executed on. */
  readonly changeSet: StateChangeSet;
  /** In the order of their indexes, from 0. */
  readonly events: readonly TransactionEvent[];
  /** Which of them the action emitted; the framework emitted the others. Default: all. Not part of the ledger. */
  readonly ofAction?: EventRange | undefined;
  /** Why the action failed, if the status is not `executed`. Not part of the ledger. */
  readonly failure?: Failure | undefined;
  /** Whether existing modules were replaced. Default: false. */
  readonly isUpgrade?: boolean;
  /** Written in addition to the rows that every transaction has. */
  readonly rows?: readonly Operation[] | undefined;
  readonly notices?: readonly Notice[] | undefined;
  /** What Move code printed. Not part of the ledger. */
  readonly prints?: readonly TraceValue[] | undefined;
}

/**
 * Shared by the commits of a batch. Rows that depend only on the last commit are gathered here and written once: no
 * reader sees part of a batch, so no one misses the values in between. Consecutive batches may share a group, which
 * saves reading what the previous one wrote.
 */
export class CommitGroup {
  /** The store, with what the earlier commits of the group wrote. */
  readonly rows: RowReader;
  /** Whether all nodes that a commit makes are kept as long as its change set, which may then refer to them. */
  readonly keepsNodes: boolean;
  readonly events: EventCounts;
  readonly #objects: ObjectIndexUpdate;
  /** The indexed parents of the state at `root`. */
  #indexed: { root: Uint8Array; readonly parents: RegisteredField[] } | undefined;

  constructor(rows: RowReader, keepsNodes = false) {
    this.rows = rows;
    this.keepsNodes = keepsNodes;
    this.events = new EventCounts(rows);
    this.#objects = new ObjectIndexUpdate(rows);
  }

  /**
   * Takes a commit whose own rows will be written.
   * @throws {EngineError} `corrupt` for an index row that does not decode; the group is then unchanged.
   */
  add({ commit, counted }: PreparedCommit): void {
    this.#objects.add(commit.record.order, commit.changeSet);
    this.events.take(counted);
  }

  /** As the function of this name, but only read again after a commit has changed them. */
  indexedParents(state: State, changeSet: StateChangeSet): RegisteredField[] {
    if (changedIndexer(changeSet) !== undefined) {
      this.#indexed = undefined;
      return indexedParents(state, changeSet);
    }
    if (this.#indexed === undefined || !equalBytes(this.#indexed.root, state.root)) {
      this.#indexed = { root: state.root, parents: indexedParents(state, changeSet) };
    }
    return this.#indexed.parents;
  }

  /** To be called once that change set, with the roots after it, has been applied. */
  leadTo({ stateRoot }: StateChangeSet): void {
    if (this.#indexed !== undefined) this.#indexed.root = stateRoot;
  }

  /** To be called when something else has written to the store. */
  forget(): void {
    this.events.forget();
    this.#objects.forget();
    this.#indexed = undefined;
  }

  /** Writes the rows that follow the commits' own. `last` is the head after the last commit. */
  *write(batch: RowBatch, last: Head): RowWriting {
    yield* this.events.write(batch);
    yield* this.#objects.write(batch);
    writeHead(batch, last);
  }
}

/** The rows of a group of only this commit besides the commit's own, without the head. */
function indexPieces(prepared: PreparedCommit): Iterable<readonly Operation[]> {
  return piecesOf((batch) => writeIndexes(batch, prepared));
}

// Not inside `indexPieces`: V8 keeps what such a generator function closes over for two more major collections.
function* writeIndexes(batch: RowBatch, { commit, counted, group: { rows, events } }: PreparedCommit): RowWriting {
  events.take(counted);
  yield* events.write(batch);
  yield* writeObjectIndex(batch, rows, commit.record.order, commit.changeSet);
}

/** A transaction ready to be written. */
export interface PreparedCommit {
  readonly commit: Commit;
  readonly group: CommitGroup;
  readonly counted: CountedEvents;
  /** BCS of the signed transaction, if it is one and its BCS is at hand. */
  readonly signed: Uint8Array | undefined;
  readonly isSignedLater: boolean;
  readonly accumulatorNodes: readonly AccumulatorNodeRow[];
  readonly trees: ChangedTrees;
  /** Those of `indexedParents`. */
  readonly indexed: readonly RegisteredField[];
}

/**
 * The rows of a commit in pieces, built as they are iterated, once: all rows of a large transaction together take more
 * memory than the transaction itself.
 */
export function commitPieces(prepared: PreparedCommit): Iterable<readonly Operation[]> {
  return piecesOf((batch) => writeCommit(batch, prepared));
}

/** The chain after a transaction. */
export interface Commit {
  readonly head: Head;
  readonly record: TransactionRecord;
  /** With the roots after the change; with those before it if the commit was pending (pending-commits.ts). */
  readonly changeSet: StateChangeSet;
  readonly events: readonly EventRecord[];
  /** Those that the action emitted, if the framework emitted others. */
  readonly ofAction: EventRange | undefined;
  /** Why the action failed, if the status is not `executed`. */
  readonly failure: Failure | undefined;
  /** Whether existing modules were replaced. */
  readonly isUpgrade: boolean;
  /** What was left undone because of a bound, if anything. */
  readonly notices: readonly Notice[];
  /** What Move code printed, if it did. */
  readonly prints?: readonly TraceValue[] | undefined;
  /** Rows that do not follow from anything else in the commit. */
  readonly rows: readonly Operation[];
  /** The input, and when it came; undefined for genesis and for simulations. */
  readonly given: TimedInput | undefined;
  /** Whether its roots and rows are still to be made. Default: false. */
  readonly isPending?: boolean;
}

/**
 * Turns a sequenced and executed transaction into the next commit of `group`, which takes it with `add` once its rows
 * are accepted. `state` is the state before it; `before` is the head it follows, with the genesis settings for genesis
 * itself.
 * @throws {EngineError} `invariant-violation` if the parts do not belong together.
 */
export function prepareCommit(
  group: CommitGroup,
  state: State,
  before: Head,
  sequenced: SequencedTransaction,
  output: ExecutionOutput,
  given?: TimedInput,
): PreparedCommit {
  const order = sequenced.sequenceInfo.txOrder;
  for (let index = 0; index < output.events.length; index++) {
    const { eventIndex } = output.events[index]!;
    // The message is built only when it is needed: there may be a hundred thousand events.
    if (Number(eventIndex) !== index) assert(false, `event ${index} of order ${order} says it has index ${eventIndex}`);
  }
  const indexed = group.indexedParents(state, output.changeSet);
  const applied = applyChangeSet(state, output.changeSet);
  group.leadTo(applied.changeSet);
  return prepareApplied(
    group,
    before,
    sequenced,
    output,
    { changeSet: applied.changeSet, trees: applied, indexed },
    given,
  );
}

interface AppliedChanges {
  /** With the roots after the change. */
  readonly changeSet: StateChangeSet;
  readonly trees: ChangedTrees;
  /** Those of `indexedParents`. */
  readonly indexed: readonly RegisteredField[];
}

/** As `prepareCommit`, for changes that have already been applied: those of `output` are ignored. */
export function prepareApplied(
  group: CommitGroup,
  before: Head,
  sequenced: SequencedTransaction,
  output: Omit<ExecutionOutput, 'changeSet'>,
  { changeSet, trees, indexed }: AppliedChanges,
  given: TimedInput | undefined,
): PreparedCommit {
  const { data, hash, signed, sequenceInfo, isSignedLater = false, accumulator, accumulatorNodes } = sequenced;
  const { txOrder: order, txTimestamp: timestamp } = sequenceInfo;
  const { events, ofAction, status, gasUsed, failure, notices = [], prints, isUpgrade = false, rows = [] } = output;
  const { stateRoot, globalSize: size } = changeSet;
  const { genesisHash, chainId, unloadedRoots } = before;
  // Its rows have the forms of this format, whatever the rows before them have.
  const formatVersion = DATA_FORMAT_VERSION;
  const { records, counted } = eventRecords(group.events, order, events);
  const commit: Commit = {
    head: { formatVersion, genesisHash, chainId, order, stateRoot, size, accumulator, timestamp, unloadedRoots },
    record: {
      order,
      transaction: { data, sequenceInfo },
      executionInfo: { txHash: hash, stateRoot, size, eventRoot: eventRoot(events), gasUsed, status },
    },
    changeSet,
    events: records,
    ofAction,
    failure,
    notices,
    prints,
    isUpgrade,
    rows,
    given,
  };
  return { commit, group, counted, signed, isSignedLater, accumulatorNodes, trees, indexed };
}

/** Writes the rows of a commit, without those that the group writes for all of its commits. */
export function* writeCommit(
  batch: RowBatch,
  { commit, group: { rows, keepsNodes }, signed, isSignedLater, accumulatorNodes, trees, indexed }: PreparedCommit,
): RowWriting {
  const { record, changeSet, events, rows: own } = commit;
  const { data } = record.transaction;
  yield* writeNodes(batch, record.order, trees);
  writeTransaction(batch, record, signed, isSignedLater);
  const stored = { stateChangeSet: changeSet, sequenceNumber: sequenceNumber(data) };
  yield* writeChangeSet(batch, record.order, stored, keepsNodes ? trees.fresh : undefined);
  writeAccumulator(batch, accumulatorNodes);
  for (const event of events) {
    writeEvent(batch, event);
    if (batch.isFull) yield;
  }
  writeTransactionIndex(batch, record);
  const sender = transactionSender(data);
  for (const event of events) {
    writeEventIndex(batch, sender, event);
    if (batch.isFull) yield;
  }
  for (const operation of fieldIndexOperations(rows, indexed, changeSet)) {
    batch.add(operation);
    if (batch.isFull) yield;
  }
  for (const operation of own) batch.add(operation);
}

/** The rows that `write` writes, in pieces that a store can take in one step. */
function* piecesOf(write: (batch: RowBatch) => RowWriting): Generator<readonly Operation[], void, undefined> {
  const batch = new RowBatch();
  for (const _ of write(batch)) {
    yield batch.operations();
    batch.clear();
  }
  if (batch.length > 0) yield batch.operations();
}

/**
 * Writes a commit that shares no batch, in pieces: none of them is visible before the last one.
 * @param keep called before the last piece; if it throws, nothing was written
 */
export async function writeAlone(
  store: Store,
  prepared: PreparedCommit,
  keep?: (commit: Commit) => Promise<void>,
): Promise<void> {
  const { commit } = prepared;
  const batch = beginBatch(store);
  try {
    for (const piece of commitPieces(prepared)) await batch.add(piece);
    for (const piece of indexPieces(prepared)) await batch.add(piece);
    await keep?.(commit);
    await batch.commit([headOperation(commit.head)], { order: commit.head.order });
  } catch (error) {
    await batch.abandon();
    throw error;
  }
}

/** Estimated rows for a changed object and for an event, including indexes and tree nodes. */
const ROWS_OF_A_CHANGE = 5;
const ROWS_OF_AN_EVENT = 4;

/** Whether the result of an execution is too large to share a batch: then it is written alone, in pieces. */
export function isLarge({ changeSet, events }: Pick<ExecutionOutput, 'changeSet' | 'events'>): boolean {
  return countRows(changeSet.changes, events.length * ROWS_OF_AN_EVENT) > COMMIT_SHARED_OPERATIONS_MAX;
}

/** `before` plus the number of rows of changes; stops counting beyond the maximum. */
function countRows(changes: ChangedFields, before: number): number {
  let rows = before + changes.length * ROWS_OF_A_CHANGE;
  if (rows > COMMIT_SHARED_OPERATIONS_MAX) return rows;
  for (const [, { fields }] of changes) rows = countRows(fields, rows);
  return rows;
}

/**
 * The parents whose fields are indexed, as in the state before the transaction: the first ones, and as many more as the
 * transaction may remove. Call it before the changes are applied: a root that is read after it was replaced stays in the
 * node cache, one for each call.
 */
export function indexedParents(state: State, changeSet: StateChangeSet): RegisteredField[] {
  const limit = FIELD_PARENTS_MAX + (changedIndexer(changeSet)?.fields.length ?? 0);
  return state
    .fields(FIELD_INDEXER_ID, { after: undefined, limit })
    .map(({ key, object }) => ({ key, value: object.value }));
}

function sequenceNumber(data: LedgerTransactionData): bigint {
  return data.kind === 'l2-transaction' ? data.data.sequenceNumber : 0n;
}

export function writeAccumulator(batch: RowBatch, nodes: readonly AccumulatorNodeRow[]): void {
  for (const { position, hash } of nodes) {
    batch.put('accumulatorNode');
    batch.writer.u64BigEndian(position);
    batch.value();
    batch.writer.bytes(hash);
    batch.end();
  }
}
