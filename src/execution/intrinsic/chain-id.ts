/**
 * `0x3::chain_id`: which chain this is.
 * @module
 */
import { decode } from '../../base/bcs/codec.ts';
import { u64 } from '../../base/bcs/primitive.ts';
import { CHAIN_ID_DEV, CHAIN_ID_LOCAL } from '../../base/config.ts';
import { namedObjectId } from '../../chain/object/object-id.ts';
import { FRAMEWORK_ADDRESS } from '../../move/address.ts';
import { structTag } from '../../move/type-tag.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { isBorrowable } from './borrowable.ts';

const CHAIN_ID_TYPE = structTag(FRAMEWORK_ADDRESS, 'chain_id', 'ChainID');
const CHAIN_ID_ID = namedObjectId(CHAIN_ID_TYPE);

/** Undefined if it cannot be read. */
export function chainIdOf(objects: ObjectRuntime): bigint | undefined {
  const object = objects.load(CHAIN_ID_ID);
  return isBorrowable(object, CHAIN_ID_TYPE) ? decode(u64, object.value.bytes()) : undefined;
}

/** Whether a chain is one that gives coins to accounts that have none. */
export function isLocalOrDev(chainId: bigint): boolean {
  return chainId === CHAIN_ID_LOCAL || chainId === CHAIN_ID_DEV;
}
