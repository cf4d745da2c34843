/**
 * Native of `0x3::ecdsa_r1`: signatures on the curve P-256 over SHA-256, with the lower of the two valid s.
 *
 * Free on chains whose schedule is older than the native.
 * Source: SEC 1; the elliptic-curve and p256 0.13 of the reference.
 * @module
 */

import { bytesToNumberBE } from '../../base/bytes/bigint.ts';
import { verifyP256 } from '../../base/hash/host-verify.ts';
import { p256 } from '../../base/hash/noble.ts';
import { FRAMEWORK_ADDRESS } from '../../move/address.ts';
import type { NativeContext } from '../../vm/native.ts';
import type { ByteVector } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { ModuleNatives } from './module-natives.ts';
import { attempt } from './panic.ts';

const INVALID_SIGNATURE = 1;
const INVALID_PUBLIC_KEY = 2;
const INVALID_HASH_TYPE = 3;

const SHA256 = 1;

/** Microseconds, measured without the host's implementation. */
const VERIFY_WORK = 2_500;

const SIGNATURE_BYTES = 64;
const COMPRESSED_KEY_BYTES = 33;
const EVEN_Y = 2;
/** A key given only by its x: y is the lower of the two (draft-jivsov-ecc-compact). */
const COMPACT = 5;

type Point = InstanceType<ReturnType<typeof p256>['Point']>;

export const ECDSA_R1: ModuleNatives = {
  module: { address: FRAMEWORK_ADDRESS, name: 'ecdsa_r1' },
  natives: (prices) => {
    const cost = prices.linearOrFree('ecdsa_r1.verify');
    return {
      native_verify: (
        context,
        _signature,
        signature: ByteVector,
        publicKey: ByteVector,
        message: ByteVector,
        hashType: number,
      ): boolean => {
        context.charge(cost(signature.length + publicKey.length + message.length));
        context.host.work.spend(VERIFY_WORK);
        return verify(context, signature.view(), publicKey.view(), message.view(), hashType);
      },
    };
  },
};

function verify(
  context: NativeContext<SessionHost>,
  signature: Uint8Array,
  publicKey: Uint8Array,
  message: Uint8Array,
  hashType: number,
): boolean {
  if (!isSignature(signature)) return context.abort(INVALID_SIGNATURE);
  if (context.host.assumesSignatures) return true;
  const key = readPublicKey(publicKey) ?? context.abort(INVALID_PUBLIC_KEY);
  if (hashType !== SHA256) return context.abort(INVALID_HASH_TYPE);
  const isLowS = bytesToNumberBE(signature.subarray(32)) <= p256().Point.Fn.ORDER >> 1n;
  return isLowS && verifyP256(key.toBytes(true), message, signature);
}

/** Whether these are two numbers of at least 1 and below the order of the curve. */
function isSignature(signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES) return false;
  const { Fn } = p256().Point;
  return (
    Fn.isValidNot0(bytesToNumberBE(signature.subarray(0, 32))) &&
    Fn.isValidNot0(bytesToNumberBE(signature.subarray(32)))
  );
}

/** The point of a key in compressed, uncompressed or compact form. */
function readPublicKey(key: Uint8Array): Point | undefined {
  const { Point } = p256();
  if (key[0] !== COMPACT) return attempt(() => Point.fromBytes(key));
  if (key.length !== COMPRESSED_KEY_BYTES) return undefined;
  const point = attempt(() => Point.fromBytes(Uint8Array.of(EVEN_Y, ...key.subarray(1))));
  return point !== undefined && point.y > Point.Fp.ORDER >> 1n ? point.negate() : point;
}
