/**
 * Signatures over Ed25519 and P-256, checked by the host if it has these curves, and by `@noble/curves` otherwise.
 * @module
 */

import type { KeyObject } from 'node:crypto';
import { concatBytes, fromHex, textOfBytes } from '../bytes/bytes.ts';
import { keepRecent } from '../recent.ts';
import { ed25519, p256 } from './noble.ts';
import { nodeCrypto } from './node-crypto.ts';

/** The bytes before a key of this length in a SubjectPublicKeyInfo (RFC 5280, RFC 5480, RFC 8410). */
const ED25519_HEADS = new Map([[32, fromHex('302a300506032b6570032100')]]);
const P256_HEADS = new Map([
  [33, fromHex('3039301306072a8648ce3d020106082a8648ce3d030107032200')],
  [65, fromHex('3059301306072a8648ce3d020106082a8648ce3d030107034200')],
]);

/**
 * Whether a signature is valid by the rules of ZIP 215, under which implementations cannot disagree.
 * @param publicKey 32 bytes
 * @param signature 64 bytes
 */
export function verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return (
    hostAcceptsEd25519(publicKey, message, signature) ||
    attempt(() => ed25519().verify(signature, message, publicKey, { zip215: true }))
  );
}

/** Whether the host accepts a signature. It is stricter: what it accepts is valid by ZIP 215 as well. */
export function hostAcceptsEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return hostVerify(ED25519_HEADS, null, publicKey, message, signature) === true;
}

/**
 * Whether an ECDSA signature over the SHA-256 of a message is valid; either s is.
 * @param publicKey SEC 1, compressed or uncompressed
 * @param signature r and s of 32 bytes
 */
export function verifyP256(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return (
    hostVerify(P256_HEADS, 'sha256', publicKey, message, signature) ??
    attempt(() => p256().verify(signature, message, publicKey, { lowS: false }))
  );
}

/** The host's answer; `undefined` if it lacks the curve or refuses the key. */
function hostVerify(
  heads: ReadonlyMap<number, Uint8Array>,
  algorithm: 'sha256' | null,
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean | undefined {
  const head = heads.get(publicKey.length);
  if (nodeCrypto?.createPublicKey === undefined || head === undefined) return undefined;
  try {
    const key = keyOf(concatBytes(head, publicKey));
    return nodeCrypto.verify(algorithm, message, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return undefined;
  }
}

/** Recent keys in the host's form, the most recently used last: importing one takes as long as a check. */
const keys = new Map<string, KeyObject>();
const KEYS_MAX = 4_096;

/** @throws if the host refuses the key */
function keyOf(info: Uint8Array): KeyObject {
  const name = textOfBytes(info);
  // The declared type is a Buffer, but the host takes any view of bytes.
  const key = keys.get(name) ?? nodeCrypto!.createPublicKey({ key: info as Buffer, format: 'der', type: 'spki' });
  keepRecent(keys, name, key, KEYS_MAX);
  return key;
}

/** Bytes that are not a point or a signature are refused with exceptions. */
function attempt(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}
