/**
 * Metadata of objects in a session: creating it, comparing it, and checking its type.
 *
 * Source: moveos/moveos-object-runtime/src/runtime_object_meta.rs of the reference.
 * @module
 */
import { equalBytes } from '../bytes/compare.ts';
import { SYSTEM_ADDRESS } from '../move/address.ts';
import { equalStructs, type StructTag } from '../move/type-tag.ts';
import type { ObjectId } from '../object/object-id.ts';
import type { ObjectMeta } from '../object/object-meta.ts';

/** By object type (the object kept with the state): the tag of a runtime type that was found to be equal. */
const lastEqual = new WeakMap<StructTag, StructTag>();

/** Whether an object's type is `type`. */
export function isOfType({ objectType }: ObjectMeta, type: StructTag): boolean {
  if (objectType === type || lastEqual.get(objectType) === type) return true;
  const isEqual = equalStructs(objectType, type);
  if (isEqual) lastEqual.set(objectType, type);
  return isEqual;
}

/** Whether everything in an object's metadata that a session may change is equal. */
export function equalChangeable(left: ObjectMeta, right: ObjectMeta): boolean {
  return (
    left.size === right.size &&
    left.flag === right.flag &&
    equalBytes(left.owner, right.owner) &&
    left.updatedAt === right.updatedAt &&
    left.createdAt === right.createdAt &&
    equalRoots(left.stateRoot, right.stateRoot)
  );
}

function equalRoots(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  return left === right || (left !== undefined && right !== undefined && equalBytes(left, right));
}

/** The metadata of a new object: no owner, no fields, and no times until the transaction ends. */
export function freshMeta(id: ObjectId, objectType: StructTag): ObjectMeta {
  return {
    id,
    owner: SYSTEM_ADDRESS,
    flag: 0,
    stateRoot: undefined,
    size: 0n,
    createdAt: 0n,
    updatedAt: 0n,
    objectType,
  };
}
