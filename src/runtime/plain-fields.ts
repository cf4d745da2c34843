/**
 * Fields of one object that a session created, or gave another value and owner, and has not accessed since, as
 * ingestion does with tens of thousands of inscriptions. They have no fields, so key, value and owner say everything.
 *
 * They are stored in columns, and a change is built from one whenever the changes are iterated: an object with a slot,
 * a handle and metadata for each would take six times the memory, and six times the time to collect.
 * @module
 */
import { ByteColumn } from '../bytes/byte-column.ts';
import { compareBytes } from '../bytes/compare.ts';
import { type Address, SYSTEM_ADDRESS } from '../move/address.ts';
import type { StructTag } from '../move/type-tag.ts';
import type { ChangedFields, FieldChange, FieldChanges, ObjectChange, ValueChange } from '../object/change-set.ts';
import type { FieldKey } from '../object/field-key.ts';
import { childObjectId, formatObjectId, type ObjectId } from '../object/object-id.ts';
import type { ObjectMeta } from '../object/object-meta.ts';
import { textOfBytes } from '../store/byte-text.ts';
import { StatusCode } from '../vm/status.ts';
import { ObjectFailure } from './object-failure.ts';

export interface PlainField {
  /** BCS of the value it has now. */
  readonly value: Uint8Array;
  /** The account that it was given to; undefined for a new one without an owner. */
  readonly owner: Address | undefined;
  /** The type, for a new one. */
  readonly type: StructTag;
  /** What the state has, for one that existed before. */
  readonly before: ObjectMeta | undefined;
}

const NO_FIELDS: FieldChanges = [];

/** Up to this many changes become an array: all those of an ordinary transaction. */
const ARRAY_MAX = 256;

export class PlainFields {
  readonly #parent: ObjectId;
  readonly #keys = new ByteColumn();
  readonly #values = new ByteColumn();
  readonly #owners: (Address | undefined)[] = [];
  readonly #types: StructTag[] = [];
  readonly #befores: (ObjectMeta | undefined)[] = [];
  /** The positions of the keys, by their bytes as a string: of those up to `#found`, once a lookup needed them. */
  readonly #places = new Map<string, number>();
  #found = 0;
  /** Positions of fields that were taken, which no longer count. */
  readonly #taken = new Set<number>();

  constructor(parent: ObjectId) {
    this.#parent = parent;
  }

  /** How many fields were added. */
  get count(): number {
    return this.#keys.length;
  }

  /** Adds a field, with copies of key and value. If one is added twice, the last time counts. */
  add(key: FieldKey, { value, owner, type, before }: PlainField): void {
    this.#keys.add(key);
    this.#values.add(value);
    this.#owners.push(owner);
    this.#types.push(type);
    this.#befores.push(before);
  }

  /** Whether it has the key whose bytes are `text`. */
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
    const iterate = (): Generator<FieldChange, void, undefined> => this.#merge(places, others, now);
    if (length > ARRAY_MAX) return { length, isSorted: true, [Symbol.iterator]: iterate };
    return Array.from(iterate(), ([key, { meta, value, fields }]) => [key, { meta, value, fields }]);
  }

  *#merge(places: Uint32Array, others: FieldChanges, now: bigint): Generator<FieldChange, void, undefined> {
    let next = 0;
    for (const place of places) {
      const key = this.#keys.copy(place);
      for (; next < others.length && compareBytes(others[next]![0], key) < 0; next++) yield others[next]!;
      yield [key, new PlainChange(this.#parent, key, this.#at(place), now)];
    }
    for (; next < others.length; next++) yield others[next]!;
  }

  #at(place: number): PlainField {
    return {
      value: this.#values.view(place),
      owner: this.#owners[place],
      type: this.#types[place]!,
      before: this.#befores[place],
    };
  }

  #place(text: string): number | undefined {
    for (; this.#found < this.#keys.length; this.#found++) {
      this.#places.set(textOfBytes(this.#keys.view(this.#found)), this.#found);
    }
    return this.#places.get(text);
  }

  /** The positions of all fields, by ascending keys. */
  #sorted(): Uint32Array {
    const keys = this.#keys;
    const heads = Float64Array.from({ length: this.count }, (_, place) => keys.head(place));
    const order = (left: number, right: number): number =>
      heads[left]! - heads[right]! || compareBytes(keys.view(left), keys.view(right));
    const places = Uint32Array.from(heads.keys()).filter((place) => !this.#taken.has(place));
    places.sort((left, right) => order(left, right) || left - right);
    return places.filter((place, index) => {
      const next = places[index + 1];
      if (next === undefined || order(place, next) !== 0) return true;
      if (this.#befores[next] !== undefined) return false;
      const id = formatObjectId(childObjectId(this.#parent, keys.copy(next)));
      throw new ObjectFailure(StatusCode.RESOURCE_ALREADY_EXISTS, `the object ${id} exists already`);
    });
  }
}

/** The change of a plain field. Its parts are built when they are read. */
class PlainChange implements ObjectChange {
  readonly #parent: ObjectId;
  readonly #key: FieldKey;
  readonly #field: PlainField;
  readonly #now: bigint;
  #meta: ObjectMeta | undefined;

  constructor(parent: ObjectId, key: FieldKey, field: PlainField, now: bigint) {
    this.#parent = parent;
    this.#key = key;
    this.#field = field;
    this.#now = now;
  }

  get fields(): FieldChanges {
    return NO_FIELDS;
  }

  get value(): ValueChange {
    const { before, value } = this.#field;
    return { kind: before === undefined ? 'new' : 'modify', value };
  }

  get meta(): ObjectMeta {
    this.#meta ??= this.#makeMeta();
    return this.#meta;
  }

  #makeMeta(): ObjectMeta {
    const { before, owner = SYSTEM_ADDRESS, type: objectType } = this.#field;
    const updatedAt = this.#now;
    if (before !== undefined) {
      const createdAt = before.createdAt === 0n ? updatedAt : before.createdAt;
      return { ...before, owner, createdAt, updatedAt };
    }
    const id = childObjectId(this.#parent, this.#key);
    return { id, owner, flag: 0, stateRoot: undefined, size: 0n, createdAt: updatedAt, updatedAt, objectType };
  }
}
