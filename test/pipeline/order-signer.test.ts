/** The sequencer's signature over an order: what it is made of, and that any other byte is refused. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { fromHex, toHexPrefixed } from '../../src/base/bytes/hex.ts';
import { orderWitness } from '../../src/chain/transaction/sequence-info.ts';
import { isOrderSignature, orderSigner } from '../../src/pipeline/order-signer.ts';
import { expectRefusal } from '../refusal.ts';

const secret = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const hash = fromHex('ec38c3c170a1d831e9b8966a2a8da39bd2f1e02ba96eea166cf056d27ca2b486');

describe('an order signature', () => {
  const witness = orderWitness(hash, 7n);
  const signature = orderSigner(secret)(witness);

  it('signs the witness of spec/state.md 11.7', () => {
    expect(toHexPrefixed(witness)).toBe('0x3e9af6ff5bc0dfaa13b01d7d688c9ed86332c464ab6069ceae1af7fd06b4a9d5');
  });

  it('is flag, signature and compressed public key', () => {
    expect(signature).toHaveLength(98);
    expect(signature[0]).toBe(1);
    expect(signature.subarray(1, 65)).toEqual(secp256k1.sign(witness, secret));
    expect(signature.subarray(65)).toEqual(secp256k1.getPublicKey(secret, true));
  });

  it('is the same however many were made before it', () => {
    const sign = orderSigner(secret);
    for (let order = 0n; order < 100n; order++) {
      const own = orderWitness(hash, order);
      expect(sign(own).subarray(1, 65)).toEqual(secp256k1.sign(own, secret));
    }
  });

  it('holds for its witness and no other, and only with every byte unchanged', () => {
    expect(isOrderSignature(signature, witness)).toBe(true);
    expect(isOrderSignature(signature, orderWitness(hash, 8n))).toBe(false);
    for (let at = 0; at < signature.length; at++) {
      const changed = signature.slice();
      changed[at]! ^= 0x10;
      expect(isOrderSignature(changed, witness), `byte ${at}`).toBe(false);
    }
    expect(isOrderSignature(signature.subarray(0, 97), witness)).toBe(false);
    expect(isOrderSignature(new Uint8Array(0), witness)).toBe(false);
  });

  it('needs a secret key', () => {
    expectRefusal(() => orderSigner(new Uint8Array(32)), 'invalid-argument', /secp256k1 secret key/);
    expectRefusal(() => orderSigner(new Uint8Array(31)), 'invalid-argument', /secp256k1 secret key/);
  });
});
