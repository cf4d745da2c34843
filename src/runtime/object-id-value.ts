/**
 * Object ids as Move values: `0x2::object::ObjectID { path: vector<address> }`.
 * @module
 */
import type { ObjectId } from '../object/object-id.ts';
import type { StructValue } from '../vm/value/struct.ts';
import type { Type } from '../vm/value/type.ts';
import { ArrayVector } from '../vm/value/vector.ts';

/** The id that a value of `ObjectID` holds. */
export function readObjectId(value: StructValue): ObjectId {
  return [...((value.f0 as ArrayVector).items as Uint8Array[])];
}

/** A value of `type`, which is `ObjectID`. */
export function makeObjectId(type: Type, id: ObjectId): StructValue {
  return new type.structClass(new ArrayVector(id.slice()));
}
