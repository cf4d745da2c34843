/**
 * The parts of Ed25519 (RFC 8032, section 5.1) that checks by tables need (ed25519-check.ts). @noble/curves has them
 * too, but builds tables and other curves when it is loaded, which most processes never need.
 * @module
 */
import { readLittleEndian } from './scalar-bytes.ts';

export const PRIME: bigint = (1n << 255n) - 19n;
/** The order of the base point. The curve has eight times as many points. */
export const ORDER: bigint = (1n << 252n) + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
/** -121665 / 121666, not a square, so one formula adds any two points. */
export const D: bigint = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n;

const SQUARE_ROOT_OF_MINUS_ONE = 0x2b8324804fc1df0b2b4d00993dfbd7a72f431806ad2fe478c4ee1b274a0ea0b0n;

/** The points of -x^2 + y^2 = 1 + D x^2 y^2. */
export interface EdwardsPoint {
  readonly x: bigint;
  readonly y: bigint;
}

export const BASE: EdwardsPoint = {
  x: 0x216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51an,
  y: 0x6666666666666666666666666666666666666666666666666666666666666658n,
};

const SIGN_BIT = 255n;

/** The content of a point's encoding: y, and whether the x that belongs to it is odd. It need not be a point. */
export interface EncodedPoint {
  readonly y: bigint;
  readonly isOdd: boolean;
}

/** Reads the 32 bytes from `at` on. The y may exceed the prime. */
export function readEncodedPoint(bytes: Uint8Array, at = 0): EncodedPoint {
  const value = readLittleEndian(bytes, at);
  return { y: BigInt.asUintN(Number(SIGN_BIT), value), isOdd: value >> SIGN_BIT === 1n };
}

/**
 * The point that 32 bytes encode. Takes as long as a few checks.
 * @returns undefined for bytes that encode no point, or not in the canonical form
 */
export function decodePoint(bytes: Uint8Array): EdwardsPoint | undefined {
  const { y, isOdd } = readEncodedPoint(bytes);
  if (y >= PRIME) return undefined;
  const x = rootOfRatio(modulo(y * y - 1n), modulo(D * y * y + 1n));
  if (x === undefined || (x === 0n && isOdd)) return undefined;
  return { x: (x & 1n) === (isOdd ? 1n : 0n) ? x : PRIME - x, y };
}

/** A square root of `u / v`, if there is one. Source: RFC 8032, section 5.1.3. */
function rootOfRatio(u: bigint, v: bigint): bigint | undefined {
  const cube = modulo(v * v * v);
  const candidate = modulo(u * cube * power(modulo(u * cube * v * v * v * v), (PRIME - 5n) / 8n));
  const square = modulo(v * candidate * candidate);
  if (square === u) return candidate;
  return square === modulo(-u) ? modulo(candidate * SQUARE_ROOT_OF_MINUS_ONE) : undefined;
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base];
  for (let rest = exponent; rest > 0n; rest >>= 1n, square = modulo(square * square)) {
    if ((rest & 1n) === 1n) result = modulo(result * square);
  }
  return result;
}

function modulo(value: bigint): bigint {
  const rest = value % PRIME;
  return rest < 0n ? rest + PRIME : rest;
}
