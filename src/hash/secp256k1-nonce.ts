/**
 * The nonces of signatures over secp256k1, made of the secret key and the message (RFC 6979, section 3.2): the same
 * transaction is signed to the same bytes.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { readScalar, writeScalar } from './scalar-bytes.ts';
import { sha256 } from './sha256.ts';

const { ORDER } = secp256k1.Point.Fn;

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;

/** What the two hashes of an HMAC are of: each begins with the key. */
const inner = new Uint8Array(BLOCK_BYTES + 3 * HASH_BYTES + 1);
const outer = new Uint8Array(BLOCK_BYTES + HASH_BYTES);
/** Behind the key are V, a byte, the secret key and the digest; what is hashed is all of that, or only the first of it. */
const innerOfV = inner.subarray(0, BLOCK_BYTES + HASH_BYTES);
const innerOfVAndByte = inner.subarray(0, BLOCK_BYTES + HASH_BYTES + 1);
const V_AT = BLOCK_BYTES;
const BYTE_AT = V_AT + HASH_BYTES;
const SECRET_AT = BYTE_AT + 1;
const DIGEST_AT = SECRET_AT + HASH_BYTES;

/** HMAC-SHA-256 (RFC 2104) of what stands behind the key in the scratch memory. */
function hmac(message: Uint8Array): Uint8Array {
  outer.set(sha256(message), BLOCK_BYTES);
  return sha256(outer);
}

/** A key of 32 bytes for `hmac`. */
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
    // Another is needed once in 2^127 signatures.
    inner.set(v, V_AT);
    inner[BYTE_AT] = 0;
    setKey(hmac(innerOfVAndByte));
    inner.set(hmac(innerOfV), V_AT);
  }
}
