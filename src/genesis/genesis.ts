/**
 * Genesis: the transaction at order 0 and all it leaves, ready to be committed to an empty store.
 *
 * Two kinds lead here: the framework that this engine brings (framework-genesis.ts) and a released genesis file of the
 * reference network (released-genesis.ts). Both give a transaction with its output; committing it is the pipeline's.
 * @module
 */
import type { StateChangeSet } from '../object/change-set.ts';
import type { TransactionEvent } from '../transaction/event.ts';
import type { KeptStatus } from '../transaction/execution-info.ts';
import type { SignedTransaction } from '../transaction/signed.ts';

export interface Genesis {
  /** sha3 that tells one genesis from another; part of every head. */
  readonly hash: Uint8Array;
  readonly chainId: bigint;
  /** Milliseconds. */
  readonly timestamp: bigint;
  readonly transaction: SignedTransaction;
  readonly output: {
    readonly status: KeptStatus;
    readonly gasUsed: bigint;
    readonly changeSet: StateChangeSet;
    readonly events: readonly TransactionEvent[];
  };
  /** Roots of trees that the change set names but whose nodes nobody has: the chain is partial and read-only. */
  readonly unloadedRoots: readonly Uint8Array[];
}
