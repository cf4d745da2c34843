import { secp256k1 } from '@noble/curves/secp256k1.js';
import { numberToBytesBE } from '@noble/curves/utils.js';
import { describe, expect, it } from 'vitest';
import { concatBytes, toHex } from '../../src/base/bytes/bytes.ts';
import { isPublicKey } from '../../src/bitcoin/public-key.ts';
import { randomBytes, randomNumbers, runs, seed } from '../effort.ts';

const { ORDER } = secp256k1.Point.Fp;
const bytes32 = (number: bigint): Uint8Array => numberToBytesBE(number, 32);

function expectAsNoble(key: Uint8Array): void {
  const isHybrid = key.length === 65 && key[0] !== 4;
  const expected = !isHybrid && secp256k1.utils.isValidPublicKey(key);
  // Twice, since the last valid key is remembered.
  expect([toHex(key), isPublicKey(key), isPublicKey(key)]).toEqual([toHex(key), expected, expected]);
}

describe('isPublicKey', () => {
  it(`is what noble-curves says of random and changed keys, seed ${seed}`, () => {
    const random = randomNumbers(seed);
    const bytes = randomBytes(seed);
    for (let run = 0; run < runs(100, 2_000); run++) {
      expectAsNoble(concatBytes(Uint8Array.of(run % 5), bytes(32)));
      const point = secp256k1.Point.BASE.multiply(1n + BigInt(random(2 ** 32)));
      for (const compressed of [true, false]) {
        const key = point.toBytes(compressed);
        expectAsNoble(key);
        key[random(key.length)]! ^= 1 << random(8);
        expectAsNoble(key);
      }
    }
  });

  it('is what noble-curves says where numbers wrap', () => {
    const points: bigint[] = [];
    for (let x = 1n; points.length < 3; x++) {
      if (secp256k1.utils.isValidPublicKey(concatBytes(Uint8Array.of(2), bytes32(x)))) points.push(x);
    }
    const numbers = [
      0n,
      1n,
      ORDER - 1n,
      ORDER,
      ORDER + 1n,
      2n ** 256n - 1n,
      ...points,
      ...points.map((x) => ORDER + x),
    ];
    for (const x of numbers) {
      for (const prefix of [2, 3]) expectAsNoble(concatBytes(Uint8Array.of(prefix), bytes32(x)));
      for (const y of numbers) expectAsNoble(concatBytes(Uint8Array.of(4), bytes32(x), bytes32(y)));
    }
    for (const x of points) {
      const { y } = secp256k1.Point.fromBytes(concatBytes(Uint8Array.of(2), bytes32(x))).toAffine();
      for (const other of [y, ORDER - y, y + 1n]) {
        for (const prefix of [4, 5, 6, 7])
          expectAsNoble(concatBytes(Uint8Array.of(prefix), bytes32(x), bytes32(other)));
      }
      expectAsNoble(concatBytes(Uint8Array.of(4), bytes32(ORDER + x), bytes32(y)));
    }
  });
});
