/**
 * The value of an object within a session, in one of two forms: BCS, as the state and TypeScript have it, or the Move
 * value that running code works on.
 *
 * It changes its form when the other kind of caller asks: an object that no Move code looks at is never decoded, one
 * that Move code has is encoded once, at the end. A Move value is lent by reference, so it stays the true form from the
 * moment it is made; it carries this cell as its owner, which writes through references mark (`vm/value/owner.ts`).
 * @module
 */
import { encodeShortLived } from '../bcs/codec.ts';
import { assert } from '../error.ts';
import type { Owner } from '../vm/value/owner.ts';
import type { StructValue } from '../vm/value/struct.ts';
import type { Type } from '../vm/value/type.ts';
import { emptied, filled, isFilled, type SlotState } from './slot.ts';

/** What a session did to a value. */
export type ValueEffect = 'none' | 'new' | 'modify' | 'delete';

const EFFECTS: Readonly<Record<SlotState, ValueEffect>> = {
  none: 'none',
  fresh: 'new',
  cached: 'none',
  deleted: 'delete',
  refilled: 'modify',
};

export class StoredValue implements Owner {
  /** Set by the first write into a value that was read from the state; without meaning for others. */
  dirty = false;
  #state: SlotState;
  #bytes: Uint8Array | undefined;
  #value: unknown;
  /** The type that `#value` was made with; its presence tells the form. */
  #type: Type | undefined;

  /** A place without value, or with one that the state has. */
  constructor(bytes?: Uint8Array) {
    this.#state = bytes === undefined ? 'none' : 'cached';
    this.#bytes = bytes;
  }

  get exists(): boolean {
    return isFilled(this.#state);
  }

  /** Whether Move code has looked at it. */
  get isDecoded(): boolean {
    return this.#type !== undefined;
  }

  /** Whether a reference to it lives, on a stack or in a local. References to parts of it do not count. */
  get isBorrowed(): boolean {
    return this.#type?.countsReferences === true && (this.#value as StructValue).references > 0;
  }

  /** Whether it was read from the state and nothing was done to it. */
  get isAsRead(): boolean {
    return this.#state === 'cached' && !this.dirty;
  }

  get effect(): ValueEffect {
    return this.#state === 'cached' && this.dirty ? 'modify' : EFFECTS[this.#state];
  }

  /** The BCS. It must exist. Not to be written to. */
  bytes(): Uint8Array {
    if (this.#type !== undefined) return encodeShortLived(this.#type.operations, this.#value);
    assert(this.#bytes !== undefined, 'expected a value, got none');
    return this.#bytes;
  }

  /**
   * The Move value, which for the types of objects is also the reference to it. It must exist.
   * @returns undefined if the stored bytes do not decode as `type`
   */
  borrow(type: Type): unknown {
    if (this.#type === undefined) {
      const value = type.decode(this.bytes(), this);
      if (value === undefined) return undefined;
      this.#value = value;
      this.#type = type;
      this.#bytes = undefined;
    }
    return this.#value;
  }

  /** Puts BCS in. There must be no value. */
  fillBytes(bytes: Uint8Array): void {
    this.#state = filled(this.#state);
    this.#bytes = bytes;
  }

  /** Puts a Move value in, which changes hands. There must be no value. */
  fill(type: Type, value: unknown): void {
    this.#state = filled(this.#state);
    this.#type = type;
    this.#value = value;
  }

  /** Replaces the value by BCS. It must exist. */
  write(bytes: Uint8Array): void {
    assert(this.exists, 'expected a value to replace, got none');
    this.#forget();
    this.#bytes = bytes;
    this.dirty = true;
  }

  /** Takes the value out; read it before. It must exist. */
  empty(): void {
    this.#state = emptied(this.#state);
    this.#forget();
  }

  #forget(): void {
    this.#bytes = undefined;
    this.#value = undefined;
    this.#type = undefined;
  }
}
