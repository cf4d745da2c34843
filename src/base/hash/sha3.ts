/**
 * SHA3-256 (FIPS 202): transaction hashes, object ids, field keys, the accumulators.
 *
 * Keccak-256 as Ethereum uses it: the submission that became SHA-3, with its own padding. OpenSSL has it from version
 * 3.2 on, newer than Node 20's, so @noble/hashes computes it on every host.
 * @module
 */
import { keccak_256, sha3_256 } from '@noble/hashes/sha3.js';
import { joinBytes } from '../bytes/bytes.ts';
import { hostHash } from './node-crypto.ts';

/** The 32-byte SHA3-256 digest of `data`. */
export const sha3: (data: Uint8Array) => Uint8Array = hostHash('sha3-256', sha3_256);

/** Most joined parts fit: hashes, names and numbers, then a type. */
const joined = new Uint8Array(1_024);
let view = joined;

/** The 32-byte SHA3-256 digest of all parts in order, mostly without allocating a joined array. */
export function sha3Joined(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) {
    if (length + part.length > joined.length) return sha3(joinBytes(parts));
    joined.set(part, length);
    length += part.length;
  }
  // Consecutive inputs often have the same length.
  if (view.length !== length) view = joined.subarray(0, length);
  return sha3(view);
}

/** The 32-byte Keccak-256 digest of `data`. */
export function keccak256(data: Uint8Array): Uint8Array {
  return keccak_256(data);
}
