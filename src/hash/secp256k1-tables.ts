/**
 * Multiples of points of secp256k1 by tables of their multiples: of the base point, for signatures and their checks, and of
 * public keys that sign again and again.
 *
 * For a point P and digits to the base 2^b, a table has `d * 2^(b w) * P` for each digit from 1 to 2^(b - 1) at each place
 * w. Digits run from 1 - 2^(b - 1) to 2^(b - 1), so that a multiple is a sum of one point of the table, or its opposite, for
 * each place: no doubling.
 *
 * Many sums at a time are made of affine points in pairs, the sums in pairs again: all additions of a round share a single
 * inversion (Montgomery's trick), and take six multiplications each. A single sum is made in projective coordinates, of eleven.
 *
 * Measured: a table of the base point takes 8 ms and 1 MB, one of a key 0.5 ms and 66 kB. A multiple of the base point is
 * 10 us among many; a check of a signature with both tables 50 us, where the host takes 250.
 *
 * None of this takes constant time; what an observer can time is a whole batch.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { writeU256 } from '../bytes/bigint.ts';
import { ELEMENT_BYTES, PRIME } from './secp256k1-field.ts';
import {
  ADDITION_BYTES,
  POINT_BYTES,
  POINTS_AT,
  PointMemory,
  PROJECTIVE_BYTES,
  RUNNING,
  Z,
} from './secp256k1-points.ts';

const { Fp, Fn } = secp256k1.Point;

/** Of numbers of 256 bits, with a carry. */
class Digits {
  readonly bits: number;
  readonly places: number;
  /** The largest digit. */
  readonly max: number;
  readonly #bytes = new Uint8Array(32 + 2);

  constructor(bits: number) {
    this.bits = bits;
    this.places = Math.ceil(257 / bits);
    this.max = 1 << (bits - 1);
  }

  get tableBytes(): number {
    return this.places * this.max * POINT_BYTES;
  }

  /** Where the point of a digit above 0 stands in a table. */
  offset(place: number, digit: number): number {
    return (place * this.max + digit - 1) * POINT_BYTES;
  }

  /** Calls `visit` with the digit of each place, the lowest first. */
  visit(number: bigint, visit: (place: number, digit: number) => void): void {
    const bytes = this.#bytes;
    writeU256(bytes, 0, number);
    let carry = 0;
    for (let place = 0; place < this.places; place++) {
      const from = place * this.bits;
      const low = from >> 3;
      const word = bytes[low]! | ((bytes[low + 1] ?? 0) << 8) | ((bytes[low + 2] ?? 0) << 16);
      const digit = ((word >> (from & 7)) & (2 * this.max - 1)) + carry;
      carry = digit > this.max ? 1 : 0;
      visit(place, carry === 1 ? digit - 2 * this.max : digit);
    }
  }
}

const BASE_DIGITS = new Digits(10);
const KEY_DIGITS = new Digits(5);

/** Multiples of the base point that are made at a time. */
const MULTIPLES_AT_ONCE = 256;

/** Tables of keys that have room. */
export const KEY_TABLES_MAX = 64;

/** The sum under way of a single multiple. */
const SUM = POINTS_AT;
const BASE_TABLE = SUM + PROJECTIVE_BYTES;
const KEY_TABLES = BASE_TABLE + BASE_DIGITS.tableBytes;
/**
 * Room for points: the opposites of points of a table and all sums of pairs, or the powers of which a table is made before
 * they are brought to affine form.
 */
const POINTS = KEY_TABLES + KEY_TABLES_MAX * KEY_DIGITS.tableBytes;
const POINTS_BYTES = MULTIPLES_AT_ONCE * 2 * BASE_DIGITS.places * POINT_BYTES;
/** Room for additions: those of a round of sums, or of the larger half of a table. */
const ADDITIONS = POINTS + POINTS_BYTES;
const ADDITIONS_MAX = Math.max(
  (MULTIPLES_AT_ONCE * BASE_DIGITS.places) / 2,
  (BASE_DIGITS.places * BASE_DIGITS.max) / 2,
);
const MEMORY_BYTES = ADDITIONS + ADDITIONS_MAX * ADDITION_BYTES;

