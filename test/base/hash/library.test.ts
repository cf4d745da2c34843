/**
 * libsecp256k1 when many signatures are checked or made: its yes counts, everything else is for the host to decide, and
 * what it signs is what we sign.
 */
import crypto from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';

type HostSignature = typeof import('../../../src/base/hash/host-signature.ts');
type Library = typeof import('../../../src/base/hash/secp256k1-library.ts');

const BEFORE_LIBRARY = 64;
const secret = new Uint8Array(32).fill(7);
const publicKey = secp256k1.getPublicKey(secret, true);
const message = Uint8Array.of(1, 2, 3);
const signature = secp256k1.sign(message, secret);
const wrong = secp256k1.sign(Uint8Array.of(4), secret);

let host: HostSignature;
let library: Library;
const check = vi.fn<(publicKey: Uint8Array, hash: Uint8Array, signature: Uint8Array) => boolean>();
const signed = vi.fn<(secret: Uint8Array, hash: Uint8Array) => Uint8Array>();
const both = { check, sign: signed };

beforeEach(async () => {
  vi.resetModules();
  check.mockReset();
  signed.mockReset();
  host = await import('../../../src/base/hash/host-signature.ts');
  library = await import('../../../src/base/hash/secp256k1-library.ts');
});

/** Checks until the library is asked for, and waits until it is there. */
async function loaded(load: Parameters<Library['offerLibrary']>[0]): Promise<void> {
  library.offerLibrary(load);
  for (let count = 0; count < BEFORE_LIBRARY; count++) host.hostVerify('secp256k1', publicKey, message, signature);
  await new Promise((resolve) => setImmediate(resolve));
}

const verify = (of: Uint8Array, key = publicKey): boolean | undefined => host.hostVerify('secp256k1', key, message, of);

describe('many checks over secp256k1', () => {
  it('ask the library after a while, by the hash of the message, and no other curve does', async () => {
    const load = vi.fn(async () => both);
    library.offerLibrary(load);
    for (let count = 1; count < BEFORE_LIBRARY; count++) verify(signature);
    expect(load).not.toHaveBeenCalled();
    verify(signature);
    expect(load).toHaveBeenCalledTimes(1);
    await new Promise((resolve) => setImmediate(resolve));
    check.mockReturnValue(true);
    expect(verify(signature)).toBe(true);
    const hash = crypto.createHash('sha256').update(message).digest();
    const [[key, digest, given] = []] = check.mock.calls;
    expect([key, digest, given].map((bytes) => Buffer.from(bytes!))).toEqual(
      [publicKey, hash, signature].map(Buffer.from),
    );
    host.hostVerify('p256', publicKey, message, signature);
    host.hostVerify('ed25519', publicKey.subarray(1), message, signature);
    host.hostVerify('secp256k1', secp256k1.getPublicKey(secret, false), message, signature);
    expect(check).toHaveBeenCalledTimes(1);
  });

  it('take the yes of the library without the host', async () => {
    check.mockReturnValue(true);
    await loaded(async () => both);
    const verifyByHost = vi.spyOn(crypto, 'verify');
    expect(verify(signature)).toBe(true);
    expect(verifyByHost).not.toHaveBeenCalled();
    verifyByHost.mockRestore();
  });

  it('leave to the host what the library does not accept: a wrong signature, and a key that is no point', async () => {
    check.mockReturnValue(false);
    await loaded(async () => both);
    expect(verify(signature)).toBe(true);
    expect(verify(wrong)).toBe(false);
    expect(verify(signature, Uint8Array.of(2, ...new Uint8Array(31), 5))).toBeUndefined();
    expect(check).toHaveBeenCalledTimes(3);
  });

  it('are all made by the host if the library cannot be loaded', async () => {
    await loaded(() => Promise.reject(new Error('no WebAssembly')));
    expect([verify(signature), verify(wrong)]).toEqual([true, false]);
  });

  it('load the library of an engine', async () => {
    vi.doMock('../../../src/base/hash/libsecp256k1.ts', () => ({ libsecp256k1: async () => both }));
    signed.mockImplementation((key, hash) => secp256k1.sign(hash, key, { prehash: false }));
    const { Engine } = await import('../../../src/engine/engine.ts');
    const engine = await Engine.open();
    const [alice, bob] = engine.accounts;
    for (let count = 0n; count < BEFORE_LIBRARY + 10; count++) {
      const action = {
        function: '0x3::transfer::transfer_coin',
        typeArguments: ['0x3::gas_coin::RGas'],
        arguments: [bob!.address, count],
      };
      await engine.execute(alice!.signed(action));
    }
    await engine.close();
    expect(check).toHaveBeenCalled();
    expect(signed).toHaveBeenCalled();
    vi.doUnmock('../../../src/base/hash/libsecp256k1.ts');
  });
});

describe('many signatures over secp256k1', () => {
  const ofNoble = (text: Uint8Array): Uint8Array => secp256k1.sign(text, secret);

  it('are made by the library once it is loaded, with the same bytes', async () => {
    const { libsecp256k1 } = await import('../../../src/base/hash/libsecp256k1.ts');
    const real = await libsecp256k1();
    signed.mockImplementation(real.sign);
    await loaded(async () => both);
    const { signSecp256k1 } = await import('../../../src/base/hash/secp256k1-secret.ts');
    for (let count = 0; count < 20; count++) {
      const text = Uint8Array.of(count);
      expect(Buffer.from(signSecp256k1(text, secret))).toEqual(Buffer.from(ofNoble(text)));
    }
    expect(signed).toHaveBeenCalledTimes(20);
  });

  it('are not asked of the library for a hash that may pass the order of the group', async () => {
    await loaded(async () => both);
    const { signSecp256k1 } = await import('../../../src/base/hash/secp256k1-secret.ts');
    let number = 0;
    let text = Uint8Array.of(0, 0);
    while (crypto.createHash('sha256').update(text).digest()[0] !== 0xff) text = Uint8Array.of(++number, number >> 8);
    expect(Buffer.from(signSecp256k1(text, secret))).toEqual(Buffer.from(ofNoble(text)));
    expect(signed).not.toHaveBeenCalled();
  });
});
