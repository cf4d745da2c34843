/**
 * One object within a session: its metadata, its value, its handle, and those of its fields that were looked at.
 *
 * Fields are read from the state when they are first asked for, present or not, and kept. The metadata goes through the
 * same states as the value, but unlike it is still readable once the object is removed. An object that is removed and
 * added again starts over, except that what was already read of its fields stays. Removed once more, it has no metadata
 * and so no change: the state keeps it as it was. The reference has this fault, and roots must agree.
 *
 * Every method that changes something is one step of the reference's `RuntimeObject`, with its checks in its order,
 * because which of two failures comes first shows. Source: moveos/moveos-object-runtime/src/runtime_object.rs and
 * runtime_object_meta.rs of the reference.
 * @module
 */
import { compareBytes } from '../bytes/compare.ts';
import { type Address, SYSTEM_ADDRESS } from '../move/address.ts';
import { displayStruct, type StructTag, structType, type TypeTag } from '../move/type-tag.ts';
import type { ChangedFields, FieldChanges, ObjectChange, ValueChange } from '../object/change-set.ts';
import type { FieldKey } from '../object/field-key.ts';
import { childObjectId, formatObjectId, type ObjectId } from '../object/object-id.ts';
import { FLAG_FROZEN, FLAG_SHARED, isEmbedded, type ObjectMeta } from '../object/object-meta.ts';
import type { ObjectState } from '../object/object-state.ts';
import type { State } from '../state/state.ts';
import { textOfBytes } from '../store/byte-text.ts';
import { EMPTY_ROOT } from '../tree/tree.ts';
import { StatusCode } from '../vm/status.ts';
import type { StructValue } from '../vm/value/struct.ts';
import type { Type } from '../vm/value/type.ts';
import { FieldTable } from './field-table.ts';
import type { Loads } from './loads.ts';
import { OBJECT_NOT_FOUND, ObjectFailure } from './object-failure.ts';
import { ObjectHandle, refused } from './object-handle.ts';
import { type PlainField, PlainFields } from './plain-fields.ts';
import { equalChangeable, freshMeta, isOfType } from './session-meta.ts';
import { StoredValue } from './stored-value.ts';

/** `cached` metadata came from the state, `fresh` was made in the session, `deleted` is what a removed object had. */
type MetaState = 'none' | 'fresh' | 'cached' | 'deleted';

const NO_CHANGES: FieldChanges = [];

/**
 * Plain fields that are looked for in the state before they are made. Beyond those it is left to the tree, which meets
 * whatever stands in the way of so many (state/apply.ts).
 */
const PLAIN_SOUGHT_MAX = 4_097;

const SIZE_MAX = 0xffff_ffff_ffff_ffffn;

/** Where the runtime types of objects come from: the context of a native. */
export interface TypeFinder {
  findType(tag: TypeTag): Type | undefined;
}

export class RuntimeObject {
  readonly id: ObjectId;
  readonly value: StoredValue;
  readonly handle: ObjectHandle;
  readonly #state: State;
  readonly #original: ObjectMeta | undefined;
  #metaState: MetaState;
  #meta: ObjectMeta | undefined;
  /** Made for the first field: most objects have none. */
  #fields: FieldTable<RuntimeObject> | undefined;
  /** Fields that were made or given away and not looked at since. */
  #plain: PlainFields | undefined;
  /** The tag that its type was last found to be. */
  #knownType: StructTag | undefined;

  private constructor(state: State, id: ObjectId, object: ObjectState | undefined) {
    this.id = id;
    this.#state = state;
    this.#original = object?.meta;
    this.#meta = object?.meta;
    this.#metaState = object === undefined ? 'none' : 'cached';
    this.value = new StoredValue(object?.value);
    // Nobody but the struct that holds an embedded object may use it.
    this.handle = new ObjectHandle(object === undefined || isEmbedded(object.meta) ? 'none' : 'cached');
  }

  /** What the state has under `id`, or nothing. */
  static at(state: State, id: ObjectId, object: ObjectState | undefined): RuntimeObject {
    return new RuntimeObject(state, id, object);
  }

