/**
 * Metadata of objects as a session has it: made new, compared with what it was, asked for the type.
 *
 * Source: moveos/moveos-object-runtime/src/runtime_object_meta.rs of the reference.
 * @module
 */
import { equalBytes } from '../bytes/compare.ts';
import { SYSTEM_ADDRESS } from '../move/address.ts';
import { equalStructs, type StructTag } from '../move/type-tag.ts';
import type { ObjectId } from '../object/object-id.ts';
import type { ObjectMeta } from '../object/object-meta.ts';

/** For types of objects, which stay with the state, the tag of a runtime type that was found to be equal. */
const lastEqual = new WeakMap<StructTag, StructTag>();

/** Whether an object's type is `type`. */
export function isOfType({ objectType }: ObjectMeta, type: StructTag): boolean {
  if (objectType === type || lastEqual.get(objectType) === type) return true;
  const isEqual = equalStructs(objectType, type);
  if (isEqual) lastEqual.set(objectType, type);
  return isEqual;
}

/** Whether all is equal that a session may change of an object's metadata. */
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

/** Of an object that is made: nobody's, without fields, and of no time before the transaction ends. */
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
