/** What is accepted by the tables of keys is what @noble/curves accepts. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { runs } from '../../effort.ts';

const { ORDER } = secp256k1.Point.Fn;
const CHECKS_BEFORE_TABLES = 64;
const CHECKS_BEFORE_TABLE = 8;
const message = new TextEncoder().encode('movelet');

let acceptsEcdsa: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

/** No library was offered here, so a yes comes from the tables. */
function teach(secret: Uint8Array): Uint8Array {
  const publicKey = secp256k1.getPublicKey(secret, true);
  const signature = secp256k1.sign(message, secret);
  for (let count = 0; count < CHECKS_BEFORE_TABLE; count++) acceptsEcdsa(publicKey, message, signature);
  expect(acceptsEcdsa(publicKey, message, signature)).toBe(true);
  return publicKey;
}

function nobleAccepts(publicKey: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean {
  try {
    return secp256k1.verify(signature, text, publicKey, { lowS: false });
  } catch {
    return false;
  }
}

const joined = (r: bigint, s: bigint): Uint8Array => Buffer.concat([numberToBytesBE(r, 32), numberToBytesBE(s, 32)]);
const secretOf = (number: number): Uint8Array => new Uint8Array(32).fill(number);

describe('checks by tables', () => {
  beforeAll(async () => {
    vi.resetModules();
    ({ acceptsEcdsa } = await import('../../../src/base/hash/secp256k1-check.ts'));
    const publicKey = secp256k1.getPublicKey(secretOf(1), true);
    const signature = secp256k1.sign(message, secretOf(1));
    for (let count = 1; count < CHECKS_BEFORE_TABLES; count++) {
      expect(acceptsEcdsa(publicKey, message, signature)).toBe(false);
    }
  });

  it('agree with @noble/curves on signatures and changes of them', () => {
    for (const secret of [secretOf(2), secretOf(3)]) {
      const publicKey = teach(secret);
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 90 }), fc.nat(63), fc.nat(7), (text, at, bit) => {
          const signature = secp256k1.sign(text, secret);
          expect(acceptsEcdsa(publicKey, text, signature)).toBe(true);
          const changed = signature.slice();
          changed[at]! ^= 1 << bit;
          expect(acceptsEcdsa(publicKey, text, changed)).toBe(nobleAccepts(publicKey, text, changed));
          expect(acceptsEcdsa(publicKey, Uint8Array.of(...text, 0), signature)).toBe(false);
        }),
        { numRuns: runs(50, 1_000) },
      );
    }
  });

  it('take either s, but neither 0 nor anything beyond the order', () => {
    const publicKey = teach(secretOf(4));
    const signature = secp256k1.sign(message, secretOf(4));
    const [r, s] = [0, 32].map((at) => bytesToNumberBE(signature.subarray(at, at + 32))) as [bigint, bigint];
    expect(acceptsEcdsa(publicKey, message, joined(r, ORDER - s))).toBe(true);
    for (const [left, right] of [
      [0n, s],
      [r, 0n],
      [ORDER, s],
      [r, ORDER],
      [0n, 0n],
      [2n ** 256n - 1n, s],
      [r, 2n ** 256n - 1n],
    ] as const) {
      expect(acceptsEcdsa(publicKey, message, joined(left, right))).toBe(false);
    }
  });

  it('refuse lengths, keys of another form, and keys that are no points, however often they come', () => {
    const publicKey = teach(secretOf(5));
    const signature = secp256k1.sign(message, secretOf(5));
    expect(acceptsEcdsa(publicKey, message, signature.subarray(1))).toBe(false);
    expect(acceptsEcdsa(secp256k1.getPublicKey(secretOf(5), false), message, signature)).toBe(false);
    for (const key of [
      Uint8Array.of(2, ...new Uint8Array(31), 5),
      Uint8Array.of(4, ...publicKey.subarray(1)),
      Uint8Array.of(publicKey[0]! ^ 1, ...publicKey.subarray(1)),
    ]) {
      for (let count = 0; count < 20; count++) expect(acceptsEcdsa(key, message, signature)).toBe(false);
    }
  });

  it('go on when there are more keys than tables', () => {
    const secrets = Array.from({ length: 80 }, (_, index) => secretOf(100 + index));
    for (let round = 0; round < 2; round++) for (const secret of secrets) teach(secret);
    // The last one still has its table, and the first one has lost it.
    const accepts = (secret: Uint8Array): boolean =>
      acceptsEcdsa(secp256k1.getPublicKey(secret, true), message, secp256k1.sign(message, secret));
    expect(accepts(secrets.at(-1)!)).toBe(true);
    expect(accepts(secrets[0]!)).toBe(false);
  });
});
