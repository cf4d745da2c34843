/**
 * Values that code has in it: literals, and what the optimiser computes of them.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { ByteWriter } from '../../base/bytes/writer.ts';
import { INTEGER_BITS, type IntegerKind } from '../../vm/value/integer.ts';
import type { ResolvedType } from '../names/type.ts';

export type Value =
  | { readonly kind: 'number'; readonly type: IntegerKind; readonly value: bigint }
  | { readonly kind: 'bool'; readonly value: boolean }
  /** 32 bytes. */
  | { readonly kind: 'address'; readonly value: Uint8Array }
  /** A vector of `u8`. */
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  /** A vector of anything else. */
  | { readonly kind: 'vector'; readonly items: readonly Value[] };

export function isInteger(
  type: ResolvedType,
): type is ResolvedType & { readonly kind: 'primitive'; readonly name: IntegerKind } {
  return type.kind === 'primitive' && type.name in INTEGER_BITS;
}

/** Whether the number is one of the type. */
export function isInRange(value: bigint, type: IntegerKind): boolean {
  return value >= 0n && value >> BigInt(INTEGER_BITS[type]) === 0n;
}

/** A vector of values, in the form that equal vectors share. */
export function vectorValue(element: ResolvedType, items: readonly Value[]): Value {
  if (element.kind !== 'primitive' || element.name !== 'u8') return { kind: 'vector', items };
  return { kind: 'bytes', value: Uint8Array.from(items, (item) => (item.kind === 'number' ? Number(item.value) : 0)) };
}

/** Whether two values of one type are equal. */
export function equalValues(left: Value, right: Value): boolean {
  switch (left.kind) {
    case 'number':
    case 'bool':
      return left.value === (right as typeof left).value;
    case 'address':
    case 'bytes':
      return equalBytes(left.value, (right as typeof left).value);
    case 'vector': {
      const { items } = right as typeof left;
      return left.items.length === items.length && left.items.every((item, at) => equalValues(item, items[at]!));
    }
  }
}

/** BCS of a value. */
export function encodeConstant(value: Value): Uint8Array {
  const writer = new ByteWriter();
  writeValue(writer, value);
  return writer.finish();
}

function writeValue(writer: ByteWriter, value: Value): void {
  switch (value.kind) {
    case 'number':
      writeNumber(writer, value.value, INTEGER_BITS[value.type]);
      break;
    case 'bool':
      writer.u8(value.value ? 1 : 0);
      break;
    case 'address':
      writer.bytes(value.value);
      break;
    case 'bytes':
      writer.uleb128(value.value.length);
      writer.bytes(value.value);
      break;
    case 'vector':
      writer.uleb128(value.items.length);
      for (const item of value.items) writeValue(writer, item);
  }
}

function writeNumber(writer: ByteWriter, value: bigint, bits: number): void {
  if (bits === 128) writer.u128(value);
  else if (bits === 256) writer.u256(value);
  else if (bits === 64) writer.u64(value);
  else if (bits === 32) writer.u32(Number(value));
  else if (bits === 16) writer.u16(Number(value));
  else writer.u8(Number(value));
}
