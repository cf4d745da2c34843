/**
 * Execution: what a validated transaction with its place in the ledger does to the state.
 *
 * Around the action, the chain's own Move code runs unmetered: `pre_execute` charges the most that the gas may cost,
 * `post_execute` counts the transaction and refunds what was not used. If the action fails, everything that it and
 * `pre_execute` did is dropped, `pre_execute` runs again on the state before it, and the used gas stays used. So a
 * failed transaction is paid for and counted, and has no other effect.
 * Source: `execute` and `execution_cleanup` of the reference's moveos/moveos/src/moveos.rs.
 *
 * Move code can create what this engine's stores cannot hold: types nested deeper than their binary form allows, ids
 * with too many parts, values that exceed a row. The reference notices while writing and rolls the transaction back.
 * Here the check is part of the execution, so the sender pays for the gas and learns the reason.
 * @module
 */
import { bool, encodeShortLived } from '../base/bcs.ts';
import { EngineError } from '../base/error.ts';
import type { ChangedFields, StateChangeSet } from '../chain/object/change-set.ts';
import { OBJECT_ID_DEPTH_MAX, type ObjectId } from '../chain/object/object-id.ts';
import type { TransactionEvent } from '../chain/transaction/event.ts';
import type { KeptStatus } from '../chain/transaction/execution-info.ts';
import {
  SEQUENCE_INFO_TYPE,
  type SequenceInfo,
  sequenceInfo as sequenceInfoCodec,
} from '../chain/transaction/sequence-info.ts';
import { changedGasEntries, gasEntriesOf } from '../execution/framework/gas-schedule.ts';
import { TX_RESULT_TYPE, txResult } from '../execution/framework/transaction.ts';
import type { Start } from '../execution/intrinsic/pre-execute.ts';
import { FEATURE_VALUE_SIZE_GAS } from '../execution/runtime/features.ts';
import { keptStatusOf } from '../execution/runtime/kept-status.ts';
import type { MachineCache } from '../execution/runtime/machine-cache.ts';
import { runSession, type Session } from '../execution/runtime/session.ts';
import { PrintLog } from '../execution/runtime/session-host.ts';
import { contextEntryOf, type TxContext, withEntry } from '../execution/runtime/tx-context.ts';
import { moduleLookup } from '../execution/trace/explain-failure.ts';
import { TraceValue } from '../execution/trace/kept-value.ts';
import { MOVEOS_STD_ADDRESS } from '../move/address.ts';
import { type StructTag, structTag, structType, typeTag } from '../move/type-tag.ts';
import { type Failure, placeless, refuse, ThrownFailure } from '../vm/failure.ts';
import { StatusCode } from '../vm/status.ts';
import type { ExecutionOutput } from './commit.ts';
import { type ExecutionContext, sessionSettings } from './execution-context.ts';
import { runPostExecute, runPreExecute, sizeCharge } from './framework-step.ts';
import { rejection } from './rejection.ts';
import { factOf, type ValidatedTransaction } from './validate.ts';

/**
 * Objects that one transaction may change plus events that it may emit. Each makes seven rows at most, so the
 * commit stays below COMMIT_OPERATIONS_MAX; at the usual gas limit an event costs 20,000 units, which pays for 50,000.
 */
export const TRANSACTION_WRITES_MAX = 50_000;

/** Bytes of values and events that one transaction may write: together they are one row, as its change set. */
export const TRANSACTION_WRITE_BYTES_MAX: number = 32 * 1024 * 1024;

/** Why the store cannot hold these changes and events, or undefined. */
export function unstorable(changeSet: StateChangeSet, events: readonly TransactionEvent[]): Failure | undefined {
  try {
    const tally = new Tally();
    tally.changes(changeSet.changes);
    for (const { eventType, eventData, handle } of events) tally.add(eventType, handle, eventData.length);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ThrownFailure) return thrown.failure;
    throw thrown;
  }
}

