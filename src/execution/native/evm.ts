/**
 * Natives of `0x2::evm`: Ethereum's precompiled contracts.
 *
 * Inputs of a wrong length abort before anything is charged; all other failures are charged. An input may require far
 * more work than its gas suggests, here as in the reference: minutes for the largest input of `modexp`, eleven minutes
 * for all rounds of `blake2f`, 7 ms for each pair of `ec_pairing`. Source: EIP-152, EIP-196, EIP-197, EIP-198,
 * EIP-4844; revm-precompile 16 of the reference.
 *
 * `point_evaluation` checks Kate-Zaverucha-Goldberg commitments to polynomials, as Ethereum's blobs have them, on
 * BLS12-381. A proof of `p(z) = y` is the commitment to `(p(x) - y) / (x - z)`. It is checked with a pairing at the
 * secret point of the trusted setup, for which a single power in G2 suffices. Source: EIP-4844; consensus-specs,
 * deneb/polynomial-commitments.md.
 *
 * `modexp` takes powers of numbers of any size under a modulus. The input is three lengths of 32 bytes, then base,
 * exponent and modulus, all big endian; missing bytes at the end count as zeros, and excess bytes are ignored. So a
 * short input may require a lot of work, which is bounded by the contract's price as of the Byzantium fork, of which
 * the reference allows 10^11. Source: EIP-198; revm-precompile 16 of the reference.
 * @module
 */
import { bytesToNumberBE, numberToBytesBE, powerModulo } from '../../base/bytes/bigint.ts';
import { concatBytes, equalBytes, fromHex, joinBytes } from '../../base/bytes/bytes.ts';
import {
  BLAKE2F_BLOCK_BYTES,
  BLAKE2F_COUNTER_BYTES,
  BLAKE2F_STATE_BYTES,
  blake2bCompress,
} from '../../base/hash/blake2.ts';
import { bls12_381, bn254, secp256k1 } from '../../base/hash/noble.ts';
import { keccak256 } from '../../base/hash/sha3.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext } from '../../vm/native.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import { BLS_G1_BYTES, readBlsG1, readBlsG2 } from './bls12381.ts';
import { EVM_G1_BYTES, EVM_G2_BYTES, readEvmG1, readEvmG2, writeEvmG1 } from './bn254-point.ts';
import type { LinearCost, ModuleNatives, NativePrices, Natives } from './module-natives.ts';
import { type G1Point, type G2Point, inSubgroup, isPairingProductOne } from './pairing.ts';
import { attempt, requireStack } from './panic.ts';

/** Order of the field that the polynomials are over. */
function blsModulus(): bigint {
  return bls12_381().fields.Fr.ORDER;
}

/** The secret of Ethereum's ceremony times the generator of G2: the second of `g2_monomial` in its trusted setup. */
const SECRET_G2_HEX =
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72' +
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2';
let secretG2: G2Point | undefined;

/**
 * Whether the polynomial behind `commitment` has the value `y` at `z`; also false for malformed points and numbers.
 * @param commitment 48 bytes, a compressed point of G1, as `proof`
 * @param z 32 bytes, big endian, below the order of the field, as `y`
 */
function verifyKzgProof(commitment: Uint8Array, z: Uint8Array, y: Uint8Array, proof: Uint8Array): boolean {
  const [at, value] = [bytesToNumberBE(z), bytesToNumberBE(y)];
  const modulus = blsModulus();
  if (at >= modulus || value >= modulus) return false;
  const commitmentPoint = inSubgroup(readBlsG1(commitment));
  const proofPoint = inSubgroup(readBlsG1(proof));
  if (commitmentPoint === undefined || proofPoint === undefined) return false;
  secretG2 ??= readBlsG2(fromHex(SECRET_G2_HEX))!;
  const curve = bls12_381();
  const { BASE } = curve.G2.Point;
  return isPairingProductOne(curve, [
    [commitmentPoint.subtract(curve.G1.Point.BASE.multiplyUnsafe(value)), BASE.negate()],
    [proofPoint, secretG2.subtract(BASE.multiplyUnsafe(at))],
  ]);
}

/**
 * Maximum cost of `0x2::evm::modexp` at the prices of Ethereum's Byzantium fork, which only bound it and are not
 * charged. The reference's own bound; up to fourteen minutes of work. Anything beyond it aborts, there as here.
 */
const EVM_MODEXP_GAS_MAX = 100_000_000_000n;

/**
 * Maximum length of an exponent of `0x2::evm::modexp`, in bytes. For moduli of 32 bytes and more, `EVM_MODEXP_GAS_MAX`
 * allows less; for smaller ones it allows up to 250 GB, for which the reference would allocate an array. A longer
 * exponent aborts like one that is too expensive.
 */
const EVM_MODEXP_EXPONENT_BYTES_MAX: number = 2 ** 28;