/** A point that the additions of a round name by its address; 0 for the point at infinity. */
type Address = number;

export class CurveTables {
  readonly #memory: PointMemory;
  #hasBase = false;
  /** Where the next sum of a batch is put. */
  #free: Address = POINTS;
  /** Additions of the round under way: three addresses each. */
  readonly #round: Address[] = [];

  private constructor(memory: PointMemory) {
    this.#memory = memory;
  }

  /** Undefined where the host has no WebAssembly. */
  static open(): CurveTables | undefined {
    const memory = PointMemory.open(MEMORY_BYTES);
    return memory && new CurveTables(memory);
  }

  /** The x of `n * G` for each n, which are from 1 to below half the order. */
  multiplesOfBase(numbers: readonly bigint[]): bigint[] {
    const multiples: bigint[] = [];
    for (let from = 0; from < numbers.length; from += MULTIPLES_AT_ONCE) {
      multiples.push(...this.#multiplesAtOnce(numbers.slice(from, from + MULTIPLES_AT_ONCE)));
    }
    return multiples;
  }

  /** Makes the table of a point of the curve that is not the one at infinity, in place of what `index` had. */
  makeKeyTable(index: number, point: { readonly x: bigint; readonly y: bigint }): void {
    this.#makeTable(KEY_DIGITS, keyTable(index), point);
  }

  /**
   * Whether the x of `a * G + b * P` is that of a signature, modulo the order of the group.
   * @param index of the table of P
   * @returns undefined where the formulas do not tell: the sum, or one on the way, is the point at infinity or a double
   */
  isSumAt(a: bigint, index: number, b: bigint, r: bigint): boolean | undefined {
    this.#prepareBase();
    const memory = this.#memory;
    const { addAffine, subtractAffine, negate } = memory.operations;
    let isEmpty = true;
    const addDigits = (digits: Digits, table: Address, number: bigint): void => {
      digits.visit(number, (place, digit) => {
        if (digit === 0) return;
        const point = table + digits.offset(place, Math.abs(digit));
        if (!isEmpty) {
          if (digit > 0) addAffine(SUM, point);
          else subtractAffine(SUM, point);
          return;
        }
        isEmpty = false;
        if (digit > 0) memory.copy(SUM, point, POINT_BYTES);
        else negate(SUM, point);
        memory.write(SUM + Z, 1n);
      });
    };
    addDigits(BASE_DIGITS, BASE_TABLE, a);
    addDigits(KEY_DIGITS, keyTable(index), b);
    const z = isEmpty ? 0n : memory.read(SUM + Z);
    if (z === 0n) return undefined;
    const square = (z * z) % PRIME;
    const x = memory.read(SUM);
    return x === (r * square) % PRIME || (r + Fn.ORDER < PRIME && x === ((r + Fn.ORDER) * square) % PRIME);
  }

  #prepareBase(): void {
    if (this.#hasBase) return;
    this.#makeTable(BASE_DIGITS, BASE_TABLE, secp256k1.Point.BASE);
    this.#hasBase = true;
  }

  #multiplesAtOnce(numbers: readonly bigint[]): bigint[] {
    this.#prepareBase();
    const { negate } = this.#memory.operations;
    const { places } = BASE_DIGITS;
    const points: Address[] = [];
    this.#free = POINTS;
    for (const number of numbers) {
      BASE_DIGITS.visit(number, (place, digit) => {
        const point = BASE_TABLE + BASE_DIGITS.offset(place, Math.abs(digit));
        if (digit >= 0) {
          points.push(digit === 0 ? 0 : point);
          return;
        }
        const opposite = this.#takePoint();
        negate(opposite, point);
        points.push(opposite);
      });
    }
    for (let width = places; width > 1; width = (width + 1) >> 1) this.#addPairs(points, numbers.length, width);
    return numbers.map((_, index) => this.#memory.read(points[index * places]!));
  }

  /**
   * Of each number's points, of which `width` are left, adds the second to the first, the fourth to the third and so on, and
   * moves the sums together. The two are never equal or opposite: a sum of lower digits is less than half of what the next
   * digit stands for, and below half the order nothing wraps.
   */
  #addPairs(points: Address[], numbers: number, width: number): void {
    const { places } = BASE_DIGITS;
    for (let first = 0; first < numbers * places; first += places) {
      for (let pair = 0; 2 * pair < width; pair++) {
        const left = points[first + 2 * pair]!;
        const right = 2 * pair + 1 < width ? points[first + 2 * pair + 1]! : 0;
        if (left === 0 || right === 0) {
          points[first + pair] = left + right;
          continue;
        }
        const sum = this.#takePoint();
        this.#round.push(left, right, sum);
        points[first + pair] = sum;
      }
    }
    this.#endRound();
  }

