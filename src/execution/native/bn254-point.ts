/**
 * Points of BN254 as bytes, in the two forms that natives read.
 *
 * Ethereum's: big endian, both coordinates, those of the extension field with their imaginary part first; zeros are
 * infinity. Arkworks': x alone, little endian, imaginary part last, and flags in the two highest bits of the last byte.
 * Points of G2 must be in its subgroup in both; G1 has no points outside its subgroup.
 * Source: EIP-196, EIP-197; ark-serialize and ark-ec 0.4 of the reference.
 * @module
 */

import { bytesToNumberBE, bytesToNumberLE, numberToBytesBE, numberToBytesLE } from '../../base/bytes/bigint.ts';
import { concatBytes } from '../../base/bytes/bytes.ts';
import { bn254 } from '../../base/hash/noble.ts';
import { type Extended, type G1Point, type G2Point, inSubgroup, isUpperHalf, isUpperHalfExtended } from './pairing.ts';
import { attempt } from './panic.ts';

export const BN254_G1_BYTES = 32;
export const BN254_G2_BYTES = 64;
export const EVM_G1_BYTES = 64;
export const EVM_G2_BYTES = 128;

const COORDINATE_BYTES = 32;
const HIGHER_Y = 0x80;
const INFINITY = 0x40;
const FLAGS = HIGHER_Y | INFINITY;

/** The curve is y^2 = x^3 + 3, its twist y^2 = x^3 + 3 / (9 + i). */
const G1_B = 3n;
let g2B: Extended | undefined;

/** A point of G1 from Ethereum's 64 bytes; `undefined` for anything else. */
export function readEvmG1(bytes: Uint8Array): G1Point | undefined {
  const { fields, G1 } = bn254();
  const [x, y] = [0, 1].map((index) => readBigEndian(bytes, index));
  if (x === undefined || y === undefined) return undefined;
  if (x === 0n && y === 0n) return G1.Point.ZERO;
  return fields.Fp.sqr(y) === g1Squared(x) ? G1.Point.fromAffine({ x, y }) : undefined;
}

export function writeEvmG1(point: G1Point): Uint8Array {
  const { x, y } = point.toAffine();
  return concatBytes(numberToBytesBE(x, COORDINATE_BYTES), numberToBytesBE(y, COORDINATE_BYTES));
}

/** A point of G2 from Ethereum's 128 bytes; `undefined` for anything that is not a point of the subgroup. */
export function readEvmG2(bytes: Uint8Array): G2Point | undefined {
  const { fields, G2 } = bn254();
  const [x1, x0, y1, y0] = [0, 1, 2, 3].map((index) => readBigEndian(bytes, index));
  if (x1 === undefined || x0 === undefined || y1 === undefined || y0 === undefined) return undefined;
  if ((x0 | x1 | y0 | y1) === 0n) return G2.Point.ZERO;
  const [x, y] = [
    { c0: x0, c1: x1 },
    { c0: y0, c1: y1 },
  ] as const;
  const { Fp2 } = fields;
  return Fp2.eql(Fp2.sqr(y), g2Squared(x)) ? inSubgroup(G2.Point.fromAffine({ x, y })) : undefined;
}

/** A point of G1 from 32 bytes of arkworks; `undefined` for anything else. */
export function readBn254G1(bytes: Uint8Array): G1Point | undefined {
  const { fields, G1 } = bn254();
  const { Fp } = fields;
  const flags = flagsOf(bytes, BN254_G1_BYTES);
  const x = readLittleEndian(bytes, 0, true);
  if (flags === undefined || x === undefined) return undefined;
  if (flags === INFINITY) return G1.Point.ZERO;
  const squared = g1Squared(x);
  const root = attempt(() => Fp.sqrt(squared));
  if (root === undefined || Fp.sqr(root) !== squared) return undefined;
  return G1.Point.fromAffine({ x, y: isUpperHalf(root, Fp.ORDER) === (flags === HIGHER_Y) ? root : Fp.neg(root) });
}

export function writeBn254G1(point: G1Point): Uint8Array {
  const { x, y } = point.toAffine();
  return withFlags(numberToBytesLE(x, COORDINATE_BYTES), point.is0(), isUpperHalf(y, bn254().fields.Fp.ORDER));
}

/** A point of G2 from 64 bytes of arkworks; `undefined` for anything that is not a point of the subgroup. */
export function readBn254G2(bytes: Uint8Array): G2Point | undefined {
  const { fields, G2 } = bn254();
  const { Fp2 } = fields;
  const flags = flagsOf(bytes, BN254_G2_BYTES);
  const c0 = readLittleEndian(bytes, 0, false);
  const c1 = readLittleEndian(bytes, 1, true);
  if (flags === undefined || c0 === undefined || c1 === undefined) return undefined;
  if (flags === INFINITY) return G2.Point.ZERO;
  const x = { c0, c1 };
  const squared = g2Squared(x);
  const root = attempt(() => Fp2.sqrt(squared));
  if (root === undefined || !Fp2.eql(Fp2.sqr(root), squared)) return undefined;
  const isHigher = isUpperHalfExtended(root, fields.Fp.ORDER);
  return inSubgroup(G2.Point.fromAffine({ x, y: isHigher === (flags === HIGHER_Y) ? root : Fp2.neg(root) }));
}

export function writeBn254G2(point: G2Point): Uint8Array {
  const { x, y } = point.toAffine();
  const bytes = concatBytes(numberToBytesLE(x.c0, COORDINATE_BYTES), numberToBytesLE(x.c1, COORDINATE_BYTES));
  return withFlags(bytes, point.is0(), isUpperHalfExtended(y, bn254().fields.Fp.ORDER));
}

function readBigEndian(bytes: Uint8Array, index: number): bigint | undefined {
  const value = bytesToNumberBE(bytes.subarray(index * COORDINATE_BYTES, (index + 1) * COORDINATE_BYTES));
  return value < bn254().fields.Fp.ORDER ? value : undefined;
}

function readLittleEndian(bytes: Uint8Array, index: number, hasFlags: boolean): bigint | undefined {
  const digits = bytes.slice(index * COORDINATE_BYTES, (index + 1) * COORDINATE_BYTES);
  if (hasFlags) digits[COORDINATE_BYTES - 1]! &= ~FLAGS;
  const value = bytesToNumberLE(digits);
  return value < bn254().fields.Fp.ORDER ? value : undefined;
}

/** `undefined` for another length, or if both flags are set. */
function flagsOf(bytes: Uint8Array, length: number): number | undefined {
  const flags = bytes[length - 1]! & FLAGS;
  return bytes.length === length && flags !== FLAGS ? flags : undefined;
}

function withFlags(bytes: Uint8Array, isInfinity: boolean, higher: boolean): Uint8Array {
  if (isInfinity) bytes[bytes.length - 1]! |= INFINITY;
  else if (higher) bytes[bytes.length - 1]! |= HIGHER_Y;
  return bytes;
}

function g1Squared(x: bigint): bigint {
  const { Fp } = bn254().fields;
  return Fp.add(Fp.mul(Fp.sqr(x), x), G1_B);
}

function g2Squared(x: Extended): Extended {
  const { Fp2 } = bn254().fields;
  g2B ??= Fp2.div({ c0: 3n, c1: 0n }, { c0: 9n, c1: 1n });
  return Fp2.add(Fp2.mul(Fp2.sqr(x), x), g2B);
}
