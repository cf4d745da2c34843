/**
 * Arguments as words: the keys of cached results.
 *
 * Only types whose values are short and quickly written have such a form: integers up to u64, bool, address, bytes,
 * lists of addresses, and structs of these, such as object ids and strings.
 * @module
 */
import type { StructValue } from './value/struct.ts';
import type { Type } from './value/type.ts';
import type { ArrayVector, ByteVector } from './value/vector.ts';

/** Bytes of arguments up to which results are kept: longer ones are rarely repeated. A multiple of four. */
export const RESULT_KEY_BYTES_MAX = 256;

const ADDRESS_BYTES = 32;

/** Writes a value; false if there is no room for it. */
export type KeyPart = (key: ResultKey, value: unknown) => boolean;

/** The arguments of one call at a time. */
export class ResultKey {
  readonly words: Int32Array = new Int32Array(RESULT_KEY_BYTES_MAX / 4);
  readonly #bytes = new Uint8Array(this.words.buffer);
  #length = 0;

  clear(): void {
    this.#length = 0;
  }

  number(value: number): boolean {
    const at = this.#length;
    if (at + 4 > RESULT_KEY_BYTES_MAX) return false;
    this.words[at >> 2] = value;
    this.#length = at + 4;
    return true;
  }

  /** Bytes whose length follows from what precedes them. */
  bytes(value: Uint8Array, length: number): boolean {
    const start = this.#length;
    const end = start + ((length + 3) & ~3);
    if (end > RESULT_KEY_BYTES_MAX) return false;
    const bytes = this.#bytes;
    if (length !== 0) this.words[(end - 4) >> 2] = 0;
    // A loop takes five times as long for 32 bytes.
    bytes.set(value.length === length ? value : value.subarray(0, length), start);
    this.#length = end;
    return true;
  }

  get wordCount(): number {
    return this.#length >> 2;
  }

  /** A number that spreads keys over the slots of a table. */
  hash(seed: number): number {
    const { words, wordCount } = this;
    let hash = seed;
    for (let index = 0; index < wordCount; index++) {
      hash = Math.imul(hash ^ words[index]!, 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash;
  }

  equals(other: Int32Array): boolean {
    const { words, wordCount } = this;
    if (other.length !== wordCount) return false;
    for (let index = 0; index < wordCount; index++) {
      if (words[index] !== other[index]) return false;
    }
    return true;
  }

  copy(): Int32Array {
    return this.words.slice(0, this.wordCount);
  }
}

/** How values of `type` are written; `undefined` for a type without such a form. */
export function keyPart(type: Type): KeyPart | undefined {
  switch (type.kind) {
    case 'bool':
      return (key, value) => key.number(value === true ? 1 : 0);
    case 'u8':
    case 'u16':
    case 'u32':
      return (key, value) => key.number(value as number);
    case 'u64':
      return (key, value) =>
        key.number(Number((value as bigint) & 0xffff_ffffn)) && key.number(Number((value as bigint) >> 32n));
    case 'address':
      return (key, value) => key.bytes(value as Uint8Array, ADDRESS_BYTES);
    case 'vector':
      return vectorPart(type.item);
    case 'struct':
      return structPart(type);
    default:
      return undefined;
  }
}

function vectorPart(item: Type): KeyPart | undefined {
  if (item.kind === 'u8') {
    return (key, value) => {
      const { items, length } = value as ByteVector;
      return key.number(length) && key.bytes(items, length);
    };
  }
  if (item.kind !== 'address') return undefined;
  return (key, value) => {
    const items = (value as ArrayVector).items as Uint8Array[];
    if (!key.number(items.length)) return false;
    for (const address of items) if (!key.bytes(address, ADDRESS_BYTES)) return false;
    return true;
  };
}

/** By type: few structs can have many parts, each being one of the next. */
const structParts = new WeakMap<Type, KeyPart | undefined>();

function structPart(type: Type): KeyPart | undefined {
  if (!structParts.has(type)) structParts.set(type, partOfFields(type.fields));
  return structParts.get(type);
}

function partOfFields(fields: readonly Type[]): KeyPart | undefined {
  const parts: KeyPart[] = [];
  for (const field of fields) {
    const part = keyPart(field);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return (key, value) => first(key, (value as StructValue).f0);
  return (key, value) => parts.every((part, index) => part(key, (value as StructValue).getField(index)));
}
