/**
 * Integer arithmetic of the interpreter: u8, u16 and u32 are numbers, u64, u128 and u256 bigints.
 *
 * Functions return `undefined` where Move fails with ARITHMETIC_ERROR. The translator has its own forms of the same
 * rules (`translate/integer.ts`); these are the simple ones.
 * @module
 */
import { Op } from '../binary/opcode.ts';

export type IntegerKind = 'u8' | 'u16' | 'u32' | 'u64' | 'u128' | 'u256';

export type Integer = number | bigint;

/** Widths of integer types in bits. */
export const INTEGER_BITS: Readonly<Record<IntegerKind, number>> = {
  u8: 8,
  u16: 16,
  u32: 32,
  u64: 64,
  u128: 128,
  u256: 256,
};

/** Whether values of the type are numbers, rather than bigints. */
export function isNarrow(kind: IntegerKind): boolean {
  return INTEGER_BITS[kind] <= 32;
}

const MAX: Readonly<Record<IntegerKind, bigint>> = {
  u8: (1n << 8n) - 1n,
  u16: (1n << 16n) - 1n,
  u32: (1n << 32n) - 1n,
  u64: (1n << 64n) - 1n,
  u128: (1n << 128n) - 1n,
  u256: (1n << 256n) - 1n,
};

/** Largest value of an integer type. */
export function maxOf(kind: IntegerKind): bigint {
  return MAX[kind];
}

/** The value of an integer type for a bigint that fits it. */
export function toInteger(kind: IntegerKind, value: bigint): Integer {
  return isNarrow(kind) ? Number(value) : value;
}

/** Add, Sub, Mul, Div, Mod, BitOr, BitAnd, Xor. */
export function calculate(op: Op, kind: IntegerKind, left: Integer, right: Integer): Integer | undefined {
  const value = calculateWide(op, BigInt(left), BigInt(right));
  if (value === undefined || value < 0n || value > MAX[kind]) return undefined;
  return isNarrow(kind) ? Number(value) : value;
}

function calculateWide(op: Op, left: bigint, right: bigint): bigint | undefined {
  switch (op) {
    case Op.Add:
      return left + right;
    case Op.Sub:
      return left - right;
    case Op.Mul:
      return left * right;
    case Op.Div:
      return right === 0n ? undefined : left / right;
    case Op.Mod:
      return right === 0n ? undefined : left % right;
    case Op.BitOr:
      return left | right;
    case Op.BitAnd:
      return left & right;
    default:
      return left ^ right;
  }
}

/** Shl and Shr: bits beyond the width are lost; a distance of the width or more fails. */
export function shift(op: Op, kind: IntegerKind, value: Integer, distance: number): Integer | undefined {
  const bits = INTEGER_BITS[kind];
  if (distance >= bits) return undefined;
  const wide = BigInt(value);
  const shifted = op === Op.Shl ? BigInt.asUintN(bits, wide << BigInt(distance)) : wide >> BigInt(distance);
  return toInteger(kind, shifted);
}

/** A cast to another width; fails for a value that does not fit. */
export function cast(kind: IntegerKind, value: Integer): Integer | undefined {
  const wide = BigInt(value);
  return wide > MAX[kind] ? undefined : toInteger(kind, wide);
}
