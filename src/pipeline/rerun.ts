/**
 * Transactions that are run without writing: those of the ledger again, traced, on the state before them; and new ones,
 * simulated, without a signature of the sequencer.
 *
 * A rerun repeats what was executed: the same validation, the same place in the ledger, the same code on the same
 * state. So it must end with the ledger's status, gas and root; if it does not, the store or the engine is no longer
 * what it was, and there is no trace.
 * @module
 */

import { encode } from '../base/bcs.ts';
import { equalBytes, toHexPrefixed } from '../base/bytes/bytes.ts';
import { IMPERSONATION_VALIDATOR_ID } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import { isUnknownHash } from '../base/hash/unknown-hash.ts';
import type { TransactionRecord } from '../chain/ledger/transactions.ts';
import type { StateChangeSet } from '../chain/object/change-set.ts';
import { applyChangeSet } from '../chain/state/apply.ts';
import { type Control, recordedControl } from '../chain/transaction/control.ts';
import { keptStatus } from '../chain/transaction/execution-info.ts';
import {
  type SignedTransaction,
  signedTransaction,
  transactionData,
  VALIDATOR_BITCOIN,
} from '../chain/transaction/signed.ts';
import { moduleLookup } from '../execution/trace/explain-failure.ts';
import { Recorder } from '../execution/trace/recorder.ts';
import { type Trace, traceOf } from '../execution/trace/trace.ts';
import { PendingRows } from '../store/gathered-batch.ts';
import type { Module } from '../vm/binary/module.ts';
import { type Commit, CommitGroup, commitPieces, type ExecutionOutput, prepareCommit } from './commit.ts';
import { EXECUTED, executeTransaction } from './execute.ts';
import { executeControl } from './execute-control.ts';
import type { ExecutionContext } from './execution-context.ts';
import type { Input } from './input.ts';
import { publishedFirst } from './publish.ts';
import { type Present, type StepContext, step, stepValidated } from './step.ts';
import { presumeValid, type Validation, validateCall, validateSigned } from './validate.ts';

type Effects = Pick<ExecutionOutput, 'status' | 'gasUsed' | 'changeSet' | 'failure'>;

/**
 * The trace of a transaction.
 * @param context with the state before it
 * @throws {EngineError} `not-supported` for one that ran no Move code, `corrupt` if it ends differently from what the
 * ledger says, `state-not-loaded`, `deadline-exceeded`
 */
export function rerun(record: TransactionRecord, context: Omit<ExecutionContext, 'settings' | 'tracer'>): Trace {
  const recorder = new Recorder();
  const settings = { verifySignatures: true, gasGift: true };
  const effects = run(record, { ...context, settings, tracer: recorder });
  assertSame(record, effects, context);
  const { modules } = context.machines;
  const read = (code: Uint8Array): Module => modules.read(code);
  return traceOf(recorder, effects, publishedFirst(record.transaction.data, read, moduleLookup(context)));
}

function run({ order, transaction, executionInfo }: TransactionRecord, context: ExecutionContext): Effects {
  const { data, sequenceInfo } = transaction;
  if (order === 0n) throw untraceable(order, 'genesis, which is made from its own recipe');
  if (data.kind !== 'l2-transaction') {
    const what = data.kind === 'l1-block' ? 'a Bitcoin block' : 'a Bitcoin transaction';
    throw untraceable(order, `${what}, whose rules are TypeScript (src/execution/bitcoin-move)`);
  }
  const control = recordedControl(data)?.control;
  if (control !== undefined) return runControl(order, control, context);
  const validation = validate(data, context);
  if (validation.kind === 'refused') throw differs(order, 'to be let pass', validation.error.message);
  const { data: validated, result, context: txContext } = validation.transaction;
  const known = { data: validated, hash: executionInfo.txHash, result, context: txContext };
  const execution = executeTransaction(known, sequenceInfo, context);
  if (execution.kind === 'refused') throw differs(order, 'to be executed', execution.error.message);
  return execution;
}

