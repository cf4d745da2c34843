/**
 * Values of a trace: BCS as it was at that moment, decoded when somebody looks.
 * @module
 */
import { TRACE_VALUE_BYTES_MAX } from '../config.ts';
import { annotate } from '../move/annotate.ts';
import type { Layout } from '../move/layout.ts';
import type { TypeTag } from '../move/type-tag.ts';
import { type DecodedValue, decodedValue } from '../value/decoded.ts';
import { BytesValue } from '../value/hash.ts';
import { LazyReadable } from '../value/readable.ts';
import { typeTagValue } from '../value/type-tag.ts';
import { dereference } from '../vm/value/reference.ts';
import type { StructValue } from '../vm/value/struct.ts';
import type { Type } from '../vm/value/type.ts';
import { ByteVector, type VectorValue } from '../vm/value/vector.ts';

/** BCS; undefined for a value that is longer than TRACE_VALUE_BYTES_MAX, came too late, or whose type has no layout. */
export type KeptValue = Uint8Array | undefined;

/** What keeping a value takes beside its bytes, as counted against TRACE_BYTES_MAX. */
export const KEPT_VALUE_BYTES = 128;

/** BCS of what the machine holds; of a reference, of what it refers to. */
export function keepValue(type: Type, value: unknown): KeptValue {
  const target = targetOf(type);
  if (target.layoutFault !== 0) return undefined;
  const held = type.isReference ? dereference(target, value) : value;
  return roomAfter(target, held, TRACE_VALUE_BYTES_MAX) < 0 ? undefined : target.encode(held);
}

function targetOf(type: Type): Type {
  return type.isReference ? type.item : type;
}

const WIDTHS: Readonly<Record<string, number>> = {
  bool: 1,
  u8: 1,
  u16: 2,
  u32: 4,
  u64: 8,
  u128: 16,
  u256: 32,
  address: 32,
  signer: 32,
};

/** What is left of `room` bytes after the BCS of a value; below zero, found out at once, where there is too little. */
function roomAfter(type: Type, value: unknown, room: number): number {
  if (room < 0) return room;
  switch (type.kind) {
    case 'struct': {
      let left = room;
      for (const [index, field] of type.fields.entries()) {
        left = roomAfter(field, (value as StructValue).getField(index), left);
        if (left < 0) break;
      }
      return left;
    }
    case 'vector':
      return roomAfterVector(type.item, value as VectorValue, room - 1);
    default:
      return room - WIDTHS[type.kind]!;
  }
}

function roomAfterVector(item: Type, vector: VectorValue, room: number): number {
  if (vector instanceof ByteVector || !item.isContainer) return room - vector.length * (WIDTHS[item.kind] ?? 1);
  // Each takes a byte at least, but for structs without fields, of which there cannot be more than fit.
  let left = room - vector.length;
  for (let index = 0; index < vector.length && left >= 0; index++) left = roomAfter(item, vector.get(index), left);
  return left;
}

/** An argument, a result, an event, or what was printed. */
export class TraceValue extends LazyReadable {
  readonly #type: Type;
  /** BCS; undefined for a value that is longer than TRACE_VALUE_BYTES_MAX, or came when TRACE_BYTES_MAX were kept. */
  readonly bytes: BytesValue | undefined;
  #value: DecodedValue | undefined;

  constructor(type: Type, bytes: KeptValue) {
    super();
    this.#type = targetOf(type);
    this.bytes = bytes && new BytesValue(bytes);
  }

  /** Of what is referred to, where it is a reference. */
  get type(): TypeTag {
    return typeTagValue(this.#type.tag);
  }

  /** As a JavaScript value (value/decoded.ts). Undefined as `bytes` is. */
  get value(): DecodedValue | undefined {
    if (this.bytes === undefined) return undefined;
    this.#value ??= decodedValue(annotate(layoutOf(this.#type), this.bytes));
    return this.#value;
  }

  override shown(): object {
    const { type, value } = this;
    return { type, value };
  }
}

/** The layout by what the machine knows, which ran the code: the chain's modules may be others by now. */
function layoutOf(type: Type): Layout {
  switch (type.kind) {
    case 'struct': {
      const { fieldNames } = type.struct;
      const fields = type.fields.map((field, index) => ({ name: fieldNames[index]!, layout: layoutOf(field) }));
      return { kind: 'struct', tag: type.structTag, abilities: type.abilities, fields };
    }
    case 'vector':
      return { kind: 'vector', item: layoutOf(type.item) };
    case 'reference':
    case 'mutableReference':
      return layoutOf(type.item);
    default:
      return { kind: type.kind };
  }
}
