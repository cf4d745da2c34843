/** Sums by tables are those of @noble/curves, of points of every order. */
import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { assert, describe, expect, it, vi } from 'vitest';
import { SIGNATURE_TABLES_MAX } from '../../../src/base/config.ts';
import { readEncodedPoint } from '../../../src/base/hash/ed25519-curve.ts';
import { Ed25519Multiples } from '../../../src/base/hash/ed25519-multiples.ts';
import { runs } from '../../effort.ts';

const { Point } = ed25519;
type Point = InstanceType<typeof Point>;
const { ORDER } = Point.Fn;
const EDGES = [0n, 1n, 2n, 3n, 31n, 32n, 33n, 255n, 256n, 257n, 2n ** 128n, ORDER >> 1n, ORDER - 2n, ORDER - 1n];
const scalar = fc.oneof(fc.constantFrom(...EDGES), fc.bigInt({ min: 0n, max: ORDER - 1n }));
/** Of order 8. */
const TORSION = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a');

const multiples = Ed25519Multiples.make();
assert(multiples !== undefined, 'this host has WebAssembly');

const times = (point: Point, number: bigint): Point => (number === 0n ? Point.ZERO : point.multiplyUnsafe(number));
/** `multiplyUnsafe` takes numbers below the order as they are, whatever the order of the point. */
const difference = (point: Point, base: bigint, key: bigint): Point =>
  times(Point.BASE, base).subtract(times(point, key));

describe('differences of two multiples', () => {
  it('are found equal to what they are, and to nothing else, with any table', () => {
    fc.assert(
      fc.property(
        scalar,
        fc.bigInt({ min: 0n, max: 7n }),
        scalar,
        scalar,
        fc.nat({ max: SIGNATURE_TABLES_MAX - 1 }),
        (secret, torsion, base, key, slot) => {
          const point = times(Point.BASE, secret).add(times(TORSION, torsion));
          multiples.makeKeyTable(slot, point.toAffine());
          const expected = readEncodedPoint(difference(point, base, key).toBytes());
          const isFound = (encoded: typeof expected): boolean => multiples.isDifference(encoded, base, slot, key);
          expect(isFound(expected)).toBe(true);
          expect(isFound({ ...expected, y: expected.y ^ 1n })).toBe(false);
          expect(isFound({ ...expected, isOdd: !expected.isOdd })).toBe(false);
        },
      ),
      { numRuns: runs(60, 1_000) },
    );
  });

  it('keep to their tables', () => {
    const points = [11n, 12n].map((secret) => Point.BASE.multiply(secret ** 40n));
    for (const [slot, point] of points.entries()) multiples.makeKeyTable(slot, point.toAffine());
    for (const [slot, point] of points.entries()) {
      const encoded = readEncodedPoint(difference(point, 77n, 98n).toBytes());
      expect([0, 1].map((other) => multiples.isDifference(encoded, 77n, other, 98n))).toEqual([slot === 0, slot === 1]);
    }
  });
});

describe('a host without WebAssembly', () => {
  it('has no tables', () => {
    vi.stubGlobal('WebAssembly', undefined);
    expect(Ed25519Multiples.make()).toBeUndefined();
    vi.unstubAllGlobals();
  });
});
