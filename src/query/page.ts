/**
 * Pages: a bounded run of items and where to go on.
 *
 * The cursor is exclusive. `nextCursor` is the last item's own key; an empty page gives back the cursor it was asked
 * with. `hasNextPage` is true: one more item was looked for. Source: design/wire.md, Pages.
 * @module
 */
import { PAGE_SCAN_ROWS } from '../config.ts';
import { type ColumnName, keyTail, type Position, pageRange, positionBytes, readPosition } from '../store/column.ts';
import type { ReadableStore, Row } from '../store/store.ts';

export interface PageRequest<C> {
  /** Exclusive; undefined starts at the end that the direction begins with. */
  readonly cursor?: C | undefined;
  /** Items at most. */
  readonly limit: number;
  readonly descending: boolean;
}

export interface Page<T, C> {
  readonly data: readonly T[];
  readonly nextCursor: C | undefined;
  readonly hasNextPage: boolean;
}

/** The page of `found`, which holds up to one item more than the limit. */
export function pageOf<T, C>(found: readonly T[], request: PageRequest<C>, cursorOf: (item: T) => C): Page<T, C> {
  const data = found.slice(0, request.limit);
  const last = data[data.length - 1];
  return {
    data,
    nextCursor: last === undefined ? request.cursor : cursorOf(last),
    hasNextPage: found.length > request.limit,
  };
}

/** A position of an index row, and the row's value. */
export interface PositionedRow {
  readonly position: Position;
  readonly value: Uint8Array;
}

/**
 * Up to `limit + 1` items of a column whose keys are `parts` and then a position, in the asked direction: what `read`
 * makes of its rows, those left out of which it makes nothing.
 */
export async function positionedItems<T>(
  rows: ReadableStore,
  column: ColumnName,
  parts: readonly Uint8Array[],
  request: PageRequest<Position>,
  read: (row: PositionedRow) => T | undefined,
): Promise<T[]> {
  const wanted = request.limit + 1;
  const prefix = parts.reduce((length, part) => length + part.length, 0);
  const found: T[] = [];
  let cursor = request.cursor === undefined ? undefined : positionBytes(request.cursor);
  for (;;) {
    const limit = Math.max(wanted - found.length, PAGE_SCAN_ROWS);
    const chunk: readonly Row[] = await rows.range(
      pageRange(column, parts, { cursor, descending: request.descending, limit }),
    );
    for (const { key, value } of chunk) {
      const item = read({ position: readPosition(keyTail(key, prefix), 0), value });
      if (item === undefined) continue;
      found.push(item);
      if (found.length === wanted) return found;
    }
    const last = chunk[chunk.length - 1];
    if (last === undefined || chunk.length < limit) return found;
    cursor = keyTail(last.key, prefix);
  }
}
