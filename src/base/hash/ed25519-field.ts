/**
 * The field of Ed25519, modulo 2^255 - 19, and sums of its points, in WebAssembly (field-code.ts).
 *
 * A sum is x, y, z and t of (x / z, y / z), where t is x y / z. Only table entries are added to it: half the sum of y
 * and x, half their difference, and their product times -D. The halves, and the sign of the product, keep all factors
 * small enough not to be carried.
 *
 * D is not a square, so these formulas add any two points, including equal ones and those of small order, and no z is
 * ever 0.
 * Sources: "madd-2008-hwcd-3" and "dbl-2008-hwcd" of the Explicit-Formulas Database, for extended coordinates; Hisil,
 * Wong, Carter and Dawson, "Twisted Edwards Curves Revisited" (2008), for their completeness.
 * @module
 */
import { D, PRIME } from './ed25519-curve.ts';
import { FIELD_ELEMENT_BYTES, type FieldExports } from './field-code.ts';
import {
  add,
  at,
  carry,
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

/** 2^261 is 64 times 19 in this field. */
const FIELD = { prime: PRIME, fold: { low: 1216n, high: 0n } };

/** Offsets of a sum's coordinates, in bytes. */
export const Y: number = FIELD_ELEMENT_BYTES;
export const Z: number = 2 * FIELD_ELEMENT_BYTES;
export const T: number = 3 * FIELD_ELEMENT_BYTES;
export const SUM_BYTES: number = 4 * FIELD_ELEMENT_BYTES;

/** Offsets of an entry's elements. */
const HALF_SUM = 0;
const HALF_DIFFERENCE = FIELD_ELEMENT_BYTES;
const PRODUCT = 2 * FIELD_ELEMENT_BYTES;
export const ENTRY_BYTES: number = 3 * FIELD_ELEMENT_BYTES;

/** A constant, and scratch elements of the functions, named as in the source. */
const MINUS_FOUR_D = elementAt(2);
const [A, B, C, E, F, G, H] = [3, 4, 5, 6, 7, 8, 9].map(elementAt) as Elements7;
type Elements7 = [number, number, number, number, number, number, number];
/** The sum of no points. */
export const NEUTRAL: number = elementAt(10);
/** From here on the memory belongs to the caller. */
export const FREE: number = NEUTRAL + SUM_BYTES;

interface SumExports {
  /** Puts a sum and the point of an entry at `to`. */
  readonly addEntry: (to: number, sum: number, entry: number) => void;
  readonly subtractEntry: (to: number, sum: number, entry: number) => void;
  /** Puts twice a sum at `to`. */
  readonly double: (to: number, sum: number) => void;
  /** Makes an entry from a sum, given the inverse of twice its z. */
  readonly makeEntry: (entry: number, sum: number, inverse: number) => void;
}

export interface Ed25519Field extends FieldExports, SumExports, Elements {}

/**
 * The field with at least this many bytes of memory; undefined if the host has no WebAssembly, or does not allow it.
 */
export function ed25519Field(memoryBytes: number): Ed25519Field | undefined {
  const field = fieldModule<SumExports>(FIELD, sumFunctions(), FREE + memoryBytes);
  field?.put(MINUS_FOUR_D, (4n * (PRIME - D)) % PRIME);
  field?.put(NEUTRAL + Y, 1n);
  field?.put(NEUTRAL + Z, 1n);
  return field;
}

function sumFunctions(): readonly WasmFunction[] {
  return [
    { name: 'addEntry', parameters: 3, code: addCode() },
    { name: 'subtractEntry', parameters: 3, code: subtractCode() },
    { name: 'double', parameters: 2, code: doubleCode() },
    { name: 'makeEntry', parameters: 3, code: entryCode() },
  ];
}

/** The sum and the entry that are added. */
const [X1, Y1, Z1, T1] = [of(1), of(1, Y), of(1, Z), of(1, T)];
const [HALF_SUM_2, HALF_DIFFERENCE_2, PRODUCT_2] = [of(2, HALF_SUM), of(2, HALF_DIFFERENCE), of(2, PRODUCT)];

function addCode(): Code {
  return [
    subtract(at(A), Y1, X1),
    multiply(at(A), at(A), HALF_DIFFERENCE_2),
    add(at(B), Y1, X1),
    multiply(at(B), at(B), HALF_SUM_2),
    multiply(at(C), T1, PRODUCT_2),
    subtract(at(E), at(B), at(A)),
    add(at(F), Z1, at(C)),
    subtract(at(G), Z1, at(C)),
    add(at(H), at(B), at(A)),
    factorsCode(),
  ];
}

/** The negative of a point has sum and difference swapped, and the product negated. */
function subtractCode(): Code {
  return [
    // Negated compared with `addCode`, so that the smaller one of E and H meets the larger one of F and G.
    subtract(at(A), X1, Y1),
    multiply(at(A), at(A), HALF_SUM_2),
    add(at(B), Y1, X1),
    multiply(at(B), at(B), HALF_DIFFERENCE_2),
    multiply(at(C), T1, PRODUCT_2),
    add(at(E), at(B), at(A)),
    subtract(at(F), Z1, at(C)),
    add(at(G), Z1, at(C)),
    subtract(at(H), at(B), at(A)),
    factorsCode(),
  ];
}

/** Writes a sum to the first parameter, given its factors. */
function factorsCode(): Code {
  return [
    multiply(of(0), at(E), at(F)),
    multiply(of(0, Y), at(G), at(H)),
    multiply(of(0, T), at(E), at(H)),
    multiply(of(0, Z), at(F), at(G)),
  ];
}

function doubleCode(): Code {
  const [x, y, z] = [of(1), of(1, Y), of(1, Z)];
  return [
    multiply(at(E), x, y),
    add(at(E), at(E), at(E)),
    carry(at(E), at(E), at(ZERO), at(ZERO)),
    square(at(A), x),
    square(at(B), y),
    square(at(C), z),
    add(at(C), at(C), at(C)),
    // F and H are negated here, and so are all four coordinates.
    subtract(at(G), at(B), at(A)),
    subtract(at(F), at(C), at(G)),
    add(at(H), at(A), at(B)),
    factorsCode(),
  ];
}

function entryCode(): Code {
  const [halfX, halfY] = [at(A), at(B)];
  return [
    multiply(halfX, of(1), of(2)),
    multiply(halfY, of(1, Y), of(2)),
    add(at(C), halfY, halfX),
    carry(of(0, HALF_SUM), at(C), at(ZERO), at(ZERO)),
    carry(of(0, HALF_DIFFERENCE), halfY, halfX, at(ZERO)),
    multiply(at(C), halfX, halfY),
    multiply(of(0, PRODUCT), at(C), at(MINUS_FOUR_D)),
  ];
}
