import { createSign, generateKeyPairSync } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js';
import { describe, expect, it, vi } from 'vitest';

const message = Uint8Array.of(1, 2, 3);

// Ed25519 and its vectors: test/execution/native/signature.test.ts.
describe.each(['the host', '@noble/curves'])('checks by %s', async (by) => {
  vi.resetModules();
  vi.doUnmock('../../../src/base/hash/node-crypto.ts');
  if (by !== 'the host') vi.doMock('../../../src/base/hash/node-crypto.ts', () => ({ nodeCrypto: undefined }));
  const { verifyP256 } = await import('../../../src/base/hash/host-verify.ts');

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