  /** An object that stands before the session without being in the state. */
  static preloaded(state: State, { meta, value }: ObjectState): RuntimeObject {
    const object = new RuntimeObject(state, meta.id, undefined);
    object.#metaState = 'fresh';
    object.#meta = meta;
    object.value.fillBytes(value);
    object.handle.giveBack();
    return object;
  }

  /**
   * The metadata as it is now; a removed object still has its last.
   * @throws {ObjectFailure} MISSING_DATA
   */
  get meta(): ObjectMeta {
    if (this.#meta === undefined) {
      throw new ObjectFailure(StatusCode.MISSING_DATA, `the object ${formatObjectId(this.id)} does not exist`);
    }
    return this.#meta;
  }

  get exists(): boolean {
    return this.value.exists;
  }

  /** Whether it exists and its type is `type`. */
  existsWithType(type: StructTag): boolean {
    return this.exists && this.#isOfType(this.meta, type);
  }

  #isOfType(meta: ObjectMeta, type: StructTag): boolean {
    if (this.#knownType === type) return true;
    const isEqual = isOfType(meta, type);
    if (isEqual) this.#knownType = type;
    return isEqual;
  }

  /** @throws {ObjectFailure} MISSING_DATA, TYPE_MISMATCH */
  requireType(type: StructTag): void {
    const { meta } = this;
    if (this.#isOfType(meta, type)) return;
    const { objectType } = meta;
    throw new ObjectFailure(
      StatusCode.TYPE_MISMATCH,
      `expected the object ${formatObjectId(this.id)} to be of type ${displayStruct(type)}, got ${displayStruct(objectType)}`,
    );
  }

  /**
   * The field `key`, which need not exist, read from the state if it was not yet.
   * @param loads told what the state gave, or that it had nothing
   * @throws {ObjectFailure} MISSING_DATA if this object does not exist and never did
   */
  field(key: FieldKey, loads?: Loads): RuntimeObject {
    return this.#fields?.find(key) ?? this.#readField(key, loads);
  }

  #readField(key: FieldKey, loads: Loads | undefined): RuntimeObject {
    const object = this.#state.childOf(this.meta, key);
    const field = new RuntimeObject(this.#state, object?.meta.id ?? childObjectId(this.id, key), object);
    const plain = this.#plain?.take(textOfBytes(key));
    if (plain !== undefined) field.#become(plain);
    loads?.add(object?.value);
    this.#keep(key, field);
    return field;
  }

  /** The field `key` if it was looked at and there is, or was, such an object. */
  knownField(key: FieldKey): RuntimeObject | undefined {
    this.#unfoldPlain();
    const field = this.#fields?.find(key);
    return field === undefined || field.#metaState === 'none' ? undefined : field;
  }

  /** All fields that were looked at and exist or did, in no order that matters. */
  *knownFields(): Generator<RuntimeObject, void, undefined> {
    this.#unfoldPlain();
    for (const field of this.#fields?.all() ?? []) {
      if (field.#metaState !== 'none') yield field;
    }
  }

  // ---- fields that nobody looks at ----

  /**
   * The field `key` as the state has it, for one that the session has not looked at; undefined for any other. Whoever
   * gives it another value and owner does so by `givePlain`.
   */
  plainField(key: FieldKey): ObjectState | undefined {
    return this.#isKnown(key) ? undefined : this.#state.childOf(this.meta, key);
  }

  /**
   * Makes the field `key`. As `addField`, at a fraction of the cost, for one that nobody is likely to look at again.
   * @param value BCS
   * @param owner the account that it is given to, where it is no dynamic field
   * @throws {ObjectFailure} MISSING_DATA, RESOURCE_ALREADY_EXISTS, the latter of a key that was added so before only with
   * the changes, and of one that the state has, where fields are added by the thousand, only where they are applied
   */
  addPlain(key: FieldKey, type: StructTag, value: Uint8Array, owner: Address | undefined): void {
    const isSought = this.#plain === undefined || this.#plain.count < PLAIN_SOUGHT_MAX;
    if (this.#fields?.find(key) !== undefined || (isSought && this.#state.childOf(this.meta, key) !== undefined)) {
      const field = this.addField(key, type, (place) => place.fillBytes(value));
      if (owner !== undefined) field.#give(owner);
      return;
    }
    this.#plain ??= new PlainFields(this.id);
    this.#plain.add(key, { value, owner, type, before: undefined });
    this.resize(1n);
  }

  /** Gives what `plainField` gave for `key`, an object without fields of its own, another value and another owner. */
  givePlain(key: FieldKey, before: ObjectMeta, value: Uint8Array, owner: Address): void {
    this.#plain ??= new PlainFields(this.id);
    this.#plain.add(key, { value, owner, type: before.objectType, before });
  }

  #isKnown(key: FieldKey): boolean {
    return this.#fields?.find(key) !== undefined || this.#plain?.has(textOfBytes(key)) === true;
  }

  /** Looks at all plain fields: they are fields like others then. */
  #unfoldPlain(): void {
    for (const key of this.#plain?.keys() ?? []) this.field(key);
    this.#plain = undefined;
  }

  /** Does to this object what was done to the plain field that it was. */
  #become({ value, owner, type, before }: PlainField): void {
    if (before === undefined) {
      this.create(type, (place) => place.fillBytes(value));
      this.handle.takeOut();
    } else {
      this.value.write(value);
    }
    if (owner !== undefined) this.#give(owner);
  }

