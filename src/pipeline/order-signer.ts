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
