/** Keys and signatures of secp256k1, by the library and where it cannot be loaded. */
import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';

const { ORDER } = secp256k1.Point.Fn;
const PRIME = secp256k1.Point.Fp.ORDER;
const LIBRARY = '@bitauth/libauth/build/lib/crypto/secp256k1.js';
const hashOf = (message: Uint8Array): Uint8Array => createHash('sha256').update(message).digest();
const joined = (r: bigint, s: bigint): Uint8Array => Buffer.concat([numberToBytesBE(r, 32), numberToBytesBE(s, 32)]);
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

  const secret = new Uint8Array(32).fill(7);
  const publicKey = secp256k1.getPublicKey(secret, true);
  const hash = hashOf(new TextEncoder().encode('movelet'));
  const signature = secp256k1.sign(hash, secret, { prehash: false });
  const [r, s] = [0, 32].map((at) => bytesToNumberBE(signature.subarray(at, at + 32))) as [bigint, bigint];

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

  it('signs with nothing but a secret key', () => {
    for (const key of [0n, ORDER]) expect(() => signSecp256k1(hash, numberToBytesBE(key, 32))).toThrow();
  });

  it('agrees with @noble/curves on signatures and changes of them', () => {
    const digests = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(secrets, digests, fc.boolean(), fc.nat(128), fc.nat(7), (key, digest, isShort, place, bit) => {
        const own = secp256k1.getPublicKey(key, isShort);
        const signed = secp256k1.sign(digest, key, { prehash: false });
        expect(verifySecp256k1(own, digest, signed)).toBe(true);
        const both = Uint8Array.of(...own, ...signed);
        both[place % both.length]! ^= 1 << bit;
        const [changedKey, changed] = [both.subarray(0, own.length), both.subarray(own.length)];
        expect(verifySecp256k1(changedKey, digest, changed)).toBe(nobleAccepts(changedKey, digest, changed));
      }),
    );
  });

  it('takes the lower s only, and neither 0 nor anything beyond the order', () => {
    expect(verifySecp256k1(publicKey, hash, joined(r, s))).toBe(true);
    for (const [left, right] of [
      [r, ORDER - s],
      [0n, s],
      [r, 0n],
      [ORDER, s],
      [r, ORDER],
      [0n, 0n],
      [2n ** 256n - 1n, s],
      [r, 2n ** 256n - 1n],
    ] as const) {
      expect(verifySecp256k1(publicKey, hash, joined(left, right))).toBe(false);
    }
  });

  it('accepts no key that is not a point, and no other length', () => {
    for (const [head, x] of [
      [2, 5n],
      [2, PRIME],
      [2, 0n],
      [4, bytesToNumberBE(publicKey.subarray(1))],
      [6, bytesToNumberBE(publicKey.subarray(1))],
    ] as const) {
      const key = Uint8Array.of(head, ...numberToBytesBE(x, 32));
      expect(verifySecp256k1(key, hash, signature), `${head} ${x}`).toBe(false);
    }
    expect(verifySecp256k1(publicKey.subarray(1), hash, signature)).toBe(false);
    expect(verifySecp256k1(publicKey, hash, signature.subarray(1))).toBe(false);
    expect(verifySecp256k1(publicKey, hash, Uint8Array.of(...signature, 0))).toBe(false);
  });
});

function nobleAccepts(key: Uint8Array, digest: Uint8Array, signed: Uint8Array): boolean {
  try {
    return secp256k1.verify(signed, digest, key, { prehash: false, lowS: true });
  } catch {
    return false;
  }
}
