/**
 * `0x2::account::Account`: the object of an account, whose id is the address.
 * @module
 */
import type { Codec } from '../../base/bcs/codec.ts';
import { struct } from '../../base/bcs/composite.ts';
import { u64 } from '../../base/bcs/primitive.ts';
import { type Address, address, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';

export interface Account {
  readonly address: Address;
  readonly sequenceNumber: bigint;
}

export const ACCOUNT_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'account', 'Account');

export const account: Codec<Account> = struct<Account>({ address, sequenceNumber: u64 });
