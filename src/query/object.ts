/**
 * Objects by filter, in the order in which they were last touched: (transaction, state index).
 *
 * The index gives ids; the objects are read from the state of the same view. UTXOs, inscriptions and dynamic fields are
 * not among them. Source: crates/rooch-indexer/src/indexer_reader.rs of the reference.
 * @module
 */

import {
  A_BOOLEAN,
  assertFits,
  assertMembers,
  assertObject,
  ifGiven,
  listOf,
  type ReadOf,
  readByKind,
} from '../base/argument.ts';
import { decode } from '../base/bcs.ts';
import { equalBytes } from '../base/bytes/bytes.ts';
import { reportAtCaller } from '../base/caller.ts';
import { assert, EngineError } from '../base/error.ts';
import { type AddressInput, toAddress } from '../bitcoin/address.ts';
import {
  type ObjectClass,
  objectClass,
  objectClassByte,
  objectTypeKey,
  readObjectRow,
} from '../chain/index/objects.ts';
import { assertIdCount } from '../chain/object/access-path.ts';
import { deriveFieldKey, type FieldKeyInput } from '../chain/object/field-key.ts';
import { formatObjectId, type ObjectId, type ObjectIdInput, objectId, toObjectId } from '../chain/object/object-id.ts';
import type { ObjectState } from '../chain/object/object-state.ts';
import type { State } from '../chain/state/state.ts';
import { type DecodedStruct, type DecodedValue, decodedValue } from '../chain/value/decoded.ts';
import { annotate } from '../move/layout.ts';
import {
  equalTypes,
  type StructTag,
  type StructTagInput,
  structName,
  structType,
  type TypeTag,
  type TypeTagInput,
  toStructTag,
  toTypeTag,
  typeName,
} from '../move/type-tag.ts';
import type { ColumnName, Position } from '../store/column.ts';
import type { HistoryOptions, HistoryQueries, ObjectVersion } from './object-version.ts';
import {
  followed,
  mapPage,
  type Page,
  type PageOptions,
  type PageRequest,
  pageOf,
  positionedItems,
  toPage,
} from './page.ts';
import { Decoder, notAtRoot, type Reader, type ReaderSource, readHeld } from './reader.ts';
import type { FoundObject, Makers, Records, Values } from './values.ts';
import type { ViewArgument } from './view-argument.ts';

/** A field of a table or another object, by its name. The name is read by its Move type, like an argument of a call. */
export interface FieldName {
  readonly keyType: TypeTagInput;
  readonly key: ViewArgument;
}

/** A table decoded as part of another value: its id is in its handle. */
type TableValue = { readonly handle: { readonly id: string } } | { readonly id: string };

declare const ENTRIES: unique symbol;

/** A table as it is decoded, with the types that its keys and values decode to, as written by `movelet types`. */
export interface TypedTable<Key, Value> {
  readonly handle: { readonly id: string };
  /** Never present: it tells the compiler the types of the entries. */
  readonly [ENTRIES]?: readonly [Key, Value];
}

/** Which objects a query returns. */
export type ObjectFilter =
  | { readonly kind: 'type'; readonly type: StructTagInput }
  | { readonly kind: 'owner'; readonly owner: AddressInput }
  | {
      readonly kind: 'type-and-owner';
      readonly type: StructTagInput;
      readonly owner: AddressInput;
      /** True: the owner's objects of every other type. */
      readonly otherTypes?: boolean;
    }
  | { readonly kind: 'ids'; readonly ids: readonly ObjectIdInput[] };

const FILTERS = {
  type: { type: toStructTag },
  owner: { owner: toAddress },
  'type-and-owner': { type: toStructTag, owner: toAddress, otherTypes: ifGiven(toFlag) },
  ids: { ids: listOf(toObjectId) },
};

type ReadFilter = ReadOf<typeof FILTERS>;

function toFlag(given: boolean, name: string): boolean {
  assertFits(given, name, A_BOOLEAN);
  return given;
}

/** The position of objects requested by id; it is not looked up. */
const NO_POSITION: Position = { order: 0n, index: 0 };

