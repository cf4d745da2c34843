/**
 * Pages: a bounded number of items, and where to continue.
 *
 * The cursor is exclusive. `nextCursor` is the last item's own key; an empty page returns the cursor of its request.
 * `hasNextPage` is exact: one more item is looked up.
 * Source: crates/rooch-rpc-server/src/server/rooch_server.rs of the reference.
 * @module
 */
import { argumentError, assertMembers, assertObject } from '../base/argument.ts';
import { PAGE_ITEMS_DEFAULT } from '../base/config.ts';
import { assert, EngineError } from '../base/error.ts';
import { Readable } from '../chain/value/readable.ts';
import { type ColumnName, keyTail, type Position, pageRange, positionBytes, readPosition } from '../store/column.ts';
import { nextPiece, ScanPieces } from '../store/piece.ts';
import type { ReadableStore, Row } from '../store/store.ts';

/** Items of one page of the engine's own queries: a page reads one row more, which is within STORE_RANGE_ROWS_MAX. */
export const PAGE_ITEMS_MAX = 9_999;

/** Rows that a filtered scan reads at a time: with fewer it would wait more often, with more it would read too many. */
const PAGE_SCAN_ROWS = 64;

/** Which page; every member has a default. */
export interface PageOptions<C> {
  /** Exclusive: `nextCursor` of the previous page. Default: the end where the direction starts. */
  readonly cursor?: C | undefined;
  /** Maximum number of items, up to PAGE_ITEMS_MAX. Default: PAGE_ITEMS_DEFAULT. */
  readonly limit?: number | undefined;
  /** Newest first. The default depends on the query and matches its JSON-RPC method. */
  readonly descending?: boolean | undefined;
}

export interface PageRequest<C> {
  readonly cursor: C | undefined;
  readonly limit: number;
  readonly descending: boolean;
}

/** A page of a list; `for await` iterates over its items and those of all later pages. */
export interface Page<T, C> extends AsyncIterable<T> {
  readonly data: readonly T[];
  /** The cursor of the next page; for an empty page, that of its request. */
  readonly nextCursor: C | undefined;
  readonly hasNextPage: boolean;
}

class ReadablePage<T, C> extends Readable implements Page<T, C> {
  readonly data: readonly T[];
  readonly nextCursor: C | undefined;
  readonly hasNextPage: boolean;
  readonly #next: NextPage<T, C> | undefined;

