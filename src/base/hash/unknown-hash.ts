/**
 * Names for hashes that nobody can compute, since a part of what they cover is not known: the roots of a chain that goes
 * on from another node's objects without the rest of its trees.
 *
 * Such a name has the length of a hash and begins with text, so it is never taken for one. It follows from what is known,
 * so the same state has the same name. It stays inside: where a hash would be shown, `knownHash` tells that there is none.
 * @module
 */
import { concatBytes, encodeUtf8, toHexPrefixed } from '../bytes/bytes.ts';
import { sha3 } from './sha3.ts';

const PREFIX: Uint8Array = encodeUtf8('unknown to all: ');

/** A name in place of the hash of something of which only `known` is known. */
export function unknownHash(known: Uint8Array): Uint8Array {
  return concatBytes(PREFIX, sha3(known).subarray(0, PREFIX.length));
}

export function isUnknownHash(hash: Uint8Array): boolean {
  for (let at = 0; at < PREFIX.length; at++) if (hash[at] !== PREFIX[at]) return false;
  return true;
}

/** A hash as text; null if nobody knows it. */
export function knownHash(hash: Uint8Array): string | null {
  return isUnknownHash(hash) ? null : toHexPrefixed(hash);
}
