/**
 * Fields of one object that a session created, or gave another value and owner, and has not accessed since, as
 * ingestion does with tens of thousands of inscriptions. They have no fields, so key, value and owner describe them
 * completely.
 *
 * They are stored in columns, and a change is built from one whenever the changes are iterated: an object with a slot,
 * a handle and metadata for each would take six times the memory, and six times the time to collect.
 *
 * Most objects have a handful of fields that a session has read or changed, and Move code passes the same key arrays
 * around. So a few fields are kept in a list, which is searched first for the same array and then for equal bytes; that
 * takes less time and memory than a map. More fields are kept in a map, by the key's bytes as a string.
 * @module
 */
import { ByteColumn } from '../../base/bytes/byte-column.ts';
import { compareBytes, equalBytes, textOfBytes } from '../../base/bytes/bytes.ts';
import type {
  ChangedFields,
  FieldChange,
  FieldChanges,
  ObjectChange,
  ValueChange,
} from '../../chain/object/change-set.ts';
import type { FieldKey } from '../../chain/object/field-key.ts';
import { childObjectId, type ObjectId } from '../../chain/object/object-id.ts';
import type { ObjectMeta } from '../../chain/object/object-state.ts';
import { type Address, SYSTEM_ADDRESS } from '../../move/address.ts';
import type { StructTag } from '../../move/type-tag.ts';
import { StatusCode } from '../../vm/status.ts';
import { refusal } from './object-failure.ts';

export interface PlainField {
  /** BCS of the current value. */
  readonly value: Uint8Array;
  /** The account that it was given to; undefined for a new one without an owner. */
  readonly owner: Address | undefined;
  /** The type, for a new one. */
  readonly type: StructTag;
  /** The object of the state, for one that existed before. */
  readonly before: ObjectMeta | undefined;
}

/** The contents of the fields, by position. */
interface Columns {
  readonly values: ByteColumn;
  readonly owners: (Address | undefined)[];
  readonly types: StructTag[];
  readonly befores: (ObjectMeta | undefined)[];
}

const NO_FIELDS: FieldChanges = [];

/** Up to this number, changes become an array, which covers ordinary transactions. */
const ARRAY_MAX = 256;

export class PlainFields {
  readonly #parent: ObjectId;
  readonly #keys = new ByteColumn();
  readonly #columns: Columns = { values: new ByteColumn(), owners: [], types: [], befores: [] };
  /** The positions of the keys, by their bytes as a string: of those up to `#found`, once a lookup needed them. */
  readonly #places = new Map<string, number>();
  #found = 0;
  /** Positions of taken fields, which no longer count. */
  readonly #taken = new Set<number>();

  constructor(parent: ObjectId) {
    this.#parent = parent;
  }

  /** Number of added fields. */
  get count(): number {
    return this.#keys.length;
  }

  /** Adds a field, with copies of key and value. If one is added twice, the last one counts. */
  add(key: FieldKey, { value, owner, type, before }: PlainField): void {
    this.#keys.add(key);
    const { values, owners, types, befores } = this.#columns;
    values.add(value);
    owners.push(owner);
    types.push(type);
    befores.push(before);
  }

  /** Whether it has the key with the bytes `text`. */
  has(text: string): boolean {
    return this.#place(text) !== undefined;
  }

  /** Removes a field from here and returns it. */
  take(text: string): PlainField | undefined {
    const place = this.#place(text);
    if (place === undefined) return undefined;
    this.#taken.add(place);
    this.#places.delete(text);
    return this.#at(place);
  }

