/**
 * Commits: the store operations of one executed transaction, and those that a group of them has in common, such as the
 * new head.
 *
 * Every column of a transaction (nodes, ledger, events, indexes, head) is in the one batch, so a store holds all of it
 * or none, and no index ever lags behind the state.
 * @module
 */
import { type AccumulatorNodeRow, eventRoot } from '../accumulator/accumulator.ts';
import {
  COMMIT_PIECE_OPERATIONS,
  COMMIT_SHARED_OPERATIONS_MAX,
  DATA_FORMAT_VERSION,
  FIELD_PARENTS_MAX,
} from '../config.ts';
import { assert } from '../error.ts';
import { eventIndexOperations } from '../index/events.ts';
import { FIELD_INDEXER_ID, fieldIndexOperations, type RegisteredField } from '../index/fields.ts';
import { ObjectIndexUpdate, objectIndexOperations } from '../index/objects.ts';
import { transactionIndexOperations, transactionSender } from '../index/transactions.ts';
import { changeSetOperations } from '../ledger/change-sets.ts';
import { type CountedEvents, EventCounts, type EventRecord, eventOperations, eventRecords } from '../ledger/events.ts';
import { type Head, headOperation } from '../ledger/head.ts';
import { type RowReader, type TransactionRecord, transactionOperations } from '../ledger/transactions.ts';
import type { ChangedFields, StateChangeSet } from '../object/change-set.ts';
import { equalObjectIds } from '../object/object-id.ts';
import { applyChangeSet, type ChangedTrees } from '../state/apply.ts';
import { nodeOperations } from '../state/node-row.ts';
import type { State } from '../state/state.ts';
import { columnKey, orderBytes } from '../store/column.ts';
import type { Operation } from '../store/store.ts';
import type { TraceValue } from '../trace/kept-value.ts';
import type { TransactionEvent } from '../transaction/event.ts';
import type { KeptStatus } from '../transaction/execution-info.ts';
import type { LedgerTransactionData } from '../transaction/ledger.ts';
import type { Failure } from '../vm/failure.ts';
import type { TimedInput } from './input.ts';
import type { Notice } from './notice.ts';
import type { SequencedTransaction } from './sequence.ts';

/** The result of an execution: its effects, not yet applied. */
export interface ExecutionOutput {
  readonly status: KeptStatus;
  readonly gasUsed: bigint;
  /** Made at the state that the transaction was executed on. */
  readonly changeSet: StateChangeSet;
  /** In the order of their indexes, from 0. */
  readonly events: readonly TransactionEvent[];
  /** Why the action failed, where the status is not `executed`. Not part of the ledger. */
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
 * The commits of one batch. Each of them yields its own rows as operations; rows that depend only on the last commit
 * are kept here and written once. Nobody sees part of a batch, so nobody misses the values in between.
 */
export class CommitGroup {
  /** The store, with what the earlier commits of the group wrote. */
  readonly rows: RowReader;
  /** Whether all nodes that a commit makes are kept as long as its change set, which then refers to them. */
  readonly keepsNodes: boolean;
  /** The events of the commits that it took. */
  readonly events: EventCounts;
  readonly #objects: ObjectIndexUpdate;

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

