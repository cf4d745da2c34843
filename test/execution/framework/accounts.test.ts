import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { bech32m } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { blake2b256 } from '../../../src/base/hash/blake2.ts';
import { DEV_ACCOUNTS, DEV_SEQUENCER } from '../../../src/execution/framework/accounts.ts';

/** BIP-341's output key for an x-only internal key without script tree, from the formulas of the BIP. */
function taprootOutputKey(internalKey: Uint8Array): Uint8Array {
  const tweak = BigInt(`0x${toHex(schnorr.utils.taggedHash('TapTweak', internalKey))}`);
  const internalPoint = schnorr.utils.lift_x(BigInt(`0x${toHex(internalKey)}`));
  return schnorr.utils.pointToBytes(internalPoint.add(secp256k1.Point.BASE.multiply(tweak)));
}

function taprootAddress(prefix: string, outputKey: Uint8Array): string {
  return bech32m.encode(prefix, [1, ...bech32m.toWords(outputKey)], false);
}

function nodeAddress(outputKey: Uint8Array): string {
  return `0x${toHex(blake2b256(Uint8Array.of(2, 1, ...outputKey)))}`;
}

describe('the derivation that this test uses', () => {
  it('gives the addresses of BIP-86 for its first receiving keys', () => {
    const internalKeys = [
      'cc8a4bc64d897bddc5fbc2f670f7a8ba0b386779106cf1223c6fc5d7cd6fc115',
      '83dfe85a3151d2517290da461fe2815591ef69f2b18a2ce63f01697a8b313145',
    ];
    expect(internalKeys.map((key) => taprootAddress('bc', taprootOutputKey(fromHex(key))))).toEqual([
      'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
      'bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh',
    ]);
  });

  it("gives the addresses of the official SDK's test key", () => {
    // 'roochsecretkey1q969zv4...' of the SDK's key pair test, decoded
    const secretKey = fromHex('745132a3b803c93e764ab3aad4810c931a874270e2803f518831e997fc1234ed');
    const outputKey = taprootOutputKey(schnorr.getPublicKey(secretKey));
    expect(taprootAddress('bcrt', outputKey)).toBe('bcrt1pw9l5h7vepq8cnpugwm848x3at34gg5eq0mamdrjw0krunfjm0zfq65gjzz');
    expect(nodeAddress(outputKey)).toBe('0xf892b3fd5fd0e93436ba3dc8d504413769d66901266143d00e49441079243ed0');
  });
});

describe('known keys', () => {
  const all = [DEV_SEQUENCER, ...DEV_ACCOUNTS];

  it('are ten accounts and a sequencer, all different', () => {
    expect(DEV_ACCOUNTS).toHaveLength(10);
    expect(new Set(all.map((account) => account.address)).size).toBe(11);
    expect(all.map((account) => account.path)).toEqual(all.map((_, index) => `m/86'/0'/0'/0/${index}`));
  });

  it.each(all)('$path: the public key and the addresses follow from the secret key', (account) => {
    const secretKey = fromHex(account.privateKey);
    const outputKey = taprootOutputKey(schnorr.getPublicKey(secretKey));
    expect(account).toEqual({
      path: account.path,
      privateKey: toHex(secretKey),
      publicKey: toHex(secp256k1.getPublicKey(secretKey, true)),
      mainnetAddress: taprootAddress('bc', outputKey),
      regtestAddress: taprootAddress('bcrt', outputKey),
      address: nodeAddress(outputKey),
    });
  });
});
