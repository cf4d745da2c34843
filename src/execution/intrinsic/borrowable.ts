/**
 * Whether Move code could use an object at this moment beyond reading its metadata; and the values it could read from
 * `0x3::chain_id` and `0x2::timestamp`.
 * @module
 */

import { decode, u64 } from '../../base/bcs.ts';
import { CHAIN_ID_DEV, CHAIN_ID_LOCAL } from '../../base/config.ts';
import { namedObjectId } from '../../chain/object/object-id.ts';
import { isFrozen } from '../../chain/object/object-state.ts';
import { FRAMEWORK_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';
import { TIMESTAMP, TIMESTAMP_ID } from '../bitcoin-move/object-type.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
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

const CHAIN_ID_TYPE = structTag(FRAMEWORK_ADDRESS, 'chain_id', 'ChainID');
const CHAIN_ID_ID = namedObjectId(CHAIN_ID_TYPE);

/** Undefined if it cannot be read. */
export function chainIdOf(objects: ObjectRuntime): bigint | undefined {
  const object = objects.load(CHAIN_ID_ID);
  return isBorrowable(object, CHAIN_ID_TYPE) ? decode(u64, object.value.bytes()) : undefined;
}

/** Whether the chain gives coins to accounts without any. */
export function isLocalOrDev(chainId: bigint): boolean {
  return chainId === CHAIN_ID_LOCAL || chainId === CHAIN_ID_DEV;
}

const SECOND_MS = 1_000n;

/** Whole seconds; undefined if Move code could not read the clock. */
export function secondsOf(objects: ObjectRuntime): bigint | undefined {
  const clock = objects.load(TIMESTAMP_ID);
  return isBorrowable(clock, TIMESTAMP.tag) ? decode(TIMESTAMP.codec, clock.value.bytes()) / SECOND_MS : undefined;
}
