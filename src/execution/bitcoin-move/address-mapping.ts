/**
 * The Bitcoin address that belongs to a node address: a field of `0x3::address_mapping::RoochToBitcoinAddressMapping`.
 * Source: address_mapping.move of the reference.
 * @module
 */
import { bytes, type Codec, struct } from '../../base/bcs.ts';
import { deriveFieldKey, type FieldKey } from '../../chain/object/field-key.ts';
import { namedObjectId, type ObjectId } from '../../chain/object/object-id.ts';
import { type Address, address, FRAMEWORK_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag, structType } from '../../move/type-tag.ts';
import { FieldType, MOVE_ADDRESS } from '../runtime/field-type.ts';

export const ADDRESS_MAPPING_TYPE: StructTag = structTag(
  FRAMEWORK_ADDRESS,
  'address_mapping',
  'RoochToBitcoinAddressMapping',
);
export const ADDRESS_MAPPING_ID: ObjectId = namedObjectId(ADDRESS_MAPPING_TYPE);

export const BITCOIN_ADDRESS_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'bitcoin_address', 'BitcoinAddress');

/** A field of the mapping: a Bitcoin address in its internal form, keyed by its node address. */
export const BITCOIN_ADDRESS_BY_OWNER: FieldType<Address, Uint8Array> = new FieldType(MOVE_ADDRESS, {
  tag: structType(BITCOIN_ADDRESS_TYPE),
  codec: bytes,
});

export function addressMappingKey(owner: Address): FieldKey {
  return deriveFieldKey(owner, { kind: 'address' });
}

/** The value of the mapping's field: the node address and the Bitcoin address in its internal form. */
export const addressMappingField: Codec<{
  readonly name: Address;
  readonly bitcoinAddress: Uint8Array;
}> = struct({
  name: address,
  bitcoinAddress: bytes,
});
