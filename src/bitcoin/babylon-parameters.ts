/**
 * The parameters of Babylon's first staking protocol, as the chain keeps them. Separate from babylon.ts because genesis
 * writes them and needs no elliptic-curve code.
 * Source: bbn.move of the reference.
 * @module
 */
import type { Codec } from '../base/bcs/codec.ts';
import { struct, vector } from '../base/bcs/composite.ts';
import { bytes, u16, u32, u64 } from '../base/bcs/primitive.ts';

/** One version of the protocol's parameters: `0x4::bbn::BBNGlobalParamV1`. Amounts in satoshis, times in blocks. */
export interface BabylonParameters {
  readonly version: bigint;
  readonly activationHeight: bigint;
  readonly capHeight: bigint;
  readonly tag: Uint8Array;
  /** 32 bytes each, x-only. */
  readonly covenantKeys: readonly Uint8Array[];
  readonly covenantQuorum: number;
  readonly unbondingTime: number;
  readonly unbondingFee: bigint;
  readonly stakingAmountMax: bigint;
  readonly stakingAmountMin: bigint;
  readonly stakingTimeMin: number;
  readonly stakingTimeMax: number;
  readonly confirmationDepth: number;
}

export const babylonParameters: Codec<BabylonParameters> = struct<BabylonParameters>({
  version: u64,
  activationHeight: u64,
  capHeight: u64,
  tag: bytes,
  covenantKeys: vector(bytes),
  covenantQuorum: u32,
  unbondingTime: u16,
  unbondingFee: u64,
  stakingAmountMax: u64,
  stakingAmountMin: u64,
  stakingTimeMin: u16,
  stakingTimeMax: u16,
  confirmationDepth: u16,
});
