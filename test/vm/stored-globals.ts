/**
 * Global storage for tests: values as bytes between calls, so that a call that failed leaves no trace and engines with
 * types of their own share it.
 * @module
 */
import { toHex } from '../../src/base/bytes/bytes.ts';
import { displayType } from '../../src/move/type-tag.ts';
import type { GlobalStorage } from '../../src/vm/processor.ts';
import type { StructInstance } from '../../src/vm/value/struct.ts';
import type { Type } from '../../src/vm/value/type.ts';

export class StoredGlobals implements GlobalStorage {
  readonly #stored: ReadonlyMap<string, Uint8Array>;
  /** What the call touched; `undefined` for what it moved away. */
  readonly #touched = new Map<string, { readonly type: Type; readonly value: StructInstance | undefined }>();

  constructor(stored: ReadonlyMap<string, Uint8Array> = new Map()) {
    this.#stored = stored;
  }

  /** The values after the call. */
  get values(): Map<string, Uint8Array> {
    const values = new Map(this.#stored);
    for (const [key, { type, value }] of this.#touched) {
      if (value === undefined) values.delete(key);
      else values.set(key, type.encode(value));
    }
    return values;
  }

  exists(address: Uint8Array, type: Type): boolean {
    return this.borrow(address, type) !== undefined;
  }

  borrow(address: Uint8Array, type: Type): StructInstance | undefined {
    const key = keyOf(address, type);
    const touched = this.#touched.get(key);
    if (touched !== undefined) return touched.value;
    const bytes = this.#stored.get(key);
    if (bytes === undefined) return undefined;
    const value = type.decode(bytes) as StructInstance;
    this.#touched.set(key, { type, value });
    return value;
  }

  moveFrom(address: Uint8Array, type: Type): StructInstance | undefined {
    const value = this.borrow(address, type);
    if (value !== undefined) this.#touched.set(keyOf(address, type), { type, value: undefined });
    return value;
  }

  moveTo(address: Uint8Array, type: Type, value: StructInstance): boolean {
    if (this.exists(address, type)) return false;
    this.#touched.set(keyOf(address, type), { type, value });
    return true;
  }
}

function keyOf(address: Uint8Array, type: Type): string {
  return `${toHex(address)} ${displayType(type.tag)}`;
}
