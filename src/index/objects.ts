/**
 * Index rows of objects: by id, owner, type and both, in the order in which they were last touched.
 *
 * Every change of an object moves its row to (order, state index), where the state index numbers the touched objects of
 * a class within the transaction. UTXOs and inscriptions are separate classes, numbered separately. Dynamic fields are
 * not indexed, and the changes below them are not walked.
 * Source: crates/rooch-indexer/src/schema.rs of the reference.
 * @module
 */
import { type Codec, decode, encodeShortLived } from '../bcs/codec.ts';
import { struct } from '../bcs/composite.ts';
import { u32, u64 } from '../bcs/primitive.ts';
import { shortLivedBytes } from '../bytes/arena.ts';
import { textOfBytes } from '../bytes/byte-text.ts';
import { equalBytes } from '../bytes/compare.ts';
import { EngineError } from '../error.ts';
import { sha3 } from '../hash/sha3.ts';
import type { RowReader } from '../ledger/transactions.ts';
import { type Address, address, BITCOIN_MOVE_ADDRESS } from '../move/address.ts';
import { canonicalTypeBytes, type StructTag, structTag, structTagCodec, structType } from '../move/type-tag.ts';
import { type ChangedFields, type ObjectChange, type StateChangeSet, valueKindOf } from '../object/change-set.ts';
import { formatObjectId, type ObjectId } from '../object/object-id.ts';
import { isDynamicField } from '../object/object-meta.ts';
import { columnKey, objectIdBytes, positionBytes } from '../store/column.ts';
import type { Operation } from '../store/store.ts';

export const UTXO_TYPE: StructTag = structTag(BITCOIN_MOVE_ADDRESS, 'utxo', 'UTXO');
export const INSCRIPTION_TYPE: StructTag = structTag(BITCOIN_MOVE_ADDRESS, 'ord', 'Inscription');

/** The three separately numbered and paged kinds of objects. */
export type ObjectClass = 'object' | 'utxo' | 'inscription';

const CLASS_BYTE: Readonly<Record<ObjectClass, Uint8Array>> = {
  object: Uint8Array.of(0),
  utxo: Uint8Array.of(1),
  inscription: Uint8Array.of(2),
};

export function objectClassByte(objectClass: ObjectClass): Uint8Array {
  return CLASS_BYTE[objectClass];
}

export function objectClass(type: StructTag): ObjectClass {
  if (type.name === 'UTXO' && isType(type, UTXO_TYPE)) return 'utxo';
  if (type.name === 'Inscription' && isType(type, INSCRIPTION_TYPE)) return 'inscription';
  return 'object';
}

function isType(type: StructTag, expected: StructTag): boolean {
  return (
    type.module === expected.module && type.typeArguments.length === 0 && equalBytes(type.address, expected.address)
  );
}

/** What the index remembers of an object: enough to delete its rows again. */
export interface ObjectRow {
  readonly owner: Address;
  readonly objectType: StructTag;
  readonly order: bigint;
  readonly index: number;
}

export const objectRow: Codec<ObjectRow> = struct<ObjectRow>({
  owner: address,
  objectType: {
    write: structTagCodec.write,
    read: (reader) => {
      const start = reader.offset;
      return sameType(structTagCodec.read(reader), reader.bytes.subarray(start, reader.offset));
    },
  },
  order: u64,
  index: u32,
});

/** Row types by their bytes, as text: the index has few, and what is derived from a type is kept with it. */
const knownTypes = new Map<string, StructTag>();
const KNOWN_TYPES_MAX = 1_024;

/** The type object that was first read from these bytes. */
function sameType(type: StructTag, bytes: Uint8Array): StructTag {
  const name = textOfBytes(bytes);
  const known = knownTypes.get(name);
  if (known !== undefined) return known;
  if (knownTypes.size >= KNOWN_TYPES_MAX) knownTypes.clear();
  knownTypes.set(name, type);
  return type;
}

