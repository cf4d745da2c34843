/**
 * Powers of numbers of any size under a modulus, as Ethereum's fifth precompiled contract has them.
 *
 * The input is three lengths of 32 bytes, then base, exponent and modulus, all big endian; missing bytes at the end
 * count as zeros, and excess bytes are ignored. So a short input may ask for a lot of work, which is bounded by the
 * contract's price as of the Byzantium fork, of which the reference allows 10^11.
 * Source: EIP-198; revm-precompile 16 of the reference.
 * @module
 */
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';

/**
 * What `0x2::evm::modexp` may cost at the prices of Ethereum's Byzantium fork, which only bound it and are not charged.
 * The reference's own bound; up to fourteen minutes of work. Anything beyond it aborts, there as here.
 */
const EVM_MODEXP_GAS_MAX = 100_000_000_000n;

/**
 * Length that `0x2::evm::modexp` accepts for an exponent, in bytes. For moduli of 32 bytes and more, `EVM_MODEXP_GAS_MAX`
 * allows less; for smaller ones it allows up to 250 GB, for which the reference would allocate an array. A longer exponent
 * aborts like one that is too expensive.
 */
const EVM_MODEXP_EXPONENT_BYTES_MAX: number = 2 ** 28;

const LENGTH_BYTES = 32;
const HEADER_BYTES = 3 * LENGTH_BYTES;
/** How many bytes of the exponent the price depends on. */
const EXPONENT_HEAD_BYTES = 32;
const GAS_DIVISOR = 20n;
const EMPTY = new Uint8Array(0);

/**
 * The power, as long as the modulus; `undefined` for an input that asks for too much.
 * @param onPrice called with the price before the work begins
 */
export function modexp(input: Uint8Array, onPrice: (price: number) => void): Uint8Array | undefined {
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
  return numberToBytesBE(power(base, given, exponentBytes - given.length, modulus), modulusBytes);
}

/** `base` to the power of `exponent` followed by `zeros` zero bytes. */
function power(base: bigint, exponent: Uint8Array, zeros: number, modulus: bigint): bigint {
  const factor = base % modulus;
  let result = 1n % modulus;
  for (const byte of exponent) {
    for (let mask = 0x80; mask !== 0; mask >>= 1) {
      if (result > 1n) result = (result * result) % modulus;
      if ((byte & mask) !== 0) result = (result * factor) % modulus;
    }
  }
  for (let bit = 0; bit < 8 * zeros && result > 1n; bit++) result = (result * result) % modulus;
  return result;
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
