/**
 * A constant of a module, as the instructions that load it find it.
 *
 * It is decoded when it is first needed, not when the code that names it is prepared: a function of a few kilobytes may
 * name one constant thousands of times, on paths that never run. A vector of vectors takes up to 250 times as much
 * memory as its bytes in the module, so it is decoded each time and never kept; the instruction pays by the byte.
 * @module
 */
import { ByteReader } from '../../bytes/reader.ts';
import type { Type } from '../value/type.ts';

export class ModuleConstant {
  readonly type: Type;
  readonly #data: Uint8Array;
  readonly #isKept: boolean;
  #value: unknown;

  /** `data` is the BCS of a value of `type`: the verifier checked that. */
  constructor(type: Type, data: Uint8Array) {
    this.type = type;
    this.#data = data;
    this.#isKept = type.kind !== 'vector' || !type.item.isContainer;
  }

  /** A value that the caller may change. */
  copy(): unknown {
    if (!this.#isKept) return this.#decode();
    this.#value ??= this.#decode();
    return this.type.isContainer ? this.type.operations.copy(this.#value) : this.#value;
  }

  #decode(): unknown {
    return this.type.operations.read(new ByteReader(this.#data), null);
  }
}
