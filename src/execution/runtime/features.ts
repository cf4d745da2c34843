/**
 * The feature flags of the framework, one bit each: `0x2::features::FeatureStore`.
 * Source: moveos-types/src/moveos_std/onchain_features.rs of the reference.
 * @module
 */
import { bytes, decode, encode } from '../../base/bcs.ts';
import { namedObjectId } from '../../chain/object/object-id.ts';
import type { State } from '../../chain/state/state.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { structTag } from '../../move/type-tag.ts';

export const FEATURE_LOCALNET = 1;
export const FEATURE_DEVNET = 2;
export const FEATURE_TESTNET = 3;
/** Contracts may publish changed copies of modules. */
export const FEATURE_MODULE_TEMPLATE = 4;
/** Only listed accounts may publish modules. */
export const FEATURE_MODULE_PUBLISHING_ALLOWLIST = 5;
/** Adding a field costs gas by the size of its value, and a transaction by tiers of its size. */
export const FEATURE_VALUE_SIZE_GAS = 7;
/** Upgrades must also preserve friend functions and friend declarations. */
export const FEATURE_COMPATIBILITY_CHECKER_V2 = 8;

const FEATURES_ID = namedObjectId(structTag(MOVEOS_STD_ADDRESS, 'features', 'FeatureStore'));

/** `0x2::features::FeatureStore` with these features on. */
export function featureStore(features: readonly number[]): Uint8Array {
  const bits = new Uint8Array((Math.max(...features) >> 3) + 1);
  for (const feature of features) bits[feature >> 3]! |= 1 << (feature & 7);
  return encode(bytes, bits);
}

export class Features {
  readonly #state: State;
  #bits: Uint8Array | undefined;

  /** The features of a state, read on first use; none if it has no feature store. */
  constructor(state: State) {
    this.#state = state;
  }

  has(feature: number): boolean {
    this.#bits ??= readBits(this.#state);
    return ((this.#bits[feature >> 3] ?? 0) & (1 << (feature & 7))) !== 0;
  }
}

function readBits(state: State): Uint8Array {
  const object = state.object(FEATURES_ID);
  return object === undefined ? new Uint8Array(0) : decode(bytes, object.value);
}
