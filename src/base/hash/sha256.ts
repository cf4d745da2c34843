/**
 * SHA-256 (FIPS 180-4) and Bitcoin's double form.
 * @module
 */
import { sha256 as noble } from '@noble/hashes/sha2.js';
import { type HashStream, hostHash, hostHashStream } from './node-crypto.ts';

/** The 32-byte SHA-256 digest of `data`. */
export const sha256: (data: Uint8Array) => Uint8Array = hostHash('sha256', noble);

/** SHA-256 of data that arrives in parts. */
export const createSha256: () => HashStream = hostHashStream('sha256', () => noble.create());

/** SHA-256 of SHA-256: Bitcoin's block and transaction hashes, in internal byte order. */
export function sha256d(data: Uint8Array): Uint8Array {
  return sha256(sha256(data));
}
