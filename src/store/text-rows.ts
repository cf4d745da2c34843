/**
 * Ranges over the rows of a memory store or an overlay.
 * @module
 */
import { textOfBytes } from './byte-text.ts';
import type { OrderedMap } from './ordered-map.ts';
import type { KeyRange } from './store.ts';

/** A key as the memory stores keep it (byte-text.ts), and what they keep for its value. */
export type TextRow<V> = readonly [key: string, value: V];

/** The entries of a range, in its direction, `limit` at most. */
export function collectEntries<V>(rows: OrderedMap<V>, range: KeyRange, limit: number): TextRow<V>[] {
  const found: TextRow<V>[] = [];
  if (limit === 0) return found;
  const low = range.gte ?? range.gt;
  const high = range.lte ?? range.lt;
  const lowText = low === undefined ? undefined : textOfBytes(low);
  const highText = high === undefined ? undefined : textOfBytes(high);
  const isBelow = (key: string): boolean =>
    lowText !== undefined && (range.gt === undefined ? key < lowText : key <= lowText);
  const isAbove = (key: string): boolean =>
    highText !== undefined && (range.lt === undefined ? key > highText : key >= highText);
  const push = (key: string, value: V): boolean => found.push([key, value]) < limit;
  if (range.reverse === true) {
    rows.descend(high, (key, value) => isAbove(key) || (!isBelow(key) && push(key, value)));
  } else {
    rows.ascend(low, (key, value) => isBelow(key) || (!isAbove(key) && push(key, value)));
  }
  return found;
}
