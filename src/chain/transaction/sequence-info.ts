/**
 * What sequencing adds to a transaction. All accumulator fields describe the accumulator after appending it.
 * Source: crates/rooch-types/src/transaction/ledger_transaction.rs of the reference.
 * @module
 */

import { bytes, type Codec, encode, hashText, struct, u64, vector } from '../../base/bcs.ts';
import type { ByteWriter } from '../../base/bytes/writer.ts';
import { sha3Joined } from '../../base/hash/sha3.ts';
import { FRAMEWORK_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';
import type { AccumulatorInfo } from '../../store/accumulator/accumulator.ts';

/** A transaction's order, as the sequencer signed it. */
export interface SequenceInfo {
  readonly txOrder: bigint;
  /** Scheme flag, signature and public key of the sequencer; empty at genesis. */
  readonly txOrderSignature: Uint8Array;
  readonly txAccumulatorRoot: Uint8Array;
  /** Milliseconds of the sequencer's clock. */
  readonly txTimestamp: bigint;
  readonly txAccumulatorFrozenSubtreeRoots: readonly Uint8Array[];
  readonly txAccumulatorNumLeaves: bigint;
  readonly txAccumulatorNumNodes: bigint;
}

/** The same as a plain object, for copying and for other threads. */
export function plainSequenceInfo(info: SequenceInfo): SequenceInfo {
  return {
    txOrder: info.txOrder,
    txOrderSignature: info.txOrderSignature,
    txAccumulatorRoot: info.txAccumulatorRoot,
    txTimestamp: info.txTimestamp,
    txAccumulatorFrozenSubtreeRoots: info.txAccumulatorFrozenSubtreeRoots,
    txAccumulatorNumLeaves: info.txAccumulatorNumLeaves,
    txAccumulatorNumNodes: info.txAccumulatorNumNodes,
  };
}

/** The accumulator after the transaction. */
export function accumulatorAfter(info: SequenceInfo): AccumulatorInfo {
  return {
    root: info.txAccumulatorRoot,
    frozenSubtreeRoots: info.txAccumulatorFrozenSubtreeRoots,
    numLeaves: info.txAccumulatorNumLeaves,
    numNodes: info.txAccumulatorNumNodes,
  };
}

/** The Move type of the same layout. */
export const SEQUENCE_INFO_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'transaction', 'TransactionSequenceInfo');

const AFTER_SIGNATURE = {
  txAccumulatorRoot: hashText,
  txTimestamp: u64,
  txAccumulatorFrozenSubtreeRoots: vector(hashText),
  txAccumulatorNumLeaves: u64,
  txAccumulatorNumNodes: u64,
};

/** Sequence info in BCS. */
export const sequenceInfo: Codec<SequenceInfo> = struct<SequenceInfo>({
  txOrder: u64,
  txOrderSignature: bytes,
  ...AFTER_SIGNATURE,
});

const afterSignature: Codec<Omit<SequenceInfo, 'txOrder' | 'txOrderSignature'>> = struct(AFTER_SIGNATURE);
const NO_SIGNATURE = new Uint8Array(0);

/** Writes sequence info with an empty signature, without reading its own. */
export function writeUnsigned(writer: ByteWriter, info: SequenceInfo): void {
  u64.write(writer, info.txOrder);
  bytes.write(writer, NO_SIGNATURE);
  afterSignature.write(writer, info);
}

/** The 32 bytes that the sequencer signs: sha3(transaction hash || order as u64). */
export function orderWitness(transactionHash: Uint8Array, txOrder: bigint): Uint8Array {
  return sha3Joined(transactionHash, encode(u64, txOrder));
}
