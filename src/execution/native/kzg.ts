/**
 * Kate-Zaverucha-Goldberg commitments to polynomials, as Ethereum's blobs have them, on BLS12-381.
 *
 * A proof of `p(z) = y` is the commitment to `(p(x) - y) / (x - z)`. It is checked with a pairing at the secret point
 * of the trusted setup, for which a single power in G2 suffices.
 * Source: EIP-4844; consensus-specs, deneb/polynomial-commitments.md.
 * @module
 */

import { bytesToNumberBE } from '@noble/curves/utils.js';
import { fromHex } from '../../base/bytes/hex.ts';
import { bls12_381 } from '../../base/hash/curves.ts';
import { readBlsG1, readBlsG2 } from './bls-point.ts';
import { type G1Point, type G2Point, isPairingProductOne } from './pairing.ts';

/** Order of the field that the polynomials are over. */
export function blsModulus(): bigint {
  return bls12_381().fields.Fr.ORDER;
}

/** The secret of Ethereum's ceremony times the generator of G2: the second of `g2_monomial` in its trusted setup. */
const SECRET_G2_HEX =
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72' +
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2';
let secretG2: G2Point | undefined;

/**
 * Whether the polynomial behind `commitment` has the value `y` at `z`; also false for malformed points and numbers.
 * @param commitment 48 bytes, a compressed point of G1, as `proof`
 * @param z 32 bytes, big endian, below the order of the field, as `y`
 */
export function verifyKzgProof(commitment: Uint8Array, z: Uint8Array, y: Uint8Array, proof: Uint8Array): boolean {
  const [at, value] = [bytesToNumberBE(z), bytesToNumberBE(y)];
  const modulus = blsModulus();
  if (at >= modulus || value >= modulus) return false;
  const commitmentPoint = readSubgroupG1(commitment);
  const proofPoint = readSubgroupG1(proof);
  if (commitmentPoint === undefined || proofPoint === undefined) return false;
  secretG2 ??= readBlsG2(fromHex(SECRET_G2_HEX))!;
  const curve = bls12_381();
  const { BASE } = curve.G2.Point;
  return isPairingProductOne(curve, [
    [commitmentPoint.subtract(curve.G1.Point.BASE.multiplyUnsafe(value)), BASE.negate()],
    [proofPoint, secretG2.subtract(BASE.multiplyUnsafe(at))],
  ]);
}

function readSubgroupG1(bytes: Uint8Array): G1Point | undefined {
  const point = readBlsG1(bytes);
  return point?.isTorsionFree() ? point : undefined;
}
