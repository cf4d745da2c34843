/**
 * Sums of two multiples of Ed25519 points, the base point and a key, by tables: the main work of a signature check
 * (ed25519-check.ts).
 *
 * A number is written in digits that are all odd. A table holds the multiples for each odd digit at each place, so a
 * multiple is a sum of one entry for each place, negated if the digit is negative.
 *
 * Neither the tables nor BigInt take constant time; nothing that is checked is secret.
 * @module
 */
import { SIGNATURE_TABLES_MAX } from '../config.ts';
import { BASE, type EdwardsPoint, type EncodedPoint, ORDER, PRIME } from './ed25519-curve.ts';
import { type Ed25519Field, ENTRY_BYTES, ed25519Field, FREE, NEUTRAL, SUM_BYTES, T, Y, Z } from './ed25519-field.ts';
import { FIELD_ELEMENT_BYTES } from './field-code.ts';
import { inverter } from './modular-inverse.ts';
import { digitCount, oddDigits } from './scalar-bytes.ts';

/** Bits of a digit: a larger table for the base point, of which there is one. */
const BASE_BITS = 8;
const KEY_BITS = 5;
const KEY_DIGITS = digitCount(KEY_BITS);

/** Sums that share an inversion when they become entries: those of a whole key, or of some digits of the base point. */
const SUMS_TOGETHER = 1_024;
const HALF = (PRIME + 1n) / 2n;

/** The memory layout, in bytes: the sum of a check, room for building a table, the tables. */
const SUM = FREE;
const INVERSE = SUM + SUM_BYTES;
const QUOTIENT = INVERSE + FIELD_ELEMENT_BYTES;
const SUMS = QUOTIENT + FIELD_ELEMENT_BYTES;
const PRODUCTS = SUMS + SUMS_TOGETHER * SUM_BYTES;
/** For each digit, the entries of the point at its place and of twice that point. */
const STEPS = PRODUCTS + (SUMS_TOGETHER + 1) * FIELD_ELEMENT_BYTES;
const BASE_TABLE = STEPS + 2 * KEY_DIGITS * ENTRY_BYTES;
const KEY_TABLES = BASE_TABLE + tableBytes(BASE_BITS);
const MEMORY_BYTES = KEY_TABLES + SIGNATURE_TABLES_MAX * tableBytes(KEY_BITS);

function tableBytes(bits: number): number {
  return digitCount(bits) * 2 ** (bits - 1) * ENTRY_BYTES;
}

export class Ed25519Multiples {
  readonly #field: Ed25519Field;
  readonly #inverse = inverter(PRIME);
  readonly #digits = new Int16Array(KEY_DIGITS);

  private constructor(field: Ed25519Field) {
    this.#field = field;
    // Entries need the inverse of twice a z.
    field.put(PRODUCTS, HALF);
    this.#makeTable(BASE_TABLE, BASE_BITS, BASE);
  }

  /** Undefined if the host has no WebAssembly, or does not allow it. */
  static make(): Ed25519Multiples | undefined {
    const field = ed25519Field(MEMORY_BYTES);
    return field === undefined ? undefined : new Ed25519Multiples(field);
  }

  /** Makes the table of a point, for `isDifference`. Takes as long as five checks by the host. */
  makeKeyTable(slot: number, point: EdwardsPoint): void {
    this.#makeTable(keyTable(slot), KEY_BITS, point);
  }

