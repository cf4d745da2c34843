/**
 * The step: what one input does to the chain, as a pure function of the input and what it finds.
 *
 * Validation accepts or refuses; sequencing gives the transaction its order, its time and its place in the accumulator;
 * execution yields a status, gas, changes and events. Nothing is written here. Ingestion, replay and simulation all go
 * through it, so they cannot differ.
 *
 * A refusal is an outcome. Damaged or unloaded state and broken invariants are not, and throw. Then the writer writes
 * nothing, and the head stays.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { clockOffsetOperations, inscriptionBytesOperations, readInscriptionBytes } from '../chain/ledger/head.ts';
import type { RowReader } from '../chain/ledger/transactions.ts';
import { type Control, controlRecord } from '../chain/transaction/control.ts';
import { BITCOIN_CHAIN_ID, type LedgerTransactionData, ledgerTransactionHash } from '../chain/transaction/ledger.ts';
import { type BlockRules, newBlock } from '../execution/bitcoin-move/block-check.ts';
import { executeL1Block, executeL1Header } from '../execution/bitcoin-move/l1-block.ts';
import { executeL1Transaction } from '../execution/bitcoin-move/l1-transaction.ts';
import { watchedTransactions } from '../execution/bitcoin-move/watch.ts';
import { ObjectRuntime } from '../execution/runtime/object-runtime.ts';
import type { ExecutionOutput } from './commit.ts';
import { EXECUTED, executeTransaction, unusable } from './execute.ts';
import { executeControl } from './execute-control.ts';
import type { ExecutionContext, ExecutionSettings } from './execution-context.ts';
import { leftOutNotice } from './feed.ts';
import { type Input, isRefusal, type L1BlockInput, type L1TransactionInput } from './input.ts';
import { rejection } from './rejection.ts';
import { type OrderSignature, type SequencedTransaction, type SIGNED_LATER, sequence } from './sequence.ts';
import { type Validation, validateCall, validateSigned } from './validate.ts';

/** An engine's settings for its steps, besides those of the chain. */
export interface StepSettings extends ExecutionSettings {
  /** What is checked in Bitcoin blocks. */
  readonly blocks: BlockRules;
}

/** The chain as the previous input left it. */
export interface Present extends ExecutionContext {
  /** The store, with what the commits before it wrote. */
  readonly rows: RowReader;
  readonly settings: StepSettings;
}

/** What an input runs on. */
export interface StepContext extends Present {
  /** The clock's reading for this input, in milliseconds. */
  readonly now: bigint;
  /** How many milliseconds of that reading are due to controls; undefined for a chain without a clock. */
  readonly clockOffset: bigint | undefined;
  /** Signs the order; without it nothing is signed, since nothing will be written. */
  readonly sign: OrderSignature | typeof SIGNED_LATER | undefined;
}

export type Outcome =
  /** Nothing happened, and nothing is written. */
  { readonly kind: 'refused'; readonly error: EngineError } | SequencedOutcome;

/** A transaction with its place in the ledger, and what it did. */
export interface SequencedOutcome {
  readonly kind: 'sequenced';
  readonly sequenced: SequencedTransaction;
  readonly output: ExecutionOutput;
}

export type Step = (input: Input, context: StepContext) => Outcome;

/**
 * Runs one input.
 * @throws {EngineError} for what is not an outcome: `corrupt`, `state-not-loaded`, `invariant-violation`,
 * `store-failed`.
 */
export const step: Step = (input, context) => {
  try {
    switch (input.kind) {
      case 'signed':
        return stepValidated(validateSigned(input.bytes, context), context);
      case 'call':
        return stepValidated(validateCall(input, context), context);
      case 'l1-block':
        return stepL1Block(input, context);
      case 'l1-transaction':
        return stepL1Transaction(input, context);
      case 'control':
        return stepControl(input.control, context);
    }
  } catch (error) {
    if (isRefusal(error)) return { kind: 'refused', error };
    throw error;
  }
};

