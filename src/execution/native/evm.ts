/**
 * Natives of `0x2::evm`: Ethereum's precompiled contracts.
 *
 * Inputs of a wrong length abort before anything is charged; all other failures are charged. An input may ask for far
 * more work than its gas suggests, here as in the reference: minutes for the largest input of `modexp`, eleven minutes
 * for all rounds of `blake2f`, 7 ms for each pair of `ec_pairing`.
 * Source: EIP-152, EIP-196, EIP-197, EIP-198, EIP-4844; revm-precompile 16 of the reference.
 * @module
 */

import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import { concatBytes, equalBytes, joinBytes } from '../../base/bytes/compare.ts';
import {
  BLAKE2F_BLOCK_BYTES,
  BLAKE2F_COUNTER_BYTES,
  BLAKE2F_STATE_BYTES,
  blake2bCompress,
} from '../../base/hash/blake2.ts';
import { bn254, secp256k1 } from '../../base/hash/curves.ts';

import { keccak256 } from '../../base/hash/sha3.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import { attempt, requireStack } from './attempt.ts';
import { BLS_G1_BYTES } from './bls-point.ts';
import { EVM_G1_BYTES, EVM_G2_BYTES, readEvmG1, readEvmG2, writeEvmG1 } from './bn254-point.ts';
import { blsModulus, verifyKzgProof } from './kzg.ts';
import { modexp } from './modexp.ts';
import type { ModuleNatives, Natives } from './module-natives.ts';
import { type G1Point, type G2Point, isPairingProductOne } from './pairing.ts';
import type { LinearCost, NativePrices } from './prices.ts';

/**
 * Pairs of points that `0x2::evm::ec_pairing` takes. Transactions and views have at most 5,000,000,000 units, which pay for
 * 868,055 pairs, an hour and a half of work. More pairs abort like a malformed input.
 */
const EVM_PAIRS_MAX = 1_000_000;

const MODEXP_FAILED = 5;
const ADD_FAILED = 6;
const MULTIPLY_FAILED = 7;
const PAIRING_FAILED = 8;
/** The module declares a code for this, 9, which the reference never uses. */
const BLAKE2F_FAILED = 8;
const POINT_EVALUATION_FAILED = 10;
const INVALID_INPUT_SIZE = 11;

/** Microseconds, measured: per call, per unit of modexp's price, per pair, per round. */
const RECOVER_WORK = 2_000;
const ADD_WORK = 100;
const MULTIPLY_WORK = 800;
const EVALUATION_WORK = 30_000;
const MODEXP_PRICE_WORK = 0.0084;
const PAIR_WORK = 7_000;
const ROUND_WORK = 0.25;

const WORD_BYTES = 32;
const PAIR_BYTES = EVM_G1_BYTES + EVM_G2_BYTES;
const ADDRESS_BYTES = 20;
const BLAKE2F_SIZES = [4, BLAKE2F_STATE_BYTES, BLAKE2F_BLOCK_BYTES, BLAKE2F_COUNTER_BYTES, 1];
const EVALUATION_SIZES = [WORD_BYTES, WORD_BYTES, WORD_BYTES, BLS_G1_BYTES, BLS_G1_BYTES];
/** The v of signatures, to which the parity of the point is added. */
const V_EVEN = 27n;
const VERSION_KZG = 1;
const FIELD_ELEMENTS_PER_BLOB = 4096n;

export const EVM: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'evm' },
  natives: evmNatives,
};

function evmNatives(prices: NativePrices): Natives {
  return { ...wordNatives(prices), ...byteNatives(prices) };
}

