/**
 * The field of secp256k1, modulo 2^256 - 2^32 - 977, and sums of its points, in WebAssembly (field-code.ts).
 *
 * A point is its x and its y. A sum is x, y and z of (x / z^2, y / z^3), so it needs no inversion. Two points may also
 * be joined into another point, with many joins at a time sharing one inversion: that takes half as long. Nothing here
 * looks at values: each function says which points it cannot add. Sources: "madd-2004-hmv" and "dbl-2009-l" of the
 * Explicit-Formulas Database, for Jacobian coordinates.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { FIELD_ELEMENT_BYTES, type FieldExports } from './field-code.ts';
import {
  add,
  at,
  carry,
  copy,
  type Elements,
  elementAt,
  fieldModule,
  multiply,
  of,
  square,
  subtract,
  ZERO,
} from './field-module.ts';
import type { Code, WasmFunction } from './wasm-module.ts';

/** 2^261 is 2^37 + 31264 in this field. */
const FIELD = { prime: secp256k1.Point.Fp.ORDER, fold: { low: 31_264n, high: 256n } };

/** Offsets of the coordinates of a point or a sum, in bytes. */
export const Y: number = FIELD_ELEMENT_BYTES;
export const Z: number = 2 * FIELD_ELEMENT_BYTES;
export const POINT_BYTES: number = 2 * FIELD_ELEMENT_BYTES;
export const SUM_BYTES: number = 3 * FIELD_ELEMENT_BYTES;

/** The inverse that `join` multiplies by, and scratch elements of the functions. */
export const INVERSE: number = elementAt(2);
const [A, B, C, D] = [3, 4, 5, 6].map(elementAt) as [number, number, number, number];
/** From here on the memory belongs to the caller. */
export const FREE: number = elementAt(7);

interface PointExports {
  /** Adds a point to a sum. If they are equal or opposite, or z is 0, z is 0 from then on. */
  readonly addPoint: (sum: number, point: number) => void;
  /** Adds the negative of a point to a sum. */
  readonly subtractPoint: (sum: number, point: number) => void;
  /** Puts twice a sum at `to`. */
  readonly double: (to: number, sum: number) => void;
  /** Writes `before` times the divisor of `join` to `to`. It is 0 if the points are equal or opposite. */
  readonly chain: (to: number, before: number, left: number, right: number) => void;
  /**
   * Writes the sum of two points to `to`, as a point. `before` is the one that `chain` was given. INVERSE must be the
   * inverse of the result of `chain`, and becomes the inverse of `before`.
   */
  readonly join: (to: number, before: number, left: number, right: number) => void;
  readonly negative: (to: number, point: number) => void;
  readonly copy: (to: number, point: number) => void;
}

export interface Secp256k1Field extends FieldExports, PointExports, Elements {}

/**
 * The field with at least this many bytes of memory; undefined if the host has no WebAssembly, or does not allow it.
 */
export function secp256k1Field(memoryBytes: number): Secp256k1Field | undefined {
  return fieldModule<PointExports>(FIELD, pointFunctions(), FREE + memoryBytes);
}

/** Adds a point to the sum in the first parameter. */
function addCode(x: Code, y: Code): Code {
  const [sumX, sumY, sumZ] = [of(0), of(0, Y), of(0, Z)];
  return [
    square(at(A), sumZ),
    multiply(at(B), at(A), sumZ),
    multiply(at(A), at(A), x),
    multiply(at(B), at(B), y),
    // The differences of the two in x and in y, for equal z.
    subtract(at(A), at(A), sumX),
    subtract(at(B), at(B), sumY),
    multiply(sumZ, sumZ, at(A)),
    square(at(C), at(A)),
    multiply(at(A), at(A), at(C)),
    multiply(at(C), at(C), sumX),
    square(sumX, at(B)),
    add(at(D), at(C), at(C)),
    carry(sumX, sumX, at(A), at(D)),
    subtract(at(C), at(C), sumX),
    multiply(at(C), at(C), at(B)),
    multiply(at(A), at(A), sumY),
    carry(sumY, at(C), at(A), at(ZERO)),
  ];
}

function doubleCode(): Code {
  const [x, y, z] = [of(1), of(1, Y), of(1, Z)];
  return [
    multiply(of(0, Z), y, z),
    add(of(0, Z), of(0, Z), of(0, Z)),
    carry(of(0, Z), of(0, Z), at(ZERO), at(ZERO)),
    // 2 y^2, from which both 4 x y^2 and 8 y^4 are computed, and 3 x^2.
    square(at(A), y),
    add(at(A), at(A), at(A)),
    carry(at(A), at(A), at(ZERO), at(ZERO)),
    multiply(at(B), x, at(A)),
    add(at(B), at(B), at(B)),
    square(at(A), at(A)),
    square(at(C), x),
    add(at(D), at(C), at(C)),
    add(at(C), at(D), at(C)),
    carry(at(C), at(C), at(ZERO), at(ZERO)),
    square(at(D), at(C)),
    carry(of(0), at(D), at(B), at(B)),
    subtract(at(B), at(B), of(0)),
    multiply(at(B), at(B), at(C)),
    carry(of(0, Y), at(B), at(A), at(A)),
  ];
}

function joinCode(): Code {
  const [to, before, left, right] = [0, 1, 2, 3];
  return [
    multiply(at(A), at(INVERSE), of(before)),
    subtract(at(B), of(right), of(left)),
    multiply(at(INVERSE), at(INVERSE), at(B)),
    subtract(at(B), of(right, Y), of(left, Y)),
    multiply(at(A), at(A), at(B)),
    square(at(C), at(A)),
    carry(at(C), at(C), of(left), of(right)),
    subtract(at(B), of(left), at(C)),
    multiply(at(A), at(A), at(B)),
    carry(of(to, Y), at(A), of(left, Y), at(ZERO)),
    copy(of(to), at(C)),
  ];
}

function pointFunctions(): readonly WasmFunction[] {
  return [
    { name: 'addPoint', parameters: 2, code: addCode(of(1), of(1, Y)) },
    {
      name: 'subtractPoint',
      parameters: 2,
      code: [subtract(at(D), at(ZERO), of(1, Y)), addCode(of(1), at(D))],
    },
    { name: 'double', parameters: 2, code: doubleCode() },
    {
      name: 'chain',
      parameters: 4,
      code: [subtract(at(A), of(3), of(2)), multiply(of(0), of(1), at(A))],
    },
    { name: 'join', parameters: 4, code: joinCode() },
    {
      name: 'negative',
      parameters: 2,
      code: [copy(of(0), of(1)), carry(of(0, Y), at(ZERO), of(1, Y), at(ZERO))],
    },
    { name: 'copy', parameters: 2, code: [copy(of(0), of(1)), copy(of(0, Y), of(1, Y))] },
  ];
}