/** Sequences and executes a transaction that validation accepted. */
export function stepValidated(validation: Validation, context: StepContext): Outcome {
  if (validation.kind === 'refused') return validation;
  const { transaction } = validation;
  const { rows, head, now, sign } = context;
  const sequenced = sequence(rows, head, transaction, now, sign);
  const execution = executeTransaction(transaction, sequenced.sequenceInfo, context);
  if (execution.kind === 'refused') return execution;
  return { kind: 'sequenced', sequenced, output: execution };
}

function stepL1Block({ bytes, height, block: checked }: L1BlockInput, context: StepContext): Outcome {
  const { blocks } = context.settings;
  const block = checked ?? newBlock(context.state, bytes, height, blocks);
  if (block === undefined) {
    throw new EngineError('transaction-rejected', `the block at height ${height} is known already`);
  }
  const data = { kind: 'l1-block', chainId: BITCOIN_CHAIN_ID, blockHeight: height, blockHash: block.hash } as const;
  const { chainId } = context.head;
  return sequencedOf(context, data, (runtime) => {
    if (blocks.headersOnly) return executeL1Header(runtime, block, height, chainId);
    const kept = blocks.owners === undefined ? undefined : watchedTransactions(context.state, block, blocks.owners);
    return executeL1Block(runtime, block, height, chainId, kept);
  });
}

function stepL1Transaction({ blockHash, txid }: L1TransactionInput, context: StepContext): Outcome {
  const { network, owners } = context.settings.blocks;
  const { chainId } = context.head;
  const before = readInscriptionBytes(context.rows, blockHash);
  const data = { kind: 'l1-transaction', chainId: BITCOIN_CHAIN_ID, blockHash, txid } as const;
  return sequencedOf(context, data, (runtime) => {
    const settings = { network, chainId, inscriptionBytes: before, owners };
    const effects = executeL1Transaction(runtime, blockHash, txid, settings);
    const { events, inscriptionBytes, inscriptionsLeftOut: count, isLast } = effects;
    return {
      events,
      rows: inscriptionBytesOperations(blockHash, before, isLast ? 0 : inscriptionBytes),
      notices: count === 0 ? [] : [leftOutNotice({ blockHash, txid, count })],
    };
  });
}

function stepControl(control: Control, context: StepContext): Outcome {
  const { rows, head, now, clockOffset, sign } = context;
  const order = head.order + 1n;
  const { changeSet, events } = executeControl(control, order, context);
  const failure = unusable({ changeSet, events }, context);
  if (failure !== undefined) return { kind: 'refused', error: rejection(failure) };
  const data = controlRecord({ control, changeSet }, order, head.chainId);
  const time = control.kind === 'set-time' ? control.milliseconds : now;
  const sequenced = sequence(rows, head, { data, hash: ledgerTransactionHash(data) }, time, sign);
  // The clock continues from the time that was set.
  const moved = clockOffset === undefined || time === now ? [] : clockOffsetOperations(clockOffset + time - now);
  return { kind: 'sequenced', sequenced, output: { status: EXECUTED, gasUsed: 0n, changeSet, events, rows: moved } };
}

function sequencedOf(
  { rows, head, state, now, sign }: StepContext,
  data: LedgerTransactionData,
  execute: (runtime: ObjectRuntime) => Pick<ExecutionOutput, 'events' | 'rows' | 'notices'>,
): Outcome {
  const transaction = { data, hash: ledgerTransactionHash(data) };
  const sequenced = sequence(rows, head, transaction, now, sign);
  const runtime = new ObjectRuntime(state);
  const { events, rows: own, notices } = execute(runtime);
  const output: ExecutionOutput = {
    status: EXECUTED,
    gasUsed: 0n,
    changeSet: runtime.changeSet(),
    events,
    rows: own,
    notices,
  };
  return { kind: 'sequenced', sequenced, output };
}
