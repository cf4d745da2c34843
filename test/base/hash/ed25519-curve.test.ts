/** Constants and points are those of @noble/curves. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { numberToBytesLE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BASE, D, decodePoint, ORDER, PRIME, readEncodedPoint } from '../../../src/base/hash/ed25519-curve.ts';
import { runs } from '../../effort.ts';

const { Point } = ed25519;

/** In a point's only canonical form: RFC 8032, without the leniency of ZIP 215. */
function decodedByNoble(bytes: Uint8Array): { x: bigint; y: bigint } | undefined {
  try {
    const { x, y } = Point.fromBytes(bytes, false).toAffine();
    return { x, y };
  } catch {
    return undefined;
  }
}

describe('the curve of Ed25519', () => {
  it('has the constants of @noble/curves', () => {
    const { p, n, d, Gx, Gy } = Point.CURVE();
    expect({ p: PRIME, n: ORDER, d: D, Gx: BASE.x, Gy: BASE.y }).toEqual({ p, n, d, Gx, Gy });
  });

  it('has points where @noble/curves has them, of 32 bytes each', () => {
    const top = fc.constantFrom(0n, 2n ** 255n);
    const y = fc.oneof(fc.bigInt(0n, 30n), fc.bigInt(PRIME - 30n, 2n ** 255n - 1n), fc.bigInt(0n, 2n ** 255n - 1n));
    fc.assert(
      fc.property(y, top, (value, sign) => {
        const bytes = numberToBytesLE(value + sign, 32);
        expect(readEncodedPoint(bytes)).toEqual({ y: value, isOdd: sign > 0n });
        expect(decodePoint(bytes)).toEqual(decodedByNoble(bytes));
      }),
      { numRuns: runs(200, 2_000) },
    );
  });
});
