/**
 * Ranges of rows with changes on top: those of a fork over its base, or what a view remembers of a database that moves
 * on.
 * @module
 */
import { compareBytes, equalBytes } from '../base/bytes/bytes.ts';
import { rangeAfter } from './key-range.ts';
import { SCAN_PAGE_ROWS_MAX } from './limits.ts';
import { collectRows, type MapRow, type OrderedMap } from './ordered-map.ts';
import type { KeyRange, ReadableStore, Row } from './store.ts';

/**
 * The merged rows of a range, page by page. Each step reads as many rows of the base as changes, and goes as far as
 * both are known, so every step moves past a whole page of one of them, however many tombstones there are. The base is
 * read first: if both move on meanwhile, every base row written since then has its change.
 * @param changes as they are at the call; if several maps have a key, the first one wins
 */
export async function* mergedPages(
  base: Pick<ReadableStore, 'range'>,
  changes: () => readonly OrderedMap[],
  range: KeyRange,
  limit: number,
): AsyncIterable<Row[]> {
  let left = limit;
  let rest: KeyRange = range;
  while (left > 0) {
    const want = Math.min(left, SCAN_PAGE_ROWS_MAX);
    const below = await base.range({ ...rest, limit: want });
    const above = collectChanges(changes(), rest, want);
    const end = nearestEnd(below, above, want, range.reverse === true);
    const page = mergePage(below, above, end, range.reverse === true);
    yield page.length > left ? page.slice(0, left) : page;
    if (end === undefined) return;
    left -= page.length;
    rest = rangeAfter(range, end);
  }
}

/** The changes of a range, `want` at most; fewer only if there are no more. */
function collectChanges(changes: readonly OrderedMap[], range: KeyRange, want: number): readonly MapRow[] {
  let merged: readonly MapRow[] = [];
  for (const map of changes) {
    const rows = collectRows(map, range, want);
    merged = merged.length === 0 ? rows : mergeChanges(merged, rows, range.reverse === true).slice(0, want);
  }
  return merged;
}

/** Merges two ordered lists; where both have a key, the first one wins. */
function mergeChanges(first: readonly MapRow[], second: readonly MapRow[], reverse: boolean): MapRow[] {
  const merged: MapRow[] = [];
  let at = 0;
  for (const row of first) {
    for (; at < second.length; at++) {
      const order = compareBytes(second[at]!.key, row.key);
      if (order === 0 || order > 0 !== reverse) break;
      merged.push(second[at]!);
    }
    merged.push(row);
    if (at < second.length && equalBytes(second[at]!.key, row.key)) at++;
  }
  return [...merged, ...second.slice(at)];
}

/** The key up to which a page of rows and a page of changes are both complete; undefined if both are at their end. */
function nearestEnd(
  below: readonly Row[],
  above: readonly MapRow[],
  want: number,
  reverse: boolean,
): Uint8Array | undefined {
  const belowEnd = below.length < want ? undefined : below.at(-1)!.key;
  const aboveEnd = above.length < want ? undefined : above.at(-1)!.key;
  if (belowEnd === undefined || aboveEnd === undefined) return belowEnd ?? aboveEnd;
  return compareBytes(belowEnd, aboveEnd) < 0 !== reverse ? belowEnd : aboveEnd;
}

/** Rows and changes in order up to and including `end`: a change hides the row of its key, a tombstone itself too. */
function mergePage(
  below: readonly Row[],
  above: readonly MapRow[],
  end: Uint8Array | undefined,
  reverse: boolean,
): Row[] {
  const isPast = (key: Uint8Array, mark: Uint8Array): boolean =>
    reverse ? compareBytes(key, mark) < 0 : compareBytes(key, mark) > 0;
  const merged: Row[] = [];
  let at = 0;
  const takeChanges = (until: Uint8Array | undefined): void => {
    for (let change = above[at]; change !== undefined; change = above[++at]) {
      const { key, value } = change;
      if (until !== undefined && isPast(key, until)) return;
      if (value !== undefined) merged.push({ key, value });
    }
  };
  for (const row of below) {
    if (end !== undefined && isPast(row.key, end)) break;
    const before = at;
    takeChanges(row.key);
    if (at === before || !equalBytes(above[at - 1]!.key, row.key)) merged.push(row);
  }
  takeChanges(end);
  return merged;
}
