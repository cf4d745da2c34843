/**
 * What pairings of BLS12-381 and BN254 have in common.
 *
 * Points come from `bls-point.ts` and `bn254-point.ts`, which read what the reference's libraries read; those of
 * @noble/curves are stricter about infinity, and tell a point outside of the subgroup from one off the curve only by text.
 * Cost: a pairing takes 10 to 20 ms, a test of a point's subgroup 1 ms, measured.
 * @module
 */
import type { BlsCurvePair } from '@noble/curves/abstract/bls.js';
import type { Fp2, Fp12 } from '@noble/curves/abstract/tower.js';
import type { WeierstrassPoint } from '@noble/curves/abstract/weierstrass.js';

export type G1Point = WeierstrassPoint<bigint>;
export type G2Point = WeierstrassPoint<Fp2>;
/** An element of the field that the coordinates of G2 are of: `c0 + c1 i`. */
export type Extended = Fp2;

/** The product of the pairings. A pair with a point at infinity counts as one, as does no pair at all. */
export function pairingProduct(
  { pairingBatch }: BlsCurvePair,
  pairs: readonly (readonly [g1: G1Point, g2: G2Point])[],
): Fp12 {
  const finite = pairs.filter(([g1, g2]) => !g1.is0() && !g2.is0());
  return pairingBatch(finite.map(([g1, g2]) => ({ g1, g2 })));
}

/** Whether the product of the pairings is one. */
export function isPairingProductOne(
  curve: BlsCurvePair,
  pairs: readonly (readonly [g1: G1Point, g2: G2Point])[],
): boolean {
  const { Fp12 } = curve.fields;
  return Fp12.eql(pairingProduct(curve, pairs), Fp12.ONE);
}
