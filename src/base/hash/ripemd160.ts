/**
 * RIPEMD-160 and Bitcoin's hash160. OpenSSL 3 may list RIPEMD-160 and still refuse it (legacy provider), so
 * @noble/hashes serves every host.
 * @module
 */
import { ripemd160 as noble } from '@noble/hashes/legacy.js';
import { sha256 } from './sha256.ts';

/** The 20-byte RIPEMD-160 digest of `data`. */
export function ripemd160(data: Uint8Array): Uint8Array {
  return noble(data);
}

/** RIPEMD-160 of SHA-256: the 20 bytes that stand for a public key or a script in an address. */
export function hash160(data: Uint8Array): Uint8Array {
  return ripemd160(sha256(data));
}
