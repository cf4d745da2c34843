/**
 * The nonces of signatures over secp256k1, derived from the secret key and the message (RFC 6979, section 3.2): the
 * same transaction gets the same signature.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { readScalar, writeScalar } from './scalar-bytes.ts';
import { sha256 } from './sha256.ts';

const { ORDER } = secp256k1.Point.Fn;

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

/** The inputs of the two hashes of an HMAC: each begins with the key. */
const inner = new Uint8Array(BLOCK_BYTES + 3 * HASH_BYTES + 1);
const outer = new Uint8Array(BLOCK_BYTES + HASH_BYTES);
/** After the key come V, a byte, the secret key and the digest; all of that is hashed, or only the start of it. */
const innerOfV = inner.subarray(0, BLOCK_BYTES + HASH_BYTES);
const innerOfVAndByte = inner.subarray(0, BLOCK_BYTES + HASH_BYTES + 1);
const V_AT = BLOCK_BYTES;
const BYTE_AT = V_AT + HASH_BYTES;
const SECRET_AT = BYTE_AT + 1;
const DIGEST_AT = SECRET_AT + HASH_BYTES;

/** HMAC-SHA-256 (RFC 2104); `message` is one of the inner inputs above, which begin with the key. */
function hmac(message: Uint8Array): Uint8Array {
  outer.set(sha256(message), BLOCK_BYTES);
  return sha256(outer);
}

/** Sets the 32-byte key of `hmac`. */
function setKey(key: Uint8Array): void {
  for (let index = 0; index < HASH_BYTES; index++) {
    inner[index] = key[index]! ^ 0x36;
    outer[index] = key[index]! ^ 0x5c;
  }
}

/**
 * The nonce of a message.
 * @param digest of the message, below the order of the group
 */
export function deterministicNonce(secretKey: Uint8Array, digest: bigint): bigint {
  inner.fill(0x36, 0, BLOCK_BYTES);
  outer.fill(0x5c, 0, BLOCK_BYTES);
  inner.fill(1, V_AT, BYTE_AT);
  inner.set(secretKey, SECRET_AT);
  writeScalar(inner, DIGEST_AT, digest);
  for (let byte = 0; byte < 2; byte++) {
    inner[BYTE_AT] = byte;
    setKey(hmac(inner));
    inner.set(hmac(innerOfV), V_AT);
  }
  for (;;) {
    const v = hmac(innerOfV);
    const nonce = readScalar(v);
    if (nonce > 0n && nonce < ORDER) return nonce;
    // Another nonce is needed once in 2^127 signatures.
    inner.set(v, V_AT);
    inner[BYTE_AT] = 0;
    setKey(hmac(innerOfVAndByte));
    inner.set(hmac(innerOfV), V_AT);
  }
}