  #takePoint(): Address {
    const point = this.#free;
    this.#free += POINT_BYTES;
    return point;
  }

  /** Makes the additions of the round: of affine points whose x differ. */
  #endRound(): void {
    const round = this.#round;
    const memory = this.#memory;
    const { beginAddition, endAddition } = memory.operations;
    memory.write(RUNNING, 1n);
    for (let at = 0, addition = ADDITIONS; at < round.length; at += 3, addition += ADDITION_BYTES) {
      beginAddition(addition, round[at]!, round[at + 1]!);
    }
    memory.write(RUNNING, Fp.inv(memory.read(RUNNING)));
    // From the last to the first, as Montgomery's trick has it.
    for (let at = round.length - 3, addition = ADDITIONS + (at / 3) * ADDITION_BYTES; at >= 0; at -= 3) {
      endAddition(addition, round[at]!, round[at + 1]!, round[at + 2]!);
      addition -= ADDITION_BYTES;
    }
    round.length = 0;
  }

  #makeTable(digits: Digits, table: Address, point: { readonly x: bigint; readonly y: bigint }): void {
    this.#placePowers(digits, table, point);
    // The multiples above a power of two are that one and those below it, for all places at a time.
    for (let power = 2; power < digits.max; power *= 2) {
      for (let place = 0; place < digits.places; place++) {
        const first = table + digits.offset(place, power);
        for (let digit = 1; digit < power; digit++) {
          this.#round.push(table + digits.offset(place, digit), first, first + digit * POINT_BYTES);
        }
      }
      this.#endRound();
    }
  }

  /** Puts the point and its doubles, which are multiples by powers of two, where they stand in a table. */
  #placePowers(digits: Digits, table: Address, point: { readonly x: bigint; readonly y: bigint }): void {
    const memory = this.#memory;
    const { double, multiply, normalize } = memory.operations;
    const count = digits.places * digits.bits;
    const stepBytes = PROJECTIVE_BYTES + ADDITION_BYTES;
    memory.writePoint(SUM, point);
    memory.write(SUM + Z, 1n);
    memory.write(RUNNING, 1n);
    for (let index = 0, at = POINTS; index < count; index++, at += stepBytes) {
      memory.copy(at, SUM, PROJECTIVE_BYTES);
      memory.copy(at + PROJECTIVE_BYTES, RUNNING, ELEMENT_BYTES);
      multiply(RUNNING, RUNNING, SUM + Z);
      double(SUM);
    }
    memory.write(RUNNING, Fp.inv(memory.read(RUNNING)));
    for (let index = count - 1, at = POINTS + index * stepBytes; index >= 0; index--, at -= stepBytes) {
      const inverse = at + PROJECTIVE_BYTES;
      multiply(inverse, inverse, RUNNING);
      multiply(RUNNING, RUNNING, at + Z);
      const place = Math.floor(index / digits.bits);
      normalize(table + digits.offset(place, 1 << (index % digits.bits)), inverse, at);
    }
  }
}

function keyTable(index: number): Address {
  return KEY_TABLES + index * KEY_DIGITS.tableBytes;
}

/** Those of the process, once somebody has asked for them. */
let opened: { readonly tables: CurveTables | undefined } | undefined;

/** The tables of the process, since what they hold depends on nothing but the curve; undefined without WebAssembly. */
export function curveTables(): CurveTables | undefined {
  opened ??= { tables: CurveTables.open() };
  return opened.tables;
}
