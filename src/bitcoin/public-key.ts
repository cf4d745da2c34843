/**
 * secp256k1 public keys as Bitcoin writes them: compressed, uncompressed, x-only; and Taproot output keys, from an
 * internal key and a tree of scripts.
 *
 * Source: BIP 341; taproot_builder.move of the reference.
 * @module
 */
import { bytesToNumberBE } from '../base/bytes/bigint.ts';
import { compareBytes, equalBytes } from '../base/bytes/bytes.ts';
import { ByteWriter } from '../base/bytes/writer.ts';
import { invalidArgument } from '../base/error.ts';
import { schnorr, secp256k1 } from '../base/hash/noble.ts';
import { isQuadraticResidue } from '../base/hash/secp256k1.ts';
import { writeSizedBytes } from './compact-size.ts';

const COMPRESSED_BYTES = 33;
const UNCOMPRESSED_BYTES = 65;
const X_ONLY_BYTES = 32;

/** The order of the field of secp256k1. */
const PRIME = 2n ** 256n - 2n ** 32n - 977n;

/** The last key that is a point: deriving an address checks it three times. */
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
 * Whether a point has these coordinates, or this x. Computes no square root: each output of a block may pay a key, and
 * tens of thousands of roots take seconds.
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
    throw invalidArgument(
      `expected a secp256k1 public key of 32, 33 or 65 bytes, got ${key.length} bytes that are no point of the curve`,
    );
  }
  return new Uint8Array(key.length === X_ONLY_BYTES ? key : key.subarray(1, 1 + X_ONLY_BYTES));
}

const LEAF_VERSION_TAPSCRIPT = 0xc0;
const NONE: Uint8Array = new Uint8Array(0);

/** The hash of one leaf script of version 0xc0. */
export function tapLeafHash(script: Uint8Array): Uint8Array {
  const writer = new ByteWriter(script.length + 10);
  writer.u8(LEAF_VERSION_TAPSCRIPT);
  writeSizedBytes(writer, script);
  return schnorr().utils.taggedHash('TapLeaf', writer.finish());
}

/** The hash of the parent of two nodes in a script tree; their order does not matter. */
export function tapBranchHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const [low, high] = compareBytes(left, right) < 0 ? [left, right] : [right, left];
  return schnorr().utils.taggedHash('TapBranch', low, high);
}

/**
 * The 32-byte x-only output key of an internal key and the root of its script tree, if it has one.
 * @param internalKey 32 bytes x-only, or a compressed or uncompressed key, of which only x is used.
 * @throws {EngineError} `invalid-argument` for bytes that are no public key.
 */
export function tapOutputKey(internalKey: Uint8Array, merkleRoot?: Uint8Array): Uint8Array {
  const xOnly = toXOnlyPublicKey(internalKey);
  const tweak = bytesToNumberBE(schnorr().utils.taggedHash('TapTweak', xOnly, merkleRoot ?? NONE));
  if (tweak >= secp256k1().Point.Fn.ORDER) {
    throw invalidArgument('expected a tweak below the order of the curve, got one above it');
  }
  const point = schnorr().utils.lift_x(bytesToNumberBE(xOnly)).add(secp256k1().Point.BASE.multiply(tweak));
  return schnorr().utils.pointToBytes(point);
}
