/**
 * The curves of `@noble/curves` in a page, which has no `require`: imported at once, so that a bundler leaves out those
 * that a program does not use.
 * @module
 */
import { bls12_381 as bls } from '@noble/curves/bls12-381.js';
import { bn254 as bn } from '@noble/curves/bn254.js';
import { ed25519 as edwards } from '@noble/curves/ed25519.js';
import { p256 as nist } from '@noble/curves/nist.js';
import { secp256k1 as koblitz, schnorr as taproot } from '@noble/curves/secp256k1.js';
import type * as Curves from './curves.ts';

export const bls12_381: typeof Curves.bls12_381 = () => bls;
export const bn254: typeof Curves.bn254 = () => bn;
export const ed25519: typeof Curves.ed25519 = () => edwards;
export const p256: typeof Curves.p256 = () => nist;
export const schnorr: typeof Curves.schnorr = () => prepared(taproot);
export const secp256k1: typeof Curves.secp256k1 = () => prepared(koblitz);
export const canLoadCurves = true;

let isPrepared = false;

/** As in curves.ts: a larger table for multiples of the base point takes longer to make than it saves. */
function prepared<Curve>(curve: Curve): Curve {
  if (!isPrepared) koblitz.Point.BASE.precompute(4);
  isPrepared = true;
  return curve;
}