/** A row as it was read. */
interface ReadRow {
  readonly row: ObjectRow;
  readonly bytes: Uint8Array;
}

/** The row of an object, or undefined if the index does not know it. */
export function readObjectRow(rows: RowReader, id: ObjectId): ObjectRow | undefined {
  return readRow(rows, id)?.row;
}

function readRow(rows: RowReader, id: ObjectId): ReadRow | undefined {
  const bytes = rows.get(columnKey('object', objectIdBytes(id)));
  if (bytes === undefined) return undefined;
  try {
    return { row: decode(objectRow, bytes), bytes };
  } catch (cause) {
    throw new EngineError('corrupt', `the index row of ${formatObjectId(id)} does not decode`, { cause });
  }
}

/** The 32 bytes under which objects of a type are indexed; a type without arguments finds every instantiation. */
export function objectTypeKey(type: StructTag): Uint8Array {
  return sha3(canonicalTypeBytes(structType(type)));
}

/** An object that a transaction touched, with its number. */
export interface TouchedObject {
  readonly change: ObjectChange;
  readonly objectClass: ObjectClass;
  readonly index: number;
}

/** The objects of a change set that have rows, numbered: parents first, keys in ascending order. */
export function touchedObjects({ changes }: StateChangeSet): Generator<TouchedObject, void, undefined> {
  return touchedOf(changes, { object: 0, utxo: 0, inscription: 0 });
}

function* touchedOf(
  changes: ChangedFields,
  counters: Record<ObjectClass, number>,
): Generator<TouchedObject, void, undefined> {
  for (const [, change] of changes) {
    const { meta } = change;
    if (isDynamicField(meta)) continue;
    const kind = objectClass(meta.objectType);
    yield { change, objectClass: kind, index: counters[kind]++ };
    if (change.fields.length > 0) yield* touchedOf(change.fields, counters);
  }
}

/** An object of an update: its row in the index, and its row after the update. Undefined if there is none. */
interface ObjectUpdate {
  readonly id: ObjectId;
  readonly before: ReadRow | undefined;
  readonly after: ObjectRow | undefined;
}

/**
 * What several consecutive transactions do to the index. Each of the thousands of transactions of a Bitcoin block
 * touches the same few objects; their rows in between do not matter to a batch that is written as a whole.
 */
export class ObjectIndexUpdate {
  readonly #rows: RowReader;
  /** By the bytes of the id, as a string. */
  readonly #objects = new Map<string, ObjectUpdate>();

  /** `rows` is the index as it is before the update. */
  constructor(rows: RowReader) {
    this.#rows = rows;
  }

