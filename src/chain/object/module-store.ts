/**
 * Where modules live: `[module store, package address, key of the module's name]`.
 * Source: moveos/moveos-types/src/moveos_std/module_store.rs of the reference.
 * @module
 */
import { type Address, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';
import { namedObjectId, type ObjectId } from './object-id.ts';

export const MODULE_STORE_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'module_store', 'ModuleStore');
export const PACKAGE_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'module_store', 'Package');
export const MODULE_STORE_ID: ObjectId = namedObjectId(MODULE_STORE_TYPE);

/** The object that holds the modules of an account; its key is the address, unhashed. */
export function packageObjectId(account: Address): ObjectId {
  return [...MODULE_STORE_ID, account];
}
