/**
 * Natives of `0x2::groth16`: zero-knowledge proofs by Groth's scheme of 2016, on BLS12-381 or BN254.
 *
 * Keys, proofs and inputs are those of arkworks. On BN254, trailing bytes after a single value do not matter; on
 * BLS12-381 they make the value malformed, since the reference uses different libraries.
 * Source: fastcrypto-zkp of the reference.
 * @module
 */

import type { BlsCurvePair } from '@noble/curves/abstract/bls.js';
import type { Fp12 } from '@noble/curves/abstract/tower.js';
import { bytesToNumberLE, numberToBytesLE } from '../../base/bytes/bigint.ts';
import { equalBytes, joinBytes } from '../../base/bytes/bytes.ts';
import { bls12_381, bn254 } from '../../base/hash/noble.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import { BLS_G1_BYTES, BLS_G2_BYTES, readBlsG1, readBlsG2 } from './bls12381.ts';
import { BN254_G1_BYTES, BN254_G2_BYTES, readBn254G1, readBn254G2, writeBn254G1, writeBn254G2 } from './bn254-point.ts';
import { linearCost, type ModuleNatives, type NativePrices, type Natives } from './module-natives.ts';
import { type G1Point, type G2Point, inSubgroup, pairingProduct } from './pairing.ts';
import { requireStack } from './panic.ts';

/**
 * Maximum number of points in a verifying key of Groth16. A proof has at most 8 inputs, so only 9 points are useful;
 * the native that reads a key charges the same for any number, and each takes a millisecond.
 */
const GROTH16_KEY_POINTS_MAX = 256;

const INVALID_CURVE = 0;
const INVALID_VERIFYING_KEY = 1;
const TOO_MANY_INPUTS = 2;

/** Microseconds, measured; for a key, assuming GROTH16_KEY_POINTS_MAX points. */
const PREPARE_WORK = 500_000;
const VERIFY_WORK = 60_000;

const SCALAR_BYTES = 32;
const COUNT_BYTES = 8;
const INPUTS_MAX = 8;

/** Units that the reference charges regardless of the schedule. */
const FIXED_COST = 52;
const INPUT_COST = 2;

interface ProofCurve {
  readonly curve: () => BlsCurvePair;
  readonly g1Bytes: number;
  readonly g2Bytes: number;
  /** Bytes of a number of the curve's field. */
  readonly fieldBytes: number;
  /** Whether trailing bytes make a value malformed, and whether a key must have points for its inputs. */
  readonly isExact: boolean;
  /** Points of the subgroup, or `undefined`. */
  readG1(bytes: Uint8Array): G1Point | undefined;
  readG2(bytes: Uint8Array): G2Point | undefined;
  writeG1(point: G1Point): Uint8Array;
  writeG2(point: G2Point): Uint8Array;
}

/** By the numbers used in Move. */
const CURVES: readonly ProofCurve[] = [
  {
    curve: bls12_381,
    g1Bytes: BLS_G1_BYTES,
    g2Bytes: BLS_G2_BYTES,
    fieldBytes: 48,
    isExact: true,
    readG1: (bytes) => inSubgroup(bytes.length === BLS_G1_BYTES ? readBlsG1(bytes) : undefined),
    readG2: (bytes) => inSubgroup(bytes.length === BLS_G2_BYTES ? readBlsG2(bytes) : undefined),
    writeG1: (point) => point.toBytes(true),
    writeG2: (point) => point.toBytes(true),
  },
  {
    curve: bn254,
    g1Bytes: BN254_G1_BYTES,
    g2Bytes: BN254_G2_BYTES,
    fieldBytes: 32,
    isExact: false,
    readG1: readBn254G1,
    readG2: readBn254G2,
    writeG1: writeBn254G1,
    writeG2: writeBn254G2,
  },
];

/** `0x2::groth16::PreparedVerifyingKey`, in the order of its fields. */
interface PreparedKey {
  readonly gammaAbc: Uint8Array;
  readonly alphaBeta: Uint8Array;
  readonly gammaNegated: Uint8Array;
  readonly deltaNegated: Uint8Array;
}

export const GROTH16: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'groth16' },
  natives: groth16Natives,
};

function groth16Natives(prices: NativePrices): Natives {
  const prepareBase = prices.of('groth16.prepare_verifying_key_internal.base');
  const verifyBase = prices.of('groth16.verify_groth16_proof_internal.base');
  const verifyCost = linearCost(FIXED_COST, prices.of('groth16.verify_groth16_proof_internal.per_byte'));
  return {
    prepare_verifying_key_internal: (context, { returns }, curveNumber: number, key: ByteVector): StructInstance => {
      const curve = CURVES[curveNumber];
      context.charge(curve === undefined ? prepareBase : FIXED_COST);
      if (curve === undefined) return context.abort(INVALID_CURVE);
      context.host.work.spend(PREPARE_WORK);
      requireStack();
      const prepared = prepareKey(curve, key.view()) ?? context.abort(INVALID_VERIFYING_KEY);
      const { gammaAbc, alphaBeta, gammaNegated, deltaNegated } = prepared;
      const fields = [gammaAbc, alphaBeta, gammaNegated, deltaNegated].map((bytes) => new ByteVector(bytes));
      return returns[0]!.make(...fields);
    },

    verify_groth16_proof_internal: (
      context,
      _signature,
      curveNumber: number,
      gammaAbc: ByteVector,
      alphaBeta: ByteVector,
      gammaNegated: ByteVector,
      deltaNegated: ByteVector,
      inputs: ByteVector,
      proof: ByteVector,
    ): boolean => {
      const curve = CURVES[curveNumber];
      if (curve === undefined) {
        context.charge(verifyBase);
        return context.abort(INVALID_CURVE);
      }
      context.charge(verifyCost(inputs.length) + INPUT_COST * Math.ceil(inputs.length / SCALAR_BYTES));
      if (inputs.length > SCALAR_BYTES * INPUTS_MAX) return context.abort(TOO_MANY_INPUTS);
      context.host.work.spend(VERIFY_WORK);
      requireStack();
      const key = {
        gammaAbc: gammaAbc.view(),
        alphaBeta: alphaBeta.view(),
        gammaNegated: gammaNegated.view(),
        deltaNegated: deltaNegated.view(),
      };
      return verifyProof(curve, key, inputs.view(), proof.view());
    },
  };
}

