/**
 * SHA-256 (FIPS 180-4) and RIPEMD-160, with Bitcoin's forms of both. OpenSSL 3 may list RIPEMD-160 and still refuse it
 * (legacy provider), so @noble/hashes computes it on every host.
 * @module
 */

import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { nobleRipemd160 } from './noble.ts';
import { type HashStream, hostHash, hostHashStream } from './node-crypto.ts';

/** The 32-byte SHA-256 digest of `data`. */
export const sha256: (data: Uint8Array) => Uint8Array = hostHash('sha256', nobleSha256);

/** SHA-256 of data that arrives in parts. */
export const createSha256: () => HashStream = hostHashStream('sha256', () => nobleSha256.create());

/** SHA-256 of SHA-256: Bitcoin's block and transaction hashes, in internal byte order. */
export function sha256d(data: Uint8Array): Uint8Array {
  return sha256(sha256(data));
}

/** The 20-byte RIPEMD-160 digest of `data`. */
export function ripemd160(data: Uint8Array): Uint8Array {
  return nobleRipemd160()(data);
}

/** RIPEMD-160 of SHA-256: the 20 bytes that stand for a public key or a script in an address. */
export function hash160(data: Uint8Array): Uint8Array {
  return ripemd160(sha256(data));
}
