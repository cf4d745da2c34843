/**
 * One object within a session: its metadata (session-meta.ts), its value, its handle, and its accessed fields.
 *
 * Every method that changes something is one step of the reference's `RuntimeObject`, with the same checks in the same
 * order, since callers can see which of two failures comes first. Fields, present or not, are read from the state on
 * first use and kept, even if the object is removed and added again; metadata, value and handle then start over.
 *
 * Gas depends on the reads from the state that an access to an object causes. Objects that the session has already read
 * cost nothing; if an object on the path is absent, only the absence counts.
 *
 * Source: moveos/moveos-object-runtime/src/runtime_object.rs of the reference.
 * @module
 */
import { compareBytes, textOfBytes } from '../../base/bytes/bytes.ts';
import type { ChangedFields, FieldChanges, ObjectChange, ValueChange } from '../../chain/object/change-set.ts';
import type { FieldKey } from '../../chain/object/field-key.ts';
import { childObjectId, formatObjectId, type ObjectId } from '../../chain/object/object-id.ts';
import {
  FLAG_FROZEN,
  FLAG_SHARED,
  isEmbedded,
  type ObjectMeta,
  type ObjectState,
} from '../../chain/object/object-state.ts';
import type { State } from '../../chain/state/state.ts';
import { type Address, SYSTEM_ADDRESS } from '../../move/address.ts';
import { UNDECODABLE } from '../../move/layout.ts';
import { displayStruct, type StructTag, structType, type TypeTag } from '../../move/type-tag.ts';
import { EMPTY_ROOT } from '../../store/tree/tree.ts';
import { StatusCode } from '../../vm/status.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { OBJECT_NOT_FOUND, ObjectFailure, refusal } from './object-failure.ts';
import { ObjectHandle } from './object-handle.ts';
import { FieldTable, type PlainField, PlainFields } from './plain-fields.ts';
import { copyOfMeta, freshMeta, SessionMeta } from './session-meta.ts';
import { StoredValue } from './stored-value.ts';

const SIZE_MAX = 0xffff_ffff_ffff_ffffn;

/** The source of the objects' runtime types: the context of a native. */
export interface TypeFinder {
  findType(tag: TypeTag): Type | undefined;
}

const NO_CHANGES: FieldChanges = [];

/**
 * Number of plain fields that are looked up in the state before they are created. Beyond it, the tree finds existing
 * ones (state/apply.ts).
 */
const PLAIN_SOUGHT_MAX = 4_097;

export class RuntimeObject {
  readonly id: ObjectId;
  readonly value: StoredValue;
  readonly #metadata: SessionMeta;
  /** Created on demand: most objects of a session are only read. */
  #handle: ObjectHandle | undefined;
  readonly #state: State;
  /** Created with the first field: most objects have none. */
  #fields: FieldTable<RuntimeObject> | undefined;
  /** Fields that were created or given away, and not accessed since. */
  #plain: PlainFields | undefined;

  /** The object `id` of the state, or undefined. */
  constructor(state: State, id: ObjectId, object: ObjectState | undefined) {
    this.id = id;
    this.value = new StoredValue(object?.value);
    this.#metadata = new SessionMeta(object?.meta);
    this.#state = state;
  }

  /** An object that exists before the session without being in the state. */
  static preloaded(state: State, { meta, value }: ObjectState): RuntimeObject {
    const object = new RuntimeObject(state, meta.id, undefined);
    object.#metadata.create(meta);
    object.value.fillBytes(value);
    object.handle.giveBack();
    return object;
  }

  get handle(): ObjectHandle {
    if (this.#handle === undefined) {
      const { original } = this.#metadata;
      // Only the struct that holds an embedded object may use it.
      this.#handle = new ObjectHandle(original === undefined || isEmbedded(original) ? 'none' : 'cached');
    }
    return this.#handle;
  }

