import crypto, { createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { type HostCurve, hostVerify, hostVerifyAhead, type SignatureCheck } from '../../src/hash/host-signature.ts';

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
});

describe('signature checks made ahead', () => {
  const ahead = (check: SignatureCheck): Promise<void> => new Promise((resolve) => hostVerifyAhead(check, resolve));

  it.each([
    ['secp256k1', ecdsaPair('secp256k1')],
    ['ed25519', ed25519Pair()],
  ] as const)('change no answer: %s', async (curve, { key, signature }) => {
    const right = { curve, publicKey: key, message, signature };
    const others: SignatureCheck[] = [
      { ...right, message: Uint8Array.of(1, 2) },
      { ...right, signature: signature.with(40, signature[40]! ^ 1) },
      { ...right, publicKey: key.subarray(1) },
    ];
    const answers = (): (boolean | undefined)[] =>
      [right, ...others].map((check) => hostVerify(check.curve, check.publicKey, check.message, check.signature));
    const before = answers();
    expect(before[0]).toBe(true);
    for (const check of [right, ...others]) await ahead(check);
    expect(answers()).toEqual(before);
  });

  it('spare the check in its turn', async () => {
    const { key, signature } = ecdsaPair('secp256k1');
    const check: SignatureCheck = { curve: 'secp256k1', publicKey: key, message, signature };
    const verify = vi.spyOn(crypto, 'verify');
    try {
      const answer = (): boolean | undefined =>
        hostVerify(check.curve, check.publicKey, check.message, check.signature);
      await ahead(check);
      verify.mockClear();
      expect(answer()).toBe(true);
      expect(verify).not.toHaveBeenCalled();
      expect(hostVerify('secp256k1', key, Uint8Array.of(9), signature)).toBe(false);
      expect(verify).toHaveBeenCalledOnce();
    } finally {
      verify.mockRestore();
    }
  });
});
