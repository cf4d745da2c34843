/**
 * Natives of `0x3::rs256`: RSA with PKCS #1 v1.5 padding and SHA-256.
 *
 * A signature is a number: neither its length nor whether it is below the modulus matters, since the reference's
 * library checks neither; the Move module does. The host's RSA checks both, so it is not used. Free on chains whose
 * schedule is older than the natives.
 * Source: RFC 8017 section 8.2.2; rsa 0.8 of the reference. Cost: 17 squarings of the modulus' width for the exponent
 * 65537, at most 33 and as many multiplications.
 * @module
 */
import { bigEndian, bytesToNumberBE, numberToBytesBE, powerModulo } from '../../base/bytes/bigint.ts';
import { concatBytes, equalBytes, fromHex } from '../../base/bytes/bytes.ts';
import { sha256 } from '../../base/hash/sha256.ts';
import { FRAMEWORK_ADDRESS } from '../../move/address.ts';
import type { ByteVector } from '../../vm/value/vector.ts';
import type { ModuleNatives, NativePrices, Natives } from './module-natives.ts';

const INVALID_PUBLIC_KEY = 2;
const INVALID_HASH_TYPE = 3;
const INVALID_MESSAGE_LENGTH = 4;

/** Microseconds, measured with the largest modulus and exponent. */
const VERIFY_WORK = 900;

const SHA256 = 0;
const DIGEST_BYTES = 32;

const MODULUS_BITS_MAX = 4096;
const EXPONENT_MIN = 2n;
const EXPONENT_MAX = (1n << 33n) - 1n;
/** The prefix of the digest: a DigestInfo that names SHA-256. */
const DIGEST_HEAD = fromHex('3031300d060960864801650304020105000420');
/** Zero, one, at least eight times ff, zero. */
const PADDING_BYTES_MIN = 11;

interface PublicKey {
  readonly modulus: bigint;
  readonly exponent: Uint8Array;
}

export const RS256: ModuleNatives = {
  module: { address: FRAMEWORK_ADDRESS, name: 'rs256' },
  natives: rs256Natives,
};

function rs256Natives(prices: NativePrices): Natives {
  const cost = prices.linearOrFree('rs256.verify');
  const prehashCost = prices.linearOrFree('rs256.verify_prehash');
  return {
    native_verify: (
      context,
      _signature,
      signature: ByteVector,
      modulus: ByteVector,
      exponent: ByteVector,
      message: ByteVector,
    ): boolean => {
      context.charge(cost(signature.length + modulus.length + exponent.length + message.length));
      context.host.work.spend(VERIFY_WORK);
      const key = readPublicKey(modulus.view(), exponent.view()) ?? context.abort(INVALID_PUBLIC_KEY);
      return verify(key, signature.view(), sha256(message.view()));
    },

    native_verify_prehash: (
      context,
      _signature,
      signature: ByteVector,
      modulus: ByteVector,
      exponent: ByteVector,
      digest: ByteVector,
      hashType: number,
    ): boolean => {
      context.charge(prehashCost(signature.length + modulus.length + exponent.length + digest.length));
      context.host.work.spend(VERIFY_WORK);
      const key = readPublicKey(modulus.view(), exponent.view()) ?? context.abort(INVALID_PUBLIC_KEY);
      if (hashType !== SHA256) return context.abort(INVALID_HASH_TYPE);
      if (digest.length !== DIGEST_BYTES) return context.abort(INVALID_MESSAGE_LENGTH);
      return verify(key, signature.view(), digest.view());
    },
  };
}

function readPublicKey(modulusBytes: Uint8Array, exponentBytes: Uint8Array): PublicKey | undefined {
  const modulus = bytesToNumberBE(modulusBytes);
  const exponent = bytesToNumberBE(exponentBytes);
  if (modulus >> BigInt(MODULUS_BITS_MAX) !== 0n || exponent < EXPONENT_MIN || exponent > EXPONENT_MAX)
    return undefined;
  return { modulus, exponent: exponentBytes };
}

function verify({ modulus, exponent }: PublicKey, signature: Uint8Array, digest: Uint8Array): boolean {
  const padded = paddedDigest(digest, bigEndian(modulus).length);
  if (padded === undefined) return false;
  return equalBytes(padded, numberToBytesBE(powerModulo(bytesToNumberBE(signature), exponent, modulus), padded.length));
}

/** The decryption of a valid signature for a modulus of `length` bytes; `undefined` if the modulus is too short. */
function paddedDigest(digest: Uint8Array, length: number): Uint8Array | undefined {
  const paddingBytes = length - DIGEST_HEAD.length - digest.length;
  if (paddingBytes < PADDING_BYTES_MIN) return undefined;
  const padding = new Uint8Array(paddingBytes).fill(0xff);
  padding[0] = 0;
  padding[1] = 1;
  padding[paddingBytes - 1] = 0;
  return concatBytes(padding, DIGEST_HEAD, digest);
}