/** Natives whose input is words. */
function wordNatives(prices: NativePrices): Natives {
  const recoverCost = prices.linear('evm.ec_recover');
  const addCost = prices.linear('evm.ec_add');
  const multiplyCost = prices.linear('evm.ec_mul');
  return {
    ec_recover: (
      context: NativeContext<SessionHost>,
      _signature: NativeSignature,
      hash: ByteVector,
      v: ByteVector,
      r: ByteVector,
      s: ByteVector,
    ): ByteVector => {
      requireSizes(context, [hash, v, r, s], [WORD_BYTES, WORD_BYTES, WORD_BYTES, WORD_BYTES]);
      const input = join(context, recoverCost, hash, v, r, s);
      context.host.work.spend(RECOVER_WORK);
      return new ByteVector(recover(hash.view(), v.view(), input.subarray(2 * WORD_BYTES)));
    },

    ec_add: (
      context: NativeContext<SessionHost>,
      _signature: NativeSignature,
      x1: ByteVector,
      y1: ByteVector,
      x2: ByteVector,
      y2: ByteVector,
    ): ByteVector[] => {
      requireSizes(context, [x1, y1, x2, y2], [WORD_BYTES, WORD_BYTES, WORD_BYTES, WORD_BYTES]);
      const input = join(context, addCost, x1, y1, x2, y2);
      context.host.work.spend(ADD_WORK);
      const first = readEvmG1(input.subarray(0, EVM_G1_BYTES)) ?? context.abort(ADD_FAILED);
      const second = readEvmG1(input.subarray(EVM_G1_BYTES)) ?? context.abort(ADD_FAILED);
      return coordinates(first.add(second));
    },

    ec_mul: (
      context: NativeContext<SessionHost>,
      _signature: NativeSignature,
      x: ByteVector,
      y: ByteVector,
      scalar: ByteVector,
    ): ByteVector[] => {
      requireSizes(context, [x, y, scalar], [WORD_BYTES, WORD_BYTES, WORD_BYTES]);
      const input = join(context, multiplyCost, x, y, scalar);
      const point = readEvmG1(input.subarray(0, EVM_G1_BYTES)) ?? context.abort(MULTIPLY_FAILED);
      context.host.work.spend(MULTIPLY_WORK);
      const factor = bytesToNumberBE(input.subarray(EVM_G1_BYTES)) % bn254().fields.Fr.ORDER;
      return coordinates(point.multiplyUnsafe(factor));
    },
  };
}

/** Natives whose input is bytes of other lengths. */
function byteNatives(prices: NativePrices): Natives {
  const modexpCost = prices.linear('evm.modexp');
  const pairingCost = prices.linear('evm.ec_pairing');
  const blake2fCost = prices.linear('evm.blake2f');
  const evaluationCost = prices.linear('evm.point_evaluation');
  return {
    modexp: (
      context: NativeContext<SessionHost>,
      _signature: NativeSignature,
      baseSize: ByteVector,
      exponentSize: ByteVector,
      modulusSize: ByteVector,
      base: ByteVector,
      exponent: ByteVector,
      modulus: ByteVector,
    ): ByteVector => {
      const input = join(context, modexpCost, baseSize, exponentSize, modulusSize, base, exponent, modulus);
      return new ByteVector(
        modexp(input, (price) => context.host.work.spend(price * MODEXP_PRICE_WORK)) ?? context.abort(MODEXP_FAILED),
      );
    },

    ec_pairing: (context: NativeContext<SessionHost>, _signature: NativeSignature, data: ByteVector): ByteVector => {
      const input = join(context, pairingCost, data);
      const isOne = isPairingProductOne(bn254(), readPairs(context, input));
      return new ByteVector(numberToBytesBE(isOne ? 1n : 0n, WORD_BYTES));
    },

    blake2f: (
      context: NativeContext<SessionHost>,
      _signature: NativeSignature,
      rounds: ByteVector,
      state: ByteVector,
      block: ByteVector,
      counter: ByteVector,
      isLast: ByteVector,
    ): ByteVector => {
      requireSizes(context, [rounds, state, block, counter, isLast], BLAKE2F_SIZES);
      charge(context, blake2fCost, [rounds, state, block, counter, isLast]);
      const flag = isLast.view()[0]!;
      if (flag > 1) return context.abort(BLAKE2F_FAILED);
      const count = Number(bytesToNumberBE(rounds.view()));
      context.host.work.spend(count * ROUND_WORK);
      return new ByteVector(blake2bCompress(count, state.view(), block.view(), counter.view(), flag === 1));
    },

    point_evaluation: (
      context: NativeContext<SessionHost>,
      _signature: NativeSignature,
      versionedHash: ByteVector,
      z: ByteVector,
      y: ByteVector,
      commitment: ByteVector,
      proof: ByteVector,
    ): ByteVector[] => {
      requireSizes(context, [versionedHash, z, y, commitment, proof], EVALUATION_SIZES);
      charge(context, evaluationCost, [versionedHash, z, y, commitment, proof]);
      context.host.work.spend(EVALUATION_WORK);
      const hash = sha256(commitment.view()).with(0, VERSION_KZG);
      const isRight =
        equalBytes(hash, versionedHash.view()) && verifyKzgProof(commitment.view(), z.view(), y.view(), proof.view());
      if (!isRight) return context.abort(POINT_EVALUATION_FAILED);
      return [FIELD_ELEMENTS_PER_BLOB, blsModulus()].map((value) => new ByteVector(numberToBytesBE(value, WORD_BYTES)));
    },
  };
}

