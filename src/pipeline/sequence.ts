/**
 * Sequencing: a transaction gets its order, its leaf in the transaction accumulator and the sequencer's signature.
 * Source: crates/rooch-sequencer of the reference.
 * @module
 */

import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import type { Head } from '../chain/ledger/head.ts';
import { type RowReader, readTransactionOrder } from '../chain/ledger/transactions.ts';
import { type LedgerTransactionData, ledgerTransactionHash } from '../chain/transaction/ledger.ts';
import { LazySequenceInfo } from '../chain/transaction/order-signature.ts';
import type { SequenceInfo } from '../chain/transaction/sequence-info.ts';
import {
  type AccumulatorInfo,
  type AccumulatorNodeRow,
  append,
  appendLazily,
} from '../store/accumulator/accumulator.ts';

/** A transaction with its hash, which every step needs. */
export interface HashedTransaction {
  readonly data: LedgerTransactionData;
  readonly hash: Uint8Array;
  /** BCS of the signed transaction, if it is one and its BCS is at hand: re-encoding takes longer than a copy. */
  readonly signed?: Uint8Array | undefined;
}

/** A transaction with its place, not yet executed. */
export interface SequencedTransaction extends HashedTransaction {
  readonly sequenceInfo: SequenceInfo;
  readonly accumulator: AccumulatorInfo;
  readonly accumulatorNodes: readonly AccumulatorNodeRow[];
  /** Whether its rows leave its signature out, which is made when it is first looked at. */
  readonly isSignedLater?: boolean;
}

/** Makes the sequencer's signature over the order of a transaction. */
export type OrderSignature = (hash: Uint8Array, order: bigint) => Uint8Array;

/** In place of a signature: it, and the accumulator's root, are made when they are first looked at. */
export const SIGNED_LATER = 'signed later';

const NO_SIGNATURE = new Uint8Array(0);

/** Genesis: order 0 on an empty accumulator, without a signature. */
export function sequenceGenesis(
  data: LedgerTransactionData,
  timestamp: bigint,
  empty: AccumulatorInfo,
): SequencedTransaction {
  return place({ data, hash: ledgerTransactionHash(data) }, 0n, timestamp, NO_SIGNATURE, empty);
}

/**
 * The place after `head`. The timestamp is the sequencer's clock in milliseconds, and never before the head's. Without
 * `sign` there is no signature, as for simulations.
 * @throws {EngineError} `transaction-rejected` for a transaction that already has an order.
 */
export function sequence(
  rows: RowReader,
  head: Head,
  transaction: HashedTransaction,
  timestamp: bigint,
  sign: OrderSignature | typeof SIGNED_LATER | undefined,
): SequencedTransaction {
  const { data, hash } = transaction;
  const known = readTransactionOrder(rows, hash);
  // A Bitcoin block that was replaced may still win: its record is then submitted again, with the same hash.
  if (known !== undefined && data.kind !== 'l1-block') {
    throw new EngineError('transaction-rejected', 'Transaction already sequenced', {
      details: { txHash: toHexPrefixed(hash), txOrder: known.toString() },
    });
  }
  const order = head.order + 1n;
  const signature = sign === SIGNED_LATER ? sign : (sign?.(hash, order) ?? NO_SIGNATURE);
  const time = timestamp > head.timestamp ? timestamp : head.timestamp;
  return place(transaction, order, time, signature, head.accumulator);
}

function place(
  { data, hash, signed }: HashedTransaction,
  order: bigint,
  timestamp: bigint,
  signature: Uint8Array | typeof SIGNED_LATER,
  before: AccumulatorInfo,
): SequencedTransaction {
  const isSignedLater = signature === SIGNED_LATER;
  const { info, nodes } = isSignedLater ? appendLazily(before, [hash]) : append(before, [hash]);
  const sequenceInfo: SequenceInfo = isSignedLater
    ? new LazySequenceInfo(hash, order, timestamp, info)
    : {
        txOrder: order,
        txOrderSignature: signature,
        txAccumulatorRoot: info.root,
        txTimestamp: timestamp,
        txAccumulatorFrozenSubtreeRoots: info.frozenSubtreeRoots,
        txAccumulatorNumLeaves: info.numLeaves,
        txAccumulatorNumNodes: info.numNodes,
      };
  return { data, hash, signed, accumulator: info, accumulatorNodes: nodes, sequenceInfo, isSignedLater };
}
