/**
 * The nonce of a signature over secp256k1, made of the secret key and the message (RFC 6979, section 3.2), by the
 * generator of @noble/curves: the same transaction is signed to the same bytes.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE, createHmacDrbg, numberToBytesBE } from '@noble/curves/utils.js';
import { joinBytes } from '../bytes/compare.ts';
import { sha256 } from './sha256.ts';

const { Fn } = secp256k1.Point;
const HALF_ORDER = Fn.ORDER >> 1n;

const BLOCK_BYTES = 64;
const inner = new Uint8Array(4 * BLOCK_BYTES);
const outer = new Uint8Array(BLOCK_BYTES + 32);

/** HMAC-SHA-256 (RFC 2104) by the host's hash, for the keys of 32 bytes and the short messages of the generator. */
function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  inner.fill(0x36, 0, BLOCK_BYTES);
  outer.fill(0x5c, 0, BLOCK_BYTES);
  for (let index = 0; index < key.length; index++) {
    inner[index]! ^= key[index]!;
    outer[index]! ^= key[index]!;
  }
  inner.set(message, BLOCK_BYTES);
  outer.set(sha256(inner.subarray(0, BLOCK_BYTES + message.length)), BLOCK_BYTES);
  return sha256(outer);
}

const generate = createHmacDrbg<bigint>(32, 32, hmacSha256);

/**
 * The nonce, or its negative: either leads to the same signature, since the lower s is taken.
 * @param digest below the order of the group
 */
export function deterministicNonce(secretKey: Uint8Array, digest: bigint): bigint {
  const nonce = generate(joinBytes([secretKey, numberToBytesBE(digest, 32)]), (bytes) => {
    const candidate = bytesToNumberBE(bytes);
    return Fn.isValidNot0(candidate) ? candidate : undefined;
  });
  return nonce > HALF_ORDER ? Fn.ORDER - nonce : nonce;
}
