/**
 * The handle of an object, `0x2::object::Object<T>`: where it is decides who may use the object.
 *
 * While the runtime has it, it can be lent (once at a time) or taken out. Taken out, it is a value of Move code, which
 * gives it back by transferring, sharing or freezing the object, or keeps it inside another struct: then the object is
 * embedded, nobody's, until the handle is given back. The Move value is made when Move code first asks for it.
 *
 * Source: `ObjectPointer` of the reference.
 * @module
 */
import type { ObjectId } from '../object/object-id.ts';
import type { StructValue } from '../vm/value/struct.ts';
import type { Type } from '../vm/value/type.ts';
import { makeObjectId } from './object-id-value.ts';
import { emptied, filled, isFilled, type SlotState } from './slot.ts';

export class ObjectHandle {
  #state: SlotState;
  #value: StructValue | undefined;

  constructor(state: 'none' | 'fresh' | 'cached') {
    this.#state = state;
  }

  /** Whether the runtime has it. */
  get exists(): boolean {
    return isFilled(this.#state);
  }

  /** Whether it was in the state's hands before the session and is not now. */
  get isTakenOut(): boolean {
    return this.#state === 'deleted';
  }

  /** Whether a reference to it lives, on a stack, in a local or for an argument. */
  get isBorrowed(): boolean {
    return this.#value !== undefined && this.#value.references > 0;
  }

  /** The handle as a value of `type`, which is `Object<T>`. It must exist. */
  borrow(type: Type, id: ObjectId): StructValue {
    this.#value ??= makeHandle(type, id);
    return this.#value;
  }

  /** Takes it out. It must exist. */
  takeOut(): void {
    this.#state = emptied(this.#state);
    this.#value = undefined;
  }

  /** Gives it back, as the value that was taken out, if it is one. It must not exist. */
  giveBack(value?: StructValue): void {
    this.#state = filled(this.#state);
    this.#value = value;
  }
}

/** The value of a handle, of `type`, which is `Object<T>`. */
export function makeHandle(type: Type, id: ObjectId): StructValue {
  return new type.structClass(makeObjectId(type.fields[0]!, id));
}
