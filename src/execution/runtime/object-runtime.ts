/**
 * The objects of one session: a state at one root, and everything that the session has changed in it so far.
 *
 * Two kinds of callers change objects here. Natives work on Move values, through `load` and the steps of
 * `RuntimeObject`. TypeScript (the ingestion of Bitcoin blocks, genesis) works on TypeScript values, through the other
 * methods, which do what a Move module that owns the type would do. Both may alternate in a session, but not within a
 * call: running Move code holds references that a write from here would make stale.
 *
 * Invariants: the state is only read. Objects are read on first use and then live here. `changeSet` returns the changes
 * of the session; its order and form are the reference's to the byte: one change for each object that was created,
 * removed, written to or given other metadata, or that contains such an object, by ascending keys. Times are those of
 * the timestamp object at the end of the session. Dropping a session leaves no trace.
 *
 * Cost: a map lookup for each part of an id; a walk in the state tree for the first read.
 * Source: moveos/moveos-object-runtime/src/runtime.rs of the reference.
 *
 * A module is a field of its package, under its name, and each package an object in the module store, under its
 * address.
 * @module
 */
import { bytes, decode, encode, encodeShortLived, string, u64 } from '../../base/bcs.ts';
import { shortLivedBytes } from '../../base/bytes/arena.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import { assert, EngineError } from '../../base/error.ts';
import type { StateChangeSet } from '../../chain/object/change-set.ts';
import { type FieldKey, stringFieldKey } from '../../chain/object/field-key.ts';
import {
  formatObjectId,
  MODULE_STORE_ID,
  namedObjectId,
  type ObjectId,
  PACKAGE_TYPE,
  ROOT_OBJECT_ID,
} from '../../chain/object/object-id.ts';
import { isDynamicField, type ObjectMeta, type ObjectState } from '../../chain/object/object-state.ts';
import type { State } from '../../chain/state/state.ts';
import { type Address, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag, structType } from '../../move/type-tag.ts';
import { StatusCode } from '../../vm/status.ts';
import { FieldType, MOVE_STRING, type ObjectType } from './field-type.ts';
import { refusal } from './object-failure.ts';
import { type Loads, RuntimeObject, type TypeFinder } from './runtime-object.ts';
import { copyOfMeta, isOfType } from './session-meta.ts';

const MODULE_FIELD: FieldType<string, Uint8Array> = new FieldType(MOVE_STRING, {
  tag: structType(structTag(MOVEOS_STD_ADDRESS, 'move_module', 'MoveModule')),
  codec: bytes,
});

/** The root before a session, which may be made later than its changes: they may be kept for long, and keep no state. */
class RootBefore {
  readonly #meta: ObjectMeta;

  constructor(meta: ObjectMeta) {
    this.#meta = meta;
  }

  get stateRoot(): Uint8Array {
    return this.#meta.stateRoot!;
  }
}

class ModuleObjects {
  readonly #root: RuntimeObject;

  /** `root`: the root object of the session. */
  constructor(root: RuntimeObject) {
    this.#root = root;
  }

  /**
   * The bytes of a module that the session has read or written; undefined for any other, which is read from the state.
   * A removed module that has not been added again is still read from the state, as in the reference.
   */
  held(address: Address, name: string): Uint8Array | undefined {
    const packageObject = this.#root.knownField(MODULE_STORE_ID[0]!)?.knownField(address);
    if (packageObject === undefined) return undefined;
    const field = packageObject.knownField(stringFieldKey(name));
    return field?.exists === true ? MODULE_FIELD.decode(field.value.bytes()) : undefined;
  }

  /** Modules that the session added or replaced. */
  changed(): { readonly address: Address; readonly name: string }[] {
    const store = this.#root.knownField(MODULE_STORE_ID[0]!);
    if (store === undefined) return [];
    const changed: { readonly address: Address; readonly name: string }[] = [];
    for (const packageObject of store.knownFields()) {
      for (const field of packageObject.knownFields()) {
        if (field.value.effect === 'none' || !field.exists) continue;
        const name = string.read(new ByteReader(field.value.bytes()));
        changed.push({ address: packageObject.id[1]!, name });
      }
    }
    return changed;
  }

