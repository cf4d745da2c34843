/**
 * Natives of `0x2::bls12381`: BLS signatures of the basic scheme, in the curve's first group or in its second.
 * Source: draft-irtf-cfrg-bls-signature-05.
 *
 * Points are bytes in the format of Zcash, also used by the IETF's BLS signatures: big endian, coordinates of the
 * extension field with their imaginary part first. The three highest bits of the first byte mean: compressed; infinity;
 * the larger of the two y. Membership in the subgroup is not checked here, but the points (0, +-2) of G1 are rejected,
 * as in the reference's library. Source: draft-irtf-cfrg-pairing-friendly-curves appendix C; blst 0.3 of the reference.
 * @module
 */

import { bytesToNumberBE } from '../../base/bytes/bigint.ts';
import { bls12_381 } from '../../base/hash/noble.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeFunction, NativeSignature } from '../../vm/native.ts';
import type { ByteVector } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { LinearCost, ModuleNatives } from './module-natives.ts';
import {
  type Extended,
  type G1Point,
  type G2Point,
  isPairingProductOne,
  isUpperHalf,
  isUpperHalfExtended,
} from './pairing.ts';
import { attempt, requireStack } from './panic.ts';

export const BLS_G1_BYTES = 48;
export const BLS_G2_BYTES = 96;

const COMPRESSED = 0x80;
const INFINITY = 0x40;
const HIGHER_Y = 0x20;
const FLAGS = COMPRESSED | INFINITY | HIGHER_Y;
const COORDINATE_BYTES = 48;

/** The curve is y^2 = x^3 + 4, its twist y^2 = x^3 + 4(1 + i). */
const G1_B = 4n;
const G2_B: Extended = { c0: 4n, c1: 4n };

/** A point of G1's curve from 48 bytes compressed or 96 uncompressed; `undefined` for other bytes. */
export function readBlsG1(bytes: Uint8Array): G1Point | undefined {
  const { fields, G1 } = bls12_381();
  const { Fp } = fields;
  const form = formOf(bytes, BLS_G1_BYTES);
  if (form === undefined) return undefined;
  if (form === 'infinity') return G1.Point.ZERO;
  const x = readCoordinate(bytes, 0);
  if (x === undefined || x === 0n) return undefined;
  const squared = Fp.add(Fp.mul(Fp.sqr(x), x), G1_B);
  const y = form === 'compressed' ? pickY(rootOf(squared), isHigher(bytes)) : readCoordinate(bytes, 1);
  return y !== undefined && Fp.sqr(y) === squared ? G1.Point.fromAffine({ x, y }) : undefined;
}

/** A point of G2's curve from 96 bytes compressed or 192 uncompressed; `undefined` for other bytes. */
export function readBlsG2(bytes: Uint8Array): G2Point | undefined {
  const { fields, G2 } = bls12_381();
  const { Fp2 } = fields;
  const form = formOf(bytes, BLS_G2_BYTES);
  if (form === undefined) return undefined;
  if (form === 'infinity') return G2.Point.ZERO;
  const x = readCoordinate2(bytes, 0);
  if (x === undefined) return undefined;
  const squared = Fp2.add(Fp2.mul(Fp2.sqr(x), x), G2_B);
  const y = form === 'compressed' ? pickY2(rootOf2(squared), isHigher(bytes)) : readCoordinate2(bytes, 1);
  return y !== undefined && Fp2.eql(Fp2.sqr(y), squared) ? G2.Point.fromAffine({ x, y }) : undefined;
}

/** The written form of a point; `undefined` for invalid lengths and flags. */
function formOf(bytes: Uint8Array, compressedBytes: number): 'compressed' | 'uncompressed' | 'infinity' | undefined {
  const first = bytes[0] ?? 0;
  const isCompressed = (first & COMPRESSED) !== 0;
  if (bytes.length !== (isCompressed ? compressedBytes : 2 * compressedBytes)) return undefined;
  if ((first & INFINITY) !== 0) {
    const isZero = (first & ~(COMPRESSED | INFINITY)) === 0 && bytes.subarray(1).every((byte) => byte === 0);
    return isZero ? 'infinity' : undefined;
  }
  if (isCompressed) return 'compressed';
  return isHigher(bytes) ? undefined : 'uncompressed';
}

function isHigher(bytes: Uint8Array): boolean {
  return (bytes[0]! & HIGHER_Y) !== 0;
}

