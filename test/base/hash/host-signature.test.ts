import { createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type HostCurve, hostVerify } from '../../../src/base/hash/host-signature.ts';

const message = Uint8Array.of(1, 2, 3);

function ecdsaPair(namedCurve: string): { key: Uint8Array; signature: Uint8Array } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const key = Buffer.concat([Uint8Array.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]);
  const signature = createSign('sha256').update(message).sign({ key: privateKey, dsaEncoding: 'ieee-p1363' });
  return { key, signature };
}

function ed25519Pair(): { key: Uint8Array; signature: Uint8Array } {
  const { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ed25519');
  const key = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
  return { key, signature: sign(null, message, privateKey) };
}

describe('signature checks of the host', () => {
  it.each([
    ['secp256k1', ecdsaPair('secp256k1')],
    ['p256', ecdsaPair('prime256v1')],
    ['ed25519', ed25519Pair()],
  ] as [HostCurve, { key: Uint8Array; signature: Uint8Array }][])('%s', (curve, { key, signature }) => {
    expect(hostVerify(curve, key, message, signature)).toBe(true);
    expect(hostVerify(curve, key, Uint8Array.of(1, 2), signature)).toBe(false);
    expect(hostVerify(curve, key, message, signature.subarray(1))).toBe(false);
    expect(hostVerify(curve, key.subarray(1), message, signature)).toBeUndefined();
    if (curve === 'ed25519') return;
    const compressed = Buffer.concat([Uint8Array.of(2 + (key.at(-1)! % 2)), key.subarray(1, 33)]);
    expect(hostVerify(curve, compressed, message, signature)).toBe(true);
    expect(hostVerify(curve, key.with(64, key[64]! ^ 1), message, signature)).toBeUndefined();
  });

  it('remember what they refused by its content, every part of it', () => {
    const { key, signature } = ed25519Pair();
    const buffer = Uint8Array.from(signature);
    buffer[3]! ^= 1;
    expect(hostVerify('ed25519', key, message, buffer)).toBe(false);
    expect(hostVerify('ed25519', key, message, buffer)).toBe(false);
    // The same memory now has the right signature.
    buffer[3]! ^= 1;
    expect(hostVerify('ed25519', key, message, buffer)).toBe(true);
    const [other, of] = [ed25519Pair(), Uint8Array.of(9)];
    expect(hostVerify('ed25519', other.key, message, signature)).toBe(false);
    expect(hostVerify('ed25519', key, message, signature)).toBe(true);
    expect(hostVerify('ed25519', key, of, signature)).toBe(false);
    expect(hostVerify('ed25519', key, message, signature)).toBe(true);
    expect(hostVerify('secp256k1', key, message, signature)).toBeUndefined();
    expect(hostVerify('ed25519', key, message, signature)).toBe(true);
  });
});
