/** Multiples by tables are those of @noble/curves. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { assert, describe, expect, it, vi } from 'vitest';
import { SIGNATURE_TABLES_MAX } from '../../../src/base/config.ts';
import { Secp256k1Multiples, TOGETHER_MAX } from '../../../src/base/hash/secp256k1-multiples.ts';
import { runs } from '../../effort.ts';

const { BASE, Fn } = secp256k1.Point;
const EDGES = [1n, 2n, 3n, 127n, 128n, 255n, 256n, 257n, 2n ** 128n, Fn.ORDER >> 1n, Fn.ORDER - 2n, Fn.ORDER - 1n];
const scalar = fc.oneof(fc.constantFrom(...EDGES), fc.bigInt({ min: 1n, max: Fn.ORDER - 1n }));

const multiples = Secp256k1Multiples.make();
assert(multiples !== undefined, 'this host has WebAssembly');

describe('multiples of the base point', () => {
  it('are right, alone and together', () => {
    const odd = scalar.filter((value) => value % 2n === 1n);
    fc.assert(
      fc.property(fc.array(odd, { minLength: 1, maxLength: 9 }), (numbers) => {
        expect(multiples.ofBase(numbers)).toEqual(numbers.map((number) => BASE.multiply(number).x));
      }),
      { numRuns: runs(30, 500) },
    );
    const many = Array.from({ length: TOGETHER_MAX }, (_, index) => BigInt(2 * index + 1));
    expect(multiples.ofBase(many)).toEqual(many.map((number) => BASE.multiply(number).x));
  });
});

describe('sums of two multiples', () => {
  it('are found equal to their x, and to nothing else, with any table', () => {
    fc.assert(
      fc.property(scalar, scalar, scalar, fc.nat({ max: SIGNATURE_TABLES_MAX - 1 }), (secret, base, key, slot) => {
        const point = BASE.multiply(secret);
        const sum = BASE.multiply(base).add(point.multiply(key));
        fc.pre(!sum.equals(secp256k1.Point.ZERO));
        multiples.makeKeyTable(slot, point.x, point.y);
        const isSum = multiples.isSum(sum.x, base, slot, key);
        // Keys that are small multiples of the base point lead to points that are not added.
        if (secret > 2n ** 128n && secret < Fn.ORDER - 2n ** 128n) expect(isSum).toBe(true);
        expect(multiples.isSum(sum.x ^ 1n, base, slot, key)).toBe(false);
      }),
      { numRuns: runs(40, 1_000) },
    );
  });

  it('are never found equal to anything where they are the point at infinity', () => {
    for (const secret of [1n, 5n, Fn.ORDER - 7n, 2n ** 200n + 9n]) {
      const { x, y } = BASE.multiply(secret);
      multiples.makeKeyTable(0, x, y);
      for (const key of [1n, 3n, 2n ** 130n]) {
        const base = Fn.neg(Fn.mul(secret, key));
        for (const claimed of [0n, 1n, x, BASE.x]) expect(multiples.isSum(claimed, base, 0, key)).toBe(false);
      }
    }
  });

  it('keep to their tables', () => {
    const points = [11n, 12n].map((secret) => BASE.multiply(secret ** 40n));
    for (const [slot, { x, y }] of points.entries()) multiples.makeKeyTable(slot, x, y);
    for (const [slot, point] of points.entries()) {
      const { x } = BASE.multiply(77n).add(point.multiply(99n));
      expect([0, 1].map((other) => multiples.isSum(x, 77n, other, 99n))).toEqual([slot === 0, slot === 1]);
    }
  });
});

describe('a host without WebAssembly', () => {
  it('has no tables', () => {
    vi.stubGlobal('WebAssembly', undefined);
    expect(Secp256k1Multiples.make()).toBeUndefined();
    vi.unstubAllGlobals();
  });
});