const LENGTH_BYTES = 32;
const HEADER_BYTES = 3 * LENGTH_BYTES;
/** Number of exponent bytes on which the price depends. */
const EXPONENT_HEAD_BYTES = 32;
const GAS_DIVISOR = 20n;
const EMPTY = new Uint8Array(0);

/**
 * The power, as long as the modulus; `undefined` for an input that exceeds the bounds.
 * @param onPrice called with the price before the work begins
 */
function modexp(input: Uint8Array, onPrice: (price: number) => void): Uint8Array | undefined {
  const [baseLength, exponentLength, modulusLength] = [0, 1, 2].map((index) =>
    bytesToNumberBE(padded(input, index * LENGTH_BYTES, LENGTH_BYTES)),
  ) as [bigint, bigint, bigint];
  if (baseLength === 0n && modulusLength === 0n) return EMPTY;
  if (exponentLength > EVM_MODEXP_EXPONENT_BYTES_MAX) return undefined;
  const complexity = multiplicationComplexity(baseLength > modulusLength ? baseLength : modulusLength);
  // Any length beyond the exact integers exceeds the price, too.
  if (complexity / GAS_DIVISOR > EVM_MODEXP_GAS_MAX) return undefined;
  const exponentStart = HEADER_BYTES + Number(baseLength);
  const exponentBytes = Number(exponentLength);
  const head = padded(input, exponentStart, Math.min(exponentBytes, EXPONENT_HEAD_BYTES));
  const price = (complexity * iterations(exponentBytes, head)) / GAS_DIVISOR;
  if (price > EVM_MODEXP_GAS_MAX) return undefined;
  onPrice(Number(price));
  const modulusBytes = Number(modulusLength);
  const modulus = bytesToNumberBE(padded(input, exponentStart + exponentBytes, modulusBytes));
  if (modulus === 0n) return new Uint8Array(modulusBytes);
  const base = bytesToNumberBE(padded(input, HEADER_BYTES, Number(baseLength)));
  // The exponent may be far longer than the input, so its zeros are counted, not made.
  const given = input.subarray(exponentStart, exponentStart + exponentBytes);
  return numberToBytesBE(powerModulo(base, given, modulus, exponentBytes - given.length), modulusBytes);
}

/** EIP-198's cost of multiplying numbers of `length` bytes. */
function multiplicationComplexity(length: bigint): bigint {
  const square = length * length;
  if (length <= 64n) return square;
  return length <= 1024n ? square / 4n + 96n * length - 3_072n : square / 16n + 480n * length - 199_680n;
}

/** EIP-198's number of multiplications: about the bits of the exponent. */
function iterations(length: number, head: Uint8Array): bigint {
  const highestBit = Math.max(bytesToNumberBE(head).toString(2).length - 1, 0);
  return BigInt(Math.max(8 * Math.max(length - EXPONENT_HEAD_BYTES, 0) + highestBit, 1));
}

/** `length` bytes from `start`, as if the input were followed by zeros. */
function padded(input: Uint8Array, start: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set(input.subarray(start, start + length));
  return bytes;
}

/**
 * Maximum number of pairs of points of `0x2::evm::ec_pairing`. Transactions and views have at most 5,000,000,000 units,
 * which pay for 868,055 pairs, an hour and a half of work. More pairs abort like a malformed input.
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
    ec_recover: (context, _signature, hash: ByteVector, v: ByteVector, r: ByteVector, s: ByteVector): ByteVector => {
      requireSizes(context, [hash, v, r, s], [WORD_BYTES, WORD_BYTES, WORD_BYTES, WORD_BYTES]);
      const input = join(context, recoverCost, hash, v, r, s);
      context.host.work.spend(RECOVER_WORK);
      return new ByteVector(recover(hash.view(), v.view(), input.subarray(2 * WORD_BYTES)));
    },

    ec_add: (context, _signature, x1: ByteVector, y1: ByteVector, x2: ByteVector, y2: ByteVector): ByteVector[] => {
      requireSizes(context, [x1, y1, x2, y2], [WORD_BYTES, WORD_BYTES, WORD_BYTES, WORD_BYTES]);
      const input = join(context, addCost, x1, y1, x2, y2);
      context.host.work.spend(ADD_WORK);
      const first = readEvmG1(input.subarray(0, EVM_G1_BYTES)) ?? context.abort(ADD_FAILED);
      const second = readEvmG1(input.subarray(EVM_G1_BYTES)) ?? context.abort(ADD_FAILED);
      return coordinates(first.add(second));
    },

    ec_mul: (context, _signature, x: ByteVector, y: ByteVector, scalar: ByteVector): ByteVector[] => {
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
      context,
      _signature,
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

    ec_pairing: (context, _signature, data: ByteVector): ByteVector => {
      const input = join(context, pairingCost, data);
      const isOne = isPairingProductOne(bn254(), readPairs(context, input));
      return new ByteVector(numberToBytesBE(isOne ? 1n : 0n, WORD_BYTES));
    },

    blake2f: (
      context,
      _signature,
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
      context,
      _signature,
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