  /** Whether the state had its handle and the runtime no longer has it. */
  get #isTakenOut(): boolean {
    return this.#handle?.isTakenOut === true;
  }

  /**
   * The current metadata; a removed object still has its last.
   * @throws {ObjectFailure} MISSING_DATA
   */
  get meta(): ObjectMeta {
    const { current } = this.#metadata;
    if (current === undefined) throw refusal(StatusCode.MISSING_DATA, this.id, 'does not exist');
    return current;
  }

  get exists(): boolean {
    return this.value.exists;
  }

  /** Whether it exists and its type is `type`. */
  existsWithType(type: StructTag): boolean {
    return this.exists && this.#metadata.isOfType(this.meta, type);
  }

  /** @throws {ObjectFailure} MISSING_DATA, TYPE_MISMATCH */
  requireType(type: StructTag): void {
    const { meta } = this;
    if (this.#metadata.isOfType(meta, type)) return;
    const { objectType } = meta;
    throw new ObjectFailure(
      StatusCode.TYPE_MISMATCH,
      `expected the object ${formatObjectId(this.id)} to be of type ${displayStruct(type)}, got ${displayStruct(objectType)}`,
    );
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
      `the value of ${formatObjectId(this.id)} does not decode as ${name}: ${UNDECODABLE}`,
    );
  }

  /**
   * Creates the Move value of the object's own type, if the object exists.
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
   * Creates the object, with a fresh handle.
   * @param fill sets the value
   * @throws {ObjectFailure} RESOURCE_ALREADY_EXISTS
   */
  create(type: StructTag, fill: (value: StoredValue) => void): void {
    if (this.value.exists) throw refusal(StatusCode.RESOURCE_ALREADY_EXISTS, this.id, 'already exists');
    this.handle.requireNone(this.id);
    this.#metadata.create(freshMeta(this.id, type));
    this.handle.giveBack();
    fill(this.value);
  }

  // ---- the metadata ----

  /** @throws {ObjectFailure} MISSING_DATA */
  setOwner(owner: Address): void {
    this.#metadata.edit(this.meta).owner = owner;
  }

  /** Makes it shared: anyone may change it, and nobody owns it. */
  setShared(): void {
    this.#settle(FLAG_SHARED);
  }

  /** Makes it frozen: nobody may change or own it. */
  setFrozen(): void {
    this.#settle(FLAG_FROZEN);
  }

  #settle(flag: number): void {
    const changed = this.#metadata.edit(this.meta);
    changed.owner = SYSTEM_ADDRESS;
    changed.flag |= flag;
  }

  /** Adjusts the number of fields. */
  resize(difference: bigint): void {
    const { meta } = this;
    const size = meta.size + difference;
    if (size < 0n || size > SIZE_MAX) {
      throw refusal(StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR, this.id, `has no ${size} fields`);
    }
    this.#metadata.edit(meta).size = size;
  }

  // ---- the handle ----

  /**
   * Borrows the handle, a value of `type`, which is `Object<T>`.
   * @throws {ObjectFailure} ABORTED: not found, taken out, embedded, or already borrowed
   */
  borrowHandle(type: Type): StructInstance {
    if (!this.exists) throw refusal(StatusCode.ABORTED, this.id, 'does not exist', OBJECT_NOT_FOUND);
    return this.handle.borrow(type, this.id);
  }

  /**
   * Takes the handle out.
   * @throws {ObjectFailure} ABORTED: taken out or embedded, borrowed already
   */
  takeHandle(type: Type): StructInstance {
    const value = this.handle.borrow(type, this.id);
    this.handle.takeOut();
    return value;
  }

  /**
   * Gives the handle back.
   * @throws {ObjectFailure} RESOURCE_ALREADY_EXISTS
   */
  returnHandle(value: StructInstance): void {
    this.handle.requireNone(this.id);
    this.handle.giveBack(value);
  }

  /** @throws {ObjectFailure} MISSING_DATA */
  #requireValue(): void {
    if (!this.value.exists) throw refusal(StatusCode.MISSING_DATA, this.id, 'is removed');
  }

  /** The change of the value. */
  #valueChange(): ValueChange | undefined {
    const { effect } = this.value;
    if (effect === 'none') return undefined;
    return effect === 'delete' ? { kind: 'delete' } : { kind: effect, value: this.value.bytes() };
  }

  // ---- the fields ----

  /** Whether nothing of it is left: a removed object keeps its accessed fields. */
  get leftNothing(): boolean {
    return !this.#metadata.isKnown && this.#fields === undefined && this.#plain === undefined;
  }

  /**
   * The field `key`, which need not exist; read from the state on first use.
   * @param loads is told what was read from the state, or that there was nothing
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

  /** The field `key`, if it was accessed and exists or existed. */
  knownField(key: FieldKey): RuntimeObject | undefined {
    this.#unfoldPlain();
    const field = this.#fields?.find(key);
    if (field === undefined) return undefined;
    return field.#metadata.isKnown ? field : undefined;
  }

  /** All accessed fields that exist or existed, in no particular order. */
  *knownFields(): Generator<RuntimeObject, void, undefined> {
    this.#unfoldPlain();
    for (const field of this.#fields?.all() ?? []) {
      if (field.#metadata.isKnown) yield field;
    }
  }

  // ---- plain fields ----

  /**
   * The field `key` of the state, if the session has not accessed it; otherwise undefined. Use `givePlain` to give it
   * another value and owner.
   */
  plainField(key: FieldKey): ObjectState | undefined {
    return this.#isKnown(key) ? undefined : this.#state.childOf(this.meta, key);
  }

  /**
   * Creates the field `key`. As `addField`, at a fraction of the cost, for one that is unlikely to be read again.
   * @param value BCS
   * @param owner the account to which it is given, unless it is a dynamic field
   * @throws {ObjectFailure} MISSING_DATA; RESOURCE_ALREADY_EXISTS, except that a key already added in this way is only
   *   detected when the changes are built, and, if there are thousands, one that the state has when they are applied
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

  /** Gives another value and owner to what `plainField` returned for `key`, an object without fields. */
  givePlain(key: FieldKey, before: ObjectMeta, value: Uint8Array, owner: Address): void {
    this.#plain ??= new PlainFields(this.id);
    this.#plain.add(key, { value, owner, type: before.objectType, before });
  }

  #isKnown(key: FieldKey): boolean {
    return this.#fields?.find(key) !== undefined || this.#plain?.has(textOfBytes(key)) === true;
  }

  /** Accesses all plain fields, which turns them into ordinary fields. */
  #unfoldPlain(): void {
    for (const key of this.#plain?.keys() ?? []) this.field(key);
    this.#plain = undefined;
  }

  /** Applies the changes made to this object as a plain field. */
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
   * Keys of fields as Move code lists them: at most `limit`, after `after`.
   * @param onFresh called with the number of fields that the session created, before these are sorted
   * @throws {ObjectFailure} MISSING_DATA
   */
  fieldKeys(after: FieldKey | undefined, limit: bigint, onFresh: (count: number) => void): Iterable<FieldKey> {
    const stored = this.#state.fieldsOf(this.meta, after);
    this.#unfoldPlain();
    return listedKeys(stored, () => this.#freshKeys(onFresh), after !== undefined, limit);
  }

  /**
   * Creates the field `key`; its handle is taken out.
   * @param fill sets the value
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
   * @throws {ObjectFailure} MISSING_DATA, TYPE_MISMATCH, UNKNOWN_INVARIANT_VIOLATION_ERROR while a reference to the
   * value is alive; and what `take` throws
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
    field.#metadata.remove();
    field.value.empty();
    this.resize(-1n);
    return value;
  }

  /** Turns its Move value and those of its fields into BCS. No reference to one may be alive. */
  encodeValues(): void {
    this.value.encode();
    for (const field of this.#fields?.all() ?? []) field.encodeValues();
  }

  /** Drops all fields. */
  clearFields(): void {
    const changed = this.#metadata.edit(this.meta);
    changed.size = 0n;
    changed.stateRoot = EMPTY_ROOT;
    this.#fields = undefined;
    this.#plain = undefined;
  }

  // ---- the changes ----

  /**
   * The changes of this object and its fields, or undefined if there are none. `now` in milliseconds. Has no effect.
   */
  change(now: bigint): ObjectChange | undefined {
    const { current } = this.#metadata;
    if (current === undefined || this.#isUntouched) return undefined;
    const value = this.#valueChange();
    const isKept = value?.kind !== 'delete';
    const isWritten = value !== undefined && isKept;
    // A handle that came from the state and stayed out is now inside another struct.
    const isInside = this.#isTakenOut && isKept;
    let meta: ObjectMeta = current;
    if (isWritten || isInside) {
      const changed = copyOfMeta(current);
      if (isWritten) {
        if (changed.createdAt === 0n) changed.createdAt = now;
        changed.updatedAt = now;
      }
      if (isInside) changed.owner = SYSTEM_ADDRESS;
      meta = changed;
    }
    const fields = this.#fieldChanges(now);
    if (value === undefined && fields.length === 0 && !this.#metadata.differs(meta)) return undefined;
    return { meta, value, fields };
  }

  /**
   * Whether nothing has changed since it was read: a quick check, which is sufficient for most objects of a session.
   */
  get #isUntouched(): boolean {
    if (!this.#metadata.isAsRead) return false;
    if (this.#fields !== undefined || this.#plain !== undefined) return false;
    return this.value.isAsRead && !this.#isTakenOut;
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
    sortByKey(changes);
    return changes;
  }

  /** The keys of the fields that the session created, ascending. */
  #freshKeys(onFresh: (count: number) => void): FieldKey[] {
    const keys: FieldKey[] = [];
    for (const field of this.#fields?.all() ?? []) if (field.#metadata.isFresh) keys.push(ownKey(field.id));
    onFresh(keys.length);
    return keys.sort(compareBytes);
  }
}

/** The key of an object in its parent. */
function ownKey(id: ObjectId): FieldKey {
  return id[id.length - 1]!;
}

/**
 * Keys of fields as Move code lists them: those of the state and then, up to the limit, those that the session created.
 * As in the reference, a list after a key skips the first key of the state from there on, whichever that is, and
 * removed fields are included.
 * @param stored the fields of the state, from where the list starts
 * @param fresh the keys that the session created, ascending; called after the last of the state's
 * @param skipsFirst whether the list starts after a key
 * @param limit maximum number of keys
 */
function* listedKeys(
  stored: Iterable<{ readonly key: FieldKey }>,
  fresh: () => Iterable<FieldKey>,
  skipsFirst: boolean,
  limit: bigint,
): Generator<FieldKey, void, undefined> {
  let left = limit;
  let last: FieldKey | undefined;
  let skip = skipsFirst;
  if (left === 0n) return;
  for (const { key } of stored) {
    if (skip) {
      skip = false;
      continue;
    }
    last = key;
    yield key;
    left--;
    if (left === 0n) return;
  }
  for (const key of fresh()) {
    if (last !== undefined && compareBytes(key, last) <= 0) continue;
    yield key;
    left--;
    if (left === 0n) return;
  }
}

/** Maximum number of changes that are sorted by insertion, which takes a third of the time for few. */
const INSERTED_MAX = 16;

/** Sorts the changes of an object's fields by their keys, in place. */
function sortByKey(changes: [FieldKey, ObjectChange][]): void {
  if (changes.length > INSERTED_MAX) {
    changes.sort((left, right) => compareBytes(left[0], right[0]));
    return;
  }
  for (let from = 1; from < changes.length; from++) {
    const change = changes[from]!;
    let at = from;
    for (; at > 0 && compareBytes(changes[at - 1]![0], change[0]) > 0; at--) changes[at] = changes[at - 1]!;
    changes[at] = change;
  }
}

export class Loads {
  /** Value bytes of the objects that were read. */
  bytes = 0;
  /** Whether a missing object was looked up. */
  isAbsent = false;

  /** Starts over. */
  clear(): void {
    this.bytes = 0;
    this.isAbsent = false;
  }

  /** Adds a read from the state: the value of an object, or its absence. */
  add(value: Uint8Array | undefined): void {
    if (value === undefined) this.isAbsent = true;
    else this.bytes += value.length;
  }
}
