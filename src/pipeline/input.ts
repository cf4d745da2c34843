/**
 * Inputs: what someone wants done to the chain, as plain data.
 *
 * Every change of the chain begins as one of these. It follows from the ledger and can be replayed (log/record.ts): the
 * same inputs with the same readings of the clock give the same roots on any machine.
 * @module
 */
import { EngineError, type ErrorCode } from '../base/error.ts';
import type { DecodedBlock } from '../bitcoin/block.ts';
import type { Action } from '../chain/transaction/action.ts';
import type { Control } from '../chain/transaction/control.ts';
import type { Address } from '../move/address.ts';

/** A Bitcoin block to take. */
export interface L1BlockInput {
  readonly height: bigint;
  /** Its consensus bytes. */
  readonly bytes: Uint8Array;
  /** The block, if its turn has decoded it and found it sound and new; never kept. Default: the step does that. */
  readonly block?: DecodedBlock | undefined;
}

/** A transaction of a pending Bitcoin block to process. Both hashes in internal byte order. */
export interface L1TransactionInput {
  readonly blockHash: Uint8Array;
  readonly txid: Uint8Array;
}

/** A transaction as it was submitted: BCS of a signed transaction. */
interface SignedInput {
  readonly bytes: Uint8Array;
}

/** A call in the name of an account, without its signature: for tests and tools. */
interface CallInput {
  readonly sender: Address;
  readonly action: Action;
  /** Gas units. Default: the most that the chain allows a transaction. */
  readonly maxGasAmount: bigint | undefined;
}

/** A control of a test. */
interface ControlInput {
  readonly control: Control;
}

export type Input =
  | ({ readonly kind: 'signed' } & SignedInput)
  | ({ readonly kind: 'call' } & CallInput)
  | ({ readonly kind: 'l1-block' } & L1BlockInput)
  | ({ readonly kind: 'l1-transaction' } & L1TransactionInput)
  | ({ readonly kind: 'control' } & ControlInput);

/** An input and its clock reading: together with the genesis, all that a run of a chain depends on. */
export interface TimedInput {
  readonly input: Input;
  /** Milliseconds of the sequencer's clock; of the chain's own time if there is none. */
  readonly now: bigint;
  /** How many milliseconds of that reading are due to controls; undefined for a chain without a clock. */
  readonly clockOffset: bigint | undefined;
}

const REFUSALS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid-argument',
  'malformed-bytes',
  'malformed-module',
  'limit-exceeded',
  'not-supported',
  'transaction-rejected',
]);

/** Whether an error means that an input is not acceptable, rather than that the chain or its store is broken. */
export function isRefusal(error: unknown): error is EngineError {
  return error instanceof EngineError && REFUSALS.has(error.code);
}
