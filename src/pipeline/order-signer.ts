/**
 * The sequencer's signature over a transaction's order: secp256k1 ECDSA over SHA-256 of the order witness.
 *
 * Nonces are deterministic (RFC 6979), so two runs of a chain are the same to the byte.
 * Source: spec/state.md 6.4.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { concatBytes } from '../bytes/compare.ts';
import { EngineError } from '../error.ts';
import type { OrderSigner } from './sequence.ts';

/** Scheme flag of secp256k1 in front of a signature. */
const SCHEME_SECP256K1 = Uint8Array.of(1);
/** Where the public key begins, behind the flag and the signature of 64 bytes. */
const PUBLIC_KEY_AT = 65;
const SIGNATURE_BYTES = 98;

/**
 * Signs with a 32-byte secret key; gives scheme flag (1), signature (64) and compressed public key (33).
 * @throws {EngineError} `invalid-argument` for bytes that are no secret key.
 */
export function orderSigner(secretKey: Uint8Array): OrderSigner {
  if (!secp256k1.utils.isValidSecretKey(secretKey)) {
    throw new EngineError('invalid-argument', 'sequencerKey: expected a secp256k1 secret key of 32 bytes');
  }
  const publicKey = secp256k1.getPublicKey(secretKey, true);
  return (witness) => concatBytes(SCHEME_SECP256K1, secp256k1.sign(witness, secretKey), publicKey);
}

/**
 * Whether `signature` is one that `orderSigner` makes over the witness: scheme flag, signature, and the public key that
 * it holds under.
 */
export function isOrderSignature(signature: Uint8Array, witness: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || signature[0] !== SCHEME_SECP256K1[0]) return false;
  const publicKey = signature.subarray(PUBLIC_KEY_AT);
  if (!secp256k1.utils.isValidPublicKey(publicKey, true)) return false;
  return secp256k1.verify(signature.subarray(1, PUBLIC_KEY_AT), witness, publicKey);
}