  /**
   * The objects that the transaction at `order` touched. `changeSet` must be sorted by key, as applied.
   * @throws {EngineError} `corrupt` for a row that does not decode; the update is then unchanged.
   */
  add(order: bigint, changeSet: StateChangeSet): void {
    const updated: (readonly [string, ObjectUpdate])[] = [];
    for (const touched of touchedObjects(changeSet)) {
      const { id } = touched.change.meta;
      const text = textOfBytes(objectIdBytes(id));
      const known = this.#objects.get(text);
      const before = known === undefined ? (isFirst(touched) ? undefined : readRow(this.#rows, id)) : known.before;
      const last = known === undefined ? before?.row : known.after;
      updated.push([text, { id, before, after: rowAfter(order, touched, last) }]);
    }
    for (const [text, object] of updated) this.#objects.set(text, object);
  }

  *operations(): Generator<Operation, void, undefined> {
    for (const object of this.#objects.values()) yield* objectRows(object);
  }
}

/**
 * Rows for the objects that the transaction at `order` touched, one object after the other. `changeSet` must be sorted by
 * key, as applied.
 * @throws {EngineError} `corrupt` for a row that does not decode.
 */
export function* objectIndexOperations(
  rows: RowReader,
  order: bigint,
  changeSet: StateChangeSet,
): Generator<Operation, void, undefined> {
  for (const touched of touchedObjects(changeSet)) {
    const { id } = touched.change.meta;
    const before = isFirst(touched) ? undefined : readRow(rows, id);
    yield* objectRows({ id, before, after: rowAfter(order, touched, before?.row) });
  }
}

/**
 * Whether the index cannot have a row of an object: a new one, of a class whose objects are removed one by one. (Others
 * may be dropped along with their whole parent, and their rows stay.)
 */
function isFirst({ change, objectClass: kind }: TouchedObject): boolean {
  return kind !== 'object' && valueKindOf(change) === 'new';
}

function rowAfter(order: bigint, { change, index }: TouchedObject, last: ObjectRow | undefined): ObjectRow | undefined {
  if (valueKindOf(change) === 'delete') return undefined;
  const { owner, objectType } = change.meta;
  // A row keeps the type with which it was created, as in the reference.
  return { owner, objectType: last?.objectType ?? objectType, order, index };
}

/** The rows of an object whose index row is `row`. */
export function objectRowOperations(id: ObjectId, row: ObjectRow): Iterable<Operation> {
  return objectRows({ id, before: undefined, after: row });
}

function* objectRows({ id, before, after }: ObjectUpdate): Generator<Operation, void, undefined> {
  const value = objectIdBytes(id);
  if (before !== undefined) for (const key of positionKeys(before.row)) yield { type: 'delete', key, replaced: value };
  const key = columnKey('object', value);
  const replaced = before?.bytes;
  if (after !== undefined) {
    const row = encodeRow(after);
    yield { type: 'put', key, value: row, isNew: before === undefined, replaced };
    // They contain the order, which no earlier row has.
    for (const at of positionKeys(after)) yield { type: 'put', key: at, value, isNew: true };
  } else if (before !== undefined) {
    yield { type: 'delete', key, replaced };
  }
}

/** The bytes of a row; do not keep them. Most consecutive rows differ only in the index at their end. */
function encodeRow(row: ObjectRow): Uint8Array {
  const { owner, objectType, order, index } = row;
  if (owner !== lastRow?.owner || objectType !== lastRow.objectType || order !== lastRow.order) {
    lastRow = row;
    lastBytes = encodeShortLived(objectRow, row);
  }
  const bytes = shortLivedBytes(lastBytes.length);
  bytes.set(lastBytes);
  for (let at = bytes.length - 4, rest = index; at < bytes.length; at++, rest >>>= 8) bytes[at] = rest;
  return bytes;
}

let lastRow: ObjectRow | undefined;
let lastBytes: Uint8Array = new Uint8Array(0);

/** Keys of the rows that depend on when an object was last touched. Their value is the BCS of its id. */
function positionKeys(row: ObjectRow): Uint8Array[] {
  const { owner, objectType } = row;
  const kind = objectClass(objectType);
  const at = positionBytes(row);
  const classByte = CLASS_BYTE[kind];
  const keys = [columnKey('objectByOwner', classByte, owner, at)];
  if (kind !== 'object') {
    keys.push(columnKey('objectByPosition', classByte, at));
    return keys;
  }
  for (const key of typeKeys(objectType)) {
    keys.push(columnKey('objectByType', key, at), columnKey('objectByOwnerAndType', owner, key, at));
  }
  return keys;
}

/** The key of the exact type and, if it has arguments, of the type without them. */
function typeKeys(type: StructTag): readonly Uint8Array[] {
  let keys = knownTypeKeys.get(type);
  if (keys === undefined) {
    const exact = objectTypeKey(type);
    keys = type.typeArguments.length === 0 ? [exact] : [exact, objectTypeKey({ ...type, typeArguments: [] })];
    knownTypeKeys.set(type, keys);
  }
  return keys;
}

/** A row that moves keeps its type, and so do most objects. */
const knownTypeKeys = new WeakMap<StructTag, readonly Uint8Array[]>();