  /**
   * Publishes a module without Move code, as for genesis: creates the package if it is missing; its owner is its
   * address.
   * @throws {ObjectFailure} MISSING_DATA if the module store does not exist
   */
  publish(address: Address, name: string, code: Uint8Array): void {
    const store = this.#store();
    const packageObject = store.field(address);
    if (!packageObject.exists) {
      packageObject.create(PACKAGE_TYPE, (place) => place.fillBytes(encode(u64, 0n)));
      packageObject.setOwner(address);
      store.resize(1n);
    }
    const key = MODULE_FIELD.key(name);
    const field = packageObject.field(key);
    if (field.exists) {
      packageObject.removeField(key, MODULE_FIELD.tag, () => undefined);
      if (field.handle.exists) field.handle.takeOut();
    }
    field.create(MODULE_FIELD.tag, (place) => place.fillBytes(MODULE_FIELD.encode(name, code)));
    packageObject.resize(1n);
  }

  #store(): RuntimeObject {
    const store = this.#root.field(MODULE_STORE_ID[0]!);
    if (store.exists) return store;
    throw refusal(StatusCode.MISSING_DATA, MODULE_STORE_ID, 'does not exist');
  }
}

const TIMESTAMP_ID = namedObjectId(structTag(MOVEOS_STD_ADDRESS, 'timestamp', 'Timestamp'));

/** Longer values keep their leaf, which is small in comparison. */
const COPIED_VALUE_BYTES_MAX = 2_048;

export class ObjectRuntime {
  /** Its modules. */
  readonly modules: ModuleObjects;
  readonly #state: State;
  readonly #root: RuntimeObject;
  /** The top-level object last looked up: thousands of children of one store may be looked up in succession. */
  #lastStore: RuntimeObject | undefined;

