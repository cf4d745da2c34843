/**
 * Roots in results. On a fork of a Rooch node they are unknown after the first transaction: reading such a member then
 * throws, so that its type remains text, and it is shown as null.
 * @module
 */
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { isUnknownHash } from '../../base/hash/unknown-hash.ts';
import { missingMember } from './readable.ts';

/** Sets `name` of a result to a root, or to roots, as text. */
export function rootMember<T extends object>(
  value: T,
  name: keyof T & string,
  root: Uint8Array | readonly Uint8Array[],
): void {
  const isOne = root instanceof Uint8Array;
  if (isOne ? isUnknownHash(root) : root.some(isUnknownHash)) missingMember(value, name, () => noRoot(name));
  else Object.assign(value, { [name]: isOne ? toHexPrefixed(root) : root.map(toHexPrefixed) });
}

/** The error for an unknown root. */
export function noRoot(name: string): EngineError {
  return new EngineError(
    'not-supported',
    `${name}: a fork of a Rooch node has its objects and not the hashes around them, so its roots are not known; fork a movelet that has the chain, or compare objects`,
  );
}
