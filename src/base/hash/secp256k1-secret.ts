/**
 * What is derived from a secp256k1 secret key: its public key and signatures, the same as those of @noble/curves to the
 * byte.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { readScalar, writeScalar } from './scalar-bytes.ts';
import { multipleOfBase } from './secp256k1-base.ts';
import { secp256k1Library } from './secp256k1-library.ts';
import { deterministicNonce } from './secp256k1-nonce.ts';
import { sha256 } from './sha256.ts';

const { Fn } = secp256k1.Point;
const HALF_ORDER = Fn.ORDER >> 1n;

/** Compressed, 33 bytes. The secret must be valid. */
export function publicKeyOf(secret: Uint8Array): Uint8Array {
  return multipleOfBase(readScalar(secret)).toBytes(true);
}

/**
 * ECDSA over the SHA-256 of a message, with the nonce of RFC 6979 and the lower s: r and s, 64 bytes.
 * Source: SEC 1 section 4.1.3.
 */
export function signSecp256k1(message: Uint8Array, secret: Uint8Array): Uint8Array {
  const hash = sha256(message);
  // The library does not reduce a hash modulo the order; one that does not begin with 0xff is below it.
  if (hash[0] !== 0xff) {
    const library = secp256k1Library();
    if (library !== undefined) return library.sign(secret, hash);
  }
  const digest = readScalar(hash) % Fn.ORDER;
  const nonce = deterministicNonce(secret, digest);
  const r = multipleOfBase(nonce).toAffine().x % Fn.ORDER;
  const s = (Fn.inv(nonce) * ((digest + r * readScalar(secret)) % Fn.ORDER)) % Fn.ORDER;
  // Asks for another nonce, once in 2^256 signatures.
  if (r === 0n || s === 0n) return secp256k1.sign(message, secret);
  const signature = new Uint8Array(64);
  writeScalar(signature, 0, r);
  writeScalar(signature, 32, s > HALF_ORDER ? Fn.ORDER - s : s);
  return signature;
}
