/**
 * Natives of `0x2::evm`: Ethereum's precompiled contracts.
 *
 * Inputs of a wrong length abort before anything is charged; all other failures are charged. What an input asks for may
 * take far longer than its gas suggests, here as in the reference: minutes for the largest of `modexp`, eleven for all
 * rounds of `blake2f`, 7 ms for each pair of `ec_pairing`.
 * Source: spec/execution.md 4.2; EIP-152, EIP-196, EIP-197, EIP-198, EIP-4844; revm-precompile 16 of the reference.
 * @module
 */
import { bn254 } from '@noble/curves/bn254.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import { concatBytes, equalBytes, joinBytes } from '../bytes/compare.ts';
import { EVM_PAIRS_MAX } from '../config.ts';
import { BLAKE2F_BLOCK_BYTES, BLAKE2F_COUNTER_BYTES, BLAKE2F_STATE_BYTES, blake2bCompress } from '../hash/blake2f.ts';
import { keccak256 } from '../hash/keccak.ts';
import { sha256 } from '../hash/sha256.ts';
import { MOVEOS_STD_ADDRESS } from '../move/address.ts';
import type { NativeContext, NativeFunction, NativeSignature } from '../vm/native.ts';
import { ByteVector } from '../vm/value/vector.ts';
import { attempt, requireStack } from './attempt.ts';
import { EVM_G1_BYTES, EVM_G2_BYTES, readEvmG1, readEvmG2, writeEvmG1 } from './bn254-point.ts';
import { BLS_MODULUS, verifyKzgProof } from './kzg.ts';
import { modexp } from './modexp.ts';
import type { ModuleNatives, Natives } from './module-natives.ts';
import { type G1Point, type G2Point, isPairingProductOne } from './pairing.ts';
import type { LinearCost, NativePrices } from './prices.ts';

const MODEXP_FAILED = 5;
const ADD_FAILED = 6;
const MULTIPLY_FAILED = 7;
const PAIRING_FAILED = 8;
/** The module has a code of its own for this, 9, which the reference never aborts with. */
const BLAKE2F_FAILED = 8;
const POINT_EVALUATION_FAILED = 10;
const INVALID_INPUT_SIZE = 11;

const WORD_BYTES = 32;
const POINT_BYTES = 48;
const PAIR_BYTES = EVM_G1_BYTES + EVM_G2_BYTES;
const ADDRESS_BYTES = 20;
/** What signatures have for v, to which the parity of the point is added. */
const V_EVEN = 27n;
const VERSION_KZG = 1;
const FIELD_ELEMENTS_PER_BLOB = 4096n;

export const EVM: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'evm' },
  natives: evmNatives,
};

function evmNatives(prices: NativePrices): Natives {
  const cost = (name: string): LinearCost => prices.linear(`evm.${name}`);
  const word = WORD_BYTES;
  return {
    ec_recover: ofSizes([word, word, word, word], cost('ec_recover'), (_context, hash, v, r, s) => {
      return new ByteVector(recover(hash!, v!, r!, s!));
    }),
    modexp: ofAnySize(cost('modexp'), (context, ...inputs) => {
      return new ByteVector(modexp(joinBytes(inputs)) ?? context.abort(MODEXP_FAILED));
    }),
    ec_add: ofSizes([word, word, word, word], cost('ec_add'), (context, x1, y1, x2, y2) => {
      const first = readEvmG1(concatBytes(x1!, y1!)) ?? context.abort(ADD_FAILED);
      const second = readEvmG1(concatBytes(x2!, y2!)) ?? context.abort(ADD_FAILED);
      return coordinates(first.add(second));
    }),
    ec_mul: ofSizes([word, word, word], cost('ec_mul'), (context, x, y, scalar) => {
      const point = readEvmG1(concatBytes(x!, y!)) ?? context.abort(MULTIPLY_FAILED);
      return coordinates(point.multiplyUnsafe(bytesToNumberBE(scalar!) % bn254.fields.Fr.ORDER));
    }),
    ec_pairing: ofAnySize(cost('ec_pairing'), (context, data) => {
      const isOne = isPairingProductOne(bn254, readPairs(context, data!));
      return new ByteVector(numberToBytesBE(isOne ? 1n : 0n, WORD_BYTES));
    }),
    blake2f: ofSizes(
      [4, BLAKE2F_STATE_BYTES, BLAKE2F_BLOCK_BYTES, BLAKE2F_COUNTER_BYTES, 1],
      cost('blake2f'),
      (context, rounds, state, block, counter, isLast) => {
        const flag = isLast![0]!;
        if (flag > 1) return context.abort(BLAKE2F_FAILED);
        const count = Number(bytesToNumberBE(rounds!));
        return new ByteVector(blake2bCompress(count, state!, block!, counter!, flag === 1));
      },
    ),
    point_evaluation: ofSizes(
      [word, word, word, POINT_BYTES, POINT_BYTES],
      cost('point_evaluation'),
      (context, versionedHash, z, y, commitment, proof) => {
        const hash = sha256(commitment!).with(0, VERSION_KZG);
        const isRight = equalBytes(hash, versionedHash!) && verifyKzgProof(commitment!, z!, y!, proof!);
        if (!isRight) return context.abort(POINT_EVALUATION_FAILED);
        return [FIELD_ELEMENTS_PER_BLOB, BLS_MODULUS].map(
          (value) => new ByteVector(numberToBytesBE(value, WORD_BYTES)),
        );
      },
    ),
  };
}