/** Parts of object queries that are loaded late. */
export interface ObjectTools {
  history(source: ReaderSource): HistoryQueries;
  /** The BCS of a value of a Move type, by the modules of a state. */
  encode(reader: Reader, type: TypeTag, value: ViewArgument, name: string): Uint8Array;
}

export class ObjectQueries<Results extends Values | Records = Values> {
  static {
    reportAtCaller(ObjectQueries);
  }

  readonly #source: ReaderSource;
  readonly #make: Makers<Results>;
  readonly #tools: ObjectTools;

  constructor(source: ReaderSource, make: Makers<Results>, tools: ObjectTools) {
    this.#source = source;
    this.#make = make;
    this.#tools = tools;
  }

  /**
   * The object, or undefined.
   * @throws {EngineError} `invalid-argument`
   */
  get(id: ObjectIdInput): Results['object'] | undefined {
    const named = toObjectId(id, 'id');
    const { state } = this.#source.current();
    const object = state.object(named);
    return object && this.#make.object(object, new Decoder(this.#source, state));
  }

  /**
   * The value of an entry of a table, or of another dynamic field, as a JavaScript value; undefined if there is none.
   *
   * ```ts
   * const { scores } = engine.objects.get(game)!.decoded as { scores: { handle: { id: string } } };
   * const best = engine.objects.entry(scores, { keyType: 'address', key: alice });
   * ```
   * @param holder the id of the object that has the fields, or a table as decoded values have it
   * @throws {EngineError} `invalid-argument`, also for another type than that of the keys of a table with entries; as
   * `ObjectValue.decoded`
   */
  entry<Value = DecodedValue>(
    holder: ObjectIdInput | TableValue | TypedTable<unknown, Value>,
    name: FieldName,
  ): Value | undefined {
    const parent = toObjectId(holderId(holder), 'holder');
    assertObject(name, 'name', 'a name { keyType, key }');
    assertMembers(name, ['keyType', 'key']);
    const type = toTypeTag(name.keyType, 'keyType');
    const reader = this.#source.current();
    const { state, layouts } = reader;
    const field = state.field(parent, deriveFieldKey(this.#tools.encode(reader, type, name.key, 'key'), type));
    if (field === undefined) {
      assertKeyType(state, parent, type);
      return undefined;
    }
    const layout = layouts(state).layout(structType(field.meta.objectType));
    return (decodedValue(annotate(layout, field.value)) as DecodedStruct)['value'] as Value;
  }

  /**
   * The versions of an object or a field up to this state: each change that a transaction made to it, with the order and
   * hash of the transaction and what differs, newest first by default. The cost of a page is in steps from version to
   * version, not in transactions (`query/object-version.ts`); it may end before its limit, with `hasNextPage`.
   *
   * ```ts
   * const { data } = await engine.objects.history(counter, { limit: 10 });
   * console.log(String(data[0]));
   * ```
   * @throws {EngineError} `invalid-argument`, also for the root object; `state-not-loaded`; `pruned` on a chain with a
   * bounded history
   */
  async history(id: ObjectIdInput, options?: HistoryOptions): Promise<Page<ObjectVersion, bigint>> {
    return this.#tools.history(this.#source).versions(id, options);
  }

  /**
   * The transaction that last wrote an object, or with a key one of its fields: its last version, skipping those in
   * which only its fields changed. Undefined if it never existed; for a removed one, the transaction that removed it.
   * @throws {EngineError} as `history`
   */
  async blame(id: ObjectIdInput, fieldKey?: FieldKeyInput): Promise<ObjectVersion | undefined> {
    return this.#tools.history(this.#source).blame(id, fieldKey);
  }

  /**
   * Objects in the order in which they were last touched, by default newest first; or by ids, in the order of the ids.
   * @throws {EngineError} `invalid-argument`, `limit-exceeded` for more than QUERY_IDS_MAX ids.
   */
  async list(filter: ObjectFilter, page?: PageOptions<Position>): Promise<Page<Results['indexedObject'], Position>> {
    const read = readByKind(filter, 'filter', FILTERS);
    const request = toPage(page);
    if (this.#source.isEarlier === true) throw notAtRoot('a list of objects');
    const found = await readHeld(this.#source, async (reader) => {
      const found =
        read.kind === 'ids' ? objectsById(reader, read.ids, request) : await objectsByFilter(reader, read, request);
      const decoder = new Decoder(this.#source, reader.state);
      return mapPage(found, (object) => this.#make.indexedObject(object, decoder));
    });
    return followed(found, (cursor) => this.list(filter, { ...page, cursor }));
  }
}

function holderId(holder: ObjectIdInput | TableValue): ObjectIdInput {
  const { handle = holder } = (holder ?? {}) as { readonly handle?: unknown };
  const { id } = (handle ?? {}) as { readonly id?: unknown };
  return typeof id === 'string' ? id : (holder as ObjectIdInput);
}

/** The named objects that exist, in the order of the given ids; the cursor is not used. */
export function objectsById(
  reader: Reader,
  ids: readonly ObjectId[],
  page: PageRequest<Position>,
): Page<FoundObject, Position> {
  assertIdCount(ids.length);
  const found = ids.map((id) => reader.state.object(id)).filter((object) => object !== undefined);
  return pageOf(
    found.map((object) => ({ object, position: NO_POSITION })),
    page,
    ({ position }) => position,
  );
}

async function objectsByFilter(
  reader: Reader,
  filter: Exclude<ReadFilter, { kind: 'ids' }>,
  page: PageRequest<Position>,
): Promise<Page<FoundObject, Position>> {
  switch (filter.kind) {
    case 'type':
      return indexedObjects(reader, 'objectByType', [objectTypeKey(filter.type)], page);
    case 'owner':
      return indexedObjects(reader, 'objectByOwner', [objectClassByte('object'), filter.owner], page);
    case 'type-and-owner':
      if (filter.otherTypes !== true) {
        return indexedObjects(reader, 'objectByOwnerAndType', [filter.owner, objectTypeKey(filter.type)], page);
      }
      return indexedObjects(
        reader,
        'objectByOwner',
        [objectClassByte('object'), filter.owner],
        page,
        (id) => !isOfType(reader, id, filter.type),
      );
  }
}

/**
 * The page of a column whose rows hold object ids. Deleting an object removes its children from the state without
 * listing them as changes, so the rows of objects that no longer exist are skipped, as in the reference.
 */
export async function indexedObjects(
  reader: Reader,
  column: ColumnName,
  parts: readonly Uint8Array[],
  page: PageRequest<Position>,
  accept: (id: ObjectId) => boolean = () => true,
): Promise<Page<FoundObject, Position>> {
  const found = await positionedItems(reader.rows, column, parts, page, ({ position, value }) => {
    const id = decode(objectId, value);
    const object = accept(id) ? reader.state.object(id) : undefined;
    return object === undefined ? undefined : { object, position };
  });
  return pageOf(found, page, ({ position }) => position);
}

/** A type without arguments stands for all of its instantiations. */
function isOfType(reader: Reader, id: ObjectId, type: StructTag): boolean {
  const row = readObjectRow(reader.rows, id);
  assert(row !== undefined, `the object ${formatObjectId(id)} has index rows`);
  const { objectType } = row;
  const base = type.typeArguments.length === 0 ? { ...objectType, typeArguments: [] } : objectType;
  return equalBytes(objectTypeKey(base), objectTypeKey(type));
}

/** Whether an object belongs to a class; an id of an object of another class is an error. */
export function assertClass(object: ObjectState, expected: ObjectClass): void {
  if (objectClass(object.meta.objectType) !== expected) {
    throw new EngineError('invalid-argument', `the object ${formatObjectId(object.meta.id)} is no ${expected}`);
  }
}

/** All keys of a table have one type, which its entries show; other objects may have fields with names of any type. */
function assertKeyType(state: State, parent: ObjectId, type: TypeTag): void {
  const holder = state.object(parent)?.meta.objectType;
  if (holder === undefined || structName(holder) !== '0x2::table::TablePlaceholder') return;
  const [entry] = state.fields(parent, { after: undefined, limit: 1 });
  const keyType = entry?.object.meta.objectType.typeArguments[0];
  if (keyType === undefined || equalTypes(keyType, type)) return;
  throw new EngineError(
    'invalid-argument',
    `keyType: expected ${typeName(keyType)}, the type of the keys of this table, got ${typeName(type)}`,
  );
}
