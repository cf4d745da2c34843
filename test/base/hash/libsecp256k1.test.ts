import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { libsecp256k1 } from '../../../src/base/hash/libsecp256k1.ts';
import type { EcdsaCheck, EcdsaSign } from '../../../src/base/hash/secp256k1-library.ts';

const { ORDER } = secp256k1.Point.Fn;
const PRIME = secp256k1.Point.Fp.ORDER;
const hashOf = (message: Uint8Array): Uint8Array => createHash('sha256').update(message).digest();
const joined = (r: bigint, s: bigint): Uint8Array => Buffer.concat([numberToBytesBE(r, 32), numberToBytesBE(s, 32)]);
const secret = new Uint8Array(32).fill(7);
const publicKey = secp256k1.getPublicKey(secret, true);
const hash = hashOf(new TextEncoder().encode('movelet'));
const signature = secp256k1.sign(hash, secret, { prehash: false });
const [r, s] = [0, 32].map((at) => bytesToNumberBE(signature.subarray(at, at + 32))) as [bigint, bigint];

describe('libsecp256k1', () => {
  let check: EcdsaCheck;
  let sign: EcdsaSign;
  beforeAll(async () => {
    ({ check, sign } = await libsecp256k1());
  });

  it('signs as @noble/curves does', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes, bytes, (key, digest) => {
        fc.pre(secp256k1.utils.isValidSecretKey(key) && digest[0] !== 0xff);
        expect(sign(key, digest)).toEqual(secp256k1.sign(digest, key, { prehash: false }));
      }),
      { numRuns: 100 },
    );
  });

  it('signs with nothing but a secret key', () => {
    for (const key of [0n, ORDER]) expect(() => sign(numberToBytesBE(key, 32), hash)).toThrow(TypeError);
  });

  it('agrees with @noble/curves on signatures and changes of them', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes, bytes, fc.nat(96), fc.nat(7), (key, digest, at, bit) => {
        fc.pre(secp256k1.utils.isValidSecretKey(key));
        const own = secp256k1.getPublicKey(key, true);
        const signed = secp256k1.sign(digest, key, { prehash: false });
        expect(check(own, digest, signed)).toBe(true);
        const [changedKey, changed] = [own.slice(), signed.slice()];
        if (at < 33) changedKey[at]! ^= 1 << bit;
        else changed[at - 33]! ^= 1 << bit;
        expect(check(changedKey, digest, changed)).toBe(nobleAccepts(changedKey, digest, changed));
      }),
      { numRuns: 100 },
    );
  });

  it('takes either s, but neither 0 nor anything beyond the order', () => {
    expect(check(publicKey, hash, joined(r, s))).toBe(true);
    expect(check(publicKey, hash, joined(r, ORDER - s))).toBe(true);
    for (const [left, right] of [
      [0n, s],
      [r, 0n],
      [ORDER, s],
      [r, ORDER],
      [0n, 0n],
    ] as const) {
      expect(check(publicKey, hash, joined(left, right))).toBe(false);
    }
    if (s + ORDER < 1n << 256n) expect(check(publicKey, hash, joined(r, s + ORDER))).toBe(false);
  });

  it('accepts no key that is not a point', () => {
    for (const [head, x] of [
      [2, 5n],
      [2, PRIME],
      [2, 0n],
      [4, bytesToNumberBE(publicKey.subarray(1))],
      [6, bytesToNumberBE(publicKey.subarray(1))],
    ] as const) {
      const key = Uint8Array.of(head, ...numberToBytesBE(x, 32));
      expect(check(key, hash, signature), `${head} ${x}`).toBe(false);
    }
  });
});

function nobleAccepts(key: Uint8Array, digest: Uint8Array, signed: Uint8Array): boolean {
  try {
    return secp256k1.verify(signed, digest, key, { prehash: false, lowS: false });
  } catch {
    return false;
  }
}
