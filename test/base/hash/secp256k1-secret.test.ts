import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toHex } from '../../../src/base/bytes/hex.ts';
import { publicKeyOf, signSecp256k1 } from '../../../src/base/hash/secp256k1-secret.ts';

it('signs to the bytes that libraries with RFC 6979 nonces agree on', () => {
  const one = new Uint8Array(32);
  one[31] = 1;
  expect(toHex(publicKeyOf(one))).toBe('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
  // A vector that they share: secret 1, the SHA-256 of this text.
  const known = new TextEncoder().encode('Satoshi Nakamoto');
  expect(toHex(signSecp256k1(known, one))).toBe(
    '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8' +
      '2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
  );
});

it('signs as @noble/curves does, for any key and message', () => {
  const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter(secp256k1.utils.isValidSecretKey);
  fc.assert(
    fc.property(secrets, fc.uint8Array({ maxLength: 300 }), (secret, message) => {
      expect(publicKeyOf(secret)).toEqual(secp256k1.getPublicKey(secret, true));
      expect(signSecp256k1(message, secret)).toEqual(secp256k1.sign(message, secret));
    }),
  );
});
