/**
 * Native of `0x3::ed25519`: RFC 8032 with the rules of ZIP 215, under which implementations cannot disagree on a
 * signature. Source: frameworks/rooch-framework/src/natives/rooch_framework/crypto/ed25519.rs of the reference.
 * @module
 */

import { verifyEd25519 } from '../../base/hash/host-verify.ts';
import { FRAMEWORK_ADDRESS } from '../../move/address.ts';
import type { ByteVector } from '../../vm/value/vector.ts';
import type { ModuleNatives } from './module-natives.ts';

const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** Microseconds, measured without the host's implementation. */
const VERIFY_WORK = 2_000;

export const ED25519: ModuleNatives = {
  module: { address: FRAMEWORK_ADDRESS, name: 'ed25519' },
  natives: (prices) => {
    const cost = prices.linear('ed25519.verify');
    return {
      verify: (context, _signature, signature: ByteVector, publicKey: ByteVector, message: ByteVector): boolean => {
        context.charge(cost(message.length + signature.length + publicKey.length));
        context.host.work.spend(VERIFY_WORK);
        if (signature.length !== SIGNATURE_BYTES || publicKey.length !== PUBLIC_KEY_BYTES) return false;
        return context.host.assumesSignatures || verifyEd25519(publicKey.view(), message.view(), signature.view());
      },
    };
  },
};
