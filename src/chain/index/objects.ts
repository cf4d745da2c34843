/**
 * Index rows of objects: by id, by owner, by type and by both, in the order in which they were last touched.
 *
 * Every change of an object moves its row to (order, state index), where the state index numbers the touched objects of
 * a class within the transaction. UTXOs and inscriptions are separate classes, numbered separately. Dynamic fields are
 * not indexed, and the changes below them are not walked.
 * Source: crates/rooch-indexer/src/schema.rs of the reference.
 * @module
 */
import { type Codec, decode, encodeShortLived, struct, u32, u64 } from '../../base/bcs.ts';
import { equalBytes, textOfBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { type Address, address, BITCOIN_MOVE_ADDRESS } from '../../move/address.ts';
import { canonicalTypeBytes, type StructTag, structTag, structTagCodec, structType } from '../../move/type-tag.ts';
import { type ColumnName, columnKey, writePosition } from '../../store/column.ts';
import { RowBatch, type RowWriting } from '../../store/row-batch.ts';
import type { Operation } from '../../store/store.ts';
import type { RowReader } from '../ledger/transactions.ts';
import { type ChangedFields, type ObjectChange, type StateChangeSet, valueKindOf } from '../object/change-set.ts';
import { equalObjectIds, formatObjectId, type ObjectId, objectIdBytes } from '../object/object-id.ts';
import { isDynamicField } from '../object/object-state.ts';

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

/** What the index stores about an object: enough to delete its rows again. */
interface ObjectRow {
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

/** Row types by their bytes, as text: the index has few, and values derived from a type are cached by its identity. */
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

/** The row of an object, or undefined if the index has none. */
export function readObjectRow(rows: RowReader, id: ObjectId): ObjectRow | undefined {
  const bytes = rows.get(columnKey('object', objectIdBytes(id)));
  if (bytes === undefined) return undefined;
  try {
    return decode(objectRow, bytes);
  } catch (cause) {
    throw new EngineError('corrupt', `the index row of ${formatObjectId(id)} does not decode`, { cause });
  }
}

/** The 32 bytes under which objects of a type are indexed; a type without arguments finds every instantiation. */
export function objectTypeKey(type: StructTag): Uint8Array {
  return sha3(canonicalTypeBytes(structType(type)));
}

/** How many objects of each class a transaction has touched so far. */
type Counters = Record<ObjectClass, number>;

function noCounters(): Counters {
  return { object: 0, utxo: 0, inscription: 0 };
}

/** A cached object: its row in the store, and its row after the next batch. Undefined if there is none. */
interface KnownObject {
  readonly id: ObjectId;
  stored: ObjectRow | undefined;
  row: ObjectRow | undefined;
  /** Whether commits of the next batch touched it. */
  isTouched: boolean;
  /** Another object whose id has the same digest. */
  readonly next: KnownObject | undefined;
}

/** A commit that is being added: the objects that it touches, and the row that it leaves for each. */
interface AddedCommit {
  readonly added: KnownObject[];
  readonly rows: (ObjectRow | undefined)[];
  readonly order: bigint;
  readonly counters: Counters;
}

/** Objects that stay cached from one batch to the next. */
const KNOWN_OBJECTS_MAX = 1_024;

/**
 * What commits change in the index, written once per batch. The thousands of transactions of a Bitcoin block touch the
 * same few objects, and intermediate rows do not matter in a batch that is written as a whole. Consecutive batches often
 * touch the same objects too, so their rows are not read again.
 */
export class ObjectIndexUpdate {
  readonly #rows: RowReader;
  /** The last object of each digest. */
  readonly #byDigest = new Map<number, KnownObject>();
  #count = 0;
  /** In the order of their first touch. */
  readonly #touched: KnownObject[] = [];

  /** `rows` is the index as written so far. */
  constructor(rows: RowReader) {
    this.#rows = rows;
  }

  /**
   * The objects that the transaction at `order` touched. `changeSet` must be sorted by key, as applied.
   * @throws {EngineError} `corrupt` for a row that does not decode; the update is then unchanged.
   */
  add(order: bigint, { changes }: StateChangeSet): void {
    const added: KnownObject[] = [];
    const rows: (ObjectRow | undefined)[] = [];
    this.#collect({ added, rows, order, counters: noCounters() }, changes);
    for (let index = 0; index < added.length; index++) {
      const object = added[index]!;
      object.row = rows[index];
      if (object.isTouched) continue;
      object.isTouched = true;
      this.#touched.push(object);
    }
  }

  /** Writes the rows of the objects that were touched since the last time. */
  *write(batch: RowBatch): RowWriting {
    for (const object of this.#touched) {
      writeObject(batch, object.id, object.stored, object.row);
      object.stored = object.row;
      object.isTouched = false;
      if (batch.isFull) yield;
    }
    this.#touched.length = 0;
    if (this.#count > KNOWN_OBJECTS_MAX) this.forget();
  }

  /** Drops the cached rows: something else has written to the store. */
  forget(): void {
    this.#byDigest.clear();
    this.#count = 0;
    this.#touched.length = 0;
  }

  #collect(commit: AddedCommit, changes: ChangedFields): void {
    const { added, rows, order, counters } = commit;
    for (const [, change] of changes) {
      const { meta } = change;
      if (isDynamicField(meta)) continue;
      const kind = objectClass(meta.objectType);
      const object = this.#find(meta.id) ?? this.#know(meta.id, isFirst(change, kind));
      added.push(object);
      rows.push(rowAfter(order, counters[kind]++, change, object.row));
      if (change.fields.length > 0) this.#collect(commit, change.fields);
    }
  }

  #find(id: ObjectId): KnownObject | undefined {
    let object = this.#byDigest.get(digestOf(id));
    while (object !== undefined && !equalObjectIds(object.id, id)) object = object.next;
    return object;
  }

  #know(id: ObjectId, hasNoRow: boolean): KnownObject {
    const stored = hasNoRow ? undefined : readObjectRow(this.#rows, id);
    const digest = digestOf(id);
    const object = { id, stored, row: stored, isTouched: false, next: this.#byDigest.get(digest) };
    this.#byDigest.set(digest, object);
    this.#count++;
    return object;
  }
}

/** Thirty bits of an id, the most that are a small integer on every host. Most ids are hashes. */
function digestOf(id: ObjectId): number {
  const last = id.at(-1);
  return last === undefined ? 0 : (last[0]! << 22) | (last[1]! << 14) | (last[2]! << 6) | (last[3]! >> 2);
}

/**
 * Writes the rows of the objects that the transaction at `order` touched, one object after the other. `changeSet` must be
 * sorted by key, as applied.
 * @throws {EngineError} `corrupt` for a row that does not decode.
 */
export function* writeObjectIndex(
  batch: RowBatch,
  rows: RowReader,
  order: bigint,
  changeSet: StateChangeSet,
): RowWriting {
  yield* writeTouched(batch, rows, order, changeSet.changes, noCounters());
}

function* writeTouched(
  batch: RowBatch,
  rows: RowReader,
  order: bigint,
  changes: ChangedFields,
  counters: Counters,
): RowWriting {
  for (const [, change] of changes) {
    const { id, objectType } = change.meta;
    if (isDynamicField(change.meta)) continue;
    const kind = objectClass(objectType);
    const before = isFirst(change, kind) ? undefined : readObjectRow(rows, id);
    writeObject(batch, id, before, rowAfter(order, counters[kind]++, change, before));
    if (batch.isFull) yield;
    if (change.fields.length > 0) yield* writeTouched(batch, rows, order, change.fields, counters);
  }
}

/**
 * Whether the index cannot have a row of an object: a new one of a class whose objects are removed one by one. (Objects
 * of other classes may be dropped with their whole parent, while their rows stay.)
 */
function isFirst(change: ObjectChange, kind: ObjectClass): boolean {
  return kind !== 'object' && valueKindOf(change) === 'new';
}

/** The row of an object that was touched as number `index` of its class in a transaction. */
function rowAfter(
  order: bigint,
  index: number,
  change: ObjectChange,
  last: ObjectRow | undefined,
): ObjectRow | undefined {
  if (valueKindOf(change) === 'delete') return undefined;
  const { owner, objectType } = change.meta;
  // A row keeps the type with which it was created, as in the reference.
  return { owner, objectType: last?.objectType ?? objectType, order, index };
}

/** The rows of an object whose index row is `row`. */
export function objectRowOperations(id: ObjectId, row: ObjectRow): readonly Operation[] {
  const batch = new RowBatch();
  writeObject(batch, id, undefined, row);
  return batch.operations();
}

function writeObject(batch: RowBatch, id: ObjectId, before: ObjectRow | undefined, after: ObjectRow | undefined): void {
  const { writer } = batch;
  const value = objectIdBytes(id);
  const bytes = before === undefined ? undefined : encodeShortLived(objectRow, before);
  if (before !== undefined) writePositions(batch, before, value, true);
  if (after !== undefined) {
    batch.put('object', bytes ?? true);
    writer.bytes(value);
    batch.value();
    objectRow.write(writer, after);
    batch.end();
    writePositions(batch, after, value, false);
  } else if (before !== undefined) {
    batch.delete('object', bytes);
    writer.bytes(value);
    batch.endDeletion();
  }
}

/** Writes or deletes the rows that depend on when an object was last touched. Their value is the BCS of its id. */
function writePositions(batch: RowBatch, row: ObjectRow, id: Uint8Array, isDeletion: boolean): void {
  const { owner, objectType } = row;
  const kind = objectClass(objectType);
  const classByte = CLASS_BYTE[kind];
  beginPosition(batch, 'objectByOwner', id, isDeletion);
  batch.writer.bytes(classByte);
  batch.writer.bytes(owner);
  endPosition(batch, row, id, isDeletion);
  if (kind !== 'object') {
    beginPosition(batch, 'objectByPosition', id, isDeletion);
    batch.writer.bytes(classByte);
    endPosition(batch, row, id, isDeletion);
    return;
  }
  for (const key of typeKeys(objectType)) {
    beginPosition(batch, 'objectByType', id, isDeletion);
    batch.writer.bytes(key);
    endPosition(batch, row, id, isDeletion);
    beginPosition(batch, 'objectByOwnerAndType', id, isDeletion);
    batch.writer.bytes(owner);
    batch.writer.bytes(key);
    endPosition(batch, row, id, isDeletion);
  }
}

function beginPosition(batch: RowBatch, column: ColumnName, id: Uint8Array, isDeletion: boolean): void {
  if (isDeletion) batch.delete(column, id);
  // Its key contains the order, so no earlier row has the same key.
  else batch.put(column, true);
}

function endPosition(batch: RowBatch, row: ObjectRow, id: Uint8Array, isDeletion: boolean): void {
  writePosition(batch.writer, row);
  if (isDeletion) {
    batch.endDeletion();
    return;
  }
  batch.value();
  batch.writer.bytes(id);
  batch.end();
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

/** By type, which a row keeps when it moves. */
const knownTypeKeys = new WeakMap<StructTag, readonly Uint8Array[]>();
