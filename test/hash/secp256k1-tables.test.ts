/** Multiples by tables are those that @noble/curves makes by other means. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import { describe, expect, it } from 'vitest';
import { CurveTables, KEY_TABLES_MAX } from '../../src/hash/secp256k1-tables.ts';
import { randomBytes, runs, seed } from '../effort.ts';

const { BASE, Fn } = secp256k1.Point;
const ORDER = Fn.ORDER;
const tables = CurveTables.open()!;
const random = randomBytes(seed);

/** From 1 to below the order. */
function scalar(): bigint {
  return (bytesToNumberBE(random(32)) % (ORDER - 1n)) + 1n;
}

function xOf(number: bigint): bigint {
  return BASE.multiply(number).toAffine().x;
}

describe('tables of multiples', () => {
  it('give multiples of the base point, one or many at a time', () => {
    const special = [1n, 2n, 511n, 512n, 513n, 1023n, 1024n, 1n << 200n, 1n << 254n, (1n << 254n) - 1n, ORDER >> 1n];
    expect(tables.multiplesOfBase(special)).toEqual(special.map(xOf));
    for (const number of special) expect(tables.multiplesOfBase([number])).toEqual([xOf(number)]);
    // Digits that are 0, beside others that are not.
    const sparse = Array.from({ length: 60 }, (_, index) => 1n + (BigInt(index) << BigInt(10 * (index % 24))));
    expect(tables.multiplesOfBase(sparse)).toEqual(sparse.map(xOf));
    const many = Array.from({ length: runs(300, 3_000) }, () => scalar() >> 1n || 1n);
    expect(tables.multiplesOfBase(many)).toEqual(many.map(xOf));
    expect(tables.multiplesOfBase([])).toEqual([]);
  });

  it('tell the x of a sum of multiples of the base point and a key', () => {
    for (const key of [1n, 2n, ORDER - 1n, ...Array.from({ length: runs(5, 50) }, scalar)]) {
      const place = Number(key % BigInt(KEY_TABLES_MAX));
      tables.makeKeyTable(place, BASE.multiply(key).toAffine());
      for (const a of [0n, 1n, ORDER - 1n, ...Array.from({ length: runs(5, 50) }, scalar)]) {
        const b = scalar();
        const sum = (a + b * key) % ORDER;
        const x = xOf(sum) % ORDER;
        expect(tables.isSumAt(a, place, b, x), `${a} + ${b} * ${key}`).toBe(true);
        expect(tables.isSumAt(a, place, b, (x + 1n) % ORDER)).toBe(false);
      }
    }
  });

  it('do not tell of a sum that is at infinity, or passes it or a double', () => {
    const key = scalar();
    tables.makeKeyTable(3, BASE.multiply(key).toAffine());
    const b = scalar();
    const a = Fn.create(-b * key);
    expect(tables.isSumAt(a, 3, b, 1n)).toBeUndefined();
    expect(tables.isSumAt(0n, 3, 0n, 1n)).toBeUndefined();
    tables.makeKeyTable(3, BASE.toAffine());
    expect(tables.isSumAt(1n, 3, 1n, xOf(2n))).toBeUndefined();
    // The sum so far is the point at infinity, and goes on from there.
    expect(tables.isSumAt(ORDER - 1n, 3, 33n, xOf(32n))).toBeUndefined();
  });
});
