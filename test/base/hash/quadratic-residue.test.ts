import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { isQuadraticResidue } from '../../../src/base/hash/secp256k1.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';

describe('isQuadraticResidue', () => {
  it.each([3n, 5n, 7n, 11n, 13n, 17n, 97n, 257n])('knows the squares modulo %s', (prime) => {
    const squares = new Set<bigint>();
    for (let root = 1n; root < prime; root++) squares.add((root * root) % prime);
    for (let value = 0n; value < prime; value++) {
      expect([value, isQuadraticResidue(value, prime)]).toEqual([value, squares.has(value)]);
    }
  });

  it(`is right modulo the prime of secp256k1, for long runs of zeros too, seed ${seed}`, () => {
    const { Fp } = secp256k1.Point;
    const random = randomNumbers(seed);
    for (let run = 0; run < runs(100, 300); run++) {
      let root = 1n;
      for (let part = 0; part < 8; part++) root = (root << 32n) + BigInt(random(2 ** 32));
      const square = Fp.sqr(Fp.create(root));
      expect(isQuadraticResidue(square, Fp.ORDER)).toBe(true);
      // -1 is no square, and 2 is one.
      expect(isQuadraticResidue(Fp.ORDER - square, Fp.ORDER)).toBe(false);
    }
    for (let bits = 0n; bits < 256n; bits++) expect(isQuadraticResidue(1n << bits, Fp.ORDER)).toBe(true);
  });
});
