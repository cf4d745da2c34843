/**
 * Arithmetic modulo a prime of about 256 bits as WebAssembly code: a product takes a fraction of the time that it takes
 * with BigInts, and leaves no garbage.
 *
 * An element is nine signed limbs of 29 bits, 4 bytes each, lowest first. Its number may be negative or exceed the
 * modulus, so results are never compared. A limb has size n if its magnitude is at most n * 2^28; the third limb's may
 * be more by n * 2^23. Products, and carried results, have size 2 and are hardly negative, so the difference of two of
 * these has size 2, too. Any other sum or difference has the sum of both sizes, 7 at most, and is not carried: the
 * sizes of the factors of a product, multiplied, must not exceed 14. Nine products of such limbs, with what is folded,
 * then fit into 64 bits with their sign.
 *
 * Whatever is above the ninth limb is folded into the others as soon as it is known, since 2^261 is a small number in
 * such a field. A test runs the code of each curve with bounds instead of numbers, which proves the claims made here.
 * Source: the method of libsecp256k1's field_10x26_impl.h, for other limbs.
 * @module
 */
import {
  type Code,
  constant,
  get,
  I64_ADD,
  I64_AND,
  I64_MUL,
  I64_SHL,
  I64_SHR,
  I64_SUB,
  load32,
  set,
  store32,
  tee,
  type WasmFunction,
} from './wasm-module.ts';

const LIMBS = 9;
const LIMB_BITS = 29;
const MASK: bigint = (1n << 29n) - 1n;
/** Bytes of an element. */
export const FIELD_ELEMENT_BYTES: number = 4 * LIMBS;

/** 2^261 in the field: `low + high * 2^29`. */
export interface Fold {
  readonly low: bigint;
  readonly high: bigint;
}

/** Indexes of the functions, in the order of `fieldFunctions`. */
export const MULTIPLY = 0;
export const SQUARE = 1;
export const ADD = 2;
export const SUBTRACT = 3;
export const CARRY = 4;

/** Elements are named by their offset in the memory, in bytes. A result may overwrite an operand. */
export interface FieldExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly multiply: (to: number, left: number, right: number) => void;
  readonly square: (to: number, from: number) => void;
  readonly add: (to: number, left: number, right: number) => void;
  readonly subtract: (to: number, left: number, right: number) => void;
  /** Writes `first - second - third` to `to`, with size 2. */
  readonly carry: (to: number, first: number, second: number, third: number) => void;
}

/** The functions of `FieldExports`. */
export function fieldFunctions(fold: Fold): readonly WasmFunction[] {
  return [
    { name: 'multiply', parameters: 3, ...productCode(3, 1, 2, fold) },
    { name: 'square', parameters: 2, ...productCode(2, 1, 1, fold) },
    { name: 'add', parameters: 3, code: limbwise(I64_ADD) },
    { name: 'subtract', parameters: 3, code: limbwise(I64_SUB) },
    { name: 'carry', parameters: 4, locals: LIMBS + 1, code: carryCode(4, fold) },
  ];
}

/** The parameter of every function that says where its result goes. */
const TO = 0;

function limbwise(operation: number): Code {
  const code: Code[] = [];
  for (let limb = 0; limb < LIMBS; limb++) {
    code.push(store32(TO, 4 * limb, [load32(1, 4 * limb), load32(2, 4 * limb), operation]));
  }
  return code;
}

/** Adds terms to a local. */
const addTo = (local: number, ...terms: readonly Code[]): Code => [
  get(local),
  terms.map((term) => [term, I64_ADD]),
  set(local),
];
const times = (local: number, factor: bigint): Code => [get(local), constant(factor), I64_MUL];
const lowOf = (local: number): Code => [get(local), constant(MASK), I64_AND];
const dropLow = (local: number): Code => [get(local), constant(BigInt(LIMB_BITS)), I64_SHR, set(local)];