/** Aborts if an input has another length, before anything is charged. */
function requireSizes(context: NativeContext, inputs: readonly ByteVector[], sizes: readonly number[]): void {
  if (inputs.some((input, index) => input.length !== sizes[index])) context.abort(INVALID_INPUT_SIZE);
}

function charge(context: NativeContext, cost: LinearCost, inputs: readonly ByteVector[]): void {
  context.charge(cost(inputs.reduce((sum, input) => sum + input.length, 0)));
  requireStack();
}

/** Charges for inputs and joins them. */
function join(context: NativeContext, cost: LinearCost, ...inputs: readonly ByteVector[]): Uint8Array {
  charge(context, cost, inputs);
  return joinBytes(inputs.map((input) => input.view()));
}

/**
 * The address of the key that made a signature, as a word; empty for a signature that no key made.
 * @param signature r and s
 */
function recover(hash: Uint8Array, v: Uint8Array, signature: Uint8Array): Uint8Array {
  const parity = bytesToNumberBE(v) - V_EVEN;
  if (parity !== 0n && parity !== 1n) return new Uint8Array(0);
  const recoverable = concatBytes(Uint8Array.of(Number(parity)), signature);
  const key = attempt(() => {
    const compressed = secp256k1().recoverPublicKey(recoverable, hash, { prehash: false });
    return secp256k1().Point.fromBytes(compressed).toBytes(false);
  });
  if (key === undefined) return new Uint8Array(0);
  return keccak256(key.subarray(1)).fill(0, 0, WORD_BYTES - ADDRESS_BYTES);
}

/** The two numbers of a point, which a native returns one by one. */
function coordinates(point: G1Point): ByteVector[] {
  const bytes = writeEvmG1(point);
  return [new ByteVector(bytes.slice(0, WORD_BYTES)), new ByteVector(bytes.slice(WORD_BYTES))];
}

/** Aborts for an invalid point, an incomplete pair, or more pairs than any budget pays for. */
function* readPairs(
  context: NativeContext<SessionHost>,
  data: Uint8Array,
): Generator<readonly [G1Point, G2Point], void, undefined> {
  if (data.length % PAIR_BYTES !== 0 || data.length > EVM_PAIRS_MAX * PAIR_BYTES) context.abort(PAIRING_FAILED);
  context.host.work.spend((1 + data.length / PAIR_BYTES) * PAIR_WORK);
  for (let start = 0; start < data.length; start += PAIR_BYTES) {
    const g1 = readEvmG1(data.subarray(start, start + EVM_G1_BYTES)) ?? context.abort(PAIRING_FAILED);
    const g2 = readEvmG2(data.subarray(start + EVM_G1_BYTES, start + PAIR_BYTES)) ?? context.abort(PAIRING_FAILED);
    yield [g1, g2];
  }
}
