/**
 * The order of changes in a change set.
 * @module
 */
import { compareBytes } from '../../base/bytes/compare.ts';
import type { ObjectChange } from '../../chain/object/change-set.ts';
import type { FieldKey } from '../../chain/object/field-key.ts';

/** The most changes that are sorted by insertion, which takes a third of the time for few. */
const INSERTED_MAX = 16;

/** Sorts the changes of an object's fields by their keys, in place. */
export function sortByKey(changes: [FieldKey, ObjectChange][]): void {
  if (changes.length > INSERTED_MAX) {
    changes.sort(([left], [right]) => compareBytes(left, right));
    return;
  }
  for (let from = 1; from < changes.length; from++) {
    const change = changes[from]!;
    let at = from;
    for (; at > 0 && compareBytes(changes[at - 1]![0], change[0]) > 0; at--) changes[at] = changes[at - 1]!;
    changes[at] = change;
  }
}
