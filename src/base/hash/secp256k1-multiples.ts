/**
 * Multiples of frequently used secp256k1 points, by tables: of the base point for a signature, and its sum with that of
 * a key for a check.
 *
 * A number is written in digits that are all odd. A table holds the multiples for each odd digit at each place, so a
 * multiple is a sum of one entry for each place, negated if the digit is negative.
 *
 * Many multiples of the base point are computed together, in a tree of additions that share one inversion per level. A
 * sum for a check is computed alone, without inversions.
 *
 * Neither the tables nor BigInt take constant time; an observer can only time whole batches.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { SIGNATURE_TABLES_MAX } from '../config.ts';
import { FIELD_ELEMENT_BYTES } from './field-code.ts';
import { inverter } from './modular-inverse.ts';
import { digitCount, oddDigits } from './scalar-bytes.ts';
import { FREE, INVERSE, POINT_BYTES, type Secp256k1Field, SUM_BYTES, secp256k1Field, Y, Z } from './secp256k1-field.ts';

const { BASE, Fn, Fp } = secp256k1.Point;
const inverseInField = inverter(Fp.ORDER);

/** Bits of a digit: a larger table for the base point, of which there is one. */
const BASE_BITS = 8;
const KEY_BITS = 5;
const BASE_DIGITS = digitCount(BASE_BITS);
const KEY_DIGITS = digitCount(KEY_BITS);

/** Numbers whose multiples share inversions. */
export const TOGETHER_MAX = 128;

/** The memory layout, in bytes: the sum of a check, room for points and for products, the tables. */
const SUM = FREE;
const POINTS = SUM + SUM_BYTES;
/** Sums that are turned into points come after these. */
const SUMS = POINTS + 8 * KEY_DIGITS * POINT_BYTES;
const PRODUCTS = POINTS + TOGETHER_MAX * BASE_DIGITS * POINT_BYTES;
const BASE_TABLE = PRODUCTS + ((TOGETHER_MAX * BASE_DIGITS) / 2 + 1) * FIELD_ELEMENT_BYTES;
const KEY_TABLES = BASE_TABLE + tableBytes(BASE_BITS);
const MEMORY_BYTES = KEY_TABLES + SIGNATURE_TABLES_MAX * tableBytes(KEY_BITS);

function tableBytes(bits: number): number {
  return digitCount(bits) * 2 ** (bits - 1) * POINT_BYTES;
}

export class Secp256k1Multiples {
  readonly #field: Secp256k1Field;
  readonly #digits = new Int16Array(KEY_DIGITS);

  private constructor(field: Secp256k1Field) {
    this.#field = field;
    field.put(PRODUCTS, 1n);
    this.#makeTable(BASE_TABLE, BASE_BITS, BASE.x, BASE.y);
  }

  /** Undefined if the host has no WebAssembly, or does not allow it. */
  static make(): Secp256k1Multiples | undefined {
    const field = secp256k1Field(MEMORY_BYTES);
    return field === undefined ? undefined : new Secp256k1Multiples(field);
  }

  /**
   * The x of the multiples of the base point by odd numbers below the order, `TOGETHER_MAX` at most.
   * @returns undefined for numbers that happen not to be computable this way: one in 2^120
   */
  ofBase(numbers: readonly bigint[]): bigint[] | undefined {
    const { copy, negative, get } = this.#field;
    const digits = this.#digits;
    let at = POINTS;
    for (const number of numbers) {
      oddDigits(digits, number, BASE_BITS);
      for (let digit = 0; digit < BASE_DIGITS; digit++, at += POINT_BYTES) {
        const value = digits[digit]!;
        if (value > 0) copy(at, entryAt(BASE_TABLE, BASE_BITS, digit, value));
        else negative(at, entryAt(BASE_TABLE, BASE_BITS, digit, -value));
      }
    }
    for (let step = POINT_BYTES; step < BASE_DIGITS * POINT_BYTES; step *= 2) {
      if (!this.#joinPairs(at, step)) return undefined;
    }
    return numbers.map((_, index) => get(POINTS + index * BASE_DIGITS * POINT_BYTES));
  }

  /** Joins the points from `POINTS` to `end` that are `step` apart, each two into the first. */
  #joinPairs(end: number, step: number): boolean {
    const { chain, join } = this.#field;
    let product = PRODUCTS;
    let at = POINTS;
    for (; at < end; at += 2 * step, product += FIELD_ELEMENT_BYTES) {
      chain(product + FIELD_ELEMENT_BYTES, product, at, at + step);
    }
    if (!this.#invert(product)) return false;
    for (at -= 2 * step; at >= POINTS; at -= 2 * step) {
      product -= FIELD_ELEMENT_BYTES;
      join(at, product, at, at + step);
    }
    return true;
  }

  /** Writes the inverse of a product to where `join` takes it; false if there is none. */
  #invert(product: number): boolean {
    const { get, put } = this.#field;
    const value = get(product);
    if (value === 0n) return false;
    put(INVERSE, inverseInField(value));
    return true;
  }

