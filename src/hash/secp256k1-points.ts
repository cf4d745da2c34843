/**
 * Points of secp256k1 in the memory of a WebAssembly module, and their sums.
 *
 * An affine point is two elements of the field (secp256k1-field.ts), x and y up to 2; a projective one is three, X and Y up
 * to 5 and Z up to 2, and stands for x = X / Z^2, y = Y / Z^3. Where two summands are equal or opposite, or one is the
 * point at infinity, the formulas give Z = 0 and keep it from then on: such a sum says nothing.
 *
 * Source: SEC 1 section 2.2.1; the formulas in projective coordinates are those of Cohen, Miyaji and Ono (1998).
 * @module
 */
import {
  addition,
  carrying,
  ELEMENT_BYTES,
  multiplication,
  readElement,
  squaring,
  subtraction,
  writeElement,
} from './secp256k1-field.ts';
import { instantiate, type WasmExport, WasmFunction } from './wasm.ts';

/** Of an affine point in memory. */
export const POINT_BYTES: number = 2 * ELEMENT_BYTES;
/** Of a projective one. */
export const PROJECTIVE_BYTES: number = 3 * ELEMENT_BYTES;
/** What `beginAddition` leaves for `endAddition`: the difference of the x, and the product of those before it. */
export const ADDITION_BYTES: number = 2 * ELEMENT_BYTES;

/** Where y, and Z, begin in a point. */
export const Y: number = ELEMENT_BYTES;
export const Z: number = 2 * ELEMENT_BYTES;

const PAGE_BYTES = 65_536;

/** The element 0, which nobody writes to. */
const ZERO = 0;
/** The product of all differences of additions that began; to be replaced by its inverse before they end. */
export const RUNNING: number = ELEMENT_BYTES;
const TEMPORARY = 2 * ELEMENT_BYTES;
const TEMPORARIES = 8;
/** From here on memory is the caller's. */
export const POINTS_AT: number = TEMPORARY + TEMPORARIES * ELEMENT_BYTES;

type FieldOperation = 'multiply' | 'square' | 'add' | 'carry' | 'subtract' | 'subtract3' | 'subtract7';

const FIELD: Readonly<Record<FieldOperation, WasmFunction>> = {
  multiply: multiplication(),
  square: squaring(),
  add: addition(),
  carry: carrying(),
  /** Of what is up to 1, 3 and 7. */
  subtract: subtraction(2n),
  subtract3: subtraction(4n),
  subtract7: subtraction(8n),
};

const FIELD_INDEX = Object.keys(FIELD);

/** An address: so many bytes behind the one in a parameter, or in memory. */
type Place = readonly [parameter: number | undefined, offset: number];

function temporary(index: number): Place {
  return [undefined, TEMPORARY + index * ELEMENT_BYTES];
}

class Formula extends WasmFunction {
  /** Calls an operation of the field. What takes two addresses is given the second once more. */
  apply(operation: FieldOperation, to: Place, left: Place, right: Place = left): this {
    for (const [parameter, offset] of [to, left, right]) this.address(parameter, offset);
    return this.call(FIELD_INDEX.indexOf(operation));
  }
}

const AT_ZERO: Place = [undefined, ZERO];
const AT_RUNNING: Place = [undefined, RUNNING];

/** Doubles the projective point at the parameter. */
function doubling(): WasmFunction {
  const [x, y, z] = [0, Y, Z].map((offset): Place => [0, offset]) as [Place, Place, Place];
  const [slope, square, s, fourth, rest] = [0, 1, 2, 3, 4].map(temporary) as [Place, Place, Place, Place, Place];
  return new Formula(1)
    .apply('square', rest, x)
    .apply('add', slope, rest, rest)
    .apply('add', slope, slope, rest)
    .apply('square', square, y)
    .apply('multiply', s, x, square)
    .apply('add', s, s, s)
    .apply('add', s, s, s)
    .apply('carry', s, s)
    .apply('multiply', z, y, z)
    .apply('add', z, z, z)
    .apply('square', fourth, square)
    .apply('add', fourth, fourth, fourth)
    .apply('add', fourth, fourth, fourth)
    .apply('carry', fourth, fourth)
    .apply('add', fourth, fourth, fourth)
    .apply('square', x, slope)
    .apply('add', rest, s, s)
    .apply('subtract3', x, x, rest)
    .apply('subtract7', s, s, x)
    .apply('multiply', y, slope, s)
    .apply('subtract3', y, y, fourth);
}

