/**
 * The common part of the pairings of BLS12-381 and BN254.
 *
 * Points come from `bls12381.ts` and `bn254-point.ts`, which accept the same bytes as the reference's libraries;
 * @noble/curves is stricter about infinity, and distinguishes a point outside the subgroup from one off the curve only
 * by message.
 * @module
 */
import type { BlsCurvePair } from '@noble/curves/abstract/bls.js';
import type { Fp2, Fp12 } from '@noble/curves/abstract/tower.js';
import type { WeierstrassPoint } from '@noble/curves/abstract/weierstrass.js';

export type G1Point = WeierstrassPoint<bigint>;
export type G2Point = WeierstrassPoint<Fp2>;
/** An element of the field of G2's coordinates: `c0 + c1 i`. */
export type Extended = Fp2;

/** The point, if it is in the subgroup of its curve. */
export function inSubgroup<Point extends G1Point | G2Point>(point: Point | undefined): Point | undefined {
  return point?.isTorsionFree() ? point : undefined;
}

/** Whether a number of the field of this order is larger than its negative. */
export function isUpperHalf(value: bigint, order: bigint): boolean {
  return 2n * value > order;
}

/** The same for the extension field, whose elements are compared by their imaginary part first. */
export function isUpperHalfExtended({ c0, c1 }: Extended, order: bigint): boolean {
  return isUpperHalf(c1 === 0n ? c0 : c1, order);
}

/** Pairs that are processed together: they share their squarings, and each keeps all its lines in memory meanwhile. */
const BATCH_PAIRS = 32;

/**
 * The product of the pairings. A pair with a point at infinity counts as one; without pairs the product is one.
 * @param pairs points of the subgroups, which is not checked again
 */
export function pairingProduct(
  { fields, millerLoopBatch, utils }: BlsCurvePair,
  pairs: Iterable<readonly [g1: G1Point, g2: G2Point]>,
): Fp12 {
  const { Fp12 } = fields;
  let product = Fp12.ONE;
  let batch: Parameters<typeof millerLoopBatch>[0] = [];
  for (const [g1, g2] of pairs) {
    if (g1.is0() || g2.is0()) continue;
    const { x, y } = g1.toAffine();
    batch.push([utils.calcPairingPrecomputes(g2), x, y]);
    if (batch.length < BATCH_PAIRS) continue;
    product = Fp12.mul(product, millerLoopBatch(batch));
    batch = [];
  }
  return Fp12.finalExponentiate(Fp12.mul(product, millerLoopBatch(batch)));
}

/** Whether the product of the pairings is one. */
export function isPairingProductOne(
  curve: BlsCurvePair,
  pairs: Iterable<readonly [g1: G1Point, g2: G2Point]>,
): boolean {
  const { Fp12 } = curve.fields;
  return Fp12.eql(pairingProduct(curve, pairs), Fp12.ONE);
}
