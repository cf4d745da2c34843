/**
 * Ranges over the rows of a memory store or an overlay.
 * @module
 */
import { compareBytes } from '../base/bytes/compare.ts';
import type { OrderedMap } from './ordered-map.ts';
import type { KeyRange } from './store.ts';

/** A key and its entry in an ordered map: no value if it records a deletion. */
export interface MapRow {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** The rows of a range, in its direction, `limit` at most. */
export function collectRows(rows: OrderedMap, range: KeyRange, limit: number): MapRow[] {
  const found: MapRow[] = [];
  if (limit === 0) return found;
  const low = range.gte ?? range.gt;
  const high = range.lte ?? range.lt;
  // An exclusive bound itself compares as beyond the range.
  const lowest = range.gt === undefined ? 0 : 1;
  const highest = range.lt === undefined ? 0 : -1;
  const isBelow = (key: Uint8Array): boolean => low !== undefined && compareBytes(key, low) < lowest;
  const isAbove = (key: Uint8Array): boolean => high !== undefined && compareBytes(key, high) > highest;
  const push = (key: Uint8Array, value: Uint8Array | undefined): boolean => found.push({ key, value }) < limit;
  if (range.reverse === true) {
    rows.descend(high, (key, value) => isAbove(key) || (!isBelow(key) && push(key, value)));
  } else {
    rows.ascend(low, (key, value) => isBelow(key) || (!isAbove(key) && push(key, value)));
  }
  return found;
}
