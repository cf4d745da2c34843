/**
 * Global storage in memory, for tests of the instructions that reach it.
 * @module
 */
import { toHex } from '../../../src/base/bytes/bytes.ts';
import type { GlobalStorage } from '../../../src/vm/processor.ts';
import type { StructInstance } from '../../../src/vm/value/struct.ts';
import type { Type } from '../../../src/vm/value/type.ts';

export class MemoryGlobals implements GlobalStorage {
  readonly #values = new Map<string, StructInstance>();

  exists(address: Uint8Array, type: Type): boolean {
    return this.#values.has(keyOf(address, type));
  }

  borrow(address: Uint8Array, type: Type): StructInstance | undefined {
    return this.#values.get(keyOf(address, type));
  }

  moveFrom(address: Uint8Array, type: Type): StructInstance | undefined {
    const value = this.borrow(address, type);
    this.#values.delete(keyOf(address, type));
    return value;
  }

  moveTo(address: Uint8Array, type: Type, value: StructInstance): boolean {
    if (this.exists(address, type)) return false;
    this.#values.set(keyOf(address, type), value);
    return true;
  }
}

function keyOf(address: Uint8Array, type: Type): string {
  return `${type.id} ${toHex(address)}`;
}