/** The product of the elements whose addresses are in two parameters, or in one. */
function productCode(
  parameters: number,
  left: number,
  right: number,
  fold: Fold,
): Pick<WasmFunction, 'locals' | 'code'> {
  let locals = parameters;
  const code: Code[] = [];
  const takeLocal = (): number => locals++;
  const limbsOf = (operand: number): number[] => {
    const limbs = Array.from({ length: LIMBS }, takeLocal);
    for (const [limb, local] of limbs.entries()) code.push(load32(operand, 4 * limb), set(local));
    return limbs;
  };
  const leftLimbs = limbsOf(left);
  const rightLimbs = left === right ? leftLimbs : limbsOf(right);
  const column = (index: number): Code => columnCode(leftLimbs, rightLimbs, index);
  const [low, high, rest] = [takeLocal(), takeLocal(), takeLocal()];
  const result = Array.from({ length: LIMBS }, takeLocal);
  const last = result[LIMBS - 1]!;
  code.push(column(LIMBS - 1), tee(high), constant(MASK), I64_AND, set(last), dropLow(high));
  code.push(constant(0n), set(low));
  for (let index = 0; index < LIMBS - 1; index++) {
    code.push(addTo(high, column(index + LIMBS)), lowOf(high), set(rest), dropLow(high));
    code.push(addTo(low, column(index), times(rest, fold.low)), lowOf(low), set(result[index]!));
    code.push(dropLow(low));
    if (fold.high !== 0n) code.push(addTo(low, times(rest, fold.high)));
  }
  code.push(addTo(low, get(last), times(high, fold.low)), lowOf(low), set(last), dropLow(low));
  if (fold.high !== 0n) code.push(addTo(low, times(high, fold.high)));
  return { locals: locals - parameters, code: [code, foldTop(low, result, fold), storeLimbs(result)] };
}

/** The sum of the products of limbs whose places add up to `index`. */
function columnCode(left: readonly number[], right: readonly number[], index: number): Code {
  const code: Code[] = [];
  const isSquare = left === right;
  const [first, end] = [Math.max(0, index - LIMBS + 1), Math.min(LIMBS - 1, index)];
  let terms = 0;
  const term = (factors: Code): void => {
    code.push(factors);
    if (terms++ > 0) code.push(I64_ADD);
  };
  for (let limb = first; limb <= end; limb++) {
    const other = index - limb;
    if (!isSquare || limb <= other) continue;
    term([get(left[limb]!), get(right[other]!), I64_MUL]);
  }
  if (isSquare && terms > 0) code.push(constant(1n), I64_SHL);
  for (let limb = first; limb <= end; limb++) {
    if (!isSquare || 2 * limb === index) term([get(left[limb]!), get(right[index - limb]!), I64_MUL]);
  }
  return code;
}

/** Adds `top * 2^261` to the lowest limbs, and carries what two of them cannot hold. */
function foldTop(top: number, limbs: readonly number[], fold: Fold): Code {
  const [first, second, third] = limbs as readonly [number, number, number];
  const high = fold.high === 0n ? [] : addTo(second, times(top, fold.high));
  return [addTo(first, times(top, fold.low)), high, carryInto(first, second), carryInto(second, third)];
}

const carryInto = (from: number, to: number): Code => [
  addTo(to, [get(from), constant(BigInt(LIMB_BITS)), I64_SHR]),
  lowOf(from),
  set(from),
];

function carryCode(parameters: number, fold: Fold): Code {
  const code: Code[] = [];
  const limbs = Array.from({ length: LIMBS + 1 }, (_, index) => parameters + index);
  for (let limb = 0; limb < LIMBS; limb++) {
    const [first, second, third] = [load32(1, 4 * limb), load32(2, 4 * limb), load32(3, 4 * limb)];
    code.push(first, second, I64_SUB, third, I64_SUB, set(limbs[limb]!));
  }
  for (let limb = 0; limb < LIMBS; limb++) code.push(carryInto(limbs[limb]!, limbs[limb + 1]!));
  return [code, foldTop(limbs[LIMBS]!, limbs, fold), storeLimbs(limbs.slice(0, LIMBS))];
}

function storeLimbs(limbs: readonly number[]): Code {
  return limbs.map((local, limb) => store32(TO, 4 * limb, get(local)));
}
