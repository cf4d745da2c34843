/**
 * Natives of `0x3::ecdsa_k1`: signatures on the curve secp256k1.
 *
 * `verify` requires the lower of the two valid s; recovery accepts either. Keys may be of the hybrid form (06 and 07)
 * except for Schnorr. Source: SEC 1; BIP 340; libsecp256k1 of the reference.
 * @module
 */
import { bytesToNumberBE } from '../../base/bytes/bigint.ts';
import { concatBytes } from '../../base/bytes/bytes.ts';
import { schnorr, secp256k1 } from '../../base/hash/noble.ts';
import { verifySecp256k1 } from '../../base/hash/secp256k1.ts';
import { keccak256 } from '../../base/hash/sha3.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import { FRAMEWORK_ADDRESS } from '../../move/address.ts';
import type { NativeContext } from '../../vm/native.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { ModuleNatives, NativePrices, Natives } from './module-natives.ts';
import { attempt } from './panic.ts';

const RECOVERY_FAILED = 1;
const INVALID_SIGNATURE = 2;
const INVALID_PUBLIC_KEY = 3;
const INVALID_HASH_TYPE = 4;
const INVALID_X_ONLY_PUBLIC_KEY = 5;
const INVALID_MESSAGE = 6;
const INVALID_SCHNORR_SIGNATURE = 7;

const KECCAK256 = 0;
const SHA256 = 1;

const SIGNATURE_BYTES = 64;
const RECOVERABLE_SIGNATURE_BYTES = 65;
const RECOVERY_ID_MAX = 3;
const DIGEST_BYTES = 32;
const X_ONLY_KEY_BYTES = 32;
const COMPRESSED_KEY_BYTES = 33;
const UNCOMPRESSED_KEY_BYTES = 65;
const UNCOMPRESSED = 4;
const HYBRID_EVEN = 6;
const HYBRID_ODD = 7;

/** Microseconds, measured. */
const RECOVER_WORK = 2_000;
const DECOMPRESS_WORK = 70;
const VERIFY_WORK = 1_500;

export const ECDSA_K1: ModuleNatives = {
  module: { address: FRAMEWORK_ADDRESS, name: 'ecdsa_k1' },
  natives: ecdsaK1Natives,
};

function ecdsaK1Natives(prices: NativePrices): Natives {
  const recoverCost = prices.of('ecdsa_k1.ecrecover.base');
  const decompressCost = prices.of('ecdsa_k1.decompress_pubkey.base');
  const verifyCost = prices.linear('ecdsa_k1.verify');
  return {
    ecrecover: (context, _signature, signature: ByteVector, message: ByteVector, hashType: number): ByteVector => {
      context.charge(recoverCost);
      context.host.work.spend(RECOVER_WORK);
      const bytes = signature.view();
      if (!isRecoverableSignature(bytes)) return context.abort(INVALID_SIGNATURE);
      const hash = hashOf(hashType) ?? context.abort(INVALID_HASH_TYPE);
      const key = recover(bytes, hash(message.view()));
      return new ByteVector(key ?? context.abort(RECOVERY_FAILED));
    },

    decompress_pubkey: (context, _signature, publicKey: ByteVector): ByteVector => {
      context.charge(decompressCost);
      context.host.work.spend(DECOMPRESS_WORK);
      const point = readPublicKey(publicKey.view()) ?? context.abort(INVALID_PUBLIC_KEY);
      return new ByteVector(point.toBytes(false));
    },

    verify: (
      context,
      _signature,
      signature: ByteVector,
      publicKey: ByteVector,
      message: ByteVector,
      hashType: number,
    ): boolean => {
      context.charge(verifyCost(message.length + signature.length + publicKey.length));
      context.host.work.spend(VERIFY_WORK);
      if (hashType === KECCAK256 || (hashType === SHA256 && publicKey.length === COMPRESSED_KEY_BYTES)) {
        return verifyEcdsa(context, signature.view(), publicKey.view(), message.view(), hashType);
      }
      if (hashType !== SHA256 || publicKey.length !== X_ONLY_KEY_BYTES) return false;
      return verifySchnorr(context, signature.view(), publicKey.view(), message.view());
    },
  };
}

