/**
 * What is made of a secret key of secp256k1: its public key and signatures.
 *
 * A table of multiples of the base point makes both faster, and takes 20 ms to make in a fresh process at the width that
 * serves long runs best. So a process begins with a small table, and makes the large one when it has signed often.
 * Measured: the first four signatures 35 ms for 58, those after them 0.66 ms for 0.57 until then.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';

/** Bits of a scalar that one look into the table stands for. */
const WINDOW_AT_FIRST = 4;
const WINDOW = 6;

/** From this many signatures on, the large table has paid for itself. */
const SIGNATURES_BEFORE_LARGE_TABLE = 200;

/** Undefined as long as there is no table. */
let signatures: number | undefined;

/** Compressed, 33 bytes. The secret must be one. */
export function publicKeyOf(secret: Uint8Array): Uint8Array {
  count(0);
  return secp256k1.getPublicKey(secret, true);
}

/** ECDSA over the SHA-256 of a message, with the nonce of RFC 6979 and the lower s: r and s, 64 bytes. */
export function signSecp256k1(message: Uint8Array, secret: Uint8Array): Uint8Array {
  count(1);
  return secp256k1.sign(message, secret);
}

/** Counts signatures, and chooses the table by it, which is made when it is next looked into. */
function count(more: number): void {
  if (signatures === undefined) secp256k1.Point.BASE.precompute(WINDOW_AT_FIRST);
  signatures = (signatures ?? 0) + more;
  if (more > 0 && signatures === SIGNATURES_BEFORE_LARGE_TABLE) secp256k1.Point.BASE.precompute(WINDOW);
}
