/** Signing by secp256k1, by the library and where it cannot be loaded. Checks: test/execution/native/signature.test.ts. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { numberToBytesBE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';

const { ORDER } = secp256k1.Point.Fn;
const LIBRARY = '@bitauth/libauth/build/lib/crypto/secp256k1.js';
const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter(secp256k1.utils.isValidSecretKey);

describe.each(['libsecp256k1', 'a host without it'])('secp256k1, by %s', async (by) => {
  vi.resetModules();
  vi.doUnmock(LIBRARY);
  if (by !== 'libsecp256k1') {
    vi.doMock(LIBRARY, () => ({ instantiateSecp256k1: () => Promise.reject(new ReferenceError('WebAssembly')) }));
  }
  const { loadSecp256k1, publicKeyOf, signSecp256k1, verifySecp256k1 } = await import(
    '../../../src/base/hash/secp256k1.ts'
  );
  await loadSecp256k1();

  it('signs to the bytes that libraries with RFC 6979 nonces agree on', () => {
    const one = numberToBytesBE(1n, 32);
    expect(toHex(publicKeyOf(one))).toBe('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
    // A vector that they share: secret 1, the SHA-256 of this text.
    const known = new TextEncoder().encode('Satoshi Nakamoto');
    expect(toHex(signSecp256k1(known, one))).toBe(
      '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8' +
        '2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
    );
  });

  it('signs as @noble/curves does, for any key and message', () => {
    fc.assert(
      fc.property(secrets, fc.uint8Array({ maxLength: 300 }), (key, message) => {
        expect(publicKeyOf(key)).toEqual(secp256k1.getPublicKey(key, true));
        expect(signSecp256k1(message, key)).toEqual(secp256k1.sign(message, key));
      }),
    );
  });

  it('refuses to sign with anything but a secret key', () => {
    for (const key of [0n, ORDER]) expect(() => signSecp256k1(Uint8Array.of(1), numberToBytesBE(key, 32))).toThrow();
  });

  it('refuses keys and signatures of any other length', () => {
    const [secret, digest] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(9)];
    const publicKey = secp256k1.getPublicKey(secret, true);
    const signature = secp256k1.sign(digest, secret, { prehash: false });
    expect(verifySecp256k1(publicKey, digest, signature)).toBe(true);
    expect(verifySecp256k1(publicKey.subarray(1), digest, signature)).toBe(false);
    expect(verifySecp256k1(publicKey, digest, signature.subarray(1))).toBe(false);
    expect(verifySecp256k1(publicKey, digest, Uint8Array.of(...signature, 0))).toBe(false);
  });
});
