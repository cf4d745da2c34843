/**
 * What Move code could do with an object at this moment, besides reading its metadata.
 * @module
 */

import { isFrozen } from '../../chain/object/object-state.ts';
import type { StructTag } from '../../move/type-tag.ts';
import type { RuntimeObject } from '../runtime/runtime-object.ts';

/** Whether the object exists with this type, and its handle can be borrowed to look at the value. */
export function isBorrowable(object: RuntimeObject, type: StructTag): boolean {
  if (!object.existsWithType(type)) return false;
  const { handle } = object;
  return handle.exists && !handle.isBorrowed;
}

/** Whether its handle can be borrowed to change the value. */
export function isChangeable(object: RuntimeObject, type: StructTag): boolean {
  return isBorrowable(object, type) && !isFrozen(object.meta);
}