  /** The operations that follow the commits' own. `last` is the head after the last commit. */
  operations(last: Head): Operation[] {
    return [...this.events.operations(), ...this.#objects.operations(), headOperation(last)];
  }
}

/** What `group` would write besides the rows of this commit, its only one, except for the head. */
export function indexPieces(group: CommitGroup, prepared: PreparedCommit): Iterable<readonly Operation[]> {
  return piecesOf(indexOperations(group, prepared));
}

// Not inside of `indexPieces`: V8 keeps what such a generator function sees for two more major collections.
function* indexOperations(
  { rows, events }: CommitGroup,
  { commit, counted }: PreparedCommit,
): Generator<Operation, void, undefined> {
  events.take(counted);
  yield* events.operations();
  yield* objectIndexOperations(rows, commit.record.order, commit.changeSet);
}

/** A transaction ready to be written. */
export interface PreparedCommit {
  readonly commit: Commit;
  readonly counted: CountedEvents;
  /**
   * Its rows in pieces, without what the group writes for all of its commits. They are built as they are iterated,
   * once: all rows of a large transaction together take more memory than the transaction itself.
   */
  readonly pieces: Iterable<readonly Operation[]>;
}

/** The chain after a transaction. */
export interface Commit {
  readonly head: Head;
  readonly record: TransactionRecord;
  /** With the roots after the change. */
  readonly changeSet: StateChangeSet;
  readonly events: readonly EventRecord[];
  /** Why the action failed, where the status is not `executed`. */
  readonly failure: Failure | undefined;
  /** Whether existing modules were replaced. */
  readonly isUpgrade: boolean;
  /** What was not done because of a bound, if anything. */
  readonly notices: readonly Notice[];
  /** What Move code printed, if it did. */
  readonly prints?: readonly TraceValue[] | undefined;
  /** Rows that do not follow from anything else in the commit. */
  readonly rows: readonly Operation[];
  /** The input, and when it came; undefined for genesis and for simulations. */
  readonly given: TimedInput | undefined;
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
  for (const [index, { eventIndex }] of output.events.entries()) {
    // The message is built only when it is needed: there may be a hundred thousand events.
    if (Number(eventIndex) !== index) assert(false, `event ${index} of order ${order} says it has index ${eventIndex}`);
  }
  const indexed = indexedParents(state, output.changeSet);
  const applied = applyChangeSet(state, output.changeSet);
  const rows = { touched: applied, indexed };
  return prepareApplied(group, before, sequenced, { ...output, changeSet: applied.changeSet }, rows, given);
}

/** As `prepareCommit`, for changes that are already applied: `output` has them with the roots after. */
export function prepareApplied(
  group: CommitGroup,
  before: Head,
  sequenced: SequencedTransaction,
  output: ExecutionOutput,
  prepared: PreparedRows,
  given: TimedInput | undefined,
): PreparedCommit {
  const { rows } = group;
  const order = sequenced.sequenceInfo.txOrder;
  const {
    changeSet,
    events,
    status,
    gasUsed,
    failure,
    notices = [],
    prints,
    isUpgrade = false,
    rows: own = [],
  } = output;
  const record: TransactionRecord = {
    order,
    transaction: { data: sequenced.data, sequenceInfo: sequenced.sequenceInfo },
    executionInfo: {
      txHash: sequenced.hash,
      stateRoot: changeSet.stateRoot,
      size: changeSet.globalSize,
      eventRoot: eventRoot(events),
      gasUsed,
      status,
    },
  };
  const head: Head = {
    ...before,
    // Its rows have the forms of this format, whatever the rows before them have.
    formatVersion: DATA_FORMAT_VERSION,
    order,
    stateRoot: changeSet.stateRoot,
    size: changeSet.globalSize,
    accumulator: sequenced.accumulator,
    timestamp: sequenced.sequenceInfo.txTimestamp,
  };
  const { records, counted } = eventRecords(group.events, order, events);
  const commit: Commit = {
    head,
    record,
    changeSet,
    events: records,
    failure,
    notices,
    prints,
    isUpgrade,
    rows: own,
    given,
  };
  return { commit, counted, pieces: piecesOf(commitOperations(rows, commit, sequenced, prepared, group.keepsNodes)) };
}

/** What rows of a commit are made of, beside the commit. */
export interface PreparedRows {
  /** What the changes made of the trees. */
  readonly touched: ChangedTrees;
  /** Those of `indexedParents`. */
  readonly indexed: readonly RegisteredField[];
}

function* commitOperations(
  rows: RowReader,
  { record, changeSet, events, rows: own }: Commit,
  { data, accumulatorNodes }: SequencedTransaction,
  { touched, indexed }: PreparedRows,
  keepsNodes: boolean,
): Generator<Operation, void, undefined> {
  yield* nodeOperations(record.order, touched);
  yield* transactionOperations(record);
  const stored = { stateChangeSet: changeSet, sequenceNumber: sequenceNumber(data) };
  yield* changeSetOperations(record.order, stored, keepsNodes ? touched.fresh : undefined);
  yield* accumulatorOperations(accumulatorNodes);
  yield* eventOperations(events);
  yield* transactionIndexOperations(record);
  yield* eventIndexOperations(transactionSender(data), events);
  yield* fieldIndexOperations(rows, indexed, changeSet);
  yield* own;
}

/** Cuts operations, as they are produced, into pieces that a store can take in one step. */
function* piecesOf(operations: Iterable<Operation>): Generator<readonly Operation[], void, undefined> {
  let piece: Operation[] = [];
  for (const operation of operations) {
    piece.push(operation);
    if (piece.length < COMMIT_PIECE_OPERATIONS) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

/** Estimated rows for a changed object and for an event, including indexes and tree nodes. */
const ROWS_OF_A_CHANGE = 5;
const ROWS_OF_AN_EVENT = 4;

/** Whether the result of an execution is too large to share a batch: then it is written alone, in pieces. */
export function isLarge({ changeSet, events }: Pick<ExecutionOutput, 'changeSet' | 'events'>): boolean {
  let rows = events.length * ROWS_OF_AN_EVENT;
  const count = (changes: ChangedFields): void => {
    rows += changes.length * ROWS_OF_A_CHANGE;
    if (rows > COMMIT_SHARED_OPERATIONS_MAX) return;
    for (const [, { fields }] of changes) count(fields);
  };
  count(changeSet.changes);
  return rows > COMMIT_SHARED_OPERATIONS_MAX;
}

/**
 * The parents whose fields are indexed, as in the state before the transaction: the first ones, and as many more as the
 * transaction may remove. Call it before the changes are applied: a root that is read after it was replaced stays in the
 * cache of nodes, and that would be one for each call.
 */
export function indexedParents(state: State, changeSet: StateChangeSet): RegisteredField[] {
  const touched = changeSet.changes.find(([, { meta }]) => equalObjectIds(meta.id, FIELD_INDEXER_ID));
  const limit = FIELD_PARENTS_MAX + (touched?.[1].fields.length ?? 0);
  return state
    .fields(FIELD_INDEXER_ID, { after: undefined, limit })
    .map(({ key, object }) => ({ key, value: object.value }));
}

function sequenceNumber(data: LedgerTransactionData): bigint {
  return data.kind === 'l2-transaction' ? data.data.sequenceNumber : 0n;
}

/** Rows for the new nodes of the transaction accumulator. */
export function accumulatorOperations(nodes: readonly AccumulatorNodeRow[]): Operation[] {
  return nodes.map(({ position, hash }) => ({
    type: 'put',
    key: columnKey('accumulatorNode', orderBytes(position)),
    value: hash,
  }));
}
