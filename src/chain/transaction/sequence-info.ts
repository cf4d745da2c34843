/**
 * What ordering adds to a transaction. All accumulator fields describe the accumulator after appending it.
 * Source: crates/rooch-types/src/transaction/ledger_transaction.rs of the reference.
 *
 * The sequencer's signature over a transaction's order: secp256k1 ECDSA over SHA-256 of the order witness.
 *
 * Nonces are deterministic (RFC 6979), so two runs of a chain are the same to the byte.
 * Source: crates/rooch-sequencer of the reference.
 * @module
 */

import { type Codec, encode } from '../../base/bcs/codec.ts';
import { struct, vector } from '../../base/bcs/composite.ts';
import { bytes, hashText, u64 } from '../../base/bcs/primitive.ts';
import { concatBytes, equalBytes } from '../../base/bytes/compare.ts';
import { fromHex } from '../../base/bytes/hex.ts';
import type { ByteWriter } from '../../base/bytes/writer.ts';
import { EngineError } from '../../base/error.ts';
import { isSecp256k1Secret, publicKeyOf, signSecp256k1, verifySecp256k1 } from '../../base/hash/secp256k1.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import { FRAMEWORK_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';
import type { AccumulatorInfo } from '../../store/accumulator/accumulator.ts';

/** The place of a transaction in the order, as the sequencer signed it. */
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

/** The accumulator after the transaction. */
export function accumulatorAfter(info: SequenceInfo): AccumulatorInfo {
  return {
    root: info.txAccumulatorRoot,
    frozenSubtreeRoots: info.txAccumulatorFrozenSubtreeRoots,
    numLeaves: info.txAccumulatorNumLeaves,
    numNodes: info.txAccumulatorNumNodes,
  };
}

/** The Move type of the same form. */
export const SEQUENCE_INFO_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'transaction', 'TransactionSequenceInfo');

const AFTER_SIGNATURE = {
  txAccumulatorRoot: hashText,
  txTimestamp: u64,
  txAccumulatorFrozenSubtreeRoots: vector(hashText),
  txAccumulatorNumLeaves: u64,
  txAccumulatorNumNodes: u64,
};

/** The place of a transaction in the order, in BCS. */
export const sequenceInfo: Codec<SequenceInfo> = struct<SequenceInfo>({
  txOrder: u64,
  txOrderSignature: bytes,
  ...AFTER_SIGNATURE,
});

const afterSignature: Codec<Omit<SequenceInfo, 'txOrder' | 'txOrderSignature'>> = struct(AFTER_SIGNATURE);
const NO_SIGNATURE = new Uint8Array(0);

/** Writes a place with an empty signature; its own is not looked at. */
export function writeUnsigned(writer: ByteWriter, info: SequenceInfo): void {
  u64.write(writer, info.txOrder);
  bytes.write(writer, NO_SIGNATURE);
  afterSignature.write(writer, info);
}

/** The 32 bytes that the sequencer signs: sha3(transaction hash || order as u64). */
export function orderWitness(transactionHash: Uint8Array, txOrder: bigint): Uint8Array {
  return sha3(concatBytes(transactionHash, encode(u64, txOrder)));
}

/** The scheme flag of secp256k1, which precedes a signature. */
const SCHEME_SECP256K1 = Uint8Array.of(1);
/** The offset of the public key, after the flag and the signature of 64 bytes. */
const PUBLIC_KEY_AT = 65;
const SIGNATURE_BYTES = 98;

/** Signs a 32-byte order witness; returns scheme flag, signature and public key. */
export type OrderSigner = (witness: Uint8Array) => Uint8Array;

/**
 * Signs with a 32-byte secret key; returns scheme flag (1), signature (64) and compressed public key (33).
 * @throws {EngineError} `invalid-argument` for bytes that are not a secret key.
 */
export function orderSigner(secretKey: Uint8Array): OrderSigner {
  if (!isSecp256k1Secret(secretKey)) {
    throw new EngineError('invalid-argument', 'sequencerKey: expected a secp256k1 secret key of 32 bytes');
  }
  // Computed with the first signature: many engines only read.
  let publicKey: Uint8Array | undefined;
  return (witness) => {
    publicKey ??= publicKeyOf(secretKey);
    return concatBytes(SCHEME_SECP256K1, signSecp256k1(witness, secretKey), publicKey);
  };
}

/** The secret key with which chains whose options name no other sign their orders. */
export const DEV_SEQUENCER_KEY = '1fa85e736d4ec30d0a4211159da78aca69327fbb12f59a181f078181af822fe8';

let devSigner: OrderSigner | undefined;
let devKey: Uint8Array | undefined;

/** Signs with the key of dev chains. */
export const signAsDev: OrderSigner = (witness) => {
  devSigner ??= orderSigner(fromHex(DEV_SEQUENCER_KEY));
  return devSigner(witness);
};

/** Whether a signature names the key of dev chains. */
export function isSignedAsDev(signature: Uint8Array): boolean {
  devKey ??= publicKeyOf(fromHex(DEV_SEQUENCER_KEY));
  return equalBytes(signature.subarray(PUBLIC_KEY_AT), devKey);
}

/** A place whose signature is made, by the key of dev chains, when it is first looked at. */
export function signedLater(place: Omit<SequenceInfo, 'txOrderSignature'>, hash: Uint8Array): SequenceInfo {
  let made: Uint8Array | undefined;
  return {
    txOrder: place.txOrder,
    get txOrderSignature() {
      made ??= signAsDev(orderWitness(hash, place.txOrder));
      return made;
    },
    txAccumulatorRoot: place.txAccumulatorRoot,
    txTimestamp: place.txTimestamp,
    txAccumulatorFrozenSubtreeRoots: place.txAccumulatorFrozenSubtreeRoots,
    txAccumulatorNumLeaves: place.txAccumulatorNumLeaves,
    txAccumulatorNumNodes: place.txAccumulatorNumNodes,
  };
}

/** Whether a signature is one that `orderSigner` makes over a witness, with the key that it carries. */
export function isOrderSignature(signature: Uint8Array, witness: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || signature[0] !== SCHEME_SECP256K1[0]) return false;
  return verifySecp256k1(signature.subarray(PUBLIC_KEY_AT), sha256(witness), signature.subarray(1, PUBLIC_KEY_AT));
}
