/**
 * Fields of registered objects in the order of their integer values.
 *
 * Pages are numbered from 1, as in the reference, and join without gap or overlap (there the third page skips rows).
 * Source: crates/rooch-indexer/src/indexer_reader.rs of the reference.
 * @module
 */
import { argumentError, assertMembers, assertObject, eachOf } from '../base/argument.ts';
import { EngineError } from '../base/error.ts';
import { fieldSortKey } from '../chain/index/fields.ts';
import { assertIdCount } from '../chain/object/access-path.ts';
import {
  childObjectId,
  compareObjectIds,
  formatObjectId,
  type ObjectId,
  objectIdBytes,
} from '../chain/object/object-id.ts';
import { HashValue } from '../chain/value/hash.ts';
import { type ObjectIdInput, toObjectId } from '../chain/value/object-id.ts';
import { Readable } from '../chain/value/readable.ts';
import { readOrder } from '../store/column.ts';
import { ObjectValue } from './object-value.ts';
import { indexItems, toPage } from './page.ts';
import { Decoder, type Reader, type ReaderSource, readHeld } from './reader.ts';

/** Fields that a numbered page of fields may skip: they are read from the start. */
const FIELD_PAGE_OFFSET_MAX = 8_000n;

/** A field, its object and the integer it is sorted by. */
export class IndexedField extends Readable {
  readonly key: HashValue;
  readonly object: ObjectValue;
  readonly sortKey: bigint;

  constructor(key: Uint8Array, object: ObjectValue, sortKey: bigint) {
    super();
    this.key = new HashValue(key);
    this.object = object;
    this.sortKey = sortKey;
  }
}

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
export interface FieldPage {
  readonly data: readonly IndexedField[];
  readonly hasNextPage: boolean;
}

class ReadableFieldPage extends Readable implements FieldPage {
  readonly data: readonly IndexedField[];
  readonly hasNextPage: boolean;

  constructor(data: readonly IndexedField[], hasNextPage: boolean) {
    super();
    this.data = data;
    this.hasNextPage = hasNextPage;
  }
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
   * @throws {EngineError} `limit-exceeded` for too many parents or a page too far away, `invalid-argument`.
   */
  async query(parents: readonly ObjectIdInput[], request: FieldPageOptions = {}): Promise<FieldPage> {
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
    return readHeld(this.#source, (reader) => fieldPage(reader, sorted, walk, new Decoder(this.#source, reader.state)));
  }
}

function distinct(ids: readonly ObjectId[]): ObjectId[] {
  return [...new Map(ids.map((id) => [formatObjectId(id), id])).values()];
}

async function fieldPage(
  reader: Reader,
  parents: readonly ObjectId[],
  { offset, limit, descending }: { readonly offset: number; readonly limit: number; readonly descending: boolean },
  decoder: Decoder,
): Promise<FieldPage> {
  const found: IndexedField[] = [];
  let skip = offset;
  for (const parent of parents) {
    const walk = { descending, wanted: limit + 1 - found.length };
    const fields = await indexItems(reader.rows, 'fieldBySortKey', [objectIdBytes(parent)], walk, (tail) => {
      const key = tail.slice(SORT_KEY_BYTES);
      const object = reader.state.object(childObjectId(parent, key));
      // Deleting a parent also removes its fields, without listing them as changes: their rows stay.
      if (object === undefined) return undefined;
      const sortKey = readOrder(tail, 0);
      // A row of a parent that is no longer indexed may be of an earlier value.
      if (fieldSortKey(object) !== sortKey) return undefined;
      if (skip === 0) return new IndexedField(key, new ObjectValue(object, decoder), sortKey);
      skip--;
      return undefined;
    });
    found.push(...fields);
    if (found.length > limit) break;
  }
  return new ReadableFieldPage(found.slice(0, limit), found.length > limit);
}
