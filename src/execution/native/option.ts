/**
 * `0x1::option::Option` as a value: a struct of one vector with at most one element.
 * @module
 */
import { emptyVector, vectorOf } from '../../vm/value/generic-operations.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import type { VectorValue } from '../../vm/value/vector.ts';

/** `Some(value)`. `option` is the type of the result. */
export function makeSome(option: Type, value: unknown): StructValue {
  return option.make(vectorOf(option.fields[0]!.item, [value]));
}

export function makeNone(option: Type): StructValue {
  return option.make(emptyVector(option.fields[0]!.item));
}

/** The value inside; `undefined` for none. */
export function optionValue(option: StructValue): unknown {
  const values = option.f0 as VectorValue;
  return values.length === 0 ? undefined : values.get(0);
}
