/**
 * The position of a change: under the last part of its object's id. The changes below an object are in ascending order,
 * so they are numbered as they are stored.
 * @module
 */
import { compareBytes, equalBytes } from '../../base/bytes/compare.ts';
import { toHexPrefixed } from '../../base/bytes/hex.ts';
import { EngineError } from '../../base/error.ts';
import type { ObjectChange } from './change-set.ts';
import type { FieldKey } from './field-key.ts';
import { formatObjectId, type ObjectId } from './object-id.ts';

/**
 * Checks a change of a field of `parent` that follows the change of `previous`.
 * @throws {EngineError} `invariant-violation`
 */
export function assertPlace(
  parent: ObjectId,
  previous: FieldKey | undefined,
  key: FieldKey,
  { meta }: ObjectChange,
): void {
  if (!isChild(meta.id, parent, key)) {
    throw misplaced(
      `a change of ${formatObjectId(meta.id)} stands below ${formatObjectId(parent)} at ${toHexPrefixed(key)}`,
    );
  }
  if (previous !== undefined && compareBytes(previous, key) >= 0) {
    throw misplaced(`the changes below ${formatObjectId(parent)} do not ascend at ${toHexPrefixed(key)}`);
  }
}

/** Whether `id` is the id of the field `key` of `parent`. Most ids share the arrays that they are compared with. */
function isChild(id: ObjectId, parent: ObjectId, key: FieldKey): boolean {
  const depth = parent.length;
  if (id.length !== depth + 1 || !isSame(id[depth]!, key)) return false;
  for (let index = 0; index < depth; index++) if (!isSame(id[index]!, parent[index]!)) return false;
  return true;
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left === right || equalBytes(left, right);
}

function misplaced(message: string): EngineError {
  return new EngineError('invariant-violation', message);
}