  /**
   * `preloaded`: top-level objects that exist before the session, but are neither in the state nor counted in its size.
   */
  constructor(state: State, preloaded: readonly ObjectState[] = []) {
    this.#state = state;
    this.#root = new RuntimeObject(state, ROOT_OBJECT_ID, { meta: state.rootMeta, value: Uint8Array.of(0) });
    this.modules = new ModuleObjects(this.#root);
    for (const object of preloaded) {
      const [key, ...rest] = object.meta.id;
      assert(
        key !== undefined && rest.length === 0,
        `expected a top-level object, got ${formatObjectId(object.meta.id)}`,
      );
      this.#root.preload(key, RuntimeObject.preloaded(state, object));
    }
  }

  /** The session's initial state. */
  get state(): State {
    return this.#state;
  }

  /**
   * The object `id`, which need not exist, and all objects on the path to it.
   * @param types given by natives: the objects are then decoded, as the reference does when it loads them
   * @param loads is told what was read from the state
   * @throws {ObjectFailure} MISSING_DATA if an object above it does not exist; VM_EXTENSION_ERROR for a value that does
   * not decode as its type.
   */
  load(id: ObjectId, types?: TypeFinder, loads?: Loads): RuntimeObject {
    let object = this.#root;
    for (let depth = 0; depth < id.length; depth++) {
      object = object.field(id[depth]!, loads);
      if (types !== undefined) object.decodeBy(types);
    }
    return object;
  }

  /**
   * Turns all Move values into BCS: their types belong to code that is replaced, and the new code decodes them with its
   * own types. No reference to a value may be alive.
   */
  encodeValues(): void {
    this.#root.encodeValues();
  }

  // ---- objects, from TypeScript ----

  /** Whether the object exists; also false if an object above it is missing. */
  exists(id: ObjectId): boolean {
    return this.#find(id) !== undefined;
  }

  /** The metadata as it is now, or undefined. Times are those of the state; `changeSet` sets new ones. */
  meta(id: ObjectId): ObjectMeta | undefined {
    return this.#find(id)?.meta;
  }

  /**
   * The value, or undefined if the object does not exist.
   * @throws {ObjectFailure} TYPE_MISMATCH; {EngineError} `malformed-bytes`
   */
  get<T>(id: ObjectId, type: ObjectType<T>): T | undefined {
    const value = this.getBytes(id, type.tag);
    return value === undefined ? undefined : decode(type.codec, value);
  }

  /**
   * The value as BCS, or undefined if the object does not exist. Do not write to it.
   * @throws {ObjectFailure} TYPE_MISMATCH
   */
  getBytes(id: ObjectId, type: StructTag): Uint8Array | undefined {
    const object = this.#find(id);
    if (object === undefined) return undefined;
    object.requireType(type);
    return object.value.bytes();
  }

  /**
   * Creates an object, whose parent must exist. It has no owner until it is transferred, shared or frozen: it starts
   * embedded, with its handle in whatever struct has its id.
   * @param owner the account to which it is transferred
   * @throws {ObjectFailure} RESOURCE_ALREADY_EXISTS, MISSING_DATA
   */
  add<T>(id: ObjectId, type: ObjectType<T>, value: T, owner?: Address): void {
    const { parent, key } = this.#parentOf(id);
    const encoded = encodeShortLived(type.codec, value);
    const object = parent.addField(key, type.tag, (place) => place.fillBytes(encoded));
    if (owner !== undefined) giveTo(object, owner);
  }

  /**
   * Replaces the value of an object. Counts as a change even when the value is equal.
   * @throws {ObjectFailure} MISSING_DATA, TYPE_MISMATCH
   */
  set<T>(id: ObjectId, type: ObjectType<T>, value: T): void {
    this.#write(id, type.tag, encodeShortLived(type.codec, value));
  }

  /**
   * Replaces the value of an object by BCS, and gives the object to an account.
   * @throws {ObjectFailure} MISSING_DATA, TYPE_MISMATCH
   */
  setBytesAndTransfer(id: ObjectId, type: StructTag, value: Uint8Array, owner: Address): void {
    giveTo(this.#write(id, type, value), owner);
  }

  /**
   * Removes an object and returns its value.
   * @throws {ObjectFailure} MISSING_DATA, TYPE_MISMATCH
   */
  remove<T>(id: ObjectId, type: ObjectType<T>): T {
    const { parent, key } = this.#parentOf(id);
    const value = parent.removeField(key, type.tag, (field) => field.value.bytes());
    const { handle } = parent.field(key);
    if (handle.exists) handle.takeOut();
    return decode(type.codec, value);
  }

  /**
   * Gives an object to an account.
   * @throws {ObjectFailure} MISSING_DATA
   */
  transfer(id: ObjectId, owner: Address): void {
    giveTo(this.#require(id), owner);
  }

  /** Shares an object, permanently. */
  share(id: ObjectId): void {
    const object = this.#require(id);
    returnHandle(object);
    object.setShared();
  }

  /** Freezes an object, permanently. */
  freeze(id: ObjectId): void {
    const object = this.#require(id);
    returnHandle(object);
    object.setFrozen();
  }

  /** Records that a struct holds the object's handle from now on. */
  embed(id: ObjectId): void {
    const { handle } = this.#require(id);
    assert(!handle.isBorrowed, `expected the object ${formatObjectId(id)} not to be borrowed`);
    if (handle.exists) handle.takeOut();
  }

  // ---- objects created and transferred in thousands, from TypeScript ----

  /**
   * As `add`, at a fraction of the cost, for an object that this session is unlikely to read again.
   * @throws {ObjectFailure} RESOURCE_ALREADY_EXISTS, MISSING_DATA
   */
  addPlain<T>(id: ObjectId, type: ObjectType<T>, value: T, owner: Address): void {
    const { parent, key } = this.#parentOf(id);
    parent.addPlain(key, type.tag, encodeShortLived(type.codec, value), owner);
  }

  /** As `addField`, likewise. */
  addPlainField<N, V>(parent: ObjectId, type: FieldType<N, V>, name: N, value: V): void {
    this.#require(parent).addPlain(type.key(name), type.tag, type.encode(name, value), undefined);
  }

  /**
   * An object of this type from the state, if the session has not accessed it by any other method and it has no fields;
   * otherwise undefined. A short value is a copy (do not keep it, see bytes/arena.ts), so that the leaf can be freed: a
   * hundred thousand leaves take twice the memory.
   */
  plain(id: ObjectId, type: StructTag): ObjectState | undefined {
    const { parent, key } = this.#parentOf(id);
    const object = parent.plainField(key);
    if (object?.meta.size !== 0n || !isOfType(object.meta, type)) return undefined;
    const meta = copyOfMeta(object.meta);
    meta.id = id;
    if (object.value.length > COPIED_VALUE_BYTES_MAX) return { meta, value: object.value };
    const value = shortLivedBytes(object.value.length);
    value.set(object.value);
    return { meta, value };
  }

  /** As `setBytesAndTransfer`, for an object that `plain` returned. */
  givePlain(before: ObjectMeta, value: Uint8Array, owner: Address): void {
    const { parent, key } = this.#parentOf(before.id);
    parent.givePlain(key, before, value, owner);
  }

  // ---- dynamic fields, from TypeScript ----

  /** Whether the object `parent` has this field, whatever the type of its value. */
  hasField<N, V>(parent: ObjectId, type: FieldType<N, V>, name: N): boolean {
    return this.#findField(parent, type, name) !== undefined;
  }

  /** Whether the object `parent` has this field with a value of this type: a name has one field, whatever its type. */
  hasFieldOfType<N, V>(parent: ObjectId, type: FieldType<N, V>, name: N): boolean {
    return this.#findField(parent, type, name)?.existsWithType(type.tag) === true;
  }

  /**
   * The value of a field, or undefined.
   * @throws {ObjectFailure} TYPE_MISMATCH
   */
  getField<N, V>(parent: ObjectId, type: FieldType<N, V>, name: N): V | undefined {
    const field = this.#findField(parent, type, name);
    if (field === undefined) return undefined;
    field.requireType(type.tag);
    return type.decode(field.value.bytes());
  }

  /**
   * Adds a field.
   * @throws {ObjectFailure} RESOURCE_ALREADY_EXISTS, MISSING_DATA
   */
  addField<N, V>(parent: ObjectId, type: FieldType<N, V>, name: N, value: V): void {
    const object = this.#require(parent);
    object.addField(type.key(name), type.tag, (place) => place.fillBytes(type.encode(name, value)));
  }

  /**
   * Writes a field: replaces its value, or adds it.
   * @throws {ObjectFailure} MISSING_DATA, TYPE_MISMATCH
   */
  setField<N, V>(parent: ObjectId, type: FieldType<N, V>, name: N, value: V): void {
    const field = this.#findField(parent, type, name);
    if (field === undefined) {
      this.addField(parent, type, name, value);
    } else {
      field.requireType(type.tag);
      field.value.write(type.encode(name, value));
    }
  }

  /**
   * Removes a field and returns its value.
   * @throws {ObjectFailure} MISSING_DATA, TYPE_MISMATCH
   */
  removeField<N, V>(parent: ObjectId, type: FieldType<N, V>, name: N): V {
    const object = this.#require(parent);
    return type.decode(object.removeField(type.key(name), type.tag, (field) => field.value.bytes()));
  }

  // ---- the end ----

  /**
   * The changes of the session so far. Has no effect, so it may be called repeatedly.
   * @throws {EngineError} `not-found` if the timestamp object does not exist
   */
  changeSet(): StateChangeSet {
    const { meta } = this.#root;
    const changes = [...(this.#root.change(this.#now())?.fields ?? [])];
    return Object.assign(new RootBefore(this.#state.rootMeta), { globalSize: meta.size, changes });
  }

  /** Milliseconds, by the timestamp object at the end of the session. */
  #now(): bigint {
    const object = this.#find(TIMESTAMP_ID);
    if (object === undefined) throw new EngineError('not-found', 'the state holds no timestamp object');
    return decode(u64, object.value.bytes());
  }

  #find(id: ObjectId): RuntimeObject | undefined {
    const store = id.length === 2 && this.#lastStore?.id[0] === id[0] ? this.#lastStore : undefined;
    let object = store ?? this.#root;
    for (let depth = store === undefined ? 0 : 1; depth < id.length; depth++) {
      if (!object.exists) return undefined;
      if (depth === 1) this.#lastStore = object;
      object = object.field(id[depth]!);
    }
    return object.exists ? object : undefined;
  }

  #require(id: ObjectId): RuntimeObject {
    const object = this.#find(id);
    if (object === undefined) throw refusal(StatusCode.MISSING_DATA, id, 'does not exist');
    return object;
  }

  #write(id: ObjectId, type: StructTag, value: Uint8Array): RuntimeObject {
    const object = this.#require(id);
    object.requireType(type);
    object.value.write(value);
    return object;
  }

  #parentOf(id: ObjectId): { readonly parent: RuntimeObject; readonly key: FieldKey } {
    const key = id[id.length - 1];
    assert(key !== undefined, 'the root object cannot be created or removed');
    return { parent: this.#require(id.slice(0, -1)), key };
  }

  #findField<N, V>(parent: ObjectId, type: FieldType<N, V>, name: N): RuntimeObject | undefined {
    const field = this.#find(parent)?.field(type.key(name));
    return field?.exists === true ? field : undefined;
  }
}

function giveTo(object: RuntimeObject, owner: Address): void {
  returnHandle(object);
  object.setOwner(owner);
}

/** Acts as if Move code took the handle out, unless it is already out, and gave it back. */
function returnHandle({ handle, id, meta }: RuntimeObject): void {
  // The messages are built only when needed: formatting an id takes longer than the rest.
  if (isDynamicField(meta)) assert(false, `expected an object with a handle, got the field ${formatObjectId(id)}`);
  if (handle.isBorrowed) assert(false, `expected the object ${formatObjectId(id)} not to be borrowed`);
  if (handle.exists) handle.takeOut();
  handle.giveBack();
}