function verifyEcdsa(
  context: NativeContext<SessionHost>,
  signature: Uint8Array,
  publicKey: Uint8Array,
  message: Uint8Array,
  hashType: typeof KECCAK256 | typeof SHA256,
): boolean {
  if (!isSignature(signature)) return context.abort(INVALID_SIGNATURE);
  if (context.host.assumesSignatures) return true;
  const digest = hashType === SHA256 ? sha256(message) : keccak256(message);
  const key = isHybrid(publicKey) ? Uint8Array.of(UNCOMPRESSED, ...publicKey.subarray(1)) : publicKey;
  if (verifySecp256k1(key, digest, signature)) return true;
  if (readPublicKey(key) === undefined) context.abort(INVALID_PUBLIC_KEY);
  return false;
}

function verifySchnorr(
  context: NativeContext<SessionHost>,
  signature: Uint8Array,
  publicKey: Uint8Array,
  message: Uint8Array,
): boolean {
  if (attempt(() => schnorr().utils.lift_x(bytesToNumberBE(publicKey))) === undefined) {
    return context.abort(INVALID_X_ONLY_PUBLIC_KEY);
  }
  if (message.length !== DIGEST_BYTES) return context.abort(INVALID_MESSAGE);
  if (signature.length !== SIGNATURE_BYTES) return context.abort(INVALID_SCHNORR_SIGNATURE);
  if (context.host.assumesSignatures) return true;
  return attempt(() => schnorr().verify(signature, message, publicKey)) ?? false;
}

/** The compressed key that made a signature of 65 bytes. */
function recover(signature: Uint8Array, digest: Uint8Array): Uint8Array | undefined {
  const recovered = concatBytes(signature.subarray(SIGNATURE_BYTES), signature.subarray(0, SIGNATURE_BYTES));
  return attempt(() => secp256k1().recoverPublicKey(recovered, digest, { prehash: false }));
}

function hashOf(hashType: number): ((message: Uint8Array) => Uint8Array) | undefined {
  if (hashType === KECCAK256) return keccak256;
  return hashType === SHA256 ? sha256 : undefined;
}

function isRecoverableSignature(signature: Uint8Array): boolean {
  return (
    signature.length === RECOVERABLE_SIGNATURE_BYTES &&
    signature[SIGNATURE_BYTES]! <= RECOVERY_ID_MAX &&
    isSignature(signature.subarray(0, SIGNATURE_BYTES))
  );
}

/**
 * Whether these are two numbers below the order of the curve; zeros count, although no signature with them is valid.
 */
function isSignature(signature: Uint8Array): boolean {
  return (
    signature.length === SIGNATURE_BYTES && scalars(signature).every((scalar) => scalar < secp256k1().Point.Fn.ORDER)
  );
}

function scalars(signature: Uint8Array): readonly [r: bigint, s: bigint] {
  return [bytesToNumberBE(signature.subarray(0, 32)), bytesToNumberBE(signature.subarray(32))];
}

/** The point of a key in compressed, uncompressed or hybrid form. */
function readPublicKey(key: Uint8Array): InstanceType<ReturnType<typeof secp256k1>['Point']> | undefined {
  return attempt(() =>
    secp256k1().Point.fromBytes(isHybrid(key) ? Uint8Array.of(UNCOMPRESSED, ...key.subarray(1)) : key),
  );
}

function isHybrid(key: Uint8Array): boolean {
  if (key.length !== UNCOMPRESSED_KEY_BYTES) return false;
  return key[0] === (key[UNCOMPRESSED_KEY_BYTES - 1]! % 2 === 0 ? HYBRID_EVEN : HYBRID_ODD);
}
