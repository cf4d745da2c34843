/**
 * `0x2::tx_result::TxResult`: how the action of a transaction ended, as passed to `post_execute`.
 * Source: moveos/moveos-types/src/moveos_std/tx_result.rs of the reference.
 * @module
 */
import type { Codec } from '../../base/bcs/codec.ts';
import { struct } from '../../base/bcs/composite.ts';
import { bool, u64 } from '../../base/bcs/primitive.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';

export interface TxResult {
  readonly executed: boolean;
  readonly gasUsed: bigint;
}

export const TX_RESULT_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'tx_result', 'TxResult');

export const txResult: Codec<TxResult> = struct<TxResult>({ executed: bool, gasUsed: u64 });
