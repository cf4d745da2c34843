/**
 * Commits: what one executed transaction leaves behind, as operations, and what a group of them leaves together, the new
 * head among it.
 *
 * Every column of a transaction (nodes, ledger, events, indexes, head) is in the one batch, so a store holds all of it
 * or none, and no index ever lags behind the state.
 * @module
 */
import { type AccumulatorNodeRow, eventRoot } from '../accumulator/accumulator.ts';
import { COMMIT_OPERATIONS_MAX, FIELD_PARENTS_MAX } from '../config.ts';
import { assert, EngineError } from '../error.ts';
import { eventIndexOperations } from '../index/events.ts';
import { FIELD_INDEXER_ID, fieldIndexOperations, type RegisteredField } from '../index/fields.ts';
import { ObjectIndexUpdate } from '../index/objects.ts';
import { transactionIndexOperations, transactionSender } from '../index/transactions.ts';
import { type EventRecord, eventOperations } from '../ledger/events.ts';
import { type Head, headOperation } from '../ledger/head.ts';
import { type RowReader, type TransactionRecord, transactionOperations } from '../ledger/transactions.ts';
import type { StateChangeSet } from '../object/change-set.ts';
import { equalObjectIds } from '../object/object-id.ts';
import { applyChangeSet } from '../state/apply.ts';
import { nodeOperations } from '../state/node-row.ts';
import type { State } from '../state/state.ts';
import { columnKey, orderBytes } from '../store/column.ts';
import { checkOperations } from '../store/key-range.ts';
import type { Operation } from '../store/store.ts';
import type { TransactionEvent } from '../transaction/event.ts';
import type { KeptStatus } from '../transaction/execution-info.ts';
import type { LedgerTransactionData } from '../transaction/ledger.ts';
import type { SequencedTransaction } from './sequence.ts';

/** What an execution gives: its effects, not yet applied. */
export interface ExecutionOutput {
  readonly status: KeptStatus;
  readonly gasUsed: bigint;
  /** Made at the state that the transaction was executed on. */
  readonly changeSet: StateChangeSet;
  /** In the order of their indexes, from 0. */
  readonly events: readonly TransactionEvent[];
}

/**
 * The commits of one batch: what they write of its own each, they give as operations; what only the last of them decides,
 * stands here and is written once. Nobody sees a batch in part, so nobody misses what stood in between.
 */
export class CommitGroup {
  /** The store, with what the earlier commits of the group wrote. */
  readonly rows: RowReader;
  readonly objects: ObjectIndexUpdate;

  constructor(rows: RowReader) {
    this.rows = rows;
    this.objects = new ObjectIndexUpdate(rows);
  }

  /** What is written beside the commits' own operations, behind them. `last` is the head after the last commit. */
  operations(last: Head): Operation[] {
    return [...this.objects.operations(), headOperation(last)];
  }
}

/** A transaction ready to be written. */
export interface PreparedCommit {
  readonly commit: Commit;
  /** Without what the group writes for all of its commits. */
  readonly operations: readonly Operation[];
}

/** What a transaction made of the chain. */
export interface Commit {
  readonly head: Head;
  readonly record: TransactionRecord;
  /** With the roots after the change. */
  readonly changeSet: StateChangeSet;
  readonly events: readonly EventRecord[];
}

/**
 * Puts a sequenced and executed transaction into the form that is written, as the next commit of `group`.
 * `state` is the state before it; `before` is the head it follows, with the genesis settings for genesis itself.
 * @throws {EngineError} `invariant-violation` when the parts do not belong together, `limit-exceeded` for a row that no
 * store takes. The group is then as it was.
 */
export function prepareCommit(
  group: CommitGroup,
  state: State,
  before: Head,
  sequenced: SequencedTransaction,
  output: ExecutionOutput,
): PreparedCommit {
  const { rows } = group;
  const order = sequenced.sequenceInfo.txOrder;
  output.events.forEach((event, index) => {
    assert(
      event.eventIndex === BigInt(index),
      `event ${index} of order ${order} says it has index ${event.eventIndex}`,
    );
  });
  const applied = applyChangeSet(state, output.changeSet);
  const record: TransactionRecord = {
    order,
    transaction: { data: sequenced.data, sequenceInfo: sequenced.sequenceInfo },
    executionInfo: {
      txHash: sequenced.hash,
      stateRoot: applied.changeSet.stateRoot,
      size: applied.changeSet.globalSize,
      eventRoot: eventRoot(output.events.map((event) => event.eventData)),
      gasUsed: output.gasUsed,
      status: output.status,
    },
  };
  const head: Head = {
    ...before,
    order,
    stateRoot: applied.changeSet.stateRoot,
    size: applied.changeSet.globalSize,
    accumulator: sequenced.accumulator,
    timestamp: sequenced.sequenceInfo.txTimestamp,
  };
  const events = eventOperations(rows, order, output.events);
  const sender = transactionSender(sequenced.data);
  const operations = [
    ...nodeOperations(order, applied),
    ...transactionOperations(record, {
      stateChangeSet: applied.changeSet,
      sequenceNumber: sequenceNumber(sequenced.data),
    }),
    ...accumulatorOperations(sequenced.accumulatorNodes),
    ...events.operations,
    ...transactionIndexOperations(record),
    ...eventIndexOperations(sender, events.records),
    ...fieldIndexOperations(rows, registered(state, applied.changeSet), applied.changeSet),
  ];
  // What no store takes is refused here, alone: a batch that a store refuses ends the writer.
  if (operations.length > COMMIT_OPERATIONS_MAX) {
    throw new EngineError(
      'limit-exceeded',
      `expected a transaction that writes at most ${COMMIT_OPERATIONS_MAX} rows (COMMIT_OPERATIONS_MAX), got ${operations.length}`,
    );
  }
  checkOperations(operations);
  group.objects.add(order, applied.changeSet);
  return { operations, commit: { head, record, changeSet: applied.changeSet, events: events.records } };
}

/**
 * The parents whose fields are indexed, as the state before the transaction names them: the first ones, and as many
 * more as the transaction may take away.
 */
function registered(state: State, changeSet: StateChangeSet): RegisteredField[] {
  const touched = changeSet.changes.find(([, { meta }]) => equalObjectIds(meta.id, FIELD_INDEXER_ID));
  const limit = FIELD_PARENTS_MAX + (touched?.[1].fields.length ?? 0);
  return state
    .fields(FIELD_INDEXER_ID, { after: undefined, limit })
    .map(({ key, object }) => ({ key, value: object.value }));
}

function sequenceNumber(data: LedgerTransactionData): bigint {
  return data.kind === 'l2-transaction' ? data.data.sequenceNumber : 0n;
}

/** Rows for the nodes that came into being in the transaction accumulator. */
export function accumulatorOperations(nodes: readonly AccumulatorNodeRow[]): Operation[] {
  return nodes.map(({ position, hash }) => ({
    type: 'put',
    key: columnKey('accumulatorNode', orderBytes(position)),
    value: hash,
  }));
}
