import { createSign, generateKeyPairSync, sign } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { bytesToNumberBE, bytesToNumberLE, numberToBytesBE, numberToBytesLE } from '@noble/curves/utils.js';
import { describe, expect, it, vi } from 'vitest';
import { fromHex } from '../../../src/base/bytes/bytes.ts';

const message = Uint8Array.of(1, 2, 3);

/** The encodings of points of small order, six of them not canonical. Source: the test vectors of ZIP 215. */
const SMALL_ORDER = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0000000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
].map(fromHex);

describe.each(['the host', '@noble/curves'])('checks by %s', async (by) => {
  vi.resetModules();
  vi.doUnmock('../../../src/base/hash/node-crypto.ts');
  if (by !== 'the host') vi.doMock('../../../src/base/hash/node-crypto.ts', () => ({ nodeCrypto: undefined }));
  const { verifyEd25519, verifyP256 } = await import('../../../src/base/hash/host-verify.ts');

  it('Ed25519', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
    const signature = sign(null, message, privateKey);
    for (let again = 0; again < 2; again++) {
      expect(verifyEd25519(key, message, signature)).toBe(true);
      expect(verifyEd25519(key, Uint8Array.of(1, 2), signature)).toBe(false);
      expect(verifyEd25519(key, message, signature.with(3, signature[3]! ^ 1))).toBe(false);
      expect(verifyEd25519(key, message, signature.subarray(1))).toBe(false);
      expect(verifyEd25519(key.subarray(1), message, signature)).toBe(false);
      expect(verifyEd25519(ed25519.getPublicKey(key), message, signature)).toBe(false);
    }
  });

  it('Ed25519 by the rules of ZIP 215: every form of points of small order, but no S beyond the order', () => {
    for (const key of SMALL_ORDER) {
      for (const point of SMALL_ORDER) {
        expect(verifyEd25519(key, message, Uint8Array.of(...point, ...new Uint8Array(32)))).toBe(true);
      }
    }
    const secret = new Uint8Array(32).fill(4);
    const signature = ed25519.sign(message, secret);
    const s = bytesToNumberLE(signature.subarray(32)) + ed25519.Point.Fn.ORDER;
    const larger = Uint8Array.of(...signature.subarray(0, 32), ...numberToBytesLE(s, 32));
    expect(verifyEd25519(ed25519.getPublicKey(secret), message, signature)).toBe(true);
    expect(verifyEd25519(ed25519.getPublicKey(secret), message, larger)).toBe(false);
  });

  it('P-256, with either s', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    const key = Buffer.concat([Uint8Array.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]);
    const compressed = Buffer.concat([Uint8Array.of(2 + (key.at(-1)! % 2)), key.subarray(1, 33)]);
    const signature = createSign('sha256').update(message).sign({ key: privateKey, dsaEncoding: 'ieee-p1363' });
    const other = numberToBytesBE(p256.Point.Fn.ORDER - bytesToNumberBE(signature.subarray(32)), 32);
    for (const own of [key, compressed]) {
      expect(verifyP256(own, message, signature)).toBe(true);
      expect(verifyP256(own, message, Uint8Array.of(...signature.subarray(0, 32), ...other))).toBe(true);
      expect(verifyP256(own, Uint8Array.of(1, 2), signature)).toBe(false);
      expect(verifyP256(own, message, signature.subarray(1))).toBe(false);
      expect(verifyP256(own.subarray(1), message, signature)).toBe(false);
    }
    expect(verifyP256(key.with(64, key[64]! ^ 1), message, signature)).toBe(false);
  });
});
