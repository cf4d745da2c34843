/**
 * BLAKE2b (RFC 7693) with a 32-byte digest: node addresses from Bitcoin addresses. OpenSSL 3.0 has only the 64-byte
 * form, which is another function, so @noble/hashes serves every host.
 * @module
 */
import { blake2b } from '@noble/hashes/blake2.js';

/** The 32-byte BLAKE2b digest of `data`, without key. */
export function blake2b256(data: Uint8Array): Uint8Array {
  return blake2b(data, { dkLen: 32 });
}
