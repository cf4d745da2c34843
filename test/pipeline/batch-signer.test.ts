/** Signatures made together are those that the library makes one by one, and RFC 6979's. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { assert, describe, expect, it } from 'vitest';
import { toHex } from '../../src/base/bytes/hex.ts';
import { signBatch } from '../../src/pipeline/batch-signer.ts';
import { runs } from '../effort.ts';

const text = (message: string): Uint8Array => new TextEncoder().encode(message);

function numberBytes(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, index) => Number((value >> BigInt(8 * (31 - index))) & 0xffn));
}

function signed(secretKey: Uint8Array, messages: readonly Uint8Array[]): Uint8Array[] {
  const signatures = signBatch(secretKey, messages);
  assert(signatures !== undefined, 'this host has WebAssembly');
  return signatures;
}

describe('signatures made together', () => {
  it('are the known ones of RFC 6979 with secp256k1 and SHA-256', () => {
    // From the test vectors of Trezor and of python-ecdsa, which most libraries repeat.
    expect(
      signed(numberBytes(1n), [
        text('Satoshi Nakamoto'),
        text('All those moments will be lost in time, like tears in rain. Time to die...'),
      ]).map(toHex),
    ).toEqual([
      '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8' +
        '2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
      '8600dbd41e348fe5c9465ab92d23e3db8b98b873beecd930736488696438cb6b' +
        '547fe64427496db33bf66019dacbf0039c04199abb0122918601db38a72cfc21',
    ]);
    const last = secp256k1.Point.Fn.ORDER - 1n;
    expect(toHex(signed(numberBytes(last), [text('Satoshi Nakamoto')])[0]!)).toBe(
      'fd567d121db66e382991534ada77a6bd3106f0a1098c231e47993447cd6af2d0' +
        '6b39cd0eb1bc8603e159ef5c20a5c8ad685a45b06ce9bebed3f153d10d93bed5',
    );
  });

  it('equal those of the library, for any key and messages', () => {
    const keys = fc.bigInt({ min: 1n, max: secp256k1.Point.Fn.ORDER - 1n }).map(numberBytes);
    const messages = fc.array(fc.uint8Array({ maxLength: 100 }), { maxLength: 12 });
    fc.assert(
      fc.property(keys, messages, (key, list) => {
        expect(signed(key, list)).toEqual(list.map((message) => secp256k1.sign(message, key)));
      }),
      { numRuns: runs(30) },
    );
  });

  it('may be of the same message many times', () => {
    const key = numberBytes(7n);
    const message = text('again');
    const expected = secp256k1.sign(message, key);
    for (const signature of signed(key, [message, message, message])) expect(signature).toEqual(expected);
  });
});