  /** All keys. */
  keys(): FieldKey[] {
    const keys: FieldKey[] = [];
    for (let place = 0; place < this.count; place++) if (!this.#taken.has(place)) keys.push(this.#keys.copy(place));
    return keys;
  }

  /**
   * The changes of these fields, merged with `others`, changes of the same object's other fields, by ascending keys.
   * `now` in milliseconds.
   * @throws {ObjectFailure} RESOURCE_ALREADY_EXISTS for a key that was created twice
   */
  changes(others: FieldChanges, now: bigint): ChangedFields {
    const places = this.#sorted();
    const length = places.length + others.length;
    if (length <= ARRAY_MAX) {
      const keyAt = (index: number): FieldKey => this.#keys.copy(places[index]!);
      return Array.from(this.#merge(places, keyAt, others, now), wholeChange);
    }
    // They are iterated several times, so their keys are kept contiguous in memory.
    const keys = new ByteColumn();
    for (const place of places) keys.add(this.#keys.view(place));
    const keyAt = (index: number): FieldKey => keys.copy(index);
    const iterate = (): Generator<FieldChange, void, undefined> => this.#merge(places, keyAt, others, now);
    return { length, isSorted: true, [Symbol.iterator]: iterate };
  }

  /** `keyAt` copies the keys of `places`, by their order. */
  *#merge(
    places: Uint32Array,
    keyAt: (index: number) => FieldKey,
    others: FieldChanges,
    now: bigint,
  ): Generator<FieldChange, void, undefined> {
    let next = 0;
    for (let index = 0; index < places.length; index++) {
      const key = keyAt(index);
      for (; next < others.length && compareBytes(others[next]![0], key) < 0; next++) yield others[next]!;
      yield [key, new PlainChange(this.#columns, places[index]!, this.#parent, key, now)];
    }
    for (; next < others.length; next++) yield others[next]!;
  }

  #at(place: number): PlainField {
    const { values, owners, types, befores } = this.#columns;
    return { value: values.view(place), owner: owners[place], type: types[place]!, before: befores[place] };
  }

  #place(text: string): number | undefined {
    for (; this.#found < this.#keys.length; this.#found++) {
      this.#places.set(textOfBytes(this.#keys.view(this.#found)), this.#found);
    }
    return this.#places.get(text);
  }

  /** The positions of all fields, by ascending keys; of those with equal keys, the last. */
  #sorted(): Uint32Array {
    const keys = this.#keys;
    const places = keys.sorted();
    let count = 0;
    for (const place of places) {
      if (this.#taken.has(place)) continue;
      const last = places[count - 1];
      if (last !== undefined && keys.head(last) === keys.head(place) && equalBytes(keys.view(last), keys.view(place))) {
        this.#requireBefore(place);
        count--;
      }
      places[count++] = place;
    }
    return places.subarray(0, count);
  }

  /** @throws {ObjectFailure} RESOURCE_ALREADY_EXISTS for a new field whose key is already taken */
  #requireBefore(place: number): void {
    if (this.#columns.befores[place] !== undefined) return;
    const id = childObjectId(this.#parent, this.#keys.copy(place));
    throw refusal(StatusCode.RESOURCE_ALREADY_EXISTS, id, 'already exists');
  }
}

/** A self-contained change, with all of its parts built. */
function wholeChange([key, { meta, value, fields }]: FieldChange): FieldChange {
  return [key, { meta, value, fields }];
}

/** The change of a plain field. Its parts are built when they are read. */
class PlainChange implements ObjectChange {
  readonly #columns: Columns;
  readonly #place: number;
  readonly #parent: ObjectId;
  readonly #key: FieldKey;
  readonly #now: bigint;
  #meta: ObjectMeta | undefined;

  constructor(columns: Columns, place: number, parent: ObjectId, key: FieldKey, now: bigint) {
    this.#columns = columns;
    this.#place = place;
    this.#parent = parent;
    this.#key = key;
    this.#now = now;
  }

  get fields(): FieldChanges {
    return NO_FIELDS;
  }

  get value(): ValueChange {
    const { values, befores } = this.#columns;
    return { kind: befores[this.#place] === undefined ? 'new' : 'modify', value: values.view(this.#place) };
  }

  get meta(): ObjectMeta {
    this.#meta ??= this.#makeMeta();
    return this.#meta;
  }

  #makeMeta(): ObjectMeta {
    const { owners, types, befores } = this.#columns;
    const before = befores[this.#place];
    const owner = owners[this.#place] ?? SYSTEM_ADDRESS;
    const updatedAt = this.#now;
    if (before !== undefined) {
      const createdAt = before.createdAt === 0n ? updatedAt : before.createdAt;
      return { ...before, owner, createdAt, updatedAt };
    }
    const id = childObjectId(this.#parent, this.#key);
    const objectType = types[this.#place]!;
    return { id, owner, flag: 0, stateRoot: undefined, size: 0n, createdAt: updatedAt, updatedAt, objectType };
  }
}

/** Maximum number of fields that are searched linearly. */
const LISTED_MAX = 16;

export class FieldTable<Field> {
  /** The first fields, with the key arrays by which they were looked up. */
  readonly #keys: FieldKey[];
  readonly #listed: Field[];
  /** The last one found: code often looks up an object several times in a row. */
  #lastKey: FieldKey;
  #last: Field;
  /** All fields, once they are too many for the list. */
  #byText: Map<string, Field> | undefined;

  /** A table with one field, as most have: V8 reserves room for seventeen in an array that starts empty. */
  constructor(key: FieldKey, field: Field) {
    this.#keys = [key];
    this.#listed = [field];
    this.#lastKey = key;
    this.#last = field;
  }

  find(key: FieldKey): Field | undefined {
    if (key === this.#lastKey) return this.#last;
    const field = this.#search(key);
    if (field !== undefined) {
      this.#lastKey = key;
      this.#last = field;
    }
    return field;
  }

  #search(key: FieldKey): Field | undefined {
    const keys = this.#keys;
    for (let index = 0; index < keys.length; index++) if (keys[index] === key) return this.#listed[index];
    if (this.#byText !== undefined) return this.#byText.get(textOfBytes(key));
    for (let index = 0; index < keys.length; index++) {
      if (keys[index]![0] === key[0] && equalBytes(keys[index]!, key)) return this.#listed[index];
    }
    return undefined;
  }

  /** Adds a field, which the table must not have. */
  add(key: FieldKey, field: Field): void {
    if (this.#keys.length < LISTED_MAX) {
      this.#keys.push(key);
      this.#listed.push(field);
      return;
    }
    this.#byText ??= new Map(this.#keys.map((listed, index) => [textOfBytes(listed), this.#listed[index]!]));
    this.#byText.set(textOfBytes(key), field);
  }

  /** All fields, in no particular order. */
  all(): Iterable<Field> {
    return this.#byText?.values() ?? this.#listed;
  }
}
