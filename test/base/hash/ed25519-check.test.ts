/** What the tables of keys accept is what the host accepts, no more and no less. */
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { SIGNATURE_TABLES_MAX } from '../../../src/base/config.ts';
import { KEY_HEADS } from '../../../src/base/hash/host-signature.ts';
import { runs } from '../../effort.ts';

const { Point } = ed25519;
type Point = InstanceType<typeof Point>;
const { ORDER } = Point.Fn;
const CHECKS_BEFORE_TABLES = 64;
const CHECKS_BEFORE_TABLE = 8;
const message = new TextEncoder().encode('movelet');
/** Of order 8: with its multiples, all points of small order. */
const TORSION = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a');

let accepts: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

/** Checks a key until it has a table, or would have. */
function teach(publicKey: Uint8Array): Uint8Array {
  for (let count = 0; count < CHECKS_BEFORE_TABLE; count++) accepts(publicKey, message, new Uint8Array(64));
  return publicKey;
}

function hostAccepts(publicKey: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean {
  const key = Buffer.concat([KEY_HEADS.ed25519.get(32)!, publicKey]);
  return verify(null, text, createPublicKey({ key, format: 'der', type: 'spki' }), signature);
}

/** Expects the table to give the host's verdict, and returns it. */
function verdict(publicKey: Uint8Array, text: Uint8Array, signature: Uint8Array): boolean {
  const expected = hostAccepts(publicKey, text, signature);
  expect(accepts(publicKey, text, signature)).toBe(expected);
  return expected;
}

const joined = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));
const secretOf = (number: number): Uint8Array => new Uint8Array(32).fill(number);
const timesTorsion = (point: Point, count: number): Point => {
  let sum = point;
  for (let added = 0; added < count; added++) sum = sum.add(TORSION);
  return sum;
};

beforeAll(async () => {
  vi.resetModules();
  ({ acceptsEd25519: accepts } = await import('../../../src/base/hash/ed25519-check.ts'));
  const publicKey = ed25519.getPublicKey(secretOf(1));
  const signature = ed25519.sign(message, secretOf(1));
  for (let count = 1; count < CHECKS_BEFORE_TABLES; count++) expect(accepts(publicKey, message, signature)).toBe(false);
});

describe('vectors', () => {
  type Case = readonly [what: string, key: string, message: string, signature: string, valid: boolean];
  const { ed25519: cases } = JSON.parse(
    readFileSync(new URL('../../vectors/wycheproof.json', import.meta.url), 'utf8'),
  ) as Record<'ed25519', readonly Case[]>;

  // They hold those of RFC 8032.
  it.each(cases)('Wycheproof: %s', (_what, ...[key, text, signature, valid]) => {
    const [publicKey, ...parts] = [key, text, signature].map((digits) => Uint8Array.from(Buffer.from(digits, 'hex')));
    teach(publicKey!);
    expect(accepts(publicKey!, parts[0]!, parts[1]!)).toBe(valid);
  });
});

