/**
 * The state tree's hash: SHA-256 tagged with `SMTNode`, that is sha256(t || t || data) with t = sha256("SMTNode").
 * Source: moveos/smt/src/jellyfish_merkle/hash.rs of the reference.
 * @module
 */
import { sha256 } from './sha256.ts';

const TAG = sha256(new TextEncoder().encode('SMTNode'));

/** The 32-byte tagged hash of `data`. */
export function taggedHash(data: Uint8Array): Uint8Array {
  const message = new Uint8Array(64 + data.length);
  message.set(TAG, 0);
  message.set(TAG, 32);
  message.set(data, 64);
  return sha256(message);
}

/** The 32-byte tagged hash of two joined 32-byte strings: a tree's inner pair, or a leaf's key and value hash. */
export function taggedPair(left: Uint8Array, right: Uint8Array): Uint8Array {
  const message = new Uint8Array(128);
  message.set(TAG, 0);
  message.set(TAG, 32);
  message.set(left, 64);
  message.set(right, 96);
  return sha256(message);
}
