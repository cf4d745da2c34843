/**
 * SHA3-256 (FIPS 202): transaction hashes, object ids, field keys, the accumulators.
 *
 * Keccak-256 as Ethereum uses it: the submission that became SHA-3, with its own padding. OpenSSL has it from version
 * 3.2 on, newer than Node 20's, so @noble/hashes serves every host.
 * @module
 */
import { keccak_256, sha3_256 } from '@noble/hashes/sha3.js';
import { hostHash } from './node-crypto.ts';

/** The 32-byte SHA3-256 digest of `data`. */
export const sha3: (data: Uint8Array) => Uint8Array = hostHash('sha3-256', sha3_256);

/** The 32-byte Keccak-256 digest of `data`. */
export function keccak256(data: Uint8Array): Uint8Array {
  return keccak_256(data);
}
