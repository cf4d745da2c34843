/**
 * SHA3-256 (FIPS 202): transaction hashes, object ids, field keys, the accumulators.
 * @module
 */
import { sha3_256 as noble } from '@noble/hashes/sha3.js';
import { hostHash } from './node-crypto.ts';

/** The 32-byte SHA3-256 digest of `data`. */
export const sha3: (data: Uint8Array) => Uint8Array = hostHash('sha3-256', noble);
