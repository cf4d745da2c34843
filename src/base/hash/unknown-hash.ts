/**
 * Placeholders for hashes that cannot be computed, since a part of what they cover is unknown: the roots of a chain that
 * continues from another node's objects without the rest of its trees.
 *
 * A placeholder has the length of a hash and begins with text, so it is never taken for one. It is derived from the known
 * part, so equal states have equal placeholders. It is internal: `knownHash` returns null in its place.
 * @module
 */
import { concatBytes, encodeUtf8, toHexPrefixed } from '../bytes/bytes.ts';
import { sha3 } from './sha3.ts';

const PREFIX: Uint8Array = encodeUtf8('unknown to all: ');

/** A placeholder for the hash of data of which only a part, `known`, is known. */
export function unknownHash(known: Uint8Array): Uint8Array {
  return concatBytes(PREFIX, sha3(known).subarray(0, PREFIX.length));
}

export function isUnknownHash(hash: Uint8Array): boolean {
  for (let at = 0; at < PREFIX.length; at++) if (hash[at] !== PREFIX[at]) return false;
  return true;
}

/** A hash as text; null for a placeholder. */
export function knownHash(hash: Uint8Array): string | null {
  return isUnknownHash(hash) ? null : toHexPrefixed(hash);
}
