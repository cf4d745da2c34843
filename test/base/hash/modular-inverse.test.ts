/** A number times its inverse is 1, even next to every bound. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inverter } from '../../../src/base/hash/modular-inverse.ts';
import { runs } from '../../effort.ts';

const PRIMES = [secp256k1.Point.Fp.ORDER, secp256k1.Point.Fn.ORDER, ed25519.Point.Fp.ORDER, ed25519.Point.Fn.ORDER];

describe('inverses', () => {
  it.each(PRIMES)('modulo %s', (prime) => {
    const inverse = inverter(prime);
    const edges = Array.from({ length: 255 }, (_, bit) => [2n ** BigInt(bit) - 1n, 2n ** BigInt(bit) + 1n]).flat();
    for (const value of [...edges, ...edges.map((edge) => prime - edge)]) {
      if (value <= 0n || value >= prime) continue;
      const found = inverse(value);
      expect((found * value) % prime).toBe(1n);
      expect(found >= 0n && found < prime).toBe(true);
    }
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: prime - 1n }), (value) => {
        expect((inverse(value) * value) % prime).toBe(1n);
      }),
      { numRuns: runs(300, 20_000) },
    );
  });
});
