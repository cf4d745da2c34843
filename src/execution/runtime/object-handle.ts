/**
 * The handle of an object, `0x2::object::Object<T>`: its holder may use the object.
 *
 * While the runtime has it, it can be borrowed (once at a time) or taken out. Once taken out, it is a value of Move
 * code, which gives it back by transferring, sharing or freezing the object, or keeps it inside another struct: then
 * the object is embedded and has no owner until the handle is given back. The Move value is created on first use.
 *
 * Source: `ObjectPointer` of the reference.
 * @module
 */
import { formatObjectId, type ObjectId } from '../../chain/object/object-id.ts';
import { StatusCode } from '../../vm/status.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ArrayVector } from '../../vm/value/vector.ts';
import { OBJECT_BORROWED, OBJECT_TAKEN_OUT, ObjectFailure, refusal } from './object-failure.ts';
import { emptied, filled, isFilled, type SlotState } from './stored-value.ts';

/** The id that a value of `ObjectID` holds. */
export function readObjectId(value: StructInstance): ObjectId {
  return ((value.f0 as ArrayVector).items as Uint8Array[]).slice();
}

/** A value of `type`, which is `ObjectID`. */
function makeObjectId(type: Type, id: ObjectId): StructInstance {
  const path = new ArrayVector(id as Uint8Array[]);
  // The id belongs to the caller.
  path.shared = true;
  return new type.structClass(path);
}

export class ObjectHandle {
  #state: SlotState;
  #value: StructInstance | undefined;

  constructor(state: 'none' | 'fresh' | 'cached') {
    this.#state = state;
  }

  /** Whether the runtime has it. */
  get exists(): boolean {
    return isFilled(this.#state);
  }

  /** Whether the state had it before the session and no longer has it. */
  get isTakenOut(): boolean {
    return this.#state === 'deleted';
  }

  /** Whether a reference to it is alive: on a stack, in a local or as an argument. */
  get isBorrowed(): boolean {
    return this.#value !== undefined && this.#value.references > 0;
  }

  /**
   * Borrows it, as a value of `type`, which is `Object<T>` of the object `id`.
   * @throws {ObjectFailure} ABORTED: taken out, embedded, or already borrowed
   */
  borrow(type: Type, id: ObjectId): StructInstance {
    const { ABORTED } = StatusCode;
    if (!this.exists) throw refusal(ABORTED, id, 'is taken out or embedded', OBJECT_TAKEN_OUT);
    if (this.isBorrowed) throw refusal(ABORTED, id, 'is already borrowed', OBJECT_BORROWED);
    this.#value ??= makeHandle(type, id);
    return this.#value;
  }

  /** @throws {ObjectFailure} RESOURCE_ALREADY_EXISTS unless it is taken out, or never existed */
  requireNone(id: ObjectId): void {
    if (!this.exists) return;
    const message = `the handle of the object ${formatObjectId(id)} is not taken out`;
    throw new ObjectFailure(StatusCode.RESOURCE_ALREADY_EXISTS, message);
  }

  /** Takes it out. It must exist. */
  takeOut(): void {
    this.#state = emptied(this.#state);
    this.#value = undefined;
  }

  /** Gives it back, as the value that was taken out, if any. It must not exist. */
  giveBack(value?: StructInstance): void {
    this.#state = filled(this.#state);
    this.#value = value;
  }
}

/** The value of a handle, of `type`, which is `Object<T>`. */
export function makeHandle(type: Type, id: ObjectId): StructInstance {
  return new type.structClass(makeObjectId(type.fields[0]!, id));
}