  /**
   * Whether `base` times the base point, minus `key` times the point of a table, is the encoded point. Both numbers are
   * below the order of the base point; the table's point may have any order.
   */
  isDifference({ y, isOdd }: EncodedPoint, base: bigint, slot: number, key: bigint): boolean {
    const { addEntry, subtractEntry, get, multiply, put } = this.#field;
    const digits = this.#digits;
    // Adding the base point's order, which is odd, makes an even number odd.
    oddDigits(digits, (base & 1n) === 1n ? base : base + ORDER, BASE_BITS);
    let sum = NEUTRAL;
    for (let digit = 0; digit < digitCount(BASE_BITS); digit++, sum = SUM) {
      const value = digits[digit]!;
      if (value > 0) addEntry(SUM, sum, entryAt(BASE_TABLE, BASE_BITS, digit, value));
      else subtractEntry(SUM, sum, entryAt(BASE_TABLE, BASE_BITS, digit, -value));
    }
    // The other point may have another order, so for an even number the next one is used, and the point taken off
    // again.
    const table = keyTable(slot);
    const isKeyOdd = (key & 1n) === 1n;
    oddDigits(digits, isKeyOdd ? key : key + 1n, KEY_BITS);
    for (let digit = 0; digit < KEY_DIGITS; digit++) {
      const value = digits[digit]!;
      if (value > 0) subtractEntry(SUM, SUM, entryAt(table, KEY_BITS, digit, value));
      else addEntry(SUM, SUM, entryAt(table, KEY_BITS, digit, -value));
    }
    if (!isKeyOdd) addEntry(SUM, SUM, entryAt(table, KEY_BITS, 0, 1));
    put(INVERSE, this.#inverse(get(SUM + Z)));
    multiply(QUOTIENT, SUM + Y, INVERSE);
    if (get(QUOTIENT) !== y) return false;
    multiply(QUOTIENT, SUM, INVERSE);
    return ((get(QUOTIENT) & 1n) === 1n) === isOdd;
  }

  #makeTable(table: number, bits: number, point: EdwardsPoint): void {
    const { addEntry } = this.#field;
    const count = digitCount(bits);
    const multiples = 1 << (bits - 1);
    this.#makeSteps(bits, point);
    const digitsTogether = SUMS_TOGETHER / multiples;
    for (let from = 0; from < count; from += digitsTogether) {
      let sum = SUMS;
      for (let digit = from; digit < Math.min(from + digitsTogether, count); digit++) {
        const step = STEPS + 2 * digit * ENTRY_BYTES;
        addEntry(sum, NEUTRAL, step);
        for (let multiple = 1; multiple < multiples; multiple++, sum += SUM_BYTES) {
          addEntry(sum + SUM_BYTES, sum, step + ENTRY_BYTES);
        }
        sum += SUM_BYTES;
      }
      this.#makeEntries(entryAt(table, bits, from, 1), (sum - SUMS) / SUM_BYTES);
    }
  }

  /** Writes the entries of the point at the place of each digit, and of twice that, to the steps. */
  #makeSteps(bits: number, { x, y }: EdwardsPoint): void {
    const { double, multiply, put } = this.#field;
    put(SUMS, x);
    put(SUMS + Y, y);
    put(SUMS + Z, 1n);
    multiply(SUMS + T, SUMS, SUMS + Y);
    const count = digitCount(bits);
    for (let digit = 0; digit < count; digit++) {
      const sum = SUMS + 2 * digit * SUM_BYTES;
      double(sum + SUM_BYTES, sum);
      double(sum + 2 * SUM_BYTES, sum + SUM_BYTES);
      for (let power = 2; power < bits; power++) double(sum + 2 * SUM_BYTES, sum + 2 * SUM_BYTES);
    }
    this.#makeEntries(STEPS, 2 * count);
  }

  /** Makes entries from `count` sums, with one inversion. */
  #makeEntries(entries: number, count: number): void {
    const { get, makeEntry, multiply, put } = this.#field;
    const zAt = (index: number): number => SUMS + index * SUM_BYTES + Z;
    const productAt = (index: number): number => PRODUCTS + index * FIELD_ELEMENT_BYTES;
    for (let index = 0; index < count; index++) multiply(productAt(index + 1), productAt(index), zAt(index));
    put(INVERSE, this.#inverse((2n * get(productAt(count))) % PRIME));
    for (let index = count - 1; index >= 0; index--) {
      multiply(QUOTIENT, INVERSE, productAt(index));
      multiply(INVERSE, INVERSE, zAt(index));
      makeEntry(entries + index * ENTRY_BYTES, SUMS + index * SUM_BYTES, QUOTIENT);
    }
  }
}

let shared: { readonly multiples: Ed25519Multiples | undefined } | undefined;

/** The process's instance, which takes 14 ms and 0.8 MB to create: worth it from some two hundred checks on. */
export function ed25519Multiples(): Ed25519Multiples | undefined {
  shared ??= { multiples: Ed25519Multiples.make() };
  return shared.multiples;
}

function keyTable(slot: number): number {
  return KEY_TABLES + slot * tableBytes(KEY_BITS);
}

function entryAt(table: number, bits: number, digit: number, odd: number): number {
  return table + ((digit << (bits - 1)) + (odd >> 1)) * ENTRY_BYTES;
}
