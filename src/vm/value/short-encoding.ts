/**
 * BCS of values that may be long, for display: too long a value is detected after few steps, whatever it contains.
 * @module
 */
import { dereference } from './reference.ts';
import type { StructInstance } from './struct.ts';
import type { Type } from './type.ts';
import { ByteVector, type VectorValue } from './vector.ts';

export const PACKED_BYTES: Readonly<Record<string, number>> = {
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

/**
 * BCS of a value in the machine; for a reference, of its target. Undefined for a value of more than `bytesMax` bytes,
 * and for one whose type has no layout.
 */
export function encodeUpTo(type: Type, value: unknown, bytesMax: number): Uint8Array | undefined {
  const target = type.isReference ? type.item : type;
  if (target.layoutFault !== 0) return undefined;
  const held = type.isReference ? dereference(target, value) : value;
  return roomAfter(target, held, bytesMax) < 0 ? undefined : target.encode(held);
}

/** The rest of `room` bytes after the BCS of a value; negative, as soon as that is known, if it does not fit. */
function roomAfter(type: Type, value: unknown, room: number): number {
  if (room < 0) return room;
  switch (type.kind) {
    case 'struct': {
      let left = room;
      for (const [index, field] of type.fields.entries()) {
        left = roomAfter(field, (value as StructInstance).getField(index), left);
        if (left < 0) break;
      }
      return left;
    }
    case 'vector':
      return roomAfterVector(type.item, value as VectorValue, room - 1);
    default:
      return room - PACKED_BYTES[type.kind]!;
  }
}

function roomAfterVector(item: Type, vector: VectorValue, room: number): number {
  if (vector instanceof ByteVector || !item.isContainer) return room - vector.length * (PACKED_BYTES[item.kind] ?? 1);
  // Each takes at least one byte, except structs without fields, of which there cannot be more than fit.
  let left = room - vector.length;
  for (let index = 0; index < vector.length && left >= 0; index++) left = roomAfter(item, vector.get(index), left);
  return left;
}
