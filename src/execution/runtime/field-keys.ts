/**
 * Keys of fields as Move code lists them: those that the state has and then, if there is room, those that the session
 * created. As in the reference, a list after a key skips the first key of the state from there on, whichever that is,
 * and removed fields are included.
 * @module
 */
import { compareBytes } from '../../base/bytes/compare.ts';
import type { FieldKey } from '../../chain/object/field-key.ts';

/**
 * @param stored the fields of the state, from where the list starts
 * @param fresh the keys that the session created, ascending; asked for after the last of the state's
 * @param skipsFirst whether the list starts after a key
 * @param limit how many keys there may be
 */
export function* listedKeys(
  stored: Iterable<{ readonly key: FieldKey }>,
  fresh: () => Iterable<FieldKey>,
  skipsFirst: boolean,
  limit: bigint,
): Generator<FieldKey, void, undefined> {
  let left = limit;
  let last: FieldKey | undefined;
  let skip = skipsFirst;
  if (left === 0n) return;
  for (const { key } of stored) {
    if (skip) {
      skip = false;
      continue;
    }
    last = key;
    yield key;
    left--;
    if (left === 0n) return;
  }
  for (const key of fresh()) {
    if (last !== undefined && compareBytes(key, last) <= 0) continue;
    yield key;
    left--;
    if (left === 0n) return;
  }
}
