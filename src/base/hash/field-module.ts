/**
 * A WebAssembly module with the arithmetic of a field (field-code.ts) and the functions of a curve, which call those of
 * the field, on elements of one memory. Elements are written and read as BigInts.
 * @module
 */
import {
  ADD,
  CARRY,
  FIELD_ELEMENT_BYTES,
  type FieldExports,
  type Fold,
  fieldFunctions,
  MULTIPLY,
  SQUARE,
  SUBTRACT,
} from './field-code.ts';
import { address, type Code, call, instantiate, type WasmFunction } from './wasm-module.ts';

const LIMBS = FIELD_ELEMENT_BYTES / 4;
const LIMB_BITS = 29n;
const LIMB_MASK = (1n << LIMB_BITS) - 1n;

/** The first elements of the memory are these two constants; what follows is the curve's. */
export const ZERO = 0;
export const ONE: number = FIELD_ELEMENT_BYTES;

/** The offset of the element with this number in the memory, in bytes. */
export const elementAt = (number: number): number => number * FIELD_ELEMENT_BYTES;

/** A prime of 256 bits at most, and 2^261 modulo the prime. */
export interface FieldParameters {
  readonly prime: bigint;
  readonly fold: Fold;
}

export interface Elements {
  /** Writes a number below 2^261 as an element. */
  readonly put: (at: number, value: bigint) => void;
  /** The value of an element, reduced. */
  readonly get: (at: number) => bigint;
}

/**
 * A module of the field and the functions of a curve, which call those of the field with what `of` and `at` name, with
 * at least this many bytes of memory.
 * @returns undefined if the host has no WebAssembly, or does not allow it
 */
export function fieldModule<CurveExports>(
  { prime, fold }: FieldParameters,
  functions: readonly WasmFunction[],
  memoryBytes: number,
): (FieldExports & CurveExports & Elements) | undefined {
  const exports = instantiate<FieldExports & CurveExports>([...fieldFunctions(fold), ...functions], memoryBytes);
  if (exports === undefined) return undefined;
  const limbs = new Int32Array(exports.memory.buffer);
  const put = (at: number, value: bigint): void => {
    let rest = value;
    for (let index = at / 4; index < at / 4 + LIMBS; index++, rest >>= LIMB_BITS)
      limbs[index] = Number(rest & LIMB_MASK);
  };
  const get = (at: number): bigint => {
    let value = 0n;
    for (let index = at / 4 + LIMBS - 1; index >= at / 4; index--) value = (value << LIMB_BITS) + BigInt(limbs[index]!);
    const rest = value % prime;
    return rest < 0n ? rest + prime : rest;
  };
  put(ONE, 1n);
  return { ...exports, put, get };
}

// These write addresses as code: of an element of the memory, or of one relative to the address in a parameter.
export const at = (element: number): Code => address(element);
export const of = (parameter: number, offset = 0): Code => address(offset, parameter);

export const multiply = (to: Code, left: Code, right: Code): Code => call(MULTIPLY, to, left, right);
export const square = (to: Code, from: Code): Code => call(SQUARE, to, from);
export const add = (to: Code, left: Code, right: Code): Code => call(ADD, to, left, right);
export const subtract = (to: Code, left: Code, right: Code): Code => call(SUBTRACT, to, left, right);
export const carry = (to: Code, first: Code, second: Code, third: Code): Code => call(CARRY, to, first, second, third);
export const copy = (to: Code, from: Code): Code => add(to, from, at(ZERO));