  #give(owner: Address): void {
    if (!this.handle.exists) this.handle.giveBack();
    this.setOwner(owner);
  }

  /** Puts an object that is not in the state under this one. */
  preload(key: FieldKey, object: RuntimeObject): void {
    this.#keep(key, object);
  }

  #keep(key: FieldKey, field: RuntimeObject): void {
    if (this.#fields === undefined) this.#fields = new FieldTable(key, field);
    else this.#fields.add(key, field);
  }

  /**
   * Keys of fields as Move code lists them: those that the state has after `after`, at most `limit`, then, if there is
   * room, of those that the session made, by key. As the reference does it, which skips the first key from `after` on
   * whichever it is, and lists what was removed.
   * @throws {ObjectFailure} MISSING_DATA
   */
  fieldKeys(after: FieldKey | undefined, limit: bigint): Iterable<FieldKey> {
    return this.#walkKeys(this.meta, after, limit);
  }

  *#walkKeys(meta: ObjectMeta, after: FieldKey | undefined, limit: bigint): Generator<FieldKey, void, undefined> {
    this.#unfoldPlain();
    let left = limit;
    let last: FieldKey | undefined;
    let skip = after !== undefined;
    if (left === 0n) return;
    for (const { key } of this.#state.fieldsOf(meta, after)) {
      if (skip) {
        skip = false;
        continue;
      }
      last = key;
      yield key;
      left--;
      if (left === 0n) return;
    }
    for (const field of this.#freshFields()) {
      const key = ownKey(field.id);
      if (last !== undefined && compareBytes(key, last) <= 0) continue;
      yield key;
      left--;
      if (left === 0n) return;
    }
  }

  // ---- the value ----

  /**
   * The Move value, which is the reference to it.
   * @throws {ObjectFailure} MISSING_DATA, TYPE_MISMATCH, VM_EXTENSION_ERROR for bytes of another layout
   */
  borrow(type: Type): unknown {
    this.requireType(type.structTag);
    this.#requireValue();
    return this.decode(type);
  }

  /**
   * The Move value of an object that exists and is of this type.
   * @throws {ObjectFailure} VM_EXTENSION_ERROR for bytes of another layout
   */
  decode(type: Type): unknown {
    const value = this.value.borrow(type);
    if (value !== undefined) return value;
    const name = displayStruct(type.structTag);
    throw new ObjectFailure(
      StatusCode.VM_EXTENSION_ERROR,
      `the value of ${formatObjectId(this.id)} does not decode as ${name}`,
    );
  }

  /**
   * Makes the Move value, if the object exists, by its own type.
   * @throws {ObjectFailure} LINKER_ERROR for a type that does not exist, VM_EXTENSION_ERROR for bytes of another layout
   */
  decodeBy(types: TypeFinder): void {
    if (!this.exists || this.value.isDecoded) return;
    const { objectType } = this.meta;
    const type = types.findType(structType(objectType));
    if (type === undefined) {
      throw new ObjectFailure(StatusCode.LINKER_ERROR, `the type ${displayStruct(objectType)} does not exist`);
    }
    this.decode(type);
  }

  /**
   * Makes the object, with a fresh handle.
   * @param fill puts the value in
   * @throws {ObjectFailure} RESOURCE_ALREADY_EXISTS
   */
  create(type: StructTag, fill: (value: StoredValue) => void): void {
    if (this.value.exists) {
      throw new ObjectFailure(
        StatusCode.RESOURCE_ALREADY_EXISTS,
        `the object ${formatObjectId(this.id)} exists already`,
      );
    }
    this.handle.requireNone(this.id);
    this.#metaState = 'fresh';
    this.#meta = freshMeta(this.id, type);
    this.#knownType = undefined;
    this.handle.giveBack();
    fill(this.value);
  }

  /**
   * Makes the field `key`; its handle is taken out.
   * @param fill puts the value in
   * @throws {ObjectFailure} MISSING_DATA, RESOURCE_ALREADY_EXISTS
   */
  addField(key: FieldKey, type: StructTag, fill: (value: StoredValue) => void, loads?: Loads): RuntimeObject {
    const field = this.field(key, loads);
    field.create(type, fill);
    field.handle.takeOut();
    this.resize(1n);
    return field;
  }

  /**
   * Removes the field `key`.
   * @param take reads the value before it goes
   * @throws {ObjectFailure} MISSING_DATA, TYPE_MISMATCH, UNKNOWN_INVARIANT_VIOLATION_ERROR while a reference to the value
   * lives, and what `take` throws
   */
  removeField<T>(key: FieldKey, type: StructTag, take: (field: RuntimeObject) => T, loads?: Loads): T {
    const field = this.field(key, loads);
    field.requireType(type);
    field.#requireValue();
    const value = take(field);
    if (field.value.isBorrowed) {
      const message = `the value of ${formatObjectId(field.id)} is borrowed`;
      throw new ObjectFailure(StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR, message);
    }
    field.#metaState = field.#metaState === 'fresh' ? 'none' : 'deleted';
    if (field.#metaState === 'none') {
      field.#meta = undefined;
      field.#knownType = undefined;
    }
    field.value.empty();
    this.resize(-1n);
    return value;
  }

  // ---- the metadata ----

  /** @throws {ObjectFailure} MISSING_DATA */
  setOwner(owner: Address): void {
    this.#change({ owner });
  }

  /** Everybody may change it, and nobody owns it. */
  setShared(): void {
    this.#change({ owner: SYSTEM_ADDRESS, flag: this.meta.flag | FLAG_SHARED });
  }

  /** Nobody may change it, and nobody owns it. */
  setFrozen(): void {
    this.#change({ owner: SYSTEM_ADDRESS, flag: this.meta.flag | FLAG_FROZEN });
  }

  /** Counts fields that came or went. */
  resize(difference: bigint): void {
    const size = this.meta.size + difference;
    if (size < 0n || size > SIZE_MAX) {
      throw new ObjectFailure(
        StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR,
        `the object ${formatObjectId(this.id)} has no ${size} fields`,
      );
    }
    this.#change({ size });
  }

  /** Drops all fields at once. */
  clearFields(): void {
    this.#change({ size: 0n, stateRoot: EMPTY_ROOT });
    this.#fields = undefined;
    this.#plain = undefined;
  }

  #change(change: Partial<ObjectMeta>): void {
    const { meta } = this;
    if (this.#metaState === 'deleted') {
      throw new ObjectFailure(StatusCode.MISSING_DATA, `the object ${formatObjectId(this.id)} is removed`);
    }
    this.#meta = { ...meta, ...change };
  }

  // ---- the handle ----

  /**
   * Lends the handle, a value of `type`, which is `Object<T>`.
   * @throws {ObjectFailure} ABORTED: not found, taken out or embedded, borrowed already
   */
  borrowHandle(type: Type): StructValue {
    if (!this.exists) throw refused(this.id, 'does not exist', OBJECT_NOT_FOUND);
    return this.handle.borrow(type, this.id);
  }

  /**
   * Takes the handle out.
   * @throws {ObjectFailure} ABORTED: taken out or embedded, borrowed already
   */
  takeHandle(type: Type): StructValue {
    const value = this.handle.borrow(type, this.id);
    this.handle.takeOut();
    return value;
  }

  /**
   * Gives the handle back.
   * @throws {ObjectFailure} RESOURCE_ALREADY_EXISTS
   */
  returnHandle(value: StructValue): void {
    this.handle.requireNone(this.id);
    this.handle.giveBack(value);
  }

  #requireValue(): void {
    if (this.value.exists) return;
    throw new ObjectFailure(StatusCode.MISSING_DATA, `the object ${formatObjectId(this.id)} is removed`);
  }

  // ---- the end ----

  /** What the session did to this object and its fields, or undefined. `now` in milliseconds. Changes nothing. */
  change(now: bigint): ObjectChange | undefined {
    if (this.#meta === undefined || this.#isUntouched) return undefined;
    const value = this.#valueChange();
    let meta = this.#meta;
    if (value !== undefined && value.kind !== 'delete') {
      meta = { ...meta, createdAt: meta.createdAt === 0n ? now : meta.createdAt, updatedAt: now };
    }
    // A handle that came from the state and stayed out is held inside another struct now.
    if (this.handle.isTakenOut && value?.kind !== 'delete') meta = { ...meta, owner: SYSTEM_ADDRESS };
    const fields = this.#fieldChanges(now);
    if (value === undefined && fields.length === 0 && !this.#isMetaDirty(meta)) return undefined;
    return { meta, value, fields };
  }

  /** Whether all is as it was read, which can be seen of most objects of a session at once. */
  get #isUntouched(): boolean {
    if (this.#metaState !== 'cached' || this.#meta !== this.#original) return false;
    if (this.#fields !== undefined || this.#plain !== undefined) return false;
    return this.value.isAsRead && !this.handle.isTakenOut;
  }

  #valueChange(): ValueChange | undefined {
    const { effect } = this.value;
    if (effect === 'none') return undefined;
    return effect === 'delete' ? { kind: 'delete' } : { kind: effect, value: this.value.bytes() };
  }

  #fieldChanges(now: bigint): ChangedFields {
    const changes = this.#fields === undefined ? NO_CHANGES : this.#changesOf(this.#fields, now);
    return this.#plain === undefined ? changes : this.#plain.changes(changes, now);
  }

  #changesOf(fields: FieldTable<RuntimeObject>, now: bigint): FieldChanges {
    const changes: [FieldKey, ObjectChange][] = [];
    for (const field of fields.all()) {
      const change = field.change(now);
      if (change !== undefined) changes.push([ownKey(change.meta.id), change]);
    }
    return changes.length > 1 ? changes.sort(byKey) : changes;
  }

  #isMetaDirty(meta: ObjectMeta): boolean {
    const original = this.#original;
    if (this.#metaState !== 'cached' || original === undefined) return true;
    return meta !== original && !equalChangeable(meta, original);
  }

  /** Fields that the session made, by ascending key. */
  #freshFields(): RuntimeObject[] {
    if (this.#fields === undefined) return [];
    const fresh = [...this.#fields.all()].filter((field) => field.#metaState === 'fresh');
    return fresh.sort((left, right) => compareBytes(ownKey(left.id), ownKey(right.id)));
  }
}

/** The key under which an object stands in its parent. */
function ownKey(id: ObjectId): FieldKey {
  return id[id.length - 1]!;
}

function byKey([left]: readonly [FieldKey, unknown], [right]: readonly [FieldKey, unknown]): number {
  return compareBytes(left, right);
}
