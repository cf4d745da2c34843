/**
 * Natives of `0x2::bls12381`: BLS signatures of the basic scheme, in the curve's first group or in its second.
 * Source: draft-irtf-cfrg-bls-signature-05.
 * @module
 */

import { bls12_381 } from '../../base/hash/curves.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeFunction, NativeSignature } from '../../vm/native.ts';
import type { ByteVector } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import { requireStack } from './attempt.ts';
import { readBlsG1, readBlsG2 } from './bls-point.ts';
import type { ModuleNatives } from './module-natives.ts';
import { type G1Point, type G2Point, isPairingProductOne } from './pairing.ts';
import type { LinearCost } from './prices.ts';

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