class Tally {
  #writes = 0;
  #bytes = 0;

  changes(changes: ChangedFields): void {
    for (const [, { meta, value, fields }] of changes) {
      this.add(meta.objectType, meta.id, value === undefined || value.kind === 'delete' ? 0 : value.value.length);
      this.changes(fields);
    }
  }

  add(type: StructTag, id: ObjectId, bytes: number): void {
    this.#writes++;
    this.#bytes += bytes;
    if (this.#writes > TRANSACTION_WRITES_MAX) {
      throw limit(`objects changed and events emitted: at most ${TRANSACTION_WRITES_MAX} (TRANSACTION_WRITES_MAX)`);
    }
    if (this.#bytes > TRANSACTION_WRITE_BYTES_MAX) {
      throw limit(`bytes of values and events: at most ${TRANSACTION_WRITE_BYTES_MAX} (TRANSACTION_WRITE_BYTES_MAX)`);
    }
    if (id.length > OBJECT_ID_DEPTH_MAX) {
      throw limit(`an object id of ${id.length} parts: at most ${OBJECT_ID_DEPTH_MAX} (OBJECT_ID_DEPTH_MAX)`);
    }
    assertType(type);
  }
}

/** Objects share their types, so each type is checked once. */
const storable = new WeakSet<StructTag>();

function assertType(type: StructTag): void {
  if (storable.has(type)) return;
  try {
    encodeShortLived(typeTag, structType(type));
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'invalid-argument') throw error;
    throw limit(`the type of an object or event: ${error.message} (TYPE_TAG_DEPTH_MAX)`);
  }
  storable.add(type);
}

function limit(message: string): ThrownFailure {
  return refuse(StatusCode.STORAGE_LIMIT_REACHED, `more than a transaction may store: ${message}`);
}

export type Execution =
  /** It had no effect: the network would drop it, too. */
  { readonly kind: 'refused'; readonly error: EngineError } | ({ readonly kind: 'executed' } & ExecutionOutput);

const MODULE_UPGRADE_FLAG = structTag(MOVEOS_STD_ADDRESS, 'tx_context', 'ModuleUpgradeFlag');

/**
 * Executes a transaction on the state before it.
 * @param sequenceInfo its place; undefined in a dry run like the reference's, in which the clock stands still
 * @throws {EngineError} for state that is not loaded or corrupt, or a full JavaScript stack
 */
export function executeTransaction(
  transaction: ValidatedTransaction,
  sequenceInfo: SequenceInfo | undefined,
  context: ExecutionContext,
): Execution {
  const place = sequenceInfo && contextEntryOf(SEQUENCE_INFO_TYPE, sequenceInfoCodec, sequenceInfo);
  const txContext = place === undefined ? transaction.context : withEntry(transaction.context, place);
  const prints = new PrintLog();
  const settings = sessionSettings(context, txContext, { tracer: context.tracer, prints });
  const start = { time: sequenceInfo?.txTimestamp, bitcoinAddress: transaction.result.bitcoinAddress };
  const run: Run = { transaction, txContext, start, context };
  const execution = runSession(settings, (session) => {
    const failure = runPreExecute(session, start, context);
    if (failure !== undefined) return refusedBefore(failure, transaction, context);
    const eventsBefore = session.events.length;
    const failed = chargeSize(session, txContext, context) ?? perform(session, transaction);
    if (failed !== undefined) return concludeFailed(session, failed, run);
    const execution = conclude(session, EXECUTED, undefined, run, eventsBefore);
    const refusal = execution.kind === 'refused' ? undefined : unusable(execution, context);
    return refusal === undefined ? execution : concludeFailed(session, refusal, run);
  });
  if (execution.kind === 'refused' || prints.printed.length === 0) return execution;
  return { ...execution, prints: prints.printed.map(({ type, bytes }) => new TraceValue(type, bytes)) };
}

