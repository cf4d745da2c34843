/**
 * The parameters of Babylon's first staking protocol that genesis puts on chain, by version.
 *
 * Source: bbn-1/parameters/global-params.json of github.com/babylonlabs-io/networks, as adapted in bbn.move of the
 * reference: there the keys of version 0 are 33 bytes long, and its type, `BBNGlobalParamV0`, has a cap in satoshis
 * where later versions have the last height.
 * @module
 */

import { fromHex } from '../../base/bytes/hex.ts';
import type { BabylonParameters } from '../../bitcoin/babylon-parameters.ts';

const COVENANT_KEYS: readonly Uint8Array[] = [
  '03d45c70d28f169e1f0c7f4a78e2bc73497afe585b70aa897955989068f3350aaa',
  '034b15848e495a3a62283daaadb3f458a00859fe48e321f0121ebabbdd6698f9fa',
  '0223b29f89b45f4af41588dcaf0ca572ada32872a88224f311373917f1b37d08d1',
  '02d3c79b99ac4d265c2f97ac11e3232c07a598b020cf56c6f055472c893c0967ae',
  '038242640732773249312c47ca7bdb50ca79f15f2ecc32b9c83ceebba44fb74df7',
  '03e36200aaa8dce9453567bba108bdc51f7f1174b97a65e4dc4402fc5de779d41c',
  '03cbdd028cfe32c1c1f2d84bfec71e19f92df509bba7b8ad31ca6c1a134fe09204',
  '03f178fcce82f95c524b53b077e6180bd2d779a9057fdff4255a0af95af918cee0',
  '03de13fc96ea6899acbdc5db3afaa683f62fe35b60ff6eb723dad28a11d2b12f8c',
].map(fromHex);

const COMMON = {
  tag: fromHex('62626e31'),
  covenantKeys: COVENANT_KEYS.map((key) => key.subarray(1)),
  covenantQuorum: 6,
  unbondingTime: 1_008,
  unbondingFee: 32_000n,
  stakingAmountMin: 500_000n,
  stakingTimeMin: 64_000,
  stakingTimeMax: 64_000,
  confirmationDepth: 10,
} as const;

/** In version order. `capHeight` of version 0 is its cap in satoshis. */
export const BABYLON_VERSIONS: readonly BabylonParameters[] = [
  {
    ...COMMON,
    version: 0n,
    activationHeight: 857_910n,
    capHeight: 100_000_000_000n,
    covenantKeys: COVENANT_KEYS,
    unbondingFee: 64_000n,
    stakingAmountMax: 5_000_000n,
  },
  {
    ...COMMON,
    version: 1n,
    activationHeight: 864_790n,
    capHeight: 864_799n,
    stakingAmountMax: 50_000_000_000n,
  },
  {
    ...COMMON,
    version: 2n,
    activationHeight: 874_088n,
    capHeight: 875_087n,
    stakingAmountMax: 500_000_000_000n,
  },
];
