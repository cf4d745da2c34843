/**
 * A value of the state within a session, with the states that it goes through.
 *
 * | state | moveTo | moveFrom | effect at the end |
 * | --- | --- | --- | --- |
 * | none | fresh | fails | none |
 * | fresh | fails | none | new |
 * | cached, clean | fails | deleted | none |
 * | cached, dirty | fails | deleted | modify |
 * | deleted | cached, dirty | fails | delete |
 *
 * A cached value is made with its owner (`type.decode(bytes, owner)`), so writes through references show; whether a fresh
 * value was written to does not matter. Source: execution.md 5.2, `GlobalValue` of the reference.
 * @module
 */
import { assert } from '../../error.ts';
import type { Owner } from './owner.ts';
import type { StructValue } from './struct.ts';
import type { Type } from './type.ts';

/** What a session did to a value. */
export type GlobalEffect = 'none' | 'new' | 'modify' | 'delete';

type GlobalState = 'none' | 'fresh' | 'cached' | 'deleted';

export class GlobalValue implements Owner {
  /** Set by the first write through a reference to a cached value. */
  dirty = false;
  #state: GlobalState = 'none';
  #value: StructValue | undefined;

  /**
   * A value that is in the state: `bytes` is its BCS. `undefined` if they do not decode as `type`.
   */
  static cached(type: Type, bytes: Uint8Array): GlobalValue | undefined {
    const global = new GlobalValue();
    const value = type.decode(bytes, global);
    if (value === undefined) return undefined;
    global.#state = 'cached';
    global.#value = value as StructValue;
    return global;
  }

  get exists(): boolean {
    return this.#value !== undefined;
  }

  get effect(): GlobalEffect {
    if (this.#state === 'cached') return this.dirty ? 'modify' : 'none';
    if (this.#state === 'fresh') return 'new';
    return this.#state === 'deleted' ? 'delete' : 'none';
  }

  /** Live references to the value, where the machine counts them for its type; otherwise 0. */
  get references(): number {
    return this.#value?.references ?? 0;
  }

  /** The value, which is also the reference to it. It must exist. */
  borrow(): StructValue {
    assert(this.#value !== undefined, 'expected a value to borrow, got none');
    return this.#value;
  }

  /** Puts a value in. There must be none. */
  moveTo(value: StructValue): void {
    assert(this.#value === undefined, 'expected no value where one is moved to');
    this.#value = value;
    if (this.#state === 'none') {
      this.#state = 'fresh';
    } else {
      this.#state = 'cached';
      this.dirty = true;
    }
  }

  /** Takes the value out. It must exist. */
  moveFrom(): StructValue {
    const value = this.borrow();
    this.#state = this.#state === 'fresh' ? 'none' : 'deleted';
    this.#value = undefined;
    return value;
  }
}