function untraceable(order: bigint, what: string): EngineError {
  return new EngineError(
    'not-supported',
    `the transaction at order ${order} is ${what}: no Move code ran, so there are no calls to trace; its events and its change set say what it did`,
  );
}

function runControl(order: bigint, control: Control, context: ExecutionContext): Effects {
  if (control.kind !== 'fund') throw untraceable(order, `the control ${control.kind}, which writes what it was given`);
  const { changeSet } = executeControl(control, order, { ...context, now: 0n });
  return { status: EXECUTED, gasUsed: 0n, changeSet };
}

/**
 * As when it was ordered. The ledger does not say whether signatures were checked then. If they were, they hold, and a
 * contract's validator may depend on others that do not; only if that fails is every signature taken for valid.
 */
function validate(transaction: SignedTransaction, context: ExecutionContext): Validation {
  const { data, authenticator } = transaction;
  if (authenticator.validatorId === IMPERSONATION_VALIDATOR_ID) return validateCall(data, context);
  const isPresumed = authenticator.validatorId === VALIDATOR_BITCOIN && authenticator.payload.length === 0;
  if (isPresumed) return presumeValid(encode(transactionData, data), context);
  const signed = encode(signedTransaction, { data, authenticator });
  const checked = validateSigned(signed, context);
  if (checked.kind === 'validated') return checked;
  return validateSigned(signed, { ...context, settings: { ...context.settings, verifySignatures: false } });
}

function assertSame(
  { order, executionInfo }: TransactionRecord,
  { status, gasUsed, changeSet }: Effects,
  { state }: Pick<ExecutionContext, 'state'>,
): void {
  if (!equalBytes(encode(keptStatus, status), encode(keptStatus, executionInfo.status))) {
    throw differs(order, `the status ${executionInfo.status.kind}`, status.kind);
  }
  if (gasUsed !== executionInfo.gasUsed) throw differs(order, `gas of ${executionInfo.gasUsed}`, `${gasUsed}`);
  const root = rootAfter(changeSet, state);
  // A fork of a Rooch node knows the root that the node says, and not its own.
  if (isUnknownHash(root) || equalBytes(root, executionInfo.stateRoot)) return;
  throw differs(order, `the root ${toHexPrefixed(executionInfo.stateRoot)}`, toHexPrefixed(root));
}

function rootAfter(changeSet: StateChangeSet, state: ExecutionContext['state']): Uint8Array {
  return applyChangeSet(state, changeSet).changeSet.stateRoot;
}

function differs(order: bigint, expected: string, got: string): EngineError {
  return new EngineError(
    'corrupt',
    `run again, the transaction at order ${order} was expected to end with ${expected}, as the ledger says; got ${got}: check the store with movelet verify`,
  );
}

/** What is simulated: an input, or the unsigned data of a transaction, which is assumed to be valid. */
export type SimulatedInput = Input | { readonly kind: 'unsigned'; readonly bytes: Uint8Array };

/** A commit that is not written. */
interface Simulation {
  readonly commit: Commit;
  /** The rows that it would write. */
  readonly rows: PendingRows;
}

/**
 * What an input would do as the next transaction.
 * @param now milliseconds of the sequencer's clock
 * @throws {EngineError} the refusal, for an input that is refused; `deadline-exceeded`; as `step`
 */
export function simulate(input: SimulatedInput, present: Present, now: bigint): Simulation {
  const context: StepContext = { ...present, now, clockOffset: undefined, sign: undefined };
  const outcome =
    input.kind === 'unsigned' ? stepValidated(presumeValid(input.bytes, context), context) : step(input, context);
  if (outcome.kind === 'refused') throw outcome.error;
  const group = new CommitGroup(present.rows);
  const prepared = prepareCommit(group, present.state, present.head, outcome.sequenced, outcome.output);
  const rows = new PendingRows();
  for (const piece of commitPieces(prepared)) rows.add(piece);
  return { commit: prepared.commit, rows };
}