describe('checks by tables', () => {
  it('agree with the host on signatures and changes of them', () => {
    for (const secret of [secretOf(2), secretOf(3)]) {
      const publicKey = teach(ed25519.getPublicKey(secret));
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 90 }), fc.nat(63), fc.nat(7), (text, at, bit) => {
          const signature = ed25519.sign(text, secret);
          expect(accepts(publicKey, text, signature)).toBe(true);
          const changed = signature.with(at, signature[at]! ^ (1 << bit));
          expect(verdict(publicKey, text, changed)).toBe(false);
          expect(accepts(publicKey, Uint8Array.of(...text, 0), signature)).toBe(false);
        }),
        { numRuns: runs(50, 1_000) },
      );
    }
  });

  it('take only an S below the order', () => {
    const publicKey = teach(ed25519.getPublicKey(secretOf(4)));
    const signature = ed25519.sign(message, secretOf(4));
    const s = bytesToNumberLE(signature.subarray(32));
    for (const other of [s + ORDER, s + 2n * ORDER, ORDER, 0n, 2n ** 256n - 1n]) {
      expect(verdict(publicKey, message, joined(signature.subarray(0, 32), numberToBytesLE(other, 32)))).toBe(false);
    }
  });

  it('know every multiple of the base point as R, however it is written', () => {
    // Of the neutral key, only S B is left.
    const publicKey = teach(Point.ZERO.toBytes());
    for (const s of [0n, 1n, 2n, 255n, 256n, ORDER - 2n, ORDER - 1n]) {
      const r = s === 0n ? Point.ZERO : Point.BASE.multiply(s);
      expect(verdict(publicKey, message, joined(r.toBytes(), numberToBytesLE(s, 32)))).toBe(true);
      const opposite = r.toBytes();
      opposite[31]! ^= 0x80;
      expect(verdict(publicKey, message, joined(opposite, numberToBytesLE(s, 32)))).toBe(false);
    }
    // A y above the prime is that of the neutral point, written in another way.
    const unreduced = numberToBytesLE(2n ** 255n - 18n, 32);
    expect(verdict(publicKey, message, joined(unreduced, new Uint8Array(32)))).toBe(false);
  });

  it('agree with the host on keys and R that have a part of small order', () => {
    const seen = new Set<string>();
    for (let ofKey = 0; ofKey < 8; ofKey++) {
      for (const secret of [0n, 12_345n]) {
        const own = secret === 0n ? Point.ZERO : Point.BASE.multiply(secret);
        const publicKey = teach(timesTorsion(own, ofKey).toBytes());
        fc.assert(
          fc.property(fc.uint8Array({ maxLength: 9 }), fc.nat(7), fc.bigInt(1n, ORDER - 1n), (text, ofR, nonce) => {
            const r = timesTorsion(Point.BASE.multiply(nonce), ofR).toBytes();
            const digest = createHash('sha512').update(r).update(publicKey).update(text).digest();
            const s = (nonce + bytesToNumberLE(digest) * secret) % ORDER;
            seen.add(`${ofKey > 0} ${ofR > 0} ${verdict(publicKey, text, joined(r, numberToBytesLE(s, 32)))}`);
          }),
          { numRuns: runs(40, 1_000) },
        );
      }
    }
    // Whether a part of small order vanishes depends on the digest.
    expect([...seen].sort()).toEqual([
      'false false true',
      'false true false',
      'true false false',
      'true false true',
      'true true false',
      'true true true',
    ]);
  });

  it('are not made from keys that are not in the canonical form of points, which the host may take', () => {
    const signature = joined(Point.ZERO.toBytes(), new Uint8Array(32));
    const unreduced = numberToBytesLE(2n ** 255n - 18n, 32);
    const signOfZero = Point.ZERO.toBytes();
    signOfZero[31]! |= 0x80;
    for (const publicKey of [unreduced, signOfZero]) {
      teach(publicKey);
      expect(hostAccepts(publicKey, message, signature)).toBe(true);
      expect(accepts(publicKey, message, signature)).toBe(false);
    }
    const noPoint = teach(numberToBytesLE(2n, 32));
    expect(verdict(noPoint, message, signature)).toBe(false);
  });

  it('refuse other lengths', () => {
    const publicKey = teach(ed25519.getPublicKey(secretOf(5)));
    const signature = ed25519.sign(message, secretOf(5));
    expect(accepts(publicKey, message, signature)).toBe(true);
    expect(accepts(publicKey, message, signature.subarray(1))).toBe(false);
    expect(accepts(publicKey, message, Uint8Array.of(...signature, 0))).toBe(false);
    expect(accepts(publicKey.subarray(1), message, signature)).toBe(false);
    expect(accepts(Uint8Array.of(...publicKey, 0), message, signature)).toBe(false);
  });

  it('keep to the key when keys take the tables of others', () => {
    const count = SIGNATURE_TABLES_MAX + 16;
    const keys = Array.from({ length: count }, (_, index) => ed25519.getPublicKey(secretOf(100 + index)));
    const signatures = keys.map((_, index) => ed25519.sign(message, secretOf(100 + index)));
    for (let round = 0; round < 2; round++) {
      for (const [index, key] of keys.entries()) {
        teach(key);
        expect(accepts(key, message, signatures[index]!)).toBe(true);
        expect(accepts(key, message, signatures[(index + 1) % count]!)).toBe(false);
      }
    }
    // The first ones have lost theirs.
    expect(accepts(keys[0]!, message, signatures[0]!)).toBe(false);
    expect(accepts(keys[count - 1]!, message, signatures[count - 1]!)).toBe(true);
  });
});
