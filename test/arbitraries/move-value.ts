/** Layouts, values of them, and the bytes of those values by an encoder that knows nothing of src's decoder. */
import fc from 'fast-check';
import { ByteWriter } from '../../src/base/bytes/writer.ts';
import type { Layout, MoveValue, StructLayout } from '../../src/move/layout.ts';
import {
  addressArbitrary,
  bytesArbitrary,
  nameArbitrary,
  u8Arbitrary,
  u16Arbitrary,
  u32Arbitrary,
  u64Arbitrary,
  u128Arbitrary,
  u256Arbitrary,
} from './primitive.ts';
import { PRIMITIVE_KINDS, structTagArbitraryOf } from './type-tag.ts';

/** Layouts of at most `depth` nested vectors and structs. A struct has at least one field, as a compiled one has. */
export function layoutArbitraryOf(depth: number): fc.Arbitrary<Layout> {
  const primitive: fc.Arbitrary<Layout> = fc.constantFrom(...PRIMITIVE_KINDS).map((kind) => ({ kind }));
  if (depth === 0) return primitive;
  return fc.oneof(
    { weight: 2, arbitrary: primitive },
    { weight: 2, arbitrary: layoutArbitraryOf(depth - 1).map((item): Layout => ({ kind: 'vector', item })) },
    { weight: 3, arbitrary: structLayoutArbitraryOf(depth - 1) },
  );
}

export function structLayoutArbitraryOf(depth: number): fc.Arbitrary<StructLayout> {
  return fc.record({
    kind: fc.constant('struct' as const),
    tag: structTagArbitraryOf(0),
    abilities: fc.nat({ max: 15 }),
    fields: fc.array(fc.record({ name: nameArbitrary, layout: layoutArbitraryOf(depth) }), {
      minLength: 1,
      maxLength: 4,
    }),
  });
}

/** A value of `layout`, as `annotate` gives it. */
export function moveValueArbitraryOf(layout: Layout): fc.Arbitrary<MoveValue> {
  switch (layout.kind) {
    case 'bool':
      return fc.boolean().map((value) => ({ kind: 'bool', value }));
    case 'u8':
      return u8Arbitrary.map((value) => ({ kind: 'u8', value }));
    case 'u16':
      return u16Arbitrary.map((value) => ({ kind: 'u16', value }));
    case 'u32':
      return u32Arbitrary.map((value) => ({ kind: 'u32', value }));
    case 'u64':
      return u64Arbitrary.map((value) => ({ kind: 'u64', value }));
    case 'u128':
      return u128Arbitrary.map((value) => ({ kind: 'u128', value }));
    case 'u256':
      return u256Arbitrary.map((value) => ({ kind: 'u256', value }));
    case 'address':
      return addressArbitrary.map((value) => ({ kind: 'address', value }));
    case 'signer':
      return addressArbitrary.map((value) => ({ kind: 'signer', value }));
    case 'vector': {
      const { item } = layout;
      if (item.kind === 'u8') return bytesArbitrary.map((value) => ({ kind: 'bytes', value }));
      return fc
        .array(moveValueArbitraryOf(item), { maxLength: 3 })
        .map((items): MoveValue => ({ kind: 'vector', item, items }));
    }
    case 'struct':
      return fc
        .tuple(...layout.fields.map((field) => moveValueArbitraryOf(field.layout)))
        .map((fields): MoveValue => ({ kind: 'struct', layout, fields }));
  }
}

/** A layout, a value of it and its bytes. */
export interface EncodedValue {
  readonly layout: Layout;
  readonly value: MoveValue;
  readonly bytes: Uint8Array;
}

export const encodedValueArbitrary: fc.Arbitrary<EncodedValue> = layoutArbitraryOf(3).chain((layout) =>
  moveValueArbitraryOf(layout).map((value) => ({ layout, value, bytes: encodeMoveValue(value) })),
);

/** The BCS of a value: its parts in order, a count before the items of a vector. */
export function encodeMoveValue(value: MoveValue): Uint8Array {
  const writer = new ByteWriter();
  write(writer, value);
  return writer.finish();
}

function write(writer: ByteWriter, value: MoveValue): void {
  switch (value.kind) {
    case 'bool':
      writer.u8(value.value ? 1 : 0);
      break;
    case 'u8':
    case 'u16':
    case 'u32':
      writer[value.kind](value.value);
      break;
    case 'u64':
    case 'u128':
    case 'u256':
      writer[value.kind](value.value);
      break;
    case 'address':
    case 'signer':
      writer.bytes(value.value);
      break;
    case 'bytes':
      writer.uleb128(value.value.length);
      writer.bytes(value.value);
      break;
    case 'vector':
      writer.uleb128(value.items.length);
      for (const item of value.items) write(writer, item);
      break;
    case 'struct':
      for (const field of value.fields) write(writer, field);
  }
}
