/**
 * Layouts: the recursive shape of a value, needed to read its BCS.
 *
 * A layout is a concrete type with what the bytes do not contain: the fields of each struct, by name. Layouts of structs
 * are made from module definitions (runtime/layout-source.ts).
 *
 * Bytes are decoded to a value whose parts have their types, which the RPC renders and the API returns. `vector<u8>` stays
 * bytes; other vectors keep the layout of their items, so that even an empty one has its type.
 * @module
 */

import { argumentError, assertBytes } from '../base/argument.ts';
import { bool, u8, u16, u32, u64, u128, u256 } from '../base/bcs.ts';
import { ByteReader } from '../base/bytes/reader.ts';
import { VALUE_NODES_MAX } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import type { AbilitySet } from './ability.ts';
import { type Address, address } from './address.ts';
import type { PrimitiveKind, StructTag, TypeTag } from './type-tag.ts';

export interface FieldLayout {
  readonly name: string;
  readonly layout: Layout;
}

/** The shape of a struct: its fields by name, in order. */
export interface StructLayout {
  readonly kind: 'struct';
  readonly tag: StructTag;
  /** As declared, regardless of the type arguments. */
  readonly abilities: AbilitySet;
  /** In declaration order. */
  readonly fields: readonly FieldLayout[];
}

/** The shape of a type's values. */
export type Layout =
  | { readonly kind: PrimitiveKind }
  | { readonly kind: 'vector'; readonly item: Layout }
  | StructLayout;

/** Provides layouts. */
export interface LayoutSource {
  /**
   * The layout of `type`.
   * @throws {EngineError} `not-found` if a module or struct is missing, `limit-exceeded` if it is too deep.
   */
  layout(type: TypeTag): Layout;
}

/** Nesting of a value that is decoded for display; Move itself allows 128. */
export const VALUE_DEPTH_MAX = 128;

/** A struct's value, with its layout. */
export interface StructValue {
  readonly kind: 'struct';
  readonly layout: StructLayout;
  /** In declaration order, parallel to `layout.fields`. */
  readonly fields: readonly MoveValue[];
}

/** A Move value with the type of each part. */
export type MoveValue =
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'u8' | 'u16' | 'u32'; readonly value: number }
  | { readonly kind: 'u64' | 'u128' | 'u256'; readonly value: bigint }
  | { readonly kind: 'address' | 'signer'; readonly value: Address }
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  | { readonly kind: 'vector'; readonly item: Layout; readonly items: readonly MoveValue[] }
  | StructValue;

/** Why stored bytes do not decode: the chain accepts upgrades that change the fields of structs. */
export const UNDECODABLE = 'its module was upgraded with other fields, or the store is damaged';

/**
 * The value of shape `layout` that `bytes` encode, with none left over.
 * @throws {EngineError} `invalid-argument`, `malformed-bytes` if they do not fit, `limit-exceeded` past VALUE_DEPTH_MAX
 * or VALUE_NODES_MAX.
 */
export function annotate(layout: Layout, bytes: Uint8Array): MoveValue {
  return annotateCounted(layout, bytes).value;
}

/** As `annotate`, with the number of the value's parts: numbers, byte strings, vectors and structs, at all levels. */
export function annotateCounted(
  layout: Layout,
  bytes: Uint8Array,
): { readonly value: MoveValue; readonly parts: number } {
  assertBytes(bytes, 'bytes');
  const annotator = new Annotator(bytes);
  let value: MoveValue;
  try {
    value = annotator.value(layout, 1);
  } catch (error) {
    // Reading accesses only members of the layout, so the layout is at fault.
    throw error instanceof TypeError ? layoutError(layout, error) : error;
  }
  annotator.reader.finish();
  return { value, parts: annotator.parts };
}

function layoutError(layout: Layout, cause?: unknown): EngineError {
  return argumentError('layout', 'a layout, as a LayoutSource gives it', layout, cause);
}

/** The value of shape `layout` at the start of `bytes`, its length in bytes, and its parts as in `annotateCounted`. */
export function annotatePrefix(
  layout: Layout,
  bytes: Uint8Array,
): { readonly value: MoveValue; readonly length: number; readonly parts: number } {
  const annotator = new Annotator(bytes);
  const value = annotator.value(layout, 1);
  return { value, length: annotator.reader.offset, parts: annotator.parts };
}

class Annotator {
  readonly reader: ByteReader;
  parts = 0;

  constructor(bytes: Uint8Array) {
    this.reader = new ByteReader(bytes);
  }

  value(layout: Layout, depth: number): MoveValue {
    this.parts++;
    if (depth > VALUE_DEPTH_MAX || this.parts > VALUE_NODES_MAX) {
      throw new EngineError(
        'limit-exceeded',
        `expected a value of at most ${VALUE_DEPTH_MAX} levels and ${VALUE_NODES_MAX} parts`,
      );
    }
    const { reader } = this;
    switch (layout.kind) {
      case 'bool':
        return { kind: 'bool', value: bool.read(reader) };
      case 'u8':
        return { kind: 'u8', value: u8.read(reader) };
      case 'u16':
        return { kind: 'u16', value: u16.read(reader) };
      case 'u32':
        return { kind: 'u32', value: u32.read(reader) };
      case 'u64':
        return { kind: 'u64', value: u64.read(reader) };
      case 'u128':
        return { kind: 'u128', value: u128.read(reader) };
      case 'u256':
        return { kind: 'u256', value: u256.read(reader) };
      case 'address':
      case 'signer':
        return { kind: layout.kind, value: address.read(reader) };
      case 'vector':
        return this.#vector(layout.item, depth);
      case 'struct':
        return { kind: 'struct', layout, fields: layout.fields.map((field) => this.value(field.layout, depth + 1)) };
      default:
        throw layoutError(layout);
    }
  }

  #vector(item: Layout, depth: number): MoveValue {
    const count = this.reader.uleb128();
    if (item.kind === 'u8') return { kind: 'bytes', value: this.reader.copy(count) };
    const items: MoveValue[] = [];
    for (let index = 0; index < count; index++) items.push(this.value(item, depth + 1));
    return { kind: 'vector', item, items };
  }
}

/**
 * How many structs a value holds by the reference's measure: a vector counts its length times the structs of its first
 * element. Source: the size guard of crates/rooch-rpc-api of the reference.
 */
export function countStructs(value: MoveValue): number {
  if (value.kind === 'struct') return value.fields.reduce((sum, field) => sum + countStructs(field), 1);
  if (value.kind !== 'vector') return 0;
  const [first] = value.items;
  return first === undefined ? 0 : value.items.length * countStructs(first);
}
