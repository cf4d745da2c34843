/**
 * SHA-512 (FIPS 180-4).
 * @module
 */
import { sha512 as noble } from '@noble/hashes/sha2.js';
import { hostHash } from './node-crypto.ts';

/** The 64-byte SHA-512 digest of `data`. */
export const sha512: (data: Uint8Array) => Uint8Array = hostHash('sha512', noble);