type Work = (context: NativeContext, ...inputs: readonly Uint8Array[]) => unknown;

/** A native over byte vectors of these lengths. */
function ofSizes(lengths: readonly number[], cost: LinearCost, work: Work): NativeFunction {
  const units = cost(lengths.reduce((sum, length) => sum + length));
  return (context: NativeContext, _signature: NativeSignature, ...inputs: readonly ByteVector[]) => {
    if (inputs.some((input, index) => input.length !== lengths[index])) return context.abort(INVALID_INPUT_SIZE);
    context.charge(units);
    requireStack();
    return work(context, ...inputs.map((input) => input.view()));
  };
}

/** A native over byte vectors of any length, all of which are paid for. */
function ofAnySize(cost: LinearCost, work: Work): NativeFunction {
  return (context: NativeContext, _signature: NativeSignature, ...inputs: readonly ByteVector[]) => {
    context.charge(cost(inputs.reduce((sum, input) => sum + input.length, 0)));
    requireStack();
    return work(context, ...inputs.map((input) => input.view()));
  };
}

/** The address of the key that made a signature, in a word; nothing for a signature that no key made. */
function recover(hash: Uint8Array, v: Uint8Array, r: Uint8Array, s: Uint8Array): Uint8Array {
  const parity = bytesToNumberBE(v) - V_EVEN;
  if (parity !== 0n && parity !== 1n) return new Uint8Array(0);
  const signature = joinBytes([Uint8Array.of(Number(parity)), r, s]);
  const key = attempt(() => {
    const compressed = secp256k1.recoverPublicKey(signature, hash, { prehash: false });
    return secp256k1.Point.fromBytes(compressed).toBytes(false);
  });
  if (key === undefined) return new Uint8Array(0);
  return keccak256(key.subarray(1)).fill(0, 0, WORD_BYTES - ADDRESS_BYTES);
}

/** The two numbers of a point, which a native returns one by one. */
function coordinates(point: G1Point): ByteVector[] {
  const bytes = writeEvmG1(point);
  return [new ByteVector(bytes.slice(0, WORD_BYTES)), new ByteVector(bytes.slice(WORD_BYTES))];
}

/** Aborts if a point is none, for half pairs, and for more of them than any budget pays for. */
function* readPairs(context: NativeContext, data: Uint8Array): Generator<readonly [G1Point, G2Point], void, undefined> {
  if (data.length % PAIR_BYTES !== 0 || data.length > EVM_PAIRS_MAX * PAIR_BYTES) context.abort(PAIRING_FAILED);
  for (let start = 0; start < data.length; start += PAIR_BYTES) {
    const g1 = readEvmG1(data.subarray(start, start + EVM_G1_BYTES)) ?? context.abort(PAIRING_FAILED);
    const g2 = readEvmG2(data.subarray(start + EVM_G1_BYTES, start + PAIR_BYTES)) ?? context.abort(PAIRING_FAILED);
    yield [g1, g2];
  }
}