  constructor(data: readonly T[], nextCursor: C | undefined, hasNextPage: boolean, next?: NextPage<T, C>) {
    super();
    this.data = data;
    this.nextCursor = nextCursor;
    this.hasNextPage = hasNextPage;
    this.#next = next;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    yield* this.data;
    if (!this.hasNextPage || this.nextCursor === undefined) return;
    assert(this.#next !== undefined, 'a page returned by a query can read the next one');
    yield* await this.#next(this.nextCursor);
  }
}

type NextPage<T, C> = (cursor: C) => Page<T, C> | Promise<Page<T, C>>;

/** The same page, from which `for await` continues to the next ones. */
export function followed<T, C>({ data, nextCursor, hasNextPage }: Page<T, C>, next: NextPage<T, C>): Page<T, C> {
  return new ReadablePage(data, nextCursor, hasNextPage, next);
}

/** The page made from `found`, which has up to one item more than the limit. */
export function pageOf<T, C>(
  found: readonly T[],
  request: Pick<PageRequest<C>, 'cursor' | 'limit'>,
  cursorOf: (item: T) => C,
): Page<T, C> {
  const data = found.slice(0, request.limit);
  const last = data[data.length - 1];
  return new ReadablePage(data, last === undefined ? request.cursor : cursorOf(last), found.length > request.limit);
}

/** A page that ends where its search did, which may be past its last item. */
export function pageUpTo<T, C>(data: readonly T[], nextCursor: C | undefined, hasNextPage: boolean): Page<T, C> {
  return new ReadablePage(data, nextCursor, hasNextPage);
}

/** The page with each item, and its cursor, converted. */
export function mapPage<T, U, C>(page: Page<T, C>, map: (item: T) => U): Page<U, C>;
export function mapPage<T, U, C, D>(page: Page<T, C>, map: (item: T) => U, mapCursor: (cursor: C) => D): Page<U, D>;
export function mapPage<T, U, C>(
  { data, nextCursor, hasNextPage }: Page<T, C>,
  map: (item: T) => U,
  mapCursor: (cursor: C) => unknown = (cursor) => cursor,
): Page<U, unknown> {
  return new ReadablePage(data.map(map), nextCursor === undefined ? undefined : mapCursor(nextCursor), hasNextPage);
}

/**
 * The requested page with defaults filled in. An invalid one is refused before anything is read.
 * @throws {EngineError} `invalid-argument` for anything but page options, a limit that is not a whole number from 0 to
 *   PAGE_ITEMS_MAX, or a cursor that no item could have.
 */
export function toPage<C extends PageCursor>(page: PageOptions<C> = {}, isDescending = true): PageRequest<C> {
  assertObject(page, 'page', '{ limit, descending, cursor }, each of which may be left out');
  assertMembers(page, PAGE_MEMBERS);
  const { limit = PAGE_ITEMS_DEFAULT, descending = isDescending, cursor } = page;
  if (!Number.isInteger(limit) || limit < 0 || limit > PAGE_ITEMS_MAX) {
    throw argumentError('limit', `a whole number from 0 to ${PAGE_ITEMS_MAX}`, limit);
  }
  if (typeof descending !== 'boolean') throw argumentError('descending', 'true or false', descending);
  if (cursor !== undefined && !isCursor(cursor)) {
    throw new EngineError('invalid-argument', 'cursor: expected the nextCursor of a page of the same query');
  }
  return { cursor, limit, descending };
}

/** Page options whose cursor is a key as bytes. */
export function keyed<C>(page: PageOptions<C>, read: (cursor: C, name: string) => Uint8Array): PageOptions<Uint8Array> {
  const cursor = page?.cursor;
  return cursor === undefined || cursor === null
    ? (page as PageOptions<never>)
    : { ...page, cursor: read(cursor, 'cursor') };
}

/** The cursors of pages: an order or sequence number, a position, a key. */
export type PageCursor = bigint | Position | Uint8Array;

const PAGE_MEMBERS = ['limit', 'descending', 'cursor'];
const U64_MAX = 0xffff_ffff_ffff_ffffn;
const U32_MAX = 0xffff_ffff;
const KEY_BYTES = 32;

function isCursor(cursor: PageCursor): boolean {
  if (typeof cursor === 'bigint') return cursor >= 0n && cursor <= U64_MAX;
  if (typeof cursor !== 'object' || cursor === null) return false;
  if (cursor instanceof Uint8Array) return cursor.length === KEY_BYTES;
  const { order, index } = cursor;
  return typeof order === 'bigint' && order >= 0n && order <= U64_MAX && index >>> 0 === index && index <= U32_MAX;
}

export interface PositionedRow {
  readonly position: Position;
  readonly value: Uint8Array;
}

/**
 * Up to `limit + 1` items of a column whose keys are `parts` followed by a position, in the requested direction: the
 * results of `read` for its rows, except undefined ones.
 */
export function positionedItems<T>(
  rows: ReadableStore,
  column: ColumnName,
  parts: readonly Uint8Array[],
  { cursor, descending, limit }: PageRequest<Position>,
  read: (row: PositionedRow) => T | undefined,
): Promise<T[]> {
  const after = cursor === undefined ? undefined : positionBytes(cursor);
  const walk = { cursor: after, descending, wanted: limit + 1 };
  return indexItems(rows, column, parts, walk, (tail, value) => read({ position: readPosition(tail, 0), value }));
}

/**
 * Up to `wanted` items of a column whose keys begin with `parts`, after an exclusive cursor, which is the rest of a
 * key: the results of `read` for that rest and the value of each row, except undefined ones.
 */
export async function indexItems<T>(
  rows: ReadableStore,
  column: ColumnName,
  parts: readonly Uint8Array[],
  walk: { readonly cursor?: Uint8Array | undefined; readonly descending: boolean; readonly wanted: number },
  read: (tail: Uint8Array, value: Uint8Array) => T | undefined,
): Promise<T[]> {
  const { descending, wanted } = walk;
  const prefix = parts.reduce((length, part) => length + part.length, 0);
  const found: T[] = [];
  const pieces = new ScanPieces();
  let { cursor } = walk;
  for (;;) {
    const limit = Math.max(wanted - found.length, PAGE_SCAN_ROWS);
    const chunk: readonly Row[] = await rows.range(pageRange(column, parts, { cursor, descending, limit }));
    for (const { key, value } of chunk) {
      if (pieces.add(value.length)) await nextPiece();
      const item = read(keyTail(key, prefix), value);
      if (item === undefined) continue;
      found.push(item);
      if (found.length === wanted) return found;
    }
    const last = chunk[chunk.length - 1];
    if (last === undefined || chunk.length < limit) return found;
    cursor = keyTail(last.key, prefix);
  }
}
