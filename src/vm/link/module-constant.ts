/**
 * A constant of a module, as the instructions that load it find it.
 *
 * It is decoded when it is first needed, not when the code that names it is prepared: a function of a few kilobytes may
 * name one constant thousands of times, on paths that never run. A vector of vectors takes up to 250 times as much
 * memory as its bytes in the module, so it is decoded each time and never kept. The instruction pays by the byte, which
 * is too little for many short vectors: a long constant counts work for those in it.
 * @module
 */
import { ByteReader } from '../../base/bytes/reader.ts';
import type { Type } from '../value/type.ts';
import type { VectorValue } from '../value/vector.ts';

/** Bytes of a constant that the instruction pays for, whatever they are: its function's result may be cached. */
const BYTES_UNCOUNTED_MAX = 256;

/** Vectors that are made in a microsecond, measured, if they are few. */
const VECTORS_PER_WORK = 10;

/** With so many of them, each takes twice as long, since a collection of garbage finds them in use. */
const VECTORS_DOUBLING = 15_000;

export class ModuleConstant {
  readonly type: Type;
  readonly #data: Uint8Array;
  readonly #isKept: boolean;
  /** Whether loading it may count work. */
  readonly isLong: boolean;
  #value: unknown;
  #work: number | undefined;

  /** `data` is the BCS of a value of `type`: the verifier checked that. */
  constructor(type: Type, data: Uint8Array) {
    this.type = type;
    this.#data = data;
    this.#isKept = type.kind !== 'vector' || !type.item.isContainer;
    this.isLong = !this.#isKept && data.length > BYTES_UNCOUNTED_MAX;
  }

  /** Microseconds of work that loading it counts. */
  get work(): number {
    if (!this.isLong) return 0;
    if (this.#work === undefined) {
      const vectors = vectorsIn(this.type, this.#decode() as VectorValue);
      this.#work = Math.floor((vectors * (VECTORS_DOUBLING + vectors)) / (VECTORS_PER_WORK * VECTORS_DOUBLING));
    }
    return this.#work;
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

/** How many vectors are elements of others. */
function vectorsIn({ item }: Type, vector: VectorValue): number {
  if (!item.isContainer) return 0;
  let vectors = vector.length;
  for (let index = 0; index < vector.length; index++) vectors += vectorsIn(item, vector.get(index) as VectorValue);
  return vectors;
}