/** Reads alpha, beta, gamma, delta, a count of eight bytes, and as many points for the inputs. */
function prepareKey(curve: ProofCurve, key: Uint8Array): PreparedKey | undefined {
  const { g1Bytes, g2Bytes, isExact } = curve;
  const headBytes = g1Bytes + 3 * g2Bytes;
  if (key.length < headBytes + COUNT_BYTES) return undefined;
  const count = bytesToNumberLE(key.subarray(headBytes, headBytes + COUNT_BYTES));
  if (count > GROTH16_KEY_POINTS_MAX || (isExact && count === 0n)) return undefined;
  const rest = prefixOf(key.subarray(headBytes + COUNT_BYTES), Number(count) * g1Bytes, isExact);
  const points = rest && readAll(curve, rest);
  const alpha = curve.readG1(key.subarray(0, g1Bytes));
  const [beta, gamma, delta] = [0, 1, 2].map((index) => curve.readG2(partOf(key.subarray(g1Bytes), index, g2Bytes)));
  if (!points || !alpha || !beta || !gamma || !delta) return undefined;
  return {
    gammaAbc: joinBytes(points.map((point) => curve.writeG1(point))),
    alphaBeta: writeTarget(curve, pairingProduct(curve.curve(), [[alpha, beta]])),
    gammaNegated: curve.writeG2(gamma.negate()),
    deltaNegated: curve.writeG2(delta.negate()),
  };
}

function verifyProof(curve: ProofCurve, key: PreparedKey, inputs: Uint8Array, proof: Uint8Array): boolean {
  const { g1Bytes, g2Bytes, isExact } = curve;
  const scalars = readScalars(curve, inputs);
  if (scalars === undefined || key.gammaAbc.length !== (scalars.length + 1) * g1Bytes) return false;
  const points = readAll(curve, key.gammaAbc);
  const proofBytes = prefixOf(proof, 2 * g1Bytes + g2Bytes, isExact);
  const alphaBeta = prefixOf(key.alphaBeta, 12 * curve.fieldBytes, isExact);
  const gammaBytes = prefixOf(key.gammaNegated, g2Bytes, isExact);
  const deltaBytes = prefixOf(key.deltaNegated, g2Bytes, isExact);
  if (!points || !proofBytes || !alphaBeta || !gammaBytes || !deltaBytes) return false;
  const gamma = curve.readG2(gammaBytes);
  const delta = curve.readG2(deltaBytes);
  const a = curve.readG1(proofBytes.subarray(0, g1Bytes));
  const b = curve.readG2(proofBytes.subarray(g1Bytes, g1Bytes + g2Bytes));
  const c = curve.readG1(proofBytes.subarray(g1Bytes + g2Bytes));
  if (!gamma || !delta || !a || !b || !c) return false;
  const product = pairingProduct(curve.curve(), [
    [a, b],
    [combine(points, scalars), gamma],
    [c, delta],
  ]);
  return equalBytes(writeTarget(curve, product), alphaBeta);
}

/** The first point, and the others times the inputs. */
function combine([first, ...others]: readonly G1Point[], scalars: readonly bigint[]): G1Point {
  return others.reduce((sum, point, index) => sum.add(point.multiplyUnsafe(scalars[index]!)), first!);
}

function readAll({ g1Bytes, readG1 }: ProofCurve, bytes: Uint8Array): readonly G1Point[] | undefined {
  const points: G1Point[] = [];
  for (let index = 0; index * g1Bytes < bytes.length; index++) {
    const point = readG1(partOf(bytes, index, g1Bytes));
    if (point === undefined) return undefined;
    points.push(point);
  }
  return points;
}

/** Numbers below the order of the group, 32 bytes each and little endian. */
function readScalars({ curve }: ProofCurve, bytes: Uint8Array): readonly bigint[] | undefined {
  if (bytes.length % SCALAR_BYTES !== 0) return undefined;
  const count = bytes.length / SCALAR_BYTES;
  const scalars = Array.from({ length: count }, (_, index) => bytesToNumberLE(partOf(bytes, index, SCALAR_BYTES)));
  return scalars.every((scalar) => scalar < curve().fields.Fr.ORDER) ? scalars : undefined;
}

/** An element of the target group: its twelve numbers, little endian. */
function writeTarget({ fieldBytes }: ProofCurve, { c0, c1 }: Fp12): Uint8Array {
  const pairs = [c0, c1].flatMap((element) => [element.c0, element.c1, element.c2]);
  return joinBytes(pairs.flatMap((pair) => [pair.c0, pair.c1].map((number) => numberToBytesLE(number, fieldBytes))));
}

function partOf(bytes: Uint8Array, index: number, length: number): Uint8Array {
  return bytes.subarray(index * length, (index + 1) * length);
}

/** The first `length` bytes; `undefined` if there are fewer, or more where trailing bytes are not allowed. */
function prefixOf(bytes: Uint8Array, length: number, isExact: boolean): Uint8Array | undefined {
  return bytes.length === length || (bytes.length > length && !isExact) ? bytes.subarray(0, length) : undefined;
}
