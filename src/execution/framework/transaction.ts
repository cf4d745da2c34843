/**
 * The framework's data of a transaction in its context.
 *
 * `0x2::tx_meta::TxMeta`: the request of a transaction, as Move code sees it in the transaction context. Source:
 * moveos/moveos-types/src/moveos_std/tx_meta.rs of the reference.
 *
 * `0x2::tx_result::TxResult`: how the action of a transaction ended, as passed to `post_execute`.
 * Source: moveos/moveos-types/src/moveos_std/tx_result.rs of the reference.
 *
 * `0x3::auth_validator::TxValidateResult`: the result of validation about the sender of a transaction. Source:
 * crates/rooch-types/src/framework/auth_validator.rs of the reference.
 *
 * `0x3::transaction_gas::GasUsageInfo`: the sources of the prepaid maximum cost of a transaction. `pre_execute` leaves
 * it in the transaction context for `post_execute`. Source: transaction_gas.move of the reference.
 * @module
 */
import { bool, bytes, type Codec, option, string, struct, u8, u64, u256 } from '../../base/bcs.ts';
import type { Action } from '../../chain/transaction/action.ts';
import { type Address, address, FRAMEWORK_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';

interface FunctionCallMeta {
  readonly moduleAddress: Address;
  readonly moduleName: string;
  readonly functionName: string;
}

interface TxMeta {
  /** 0 for a script, 1 for a function, 2 for a bundle of modules. */
  readonly actionType: number;
  /** Only for a function call. */
  readonly functionMeta: FunctionCallMeta | undefined;
}

export const TX_META_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'tx_meta', 'TxMeta');

export const txMeta: Codec<TxMeta> = struct({
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

interface TxResult {
  readonly executed: boolean;
  readonly gasUsed: bigint;
}

export const TX_RESULT_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'tx_result', 'TxResult');

export const txResult: Codec<TxResult> = struct({ executed: bool, gasUsed: u64 });

/** A module that authenticates senders: its function `validate` takes the payload of the authenticator. */
interface AuthValidator {
  readonly id: bigint;
  readonly moduleAddress: Address;
  readonly moduleName: string;
}

export interface TxValidateResult {
  readonly authValidatorId: bigint;
  /** Set if another module must validate. */
  readonly authValidator: AuthValidator | undefined;
  /** Authentication key of the session key that signed, if one did. */
  readonly sessionKey: Uint8Array | undefined;
  /** Internal form of the sender's Bitcoin address; empty if it is not known. */
  readonly bitcoinAddress: Uint8Array;
}

export const TX_VALIDATE_RESULT_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'auth_validator', 'TxValidateResult');

export const authValidator: Codec<AuthValidator> = struct({
  id: u64,
  moduleAddress: address,
  moduleName: string,
});

export const txValidateResult: Codec<TxValidateResult> = struct({
  authValidatorId: u64,
  authValidator: option(authValidator),
  sessionKey: option(bytes),
  bitcoinAddress: bytes,
});

interface GasUsage {
  /** From the payer's payment hub. */
  readonly fromHub: bigint;
  /** From the coins in the payer's account. */
  readonly fromAccount: bigint;
}

export const GAS_USAGE_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'transaction_gas', 'GasUsageInfo');

export const gasUsage: Codec<GasUsage> = struct({ fromHub: u256, fromAccount: u256 });
