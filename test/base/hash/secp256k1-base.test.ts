import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { multipleOfBase, multiplyByTable } from '../../../src/base/hash/secp256k1-base.ts';

const { BASE, Fn } = secp256k1.Point;

describe.each([
  ['as this host does', () => multipleOfBase],
  ['by tables', multiplyByTable],
])('multiples of the base point, %s', (_, make) => {
  it('are its sums', () => {
    const multiply = make();
    let sum = BASE;
    for (let scalar = 1n; scalar < 250n; scalar++) {
      expect(multiply(scalar).equals(sum), String(scalar)).toBe(true);
      sum = sum.add(BASE);
    }
    expect(multiply(Fn.ORDER - 1n).equals(BASE.negate())).toBe(true);
    expect(() => multiply(0n)).toThrow();
    expect(() => multiply(Fn.ORDER)).toThrow();
  });
});
