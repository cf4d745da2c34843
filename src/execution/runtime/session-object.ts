/**
 * One object within a session, without its fields: its metadata, its value and its handle.
 *
 * Every method that changes something is one step of the reference's `RuntimeObject`, with the same checks in the same
 * order, since callers can see which of two failures comes first. Source:
 * moveos/moveos-object-runtime/src/runtime_object.rs of the reference.
 * @module
 */

import type { ValueChange } from '../../chain/object/change-set.ts';
import { formatObjectId, type ObjectId } from '../../chain/object/object-id.ts';
import {
  FLAG_FROZEN,
  FLAG_SHARED,
  isEmbedded,
  type ObjectMeta,
  type ObjectState,
} from '../../chain/object/object-state.ts';
import { type Address, SYSTEM_ADDRESS } from '../../move/address.ts';
import { UNDECODABLE } from '../../move/layout.ts';
import { displayStruct, type StructTag, structType, type TypeTag } from '../../move/type-tag.ts';
import { StatusCode } from '../../vm/status.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { OBJECT_NOT_FOUND, ObjectFailure } from './object-failure.ts';
import { ObjectHandle, refused } from './object-handle.ts';
import { freshMeta, SessionMeta } from './session-meta.ts';
import { StoredValue } from './stored-value.ts';

const SIZE_MAX = 0xffff_ffff_ffff_ffffn;

/** The source of the objects' runtime types: the context of a native. */
export interface TypeFinder {
  findType(tag: TypeTag): Type | undefined;
}

export class SessionObject {
  readonly id: ObjectId;
  readonly value: StoredValue;
  protected readonly metadata: SessionMeta;
  /** Made on demand: most objects of a session are only read. */
  #handle: ObjectHandle | undefined;

  /** The object that the state has under `id`, or undefined. */
  protected constructor(id: ObjectId, object: ObjectState | undefined) {
    this.id = id;
    this.metadata = new SessionMeta(object?.meta);
    this.value = new StoredValue(object?.value);
  }

  get handle(): ObjectHandle {
    if (this.#handle === undefined) {
      const { original } = this.metadata;
      // Only the struct that holds an embedded object may use it.
      this.#handle = new ObjectHandle(original === undefined || isEmbedded(original) ? 'none' : 'cached');
    }
    return this.#handle;
  }

  /** Whether the state had its handle, and the runtime no longer has it. */
  protected get isTakenOut(): boolean {
    return this.#handle?.isTakenOut === true;
  }

  /**
   * The current metadata; a removed object still has its last.
   * @throws {ObjectFailure} MISSING_DATA
   */
  get meta(): ObjectMeta {
    const { current } = this.metadata;
    if (current === undefined) {
      throw new ObjectFailure(StatusCode.MISSING_DATA, `the object ${formatObjectId(this.id)} does not exist`);
    }
    return current;
  }

  get exists(): boolean {
    return this.value.exists;
  }

  /** Whether it exists and its type is `type`. */
  existsWithType(type: StructTag): boolean {
    return this.exists && this.metadata.isOfType(this.meta, type);
  }

  /** @throws {ObjectFailure} MISSING_DATA, TYPE_MISMATCH */
  requireType(type: StructTag): void {
    const { meta } = this;
    if (this.metadata.isOfType(meta, type)) return;
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
    this.requireValue();
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
    if (this.value.exists) {
      throw new ObjectFailure(
        StatusCode.RESOURCE_ALREADY_EXISTS,
        `the object ${formatObjectId(this.id)} exists already`,
      );
    }
    this.handle.requireNone(this.id);
    this.metadata.create(freshMeta(this.id, type));
    this.handle.giveBack();
    fill(this.value);
  }

  // ---- the metadata ----

  /** @throws {ObjectFailure} MISSING_DATA */
  setOwner(owner: Address): void {
    this.metadata.edit(this.meta).owner = owner;
  }

  /** Everyone may change it, and no one owns it. */
  setShared(): void {
    this.#settle(FLAG_SHARED);
  }

  /** No one may change it, and no one owns it. */
  setFrozen(): void {
    this.#settle(FLAG_FROZEN);
  }

  #settle(flag: number): void {
    const changed = this.metadata.edit(this.meta);
    changed.owner = SYSTEM_ADDRESS;
    changed.flag |= flag;
  }

  /** Counts fields that were added or removed. */
  resize(difference: bigint): void {
    const { meta } = this;
    const size = meta.size + difference;
    if (size < 0n || size > SIZE_MAX) {
      throw new ObjectFailure(
        StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR,
        `the object ${formatObjectId(this.id)} has no ${size} fields`,
      );
    }
    this.metadata.edit(meta).size = size;
  }

  // ---- the handle ----

  /**
   * Borrows the handle, a value of `type`, which is `Object<T>`.
   * @throws {ObjectFailure} ABORTED: not found, taken out, embedded, or already borrowed
   */
  borrowHandle(type: Type): StructInstance {
    if (!this.exists) throw refused(this.id, 'does not exist', OBJECT_NOT_FOUND);
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
  protected requireValue(): void {
    if (this.value.exists) return;
    throw new ObjectFailure(StatusCode.MISSING_DATA, `the object ${formatObjectId(this.id)} is removed`);
  }

  /** What the session did to the value. */
  protected valueChange(): ValueChange | undefined {
    const { effect } = this.value;
    if (effect === 'none') return undefined;
    return effect === 'delete' ? { kind: 'delete' } : { kind: effect, value: this.value.bytes() };
  }
}
