/**
 * The sequencer's signature over a transaction's order: secp256k1 ECDSA over SHA-256 of the order witness.
 *
 * Nonces are deterministic (RFC 6979), so two runs of a chain are the same to the byte.
 * Source: crates/rooch-sequencer of the reference.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concatBytes, equalBytes } from '../base/bytes/compare.ts';
import { EngineError } from '../base/error.ts';
import { hostVerifier } from '../base/hash/node-crypto.ts';
import { acceptsEcdsa } from '../base/hash/secp256k1-check.ts';
import { secp256k1Library } from '../base/hash/secp256k1-library.ts';
import { publicKeyOf, signSecp256k1 } from '../base/hash/secp256k1-secret.ts';
import { signBatch } from './batch-signer.ts';
import type { OrderSigner } from './order-signatures.ts';

/** The scheme flag of secp256k1, which precedes a signature. */
const SCHEME_SECP256K1 = Uint8Array.of(1);
/** The offset of the public key, after the flag and the signature of 64 bytes. */
const PUBLIC_KEY_AT = 65;
const SIGNATURE_BYTES = 98;

/** From this many on, the table for signing in batches is worth its time. */
const TABLE_SIGNATURES_MIN = 64;

/** Fewer than this take longer with the table than one by one with libsecp256k1, at least in a run of transfers. */
const TOGETHER_MIN = 8;

/** Until that library is loaded, a few are signed with the table, too: a single one in two thirds of the time. */
const FEW_BEFORE_TABLE = 256;

/**
 * Signs with a 32-byte secret key; returns scheme flag (1), signature (64) and compressed public key (33).
 * @throws {EngineError} `invalid-argument` for bytes that are not a secret key.
 */
export function orderSigner(secretKey: Uint8Array): OrderSigner {
  if (!secp256k1.utils.isValidSecretKey(secretKey)) {
    throw new EngineError('invalid-argument', 'sequencerKey: expected a secp256k1 secret key of 32 bytes');
  }
  // Computed with the first signature: many engines only read, and it takes longer than opening one.
  let publicKey: Uint8Array | undefined;
  let asked = 0;
  return (witnesses) => {
    publicKey ??= publicKeyOf(secretKey);
    const key = publicKey;
    asked = Math.min(asked + witnesses.length, FEW_BEFORE_TABLE);
    const areFew = witnesses.length < TOGETHER_MIN;
    const signsTogether =
      asked >= (areFew ? FEW_BEFORE_TABLE : TABLE_SIGNATURES_MIN) && !(areFew && secp256k1Library() !== undefined);
    const signatures =
      (signsTogether ? signBatch(secretKey, witnesses) : undefined) ??
      witnesses.map((witness) => signSecp256k1(witness, secretKey));
    return signatures.map((signature) => concatBytes(SCHEME_SECP256K1, signature, key));
  };
}

/** Whether a signature is one that `orderSigner` makes over a witness. */
export type OrderVerifier = (signature: Uint8Array, witness: Uint8Array) => boolean;

/** A check of order signatures: each is verified with the public key that it carries, and a chain has few of those. */
export function orderVerifier(): OrderVerifier {
  let known: Uint8Array | undefined;
  let verify: ((message: Uint8Array, signature: Uint8Array) => boolean) | undefined;
  return (signature, witness) => {
    if (signature.length !== SIGNATURE_BYTES || signature[0] !== SCHEME_SECP256K1[0]) return false;
    const publicKey = signature.subarray(PUBLIC_KEY_AT);
    if (known === undefined || !equalBytes(known, publicKey)) {
      known = publicKey.slice();
      verify = verifierOf(known);
    }
    return verify?.(witness, signature.subarray(1, PUBLIC_KEY_AT)) ?? false;
  };
}

/** Undefined for bytes that are not a public key. */
function verifierOf(publicKey: Uint8Array): ((message: Uint8Array, signature: Uint8Array) => boolean) | undefined {
  if (!secp256k1.utils.isValidPublicKey(publicKey, true)) return undefined;
  const point = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  const host = hostVerifier({ x: point.subarray(1, 33), y: point.subarray(33) });
  const slower = host ?? ((message, signature) => secp256k1.verify(signature, message, publicKey));
  return (message, signature) => acceptsEcdsa(publicKey, message, signature) || slower(message, signature);
}
