/**
 * secp256k1 public keys as Bitcoin writes them: compressed, uncompressed, x-only.
 * @module
 */
import { bytesToNumberBE } from '@noble/curves/utils.js';
import { equalBytes } from '../base/bytes/compare.ts';
import { EngineError } from '../base/error.ts';
import { isQuadraticResidue } from '../base/hash/secp256k1.ts';

const COMPRESSED_BYTES = 33;
const UNCOMPRESSED_BYTES = 65;
const X_ONLY_BYTES = 32;

/** The order of the field of secp256k1. */
const PRIME = 2n ** 256n - 2n ** 32n - 977n;

/** The last key found to be a point: deriving an address checks it three times. */
let lastValid: Uint8Array | undefined;

/**
 * Whether `key` is a point on the curve in compressed (33 bytes, 02 or 03) or uncompressed form (65 bytes, 04). The
 * hybrid forms 06 and 07 are refused, as in the reference.
 */
export function isPublicKey(key: Uint8Array): boolean {
  const prefix = key[0];
  const compressed = key.length === COMPRESSED_BYTES && (prefix === 2 || prefix === 3);
  const uncompressed = key.length === UNCOMPRESSED_BYTES && prefix === 4;
  if (!compressed && !uncompressed) return false;
  if (lastValid !== undefined && equalBytes(lastValid, key)) return true;
  const x = bytesToNumberBE(key.subarray(1, 1 + X_ONLY_BYTES));
  const y = uncompressed ? bytesToNumberBE(key.subarray(1 + X_ONLY_BYTES)) : undefined;
  if (!isOnCurve(x, y)) return false;
  lastValid = key.slice();
  return true;
}

/**
 * Whether a point has these coordinates, or this x. No root is taken: each output of a block may pay a key, and tens of
 * thousands of roots take seconds.
 */
function isOnCurve(x: bigint, y: bigint | undefined): boolean {
  if (x >= PRIME) return false;
  const square = (x * x * x + 7n) % PRIME;
  return y === undefined ? isQuadraticResidue(square, PRIME) : y < PRIME && (y * y) % PRIME === square;
}

/**
 * The x coordinate of a public key in any of the three forms: the x-only key of BIP 340.
 * @throws {EngineError} `invalid-argument` for bytes that are not a point on the curve.
 */
export function toXOnlyPublicKey(key: Uint8Array): Uint8Array {
  const valid = key.length === X_ONLY_BYTES ? isPublicKey(Uint8Array.of(2, ...key)) : isPublicKey(key);
  if (!valid) {
    throw new EngineError(
      'invalid-argument',
      `expected a secp256k1 public key of 32, 33 or 65 bytes, got ${key.length} bytes that are no point of the curve`,
    );
  }
  return new Uint8Array(key.length === X_ONLY_BYTES ? key : key.subarray(1, 1 + X_ONLY_BYTES));
}
