/**
 * The sequencer's signature over a transaction's order: secp256k1 ECDSA over SHA-256 of the order witness.
 *
 * Nonces are deterministic (RFC 6979), so equal runs of a chain have equal bytes.
 * Source: crates/rooch-sequencer of the reference.
 * @module
 */
import { concatBytes, equalBytes, fromHex } from '../../base/bytes/bytes.ts';
import { invalidArgument } from '../../base/error.ts';
import { isSecp256k1Secret, publicKeyOf, signSecp256k1, verifySecp256k1 } from '../../base/hash/secp256k1.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import type { AccumulatorInfo } from '../../store/accumulator/accumulator.ts';
import { orderWitness, type SequenceInfo } from './sequence-info.ts';

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
  if (!isSecp256k1Secret(secretKey)) throw invalidArgument('sequencerKey: expected a secp256k1 secret key of 32 bytes');
  // Computed for the first signature: many engines only read.
  let publicKey: Uint8Array | undefined;
  return (witness) => {
    publicKey ??= publicKeyOf(secretKey);
    return concatBytes(SCHEME_SECP256K1, signSecp256k1(witness, secretKey), publicKey);
  };
}

/** The secret key of the sequencer, unless the options of a chain have another. */
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

/** Sequence info that is signed with the key of dev chains when the signature is first read. */
export class LazySequenceInfo implements SequenceInfo {
  readonly txOrder: bigint;
  readonly txTimestamp: bigint;
  readonly #hash: Uint8Array;
  readonly #accumulator: AccumulatorInfo;
  #signature: Uint8Array | undefined;

  /**
   * @param hash of the transaction
   * @param accumulator after the transaction
   */
  constructor(hash: Uint8Array, txOrder: bigint, txTimestamp: bigint, accumulator: AccumulatorInfo) {
    this.txOrder = txOrder;
    this.txTimestamp = txTimestamp;
    this.#hash = hash;
    this.#accumulator = accumulator;
  }

  get txOrderSignature(): Uint8Array {
    this.#signature ??= signAsDev(orderWitness(this.#hash, this.txOrder));
    return this.#signature;
  }

  get txAccumulatorRoot(): Uint8Array {
    return this.#accumulator.root;
  }

  get txAccumulatorFrozenSubtreeRoots(): readonly Uint8Array[] {
    return this.#accumulator.frozenSubtreeRoots;
  }

  get txAccumulatorNumLeaves(): bigint {
    return this.#accumulator.numLeaves;
  }

  get txAccumulatorNumNodes(): bigint {
    return this.#accumulator.numNodes;
  }
}

/** Whether a signature is one that `orderSigner` makes over a witness, with the key that it carries. */
export function isOrderSignature(signature: Uint8Array, witness: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || signature[0] !== SCHEME_SECP256K1[0]) return false;
  return verifySecp256k1(signature.subarray(PUBLIC_KEY_AT), sha256(witness), signature.subarray(1, PUBLIC_KEY_AT));
}
