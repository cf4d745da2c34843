import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { expect, it } from 'vitest';
import { toHex } from '../../src/bytes/hex.ts';
import { publicKeyOf, signSecp256k1 } from '../../src/hash/secp256k1-secret.ts';

const one = new Uint8Array(32);
one[31] = 1;

it('signs to the same bytes by the small table and by the large one', () => {
  expect(toHex(publicKeyOf(one))).toBe('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
  // A vector that libraries with nonces of RFC 6979 share: secret 1, the SHA-256 of this text.
  const known = new TextEncoder().encode('Satoshi Nakamoto');
  const expected =
    '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8' +
    '2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5';
  for (let round = 0; round < 250; round++) expect(toHex(signSecp256k1(known, one))).toBe(expected);
  expect(secp256k1.verify(signSecp256k1(known, one), sha256(known), publicKeyOf(one), { prehash: false })).toBe(true);
});