  /** Makes the table of the point of `x` and `y`, for `isSum`. Takes as long as a few checks. */
  makeKeyTable(slot: number, x: bigint, y: bigint): void {
    this.#makeTable(KEY_TABLES + slot * tableBytes(KEY_BITS), KEY_BITS, x, y);
  }

  /**
   * Whether `base` times the base point plus `key` times the point of a table has this x; both numbers are from 1 to
   * below the order. False proves nothing: some points, all of them crafted, cannot be added here.
   */
  isSum(x: bigint, base: bigint, slot: number, key: bigint): boolean {
    const { get, put, square, multiply, subtract } = this.#field;
    this.#addMultiple(BASE_TABLE, BASE_BITS, base, true);
    this.#addMultiple(KEY_TABLES + slot * tableBytes(KEY_BITS), KEY_BITS, key, false);
    put(POINTS, x);
    square(POINTS + Y, SUM + Z);
    multiply(POINTS, POINTS, POINTS + Y);
    subtract(POINTS, SUM, POINTS);
    return get(POINTS) === 0n && get(SUM + Z) !== 0n;
  }

  /** Adds a multiple by a number from 1 to below the order to the sum, or starts the sum with it. */
  #addMultiple(table: number, bits: number, number: bigint, begins: boolean): void {
    const { addPoint, subtractPoint, copy, negative } = this.#field;
    const digits = this.#digits;
    // Of a number and its negative, one is odd.
    const isOdd = (number & 1n) === 1n;
    oddDigits(digits, isOdd ? number : Fn.ORDER - number, bits);
    const count = digitCount(bits);
    for (let digit = 0; digit < count; digit++) {
      const value = isOdd ? digits[digit]! : -digits[digit]!;
      const entry = entryAt(table, bits, digit, Math.abs(value));
      if (begins && digit === 0) {
        (value > 0 ? copy : negative)(SUM, entry);
        this.#field.put(SUM + Z, 1n);
      } else if (value > 0) addPoint(SUM, entry);
      else subtractPoint(SUM, entry);
    }
  }

  #makeTable(table: number, bits: number, x: bigint, y: bigint): void {
    const { chain, copy, join } = this.#field;
    const count = digitCount(bits);
    this.#makePowers(count * bits, x, y);
    for (let digit = 0; digit < count; digit++) {
      copy(entryAt(table, bits, digit, 1), POINTS + digit * bits * POINT_BYTES);
    }
    // Any multiple above a power is the power plus a multiple that is already there.
    for (let power = 1; power < bits; power++) {
      let product = PRODUCTS;
      for (let digit = 0; digit < count; digit++) {
        const other = POINTS + (digit * bits + power) * POINT_BYTES;
        for (let odd = 1; odd < 1 << power; odd += 2, product += FIELD_ELEMENT_BYTES) {
          chain(product + FIELD_ELEMENT_BYTES, product, entryAt(table, bits, digit, odd), other);
        }
      }
      this.#invert(product);
      for (let digit = count - 1; digit >= 0; digit--) {
        const other = POINTS + (digit * bits + power) * POINT_BYTES;
        for (let odd = (1 << power) - 1; odd > 0; odd -= 2) {
          product -= FIELD_ELEMENT_BYTES;
          const to = entryAt(table, bits, digit, odd + (1 << power));
          join(to, product, entryAt(table, bits, digit, odd), other);
        }
      }
    }
  }

  /** Writes the multiples of a point by `count` powers of 2 to the points. */
  #makePowers(count: number, x: bigint, y: bigint): void {
    const { double, multiply, put, square } = this.#field;
    const sumAt = (power: number): number => SUMS + power * SUM_BYTES;
    put(sumAt(0), x);
    put(sumAt(0) + Y, y);
    put(sumAt(0) + Z, 1n);
    for (let power = 0; power < count; power++) {
      if (power > 0) double(sumAt(power), sumAt(power - 1));
      const product = PRODUCTS + power * FIELD_ELEMENT_BYTES;
      multiply(product + FIELD_ELEMENT_BYTES, product, sumAt(power) + Z);
    }
    this.#invert(PRODUCTS + count * FIELD_ELEMENT_BYTES);
    for (let power = count - 1; power >= 0; power--) {
      const sum = sumAt(power);
      const point = POINTS + power * POINT_BYTES;
      // The inverse of this z, then its square and its cube.
      multiply(SUM, INVERSE, PRODUCTS + power * FIELD_ELEMENT_BYTES);
      multiply(INVERSE, INVERSE, sum + Z);
      square(SUM + Y, SUM);
      multiply(point, sum, SUM + Y);
      multiply(SUM + Y, SUM + Y, SUM);
      multiply(point + Y, sum + Y, SUM + Y);
    }
  }
}

let shared: { readonly multiples: Secp256k1Multiples | undefined } | undefined;

/** The process's instance, which takes 15 ms and 0.7 MB to create: worth it from some sixty signatures or checks on. */
export function secp256k1Multiples(): Secp256k1Multiples | undefined {
  shared ??= { multiples: Secp256k1Multiples.make() };
  return shared.multiples;
}

function entryAt(table: number, bits: number, digit: number, odd: number): number {
  return table + ((digit << (bits - 1)) + (odd >> 1)) * POINT_BYTES;
}