/** Coordinate number `index`, without the flags of the first. */
function readCoordinate(bytes: Uint8Array, index: number): bigint | undefined {
  const digits = bytes.slice(index * COORDINATE_BYTES, (index + 1) * COORDINATE_BYTES);
  if (index === 0) digits[0]! &= ~FLAGS;
  const value = bytesToNumberBE(digits);
  return value < bls12_381().fields.Fp.ORDER ? value : undefined;
}

function readCoordinate2(bytes: Uint8Array, index: number): Extended | undefined {
  const c1 = readCoordinate(bytes, 2 * index);
  const c0 = readCoordinate(bytes, 2 * index + 1);
  return c0 === undefined || c1 === undefined ? undefined : { c0, c1 };
}

function rootOf(square: bigint): bigint | undefined {
  return attempt(() => bls12_381().fields.Fp.sqrt(square));
}

function rootOf2(square: Extended): Extended | undefined {
  return attempt(() => bls12_381().fields.Fp2.sqrt(square));
}

function pickY(root: bigint | undefined, higher: boolean): bigint | undefined {
  const { Fp } = bls12_381().fields;
  return root === undefined || isUpperHalf(root, Fp.ORDER) === higher ? root : Fp.neg(root);
}

function pickY2(root: Extended | undefined, higher: boolean): Extended | undefined {
  const { Fp, Fp2 } = bls12_381().fields;
  return root === undefined || isUpperHalfExtended(root, Fp.ORDER) === higher ? root : Fp2.neg(root);
}

const INVALID_SIGNATURE = 1;
const INVALID_PUBLIC_KEY = 2;

/** Microseconds, measured. */
const VERIFY_WORK = 35_000;

/** Which groups a scheme uses: signatures are in one, keys in the other. */
interface Scheme<Signature extends G1Point | G2Point, PublicKey extends G1Point | G2Point> {
  readSignature(bytes: Uint8Array): Signature | undefined;
  readPublicKey(bytes: Uint8Array): PublicKey | undefined;
  verify(signature: Signature, publicKey: PublicKey, message: Uint8Array): boolean;
}

const SHORT_SIGNATURES: Scheme<G1Point, G2Point> = {
  readSignature: readBlsG1,
  readPublicKey: readBlsG2,
  verify: (signature, publicKey, message) => {
    const curve = bls12_381();
    const hash = curve.G1.hashToCurve(message, { DST: 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_' });
    return isPairingProductOne(curve, [
      [signature, curve.G2.Point.BASE.negate()],
      [hash, publicKey],
    ]);
  },
};

const SHORT_KEYS: Scheme<G2Point, G1Point> = {
  readSignature: readBlsG2,
  readPublicKey: readBlsG1,
  verify: (signature, publicKey, message) => {
    const curve = bls12_381();
    const hash = curve.G2.hashToCurve(message, { DST: 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_' });
    return isPairingProductOne(curve, [
      [curve.G1.Point.BASE.negate(), signature],
      [publicKey, hash],
    ]);
  },
};

export const BLS12381: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'bls12381' },
  natives: (prices) => ({
    bls12381_min_sig_verify: verification(SHORT_SIGNATURES, prices.linear('bls12381.bls12381_min_sig_verify')),
    bls12381_min_pk_verify: verification(SHORT_KEYS, prices.linear('bls12381.bls12381_min_pk_verify')),
  }),
};

function verification<Signature extends G1Point | G2Point, PublicKey extends G1Point | G2Point>(
  scheme: Scheme<Signature, PublicKey>,
  cost: LinearCost,
): NativeFunction<SessionHost> {
  return (
    context: NativeContext<SessionHost>,
    _signature: NativeSignature,
    signatureBytes: ByteVector,
    publicKeyBytes: ByteVector,
    message: ByteVector,
  ): boolean => {
    context.charge(cost(message.length + publicKeyBytes.length + signatureBytes.length));
    context.host.work.spend(VERIFY_WORK);
    requireStack();
    const signature = scheme.readSignature(signatureBytes.view()) ?? context.abort(INVALID_SIGNATURE);
    const publicKey = scheme.readPublicKey(publicKeyBytes.view()) ?? context.abort(INVALID_PUBLIC_KEY);
    if (publicKey.is0() || !publicKey.isTorsionFree()) return context.abort(INVALID_PUBLIC_KEY);
    return signature.isTorsionFree() && scheme.verify(signature, publicKey, message.view());
  };
}
