/**
 * The host's cryptography, if it has any: `crypto.hash` (Node 20.12) is several times faster than @noble/hashes.
 * @module
 */
import type * as NodeCrypto from 'node:crypto';
import { HOST } from '../host.ts';

type Hash = (data: Uint8Array) => Uint8Array;

/** The host's crypto module, if it has one. */
export const nodeCrypto: typeof NodeCrypto | undefined = HOST.builtin('node:crypto');

/**
 * The host's implementation of `algorithm` (OpenSSL's name), whose digest is a string with one character per byte, the
 * form that the host returns fastest. A Buffer has its own memory outside the heap, and takes a third longer.
 * @returns undefined if the host has none
 */
export function hostDigest(algorithm: string): ((data: Uint8Array) => string) | undefined {
  const hash = nodeCrypto?.hash;
  if (hash === undefined || nodeCrypto?.getHashes().includes(algorithm) !== true) return undefined;
  return (data) => hash(algorithm, data, 'binary');
}

/** The host's implementation of `algorithm` (OpenSSL's name), or `fallback` if the host has none. */
export function hostHash(algorithm: string, fallback: Hash): Hash {
  const digestOf = hostDigest(algorithm);
  if (digestOf === undefined) return fallback;
  return (data) => {
    const digest = digestOf(data);
    const bytes = new Uint8Array(digest.length);
    for (let index = 0; index < digest.length; index++) bytes[index] = digest.charCodeAt(index);
    return bytes;
  };
}

/** A hash that takes its data in parts. */
export interface HashStream {
  update(data: Uint8Array): unknown;
  digest(): Uint8Array;
}

/** The host's implementation of `algorithm` in parts, or `fallback` if the host has none. */
export function hostHashStream(algorithm: string, fallback: () => HashStream): () => HashStream {
  const createHash = nodeCrypto?.createHash;
  if (createHash === undefined || nodeCrypto?.getHashes().includes(algorithm) !== true) return fallback;
  return () => createHash(algorithm);
}
