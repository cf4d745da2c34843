/**
 * `0x3::transaction_gas::GasUsageInfo`: where the prepaid maximum cost of a transaction was taken from. `pre_execute`
 * leaves it in the transaction context for `post_execute`. Source: transaction_gas.move of the reference.
 * @module
 */
import type { Codec } from '../../base/bcs/codec.ts';
import { struct } from '../../base/bcs/composite.ts';
import { u256 } from '../../base/bcs/primitive.ts';
import { FRAMEWORK_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';

export interface GasUsage {
  /** From the payer's payment hub. */
  readonly fromHub: bigint;
  /** From the coins in the payer's account. */
  readonly fromAccount: bigint;
}

export const GAS_USAGE_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'transaction_gas', 'GasUsageInfo');

export const gasUsage: Codec<GasUsage> = struct<GasUsage>({ fromHub: u256, fromAccount: u256 });