interface Run {
  readonly transaction: ValidatedTransaction;
  /** The transaction's context, with its place if it has one. */
  readonly txContext: TxContext;
  readonly start: Start;
  readonly context: ExecutionContext;
}

/** The status of a successful execution. */
export const EXECUTED: KeptStatus = { kind: 'executed' };

function chargeSize(session: Session, { txSize }: TxContext, { state }: ExecutionContext): Failure | undefined {
  const charge = sizeCharge(gasEntriesOf(state), txSize, session.features.has(FEATURE_VALUE_SIZE_GAS));
  if (session.gas.charge(charge === 0n ? session.gas.left + 1n : charge)) return undefined;
  const message = `the gas limit does not pay for the transaction's ${txSize} bytes`;
  return placeless(StatusCode.OUT_OF_GAS, message);
}

function perform(session: Session, { data }: ValidatedTransaction): Failure | undefined {
  const outcome = session.execute(data.data.action);
  return outcome.kind === 'failed' ? outcome.failure : undefined;
}

/** Discards all effects, and continues as if the action did nothing. */
function concludeFailed(session: Session, failure: Failure, run: Run): Execution {
  const { txContext, start, context } = run;
  const status = keptStatusOf(failure);
  if (status === undefined) return refused(failure, 'its action', context);
  const respawned = session.respawn(txContext.entries);
  const again = runPreExecute(respawned, start, context);
  return again === undefined ? conclude(respawned, status, failure, run) : refused(again, 'pre_execute', context);
}

/** @param eventsBefore how many events there were before those of the action. Default: it has none. */
function conclude(
  session: Session,
  status: KeptStatus,
  failure: Failure | undefined,
  run: Run,
  eventsBefore: number = session.events.length,
): Execution {
  const { transaction, context } = run;
  const { action } = transaction.data.data;
  const { gasUsed } = session;
  session.txContext.add(TX_RESULT_TYPE, txResult, { executed: status.kind === 'executed', gasUsed });
  const ofAction = { from: eventsBefore, to: session.events.length };
  // What follows may use the objects that were passed to the action.
  session.releaseArguments();
  const calledAddress = action.kind === 'function' ? action.function.address : undefined;
  const { sessionKey } = transaction.result;
  const last = runPostExecute(session, { gasUsed, sessionKey, calledAddress }, context);
  if (last !== undefined) return refused(last, 'post_execute', context);
  const isUpgrade = session.txContext.get(MODULE_UPGRADE_FLAG, bool) ?? false;
  const { changeSet, events } = session.finish();
  return { kind: 'executed', status, gasUsed, changeSet, events, ofAction, failure, isUpgrade };
}

/** Why the chain could not continue after an action, although it succeeded. */
export function unusable(
  { changeSet, events }: Pick<ExecutionOutput, 'changeSet' | 'events'>,
  { machines }: Pick<ExecutionContext, 'machines'>,
): Failure | undefined {
  return unstorable(changeSet, events) ?? unusablePrices(changeSet, machines);
}

/** Why no machine could run with the prices that an action set. The reference would not start again. */
function unusablePrices(changeSet: StateChangeSet, machines: MachineCache): Failure | undefined {
  const entries = changedGasEntries(changeSet);
  if (entries === undefined) return undefined;
  try {
    machines.create(entries);
    return undefined;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const message = `a gas schedule that no transaction could run with: ${error.message}`;
    return placeless(StatusCode.DATA_FORMAT_ERROR, message);
  }
}

/** A refusal before the action: most often the sender cannot pay. */
function refusedBefore(failure: Failure, { data }: ValidatedTransaction, context: ExecutionContext): Execution {
  if (failure.isBeforeCode !== true) return refused(failure, 'pre_execute', context);
  return { kind: 'refused', error: rejection(failure, { fact: factOf(failure, data, context) }) };
}

function refused(failure: Failure, during: string, context: ExecutionContext): Execution {
  return { kind: 'refused', error: rejection(failure, { during, findModule: moduleLookup(context) }) };
}
