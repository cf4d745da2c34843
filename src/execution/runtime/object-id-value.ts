/**
 * Object ids as Move values: `0x2::object::ObjectID { path: vector<address> }`.
 * @module
 */
import type { ObjectId } from '../../chain/object/object-id.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ArrayVector } from '../../vm/value/vector.ts';

/** The id that a value of `ObjectID` holds. */
export function readObjectId(value: StructValue): ObjectId {
  return ((value.f0 as ArrayVector).items as Uint8Array[]).slice();
}

/** A value of `type`, which is `ObjectID`. */
export function makeObjectId(type: Type, id: ObjectId): StructValue {
  const path = new ArrayVector(id as Uint8Array[]);
  // The id belongs to the caller.
  path.shared = true;
  return new type.structClass(path);
}
