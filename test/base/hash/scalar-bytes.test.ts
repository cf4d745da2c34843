/** Numbers are their bytes and their digits. */
import { bytesToNumberBE, numberToBytesBE, numberToBytesLE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  digitCount,
  oddDigits,
  readLittleEndian,
  readScalar,
  writeScalar,
} from '../../../src/base/hash/scalar-bytes.ts';

const scalar = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

describe('numbers of 256 bits', () => {
  it('are read and written as @noble/curves does', () => {
    fc.assert(
      fc.property(scalar, fc.nat({ max: 40 }), (value, at) => {
        const bytes = new Uint8Array(80).fill(0xaa);
        const expected = bytes.slice();
        expected.set(numberToBytesBE(value, 32), at);
        writeScalar(bytes, at, value);
        expect(bytes).toEqual(expected);
        expect(readScalar(bytes, at)).toBe(bytesToNumberBE(expected.subarray(at, at + 32)));
        expect(readLittleEndian(Uint8Array.of(...new Uint8Array(at), ...numberToBytesLE(value, 32)), at)).toBe(value);
      }),
    );
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('are sums of odd digits of %d bits', (bits) => {
    const digits = new Int16Array(256);
    const edges = fc.constantFrom(1n, 2n ** 256n - 1n, 2n ** 255n + 1n, 2n ** 255n - 1n);
    fc.assert(
      fc.property(fc.oneof(scalar, edges), (any) => {
        const value = any | 1n;
        oddDigits(digits, value, bits);
        let sum = 0n;
        for (let digit = digitCount(bits) - 1; digit >= 0; digit--) {
          expect(Math.abs(digits[digit]! % 2)).toBe(1);
          expect(Math.abs(digits[digit]!)).toBeLessThan(2 ** bits);
          sum = (sum << BigInt(bits)) + BigInt(digits[digit]!);
        }
        expect(sum).toBe(value);
      }),
    );
  });
});
