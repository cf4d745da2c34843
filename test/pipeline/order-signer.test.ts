/** The sequencer's signature over an order: what it is made of, and that any other byte is refused. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it, vi } from 'vitest';
import { fromHex, toHexPrefixed } from '../../src/base/bytes/hex.ts';
import { hostVerifier } from '../../src/base/hash/node-crypto.ts';
import { orderWitness } from '../../src/chain/transaction/sequence-info.ts';
import { orderSigner, orderVerifier } from '../../src/pipeline/order-signer.ts';
import { expectRefusal } from '../refusal.ts';

const secret = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const hash = fromHex('ec38c3c170a1d831e9b8966a2a8da39bd2f1e02ba96eea166cf056d27ca2b486');

describe('an order signature', () => {
  const witness = orderWitness(hash, 7n);
  const signature = orderSigner(secret)([witness])[0]!;

  it('signs the witness of spec/state.md 11.7', () => {
    expect(toHexPrefixed(witness)).toBe('0x3e9af6ff5bc0dfaa13b01d7d688c9ed86332c464ab6069ceae1af7fd06b4a9d5');
  });

  it('is flag, signature and compressed public key', () => {
    expect(signature).toHaveLength(98);
    expect(signature[0]).toBe(1);
    expect(signature.subarray(65)).toEqual(secp256k1.getPublicKey(secret, true));
    expect(orderSigner(secret)([witness])[0]!, 'the same in every run').toEqual(signature);
  });

  it('is the same however many are asked for before it or with it', () => {
    const sign = orderSigner(secret);
    let order = 0n;
    for (const count of [1, 3, 59, 1, 1, 20, 1]) {
      const witnesses = Array.from({ length: count }, () => orderWitness(hash, order++));
      const expected = witnesses.map((own) => secp256k1.sign(own, secret));
      expect(sign(witnesses).map((made) => made.subarray(1, 65))).toEqual(expected);
    }
  });

  it('is the same on a host without WebAssembly', async () => {
    vi.stubGlobal('WebAssembly', undefined);
    vi.resetModules();
    const { orderSigner: signer } = await import('../../src/pipeline/order-signer.ts');
    const witnesses = Array.from({ length: 64 }, (_, order) => orderWitness(hash, BigInt(order)));
    const made = signer(secret)(witnesses);
    vi.unstubAllGlobals();
    expect(made).toEqual(orderSigner(secret)(witnesses));
  });

  it('holds for its witness and no other, and only with every byte unchanged', () => {
    const verify = orderVerifier();
    expect(verify(signature, witness)).toBe(true);
    expect(verify(signature, orderWitness(hash, 8n))).toBe(false);
    for (let at = 0; at < signature.length; at++) {
      const changed = signature.slice();
      changed[at]! ^= 0x10;
      expect(verify(changed, witness), `byte ${at}`).toBe(false);
    }
    expect(verify(signature.subarray(0, 97), witness)).toBe(false);
    expect(verify(new Uint8Array(0), witness)).toBe(false);
    expect(verify(signature, witness)).toBe(true);
  });

  it('is judged alike by the host and in JavaScript', () => {
    const point = secp256k1.getPublicKey(secret, false);
    const host = hostVerifier({ x: point.subarray(1, 33), y: point.subarray(33) })!;
    const bare = signature.subarray(1, 65);
    expect(host(witness, bare)).toBe(secp256k1.verify(bare, witness, signature.subarray(65)));
    expect(host(hash, bare)).toBe(secp256k1.verify(bare, hash, signature.subarray(65)));
    expect(hostVerifier({ x: new Uint8Array(32), y: new Uint8Array(32) })).toBeUndefined();
  });

  it('needs a secret key', () => {
    expectRefusal(() => orderSigner(new Uint8Array(32)), 'invalid-argument', /secp256k1 secret key/);
    expectRefusal(() => orderSigner(new Uint8Array(31)), 'invalid-argument', /secp256k1 secret key/);
  });
});
