/**
 * `0x3::auth_validator::TxValidateResult`: what validation found out about the sender of a transaction.
 * Source: crates/rooch-types/src/framework/auth_validator.rs of the reference.
 * @module
 */
import type { Codec } from '../../base/bcs/codec.ts';
import { option, struct } from '../../base/bcs/composite.ts';
import { bytes, string, u64 } from '../../base/bcs/primitive.ts';
import { type Address, address, FRAMEWORK_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';

/** A module that authenticates senders: its function `validate` takes the payload of the authenticator. */
export interface AuthValidator {
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

export const authValidator: Codec<AuthValidator> = struct<AuthValidator>({
  id: u64,
  moduleAddress: address,
  moduleName: string,
});

export const txValidateResult: Codec<TxValidateResult> = struct<TxValidateResult>({
  authValidatorId: u64,
  authValidator: option(authValidator),
  sessionKey: option(bytes),
  bitcoinAddress: bytes,
});
