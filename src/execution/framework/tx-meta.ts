/**
 * `0x2::tx_meta::TxMeta`: what a transaction asks for, as Move code sees it in the transaction context.
 * Source: moveos/moveos-types/src/moveos_std/tx_meta.rs of the reference.
 * @module
 */
import type { Codec } from '../../base/bcs/codec.ts';
import { option, struct } from '../../base/bcs/composite.ts';
import { string, u8 } from '../../base/bcs/primitive.ts';
import type { Action } from '../../chain/transaction/action.ts';
import { type Address, address, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';

export interface FunctionCallMeta {
  readonly moduleAddress: Address;
  readonly moduleName: string;
  readonly functionName: string;
}

export interface TxMeta {
  /** 0 for a script, 1 for a function, 2 for a bundle of modules. */
  readonly actionType: number;
  /** Only for a function call. */
  readonly functionMeta: FunctionCallMeta | undefined;
}

export const TX_META_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'tx_meta', 'TxMeta');

export const txMeta: Codec<TxMeta> = struct<TxMeta>({
  actionType: u8,
  functionMeta: option(struct<FunctionCallMeta>({ moduleAddress: address, moduleName: string, functionName: string })),
});

const ACTION_TYPES: Readonly<Record<Action['kind'], number>> = { script: 0, function: 1, modules: 2 };

export function txMetaOf(action: Action): TxMeta {
  const called = action.kind === 'function' ? action.function : undefined;
  return {
    actionType: ACTION_TYPES[action.kind],
    functionMeta: called && {
      moduleAddress: called.address,
      moduleName: called.module,
      functionName: called.name,
    },
  };
}
