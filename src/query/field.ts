/**
 * Fields of registered objects in the order of their integer values.
 *
 * Pages are numbered from 1, as in the reference, and join without gap or overlap (there the third page skips rows).
 * Source: crates/rooch-indexer/src/indexer_reader.rs of the reference.
 * @module
 */

import { argumentError, assertMembers, assertObject, eachOf } from '../base/argument.ts';
import { reportAtCaller } from '../base/caller.ts';
import { EngineError } from '../base/error.ts';
import { fieldSortKey } from '../chain/index/fields.ts';
import { assertIdCount } from '../chain/object/access-path.ts';
import {
  childObjectId,
  compareObjectIds,
  formatObjectId,
  type ObjectId,
  type ObjectIdInput,
  objectIdBytes,
  toObjectId,
} from '../chain/object/object-id.ts';
import { readable } from '../chain/value/readable.ts';
import { readOrder } from '../store/column.ts';
import { indexItems, toPage } from './page.ts';
import { Decoder, type Reader, type ReaderSource, readHeld } from './reader.ts';
import type { FoundField, IndexedField, Makers, Records, Values } from './values.ts';

/** Fields that a numbered page of fields may skip: they are read from the start. */
const FIELD_PAGE_OFFSET_MAX = 8_000n;

/** Which page of fields, and its length. */
export interface FieldPageOptions {
  /** From 1, which is the default. */
  readonly page?: bigint | undefined;
  /** Maximum number of items, up to PAGE_ITEMS_MAX. Default: PAGE_ITEMS_DEFAULT. */
  readonly limit?: number | undefined;
  /** Highest value first. Default: true. */
  readonly descending?: boolean | undefined;
}

/** Fields of objects, page by page. */
export interface FieldPage<Item = IndexedField> {
  readonly data: readonly Item[];
  readonly hasNextPage: boolean;
}

/** Bytes of an integer value in front of the field key. */
const SORT_KEY_BYTES = 8;

export class FieldQueries<Results extends Values | Records = Values> {
  static {
    reportAtCaller(FieldQueries);
  }

  readonly #source: ReaderSource;
  readonly #make: Makers<Results>;

  constructor(source: ReaderSource, make: Makers<Results>) {
    this.#source = source;
    this.#make = make;
  }

  /**
   * The fields of `parents`, by parent and value.
   * @throws {EngineError} `limit-exceeded` for too many parents or a page too far away, `invalid-argument`.
   */
  async list(
    parents: readonly ObjectIdInput[],
    request: FieldPageOptions = {},
  ): Promise<FieldPage<Results['indexedField']>> {
    const ids = eachOf(parents, 'parents', toObjectId);
    assertIdCount(ids.length);
    assertObject(request, 'request', '{ page, limit, descending }, each of which may be left out');
    assertMembers(request, ['page', 'limit', 'descending']);
    const { page = 1n, ...bounds } = request;
    const { limit, descending } = toPage(bounds);
    if (typeof page !== 'bigint' || page < 1n) throw argumentError('page', 'a page number from 1, as a bigint', page);
    const offset = (page - 1n) * BigInt(limit);
    if (offset > FIELD_PAGE_OFFSET_MAX) {
      throw new EngineError(
        'limit-exceeded',
        `expected a page that starts within the first ${FIELD_PAGE_OFFSET_MAX} fields`,
      );
    }
    const sorted = distinct(ids).sort(compareObjectIds);
    if (descending) sorted.reverse();
    const walk = { offset: Number(offset), limit, descending };
    return readHeld(this.#source, async (reader) => {
      const decoder = new Decoder(this.#source, reader.state);
      const found = await sortedFields(reader, sorted, walk);
      const data = found.slice(0, limit).map((field) => this.#make.indexedField(field, decoder));
      return readable({ data, hasNextPage: found.length > limit });
    });
  }
}

function distinct(ids: readonly ObjectId[]): ObjectId[] {
  return [...new Map(ids.map((id) => [formatObjectId(id), id])).values()];
}

/** Up to `limit + 1` fields after the first `offset`. */
async function sortedFields(
  reader: Reader,
  parents: readonly ObjectId[],
  { offset, limit, descending }: { readonly offset: number; readonly limit: number; readonly descending: boolean },
): Promise<FoundField[]> {
  const found: FoundField[] = [];
  let skip = offset;
  for (const parent of parents) {
    const walk = { descending, wanted: limit + 1 - found.length };
    const fields = await indexItems(reader.rows, 'fieldBySortKey', [objectIdBytes(parent)], walk, (tail) => {
      const key = tail.slice(SORT_KEY_BYTES);
      const object = reader.state.object(childObjectId(parent, key));
      // Deleting a parent also removes its fields, without listing them as changes: their rows stay.
      if (object === undefined) return undefined;
      const sortKey = readOrder(tail, 0);
      // The parent may no longer be indexed; its rows may then hold earlier values.
      if (fieldSortKey(object) !== sortKey) return undefined;
      if (skip === 0) return { key, object, sortKey };
      skip--;
      return undefined;
    });
    found.push(...fields);
    if (found.length > limit) break;
  }
  return found;
}
