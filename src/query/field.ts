/**
 * Fields of registered objects in the order of their integer values.
 *
 * Pages are numbered from 1, as in the reference, and join without gap or overlap (there the third page skips rows).
 * Source: spec/rpc.md 9.8.
 * @module
 */
import { FIELD_PAGE_OFFSET_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import { childObjectId, compareObjectIds, formatObjectId, type ObjectId } from '../object/object-id.ts';
import type { ObjectState } from '../object/object-state.ts';
import { objectIdBytes, readOrder } from '../store/column.ts';
import { assertPage, indexItems } from './page.ts';
import type { Reader, ReaderSource } from './reader.ts';
import { assertIdCount } from './state.ts';

export interface IndexedField {
  readonly key: Uint8Array;
  readonly object: ObjectState;
  readonly sortKey: bigint;
}

export interface FieldPageRequest {
  /** From 1. */
  readonly page: bigint;
  readonly limit: number;
  readonly descending: boolean;
}

export interface FieldPage {
  readonly data: readonly IndexedField[];
  readonly hasNextPage: boolean;
}

/** Bytes of an integer value in front of the field key. */
const SORT_KEY_BYTES = 8;

export class FieldQueries {
  readonly #source: ReaderSource;

  constructor(source: ReaderSource) {
    this.#source = source;
  }

  /**
   * The fields of `parents`, by parent and value.
   * @throws {EngineError} `limit-exceeded` for too many parents or a page too far away, `invalid-argument` for page 0.
   */
  query(parents: readonly ObjectId[], request: FieldPageRequest): Promise<FieldPage> {
    assertIdCount(parents.length);
    assertPage({ limit: request.limit });
    const { page, limit, descending } = request;
    if (page < 1n) throw new EngineError('invalid-argument', 'expected a page number from 1');
    const offset = (page - 1n) * BigInt(limit);
    if (offset > FIELD_PAGE_OFFSET_MAX) {
      throw new EngineError(
        'limit-exceeded',
        `expected a page that starts within the first ${FIELD_PAGE_OFFSET_MAX} fields`,
      );
    }
    const sorted = distinct(parents).sort(compareObjectIds);
    if (descending) sorted.reverse();
    return this.#source.read((reader) => fieldPage(reader, sorted, Number(offset), request));
  }
}

function distinct(ids: readonly ObjectId[]): ObjectId[] {
  return [...new Map(ids.map((id) => [formatObjectId(id), id])).values()];
}

async function fieldPage(
  reader: Reader,
  parents: readonly ObjectId[],
  offset: number,
  { limit, descending }: FieldPageRequest,
): Promise<FieldPage> {
  const found: IndexedField[] = [];
  let skip = offset;
  for (const parent of parents) {
    const walk = { descending, wanted: limit + 1 - found.length };
    const fields = await indexItems(reader.rows, 'fieldBySortKey', [objectIdBytes(parent)], walk, (tail) => {
      const key = tail.slice(SORT_KEY_BYTES);
      const object = reader.state.object(childObjectId(parent, key));
      // A parent that was deleted takes its fields along without a change of theirs: their rows stay.
      if (object === undefined) return undefined;
      if (skip === 0) return { key, object, sortKey: readOrder(tail, 0) };
      skip--;
      return undefined;
    });
    found.push(...fields);
    if (found.length > limit) break;
  }
  return { data: found.slice(0, limit), hasNextPage: found.length > limit };
}
