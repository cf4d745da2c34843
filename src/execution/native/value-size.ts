/**
 * The size of a value that determines the price of adding a field: packed bytes, except that in a vector that is not
 * packed all elements count as much as the first. Source: `Value::size` of the reference's `values_impl.rs`.
 * @module
 */
import { PACKED_BYTES } from '../../vm/value/packed-bytes.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import type { VectorValue } from '../../vm/value/vector.ts';

/** Bytes by the reference's measure. */
export function valueSize(type: Type, value: unknown): number {
  if (type.kind === 'struct') {
    return type.fields.reduce((sum, field, index) => sum + valueSize(field, (value as StructValue).getField(index)), 0);
  }
  if (type.kind !== 'vector') return PACKED_BYTES[type.kind]!;
  const vector = value as VectorValue;
  return vector.length === 0 ? 0 : vector.length * valueSize(type.item, vector.get(0));
}

/** The factor for a byte, by the size from which it applies. Ascending. */
const TIERS: readonly (readonly [from: number, factor: number])[] = [
  [0, 1],
  [200, 2],
  [400, 4],
  [800, 16],
  [1600, 32],
  [3000, 64],
];

/** The size times the factor of its tier. */
export function tieredSize(size: number): number {
  let applied = 1;
  for (const [from, factor] of TIERS) {
    if (size >= from) applied = factor;
  }
  return size * applied;
}
