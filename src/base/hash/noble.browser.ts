/**
 * `@noble/curves` and `@noble/hashes` in a page, which has no `require`: imported statically, so that a bundler omits
 * unused modules.
 * @module
 */
import { bls12_381 as bls } from '@noble/curves/bls12-381.js';
import { bn254 as bn } from '@noble/curves/bn254.js';
import { ed25519 as edwards } from '@noble/curves/ed25519.js';
import { p256 as nist } from '@noble/curves/nist.js';
import { secp256k1 as koblitz, schnorr as taproot } from '@noble/curves/secp256k1.js';
import { blake2b as blake } from '@noble/hashes/blake2.js';
import { ripemd160 as ripemd } from '@noble/hashes/legacy.js';
import type * as Noble from './noble.ts';

export const bls12_381: typeof Noble.bls12_381 = () => bls;
export const bn254: typeof Noble.bn254 = () => bn;
export const ed25519: typeof Noble.ed25519 = () => edwards;
export const p256: typeof Noble.p256 = () => nist;
export const schnorr: typeof Noble.schnorr = () => prepared(taproot);
export const secp256k1: typeof Noble.secp256k1 = () => prepared(koblitz);
export const blake2b: typeof Noble.blake2b = () => blake;
export const nobleRipemd160: typeof Noble.nobleRipemd160 = () => ripemd;
export const canLoadNoble: typeof Noble.canLoadNoble = () => true;

let isPrepared = false;

/** As in noble.ts: a larger table for multiples of the base point takes longer to make than it saves. */
function prepared<Curve>(curve: Curve): Curve {
  if (!isPrepared) koblitz.Point.BASE.precompute(4);
  isPrepared = true;
  return curve;
}