/** Adds to the projective point at the first parameter the affine one at the second, or its opposite. */
function mixedAddition(isOpposite: boolean): WasmFunction {
  const [x, y, z] = [0, Y, Z].map((offset): Place => [0, offset]) as [Place, Place, Place];
  const [zz, h, r, hh, hhh, v] = [0, 1, 2, 3, 4, 5].map(temporary) as [Place, Place, Place, Place, Place, Place];
  const code = new Formula(2)
    .apply('square', zz, z)
    .apply('multiply', h, [1, 0], zz)
    .apply('subtract7', h, h, x)
    .apply('multiply', zz, zz, z)
    .apply('multiply', r, [1, Y], zz);
  if (isOpposite) code.apply('add', r, r, y).apply('subtract7', r, AT_ZERO, r);
  else code.apply('subtract7', r, r, y);
  return code
    .apply('multiply', z, z, h)
    .apply('square', hh, h)
    .apply('multiply', hhh, h, hh)
    .apply('multiply', v, x, hh)
    .apply('square', x, r)
    .apply('add', hh, v, v)
    .apply('add', hh, hh, hhh)
    .apply('subtract3', x, x, hh)
    .apply('subtract7', v, v, x)
    .apply('multiply', v, r, v)
    .apply('multiply', y, y, hhh)
    .apply('subtract', y, v, y);
}

/** Of an addition's record and two affine points, whose x are up to 1. */
function beginning(): WasmFunction {
  const difference: Place = [0, 0];
  return new Formula(3)
    .apply('subtract', difference, [2, 0], [1, 0])
    .apply('add', [0, ELEMENT_BYTES], AT_RUNNING, AT_ZERO)
    .apply('multiply', AT_RUNNING, AT_RUNNING, difference);
}

/** Of the same, in the opposite order of additions; puts the sum at the fourth parameter, x and y up to 1. */
function ending(): WasmFunction {
  const [inverse, slope, x, y] = [0, 1, 2, 3].map(temporary) as [Place, Place, Place, Place];
  return new Formula(4)
    .apply('multiply', inverse, AT_RUNNING, [0, ELEMENT_BYTES])
    .apply('multiply', AT_RUNNING, AT_RUNNING, [0, 0])
    .apply('subtract3', slope, [2, Y], [1, Y])
    .apply('multiply', slope, slope, inverse)
    .apply('add', y, [1, 0], [2, 0])
    .apply('square', x, slope)
    .apply('subtract3', x, x, y)
    .apply('carry', x, x)
    .apply('subtract', y, [1, 0], x)
    .apply('multiply', y, y, slope)
    .apply('subtract3', y, y, [1, Y])
    .apply('carry', [3, Y], y)
    .apply('carry', [3, 0], x);
}

/** Puts the opposite of the affine point at the second parameter, whose y is up to 1, at the first. */
function negation(): WasmFunction {
  return new Formula(2).apply('add', [0, 0], [1, 0], AT_ZERO).apply('subtract', [0, Y], AT_ZERO, [1, Y]);
}

/** Brings a projective point, whose Z has its inverse at the second parameter, to the affine form at the first. */
function normalization(): WasmFunction {
  const power = temporary(0);
  return new Formula(3)
    .apply('square', power, [1, 0])
    .apply('multiply', [0, 0], [2, 0], power)
    .apply('multiply', power, power, [1, 0])
    .apply('multiply', [0, Y], [2, Y], power);
}

/** The operations, each on addresses; the functions above say in which order. */
export type PointOperation =
  | FieldOperation
  | 'double'
  | 'addAffine'
  | 'subtractAffine'
  | 'beginAddition'
  | 'endAddition'
  | 'negate'
  | 'normalize';

const FUNCTIONS: Readonly<Record<PointOperation, WasmFunction>> = {
  ...FIELD,
  double: doubling(),
  addAffine: mixedAddition(false),
  subtractAffine: mixedAddition(true),
  beginAddition: beginning(),
  endAddition: ending(),
  negate: negation(),
  normalize: normalization(),
};

export class PointMemory {
  readonly operations: Readonly<Record<PointOperation, WasmExport>>;
  readonly #words: Uint32Array;

  private constructor(operations: Readonly<Record<PointOperation, WasmExport>>, memory: ArrayBuffer) {
    this.operations = operations;
    this.#words = new Uint32Array(memory);
  }

  /** Memory of at least `bytes`; undefined where the host has no WebAssembly. */
  static open(bytes: number): PointMemory | undefined {
    const instance = instantiate(FUNCTIONS, Math.ceil(bytes / PAGE_BYTES));
    return instance && new PointMemory(instance.functions, instance.memory);
  }

  /** The element at an address, below p. */
  read(at: number): bigint {
    return readElement(this.#words, at);
  }

  copy(to: number, from: number, bytes: number): void {
    this.#words.copyWithin(to / 4, from / 4, (from + bytes) / 4);
  }

  write(at: number, value: bigint): void {
    writeElement(this.#words, at, value);
  }

  writePoint(at: number, { x, y }: { readonly x: bigint; readonly y: bigint }): void {
    this.write(at, x);
    this.write(at + Y, y);
  }
}
