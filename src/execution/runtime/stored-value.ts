/**
 * The value of an object within a session, in one of two forms: BCS, for the state and TypeScript, or the Move value
 * for running code.
 *
 * It changes its form on demand: an object that no Move code reads is never decoded, and one that Move code has read is
 * encoded at the end, or when the code is replaced. A Move value is borrowed, so it is authoritative from the moment it
 * is created; it has this cell as its owner, which writes through references mark (`vm/value/struct.ts`).
 *
 * The states of a slot of the global state within a session.
 *
 * | state | filled | emptied | effect at the end |
 * | --- | --- | --- | --- |
 * | none | fresh | - | none |
 * | fresh | - | none | new |
 * | cached | - | deleted | none, or modify if the value was written to |
 * | deleted | refilled | - | delete |
 * | refilled | - | deleted | modify |
 *
 * Source: `GlobalValue` of the reference.
 * @module
 */
import { encodeShortLived } from '../../base/bcs.ts';
import { assert } from '../../base/error.ts';
import type { Owner, StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';

export type SlotState = 'none' | 'fresh' | 'cached' | 'deleted' | 'refilled';

export function isFilled(state: SlotState): boolean {
  return state !== 'none' && state !== 'deleted';
}

/** The state of an empty slot after it is filled. */
export function filled(state: SlotState): SlotState {
  assert(!isFilled(state), `expected an empty slot, got a ${state} one`);
  return state === 'none' ? 'fresh' : 'refilled';
}

/** The state of a filled slot after it is emptied. */
export function emptied(state: SlotState): SlotState {
  assert(isFilled(state), `expected a filled slot, got ${state}`);
  return state === 'fresh' ? 'none' : 'deleted';
}

/** The change of a value in a session. */
type ValueEffect = 'none' | 'new' | 'modify' | 'delete';

const EFFECTS: Readonly<Record<SlotState, ValueEffect>> = {
  none: 'none',
  fresh: 'new',
  cached: 'none',
  deleted: 'delete',
  refilled: 'modify',
};

export class StoredValue implements Owner {
  /** Set by the first write to a value that was read from the state; meaningless for others. */
  dirty = false;
  #state: SlotState;
  #bytes: Uint8Array | undefined;
  #value: unknown;
  /** The type that `#value` was created with; defined if the Move value is the current form. */
  #type: Type | undefined;

  /** An empty cell, or one with a value of the state. */
  constructor(bytes?: Uint8Array) {
    this.#state = bytes === undefined ? 'none' : 'cached';
    this.#bytes = bytes;
  }

  get exists(): boolean {
    return isFilled(this.#state);
  }

  /** Whether Move code has accessed it. */
  get isDecoded(): boolean {
    return this.#type !== undefined;
  }

  /** Whether a reference to it is alive, on a stack or in a local. References to parts of it do not count. */
  get isBorrowed(): boolean {
    return this.#type?.countsReferences === true && (this.#value as StructInstance).references > 0;
  }

  /** Whether it was read from the state and nothing was done to it. */
  get isAsRead(): boolean {
    return this.#state === 'cached' && !this.dirty;
  }

  get effect(): ValueEffect {
    return this.#state === 'cached' && this.dirty ? 'modify' : EFFECTS[this.#state];
  }

  /** The BCS. It must exist. Do not write to it. */
  bytes(): Uint8Array {
    if (this.#type !== undefined) return encodeShortLived(this.#type.operations, this.#value);
    assert(this.#bytes !== undefined, 'expected a value, got none');
    return this.#bytes;
  }

  /**
   * The Move value, which for object types is also the reference to it. It must exist.
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

  /** Turns the Move value, if any, into BCS. No reference to it may be alive. */
  encode(): void {
    if (this.#type === undefined) return;
    this.#bytes = this.bytes();
    this.#value = undefined;
    this.#type = undefined;
  }

  /** Fills it with BCS. There must be no value. */
  fillBytes(bytes: Uint8Array): void {
    this.#state = filled(this.#state);
    this.#bytes = bytes;
  }

  /** Fills it with a Move value, which belongs to it from now on. There must be no value. */
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

  /** Removes the value, which must exist; read it before. */
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
