/**
 * `0x3::onchain_config::OnchainConfig`: the accounts that run the chain. Source: onchain_config.move of the reference.
 * @module
 */
import { type Codec, struct, u64 } from '../../base/bcs.ts';
import { type Address, address, FRAMEWORK_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';

export interface OnchainConfig {
  readonly frameworkVersion: bigint;
  /** Receives a share of all gas. */
  readonly sequencer: Address;
  readonly dao: Address;
}

export const ONCHAIN_CONFIG_TYPE: StructTag = structTag(FRAMEWORK_ADDRESS, 'onchain_config', 'OnchainConfig');

export const onchainConfig: Codec<OnchainConfig> = struct({
  frameworkVersion: u64,
  sequencer: address,
  dao: address,
});
