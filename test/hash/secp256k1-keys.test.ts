/** Checks by tables are those of @noble/curves and of Wycheproof, whoever has the tables. */
import { readFileSync } from 'node:fs';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { fromHex } from '../../src/bytes/hex.ts';
import { RepeatedKey } from '../../src/hash/secp256k1-keys.ts';
import { KEY_TABLES_MAX } from '../../src/hash/secp256k1-tables.ts';
import { randomBytes, runs, seed } from '../effort.ts';

type Case = readonly [what: string, key: string, message: string, signature: string, valid: boolean];

const cases = (
  JSON.parse(readFileSync(new URL('../vectors/wycheproof.json', import.meta.url), 'utf8')) as {
    secp256k1: readonly Case[];
  }
).secp256k1;

const message = new TextEncoder().encode('again');

const random = randomBytes(seed);

function keyPair(): { readonly secretKey: Uint8Array; readonly publicKey: Uint8Array } {
  return secp256k1.keygen(random(48));
}

/** A key that was asked for often enough to have a table. */
function repeated(publicKey: Uint8Array): RepeatedKey {
  const key = new RepeatedKey(publicKey);
  for (let check = 0; check < 8; check++) key.holds(message, new Uint8Array(64));
  return key;
}

describe('checks under keys that sign again', () => {
  it('begin with the eighth', () => {
    const { secretKey, publicKey } = keyPair();
    const signature = secp256k1.sign(message, secretKey);
    const key = new RepeatedKey(publicKey);
    for (let check = 1; check < 8; check++) expect(key.holds(message, signature)).toBeUndefined();
    for (let check = 8; check < 12; check++) expect(key.holds(message, signature)).toBe(true);
  });

  it('are those of Wycheproof', () => {
    const keys = new Map<string, RepeatedKey>();
    let told = 0;
    for (const [what, publicKey, text, signature, isValid] of cases) {
      const compressed = secp256k1.Point.fromHex(publicKey).toBytes(true);
      const key = keys.get(publicKey) ?? repeated(compressed);
      keys.set(publicKey, key);
      const verdict = key.holds(fromHex(text), fromHex(signature));
      if (verdict === undefined) continue;
      expect(verdict, what).toBe(isValid);
      told++;
    }
    // Left to others: numbers out of range, and the points at infinity and doubles that some were made for.
    expect(told).toBeGreaterThan(20);
  });

  it('are those of the library for changed signatures, messages and keys', () => {
    for (let run = 0; run < runs(5, 100); run++) {
      const { secretKey, publicKey } = keyPair();
      const key = repeated(publicKey);
      for (let check = 0; check < 5; check++) {
        const text = random(check * 20);
        const signature = secp256k1.sign(text, secretKey);
        expect(key.holds(text, signature)).toBe(true);
        const { r, s } = secp256k1.Signature.fromBytes(signature);
        const high = new secp256k1.Signature(r, secp256k1.Point.Fn.neg(s)).toBytes();
        expect(key.holds(text, high)).toBe(true);
        expect(key.holds(random(33), signature)).toBe(false);
        const changed = signature.slice();
        changed[random(1)[0]! % 64]! ^= 1;
        expect(key.holds(text, changed)).toBe(secp256k1.verify(changed, text, publicKey, { lowS: false }));
        expect(repeated(keyPair().publicKey).holds(text, signature)).not.toBe(true);
      }
    }
  });

  it('have room for the keys that are asked for, and no more', () => {
    const pairs = Array.from({ length: KEY_TABLES_MAX + 1 }, keyPair);
    const signatures = pairs.map(({ secretKey }) => secp256k1.sign(message, secretKey));
    const keys = pairs.map(({ publicKey }) => new RepeatedKey(publicKey));
    const verdicts = (): (boolean | undefined)[] => keys.map((key, index) => key.holds(message, signatures[index]!));
    for (let round = 0; round < 7; round++) verdicts();
    const first = verdicts();
    expect(first.filter((verdict) => verdict === undefined).length).toBeGreaterThan(0);
    expect(first).not.toContain(false);
    // The last one alone: in time the table of another is its own, and that one has to ask elsewhere.
    const last = keys.at(-1)!;
    for (let check = 0; check < 17 * KEY_TABLES_MAX; check++) last.holds(message, signatures.at(-1)!);
    expect(last.holds(message, signatures.at(-1)!)).toBe(true);
    expect(verdicts()).not.toContain(false);
  });
});
