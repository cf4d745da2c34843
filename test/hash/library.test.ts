/** libsecp256k1 where many signatures are checked: its yes counts, and everything else is for the host to say. */
import crypto from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { beforeEach, describe, expect, it, vi } from 'vitest';

type HostSignature = typeof import('../../src/hash/host-signature.ts');

const BEFORE_LIBRARY = 64;
const secret = new Uint8Array(32).fill(7);
const publicKey = secp256k1.getPublicKey(secret, true);
const message = Uint8Array.of(1, 2, 3);
const signature = secp256k1.sign(message, secret);
const wrong = secp256k1.sign(Uint8Array.of(4), secret);

let host: HostSignature;
const check = vi.fn<(publicKey: Uint8Array, hash: Uint8Array, signature: Uint8Array) => boolean>();

beforeEach(async () => {
  vi.resetModules();
  check.mockReset();
  host = await import('../../src/hash/host-signature.ts');
});

/** Checks until the library is asked for, and waits until it is there. */
async function loaded(load: Parameters<HostSignature['offerLibrary']>[0]): Promise<void> {
  host.offerLibrary(load);
  for (let count = 0; count < BEFORE_LIBRARY; count++) host.hostVerify('secp256k1', publicKey, message, signature);
  await new Promise((resolve) => setImmediate(resolve));
}

const verify = (of: Uint8Array, key = publicKey): boolean | undefined => host.hostVerify('secp256k1', key, message, of);

describe('many checks over secp256k1', () => {
  it('ask the library after a while, by the hash of the message, and no other curve does', async () => {
    const load = vi.fn(async () => check);
    host.offerLibrary(load);
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
    await loaded(async () => check.mockReturnValue(true));
    const verifyByHost = vi.spyOn(crypto, 'verify');
    expect(verify(signature)).toBe(true);
    expect(verifyByHost).not.toHaveBeenCalled();
    verifyByHost.mockRestore();
  });

  it('leave to the host what the library does not accept: a wrong signature, and a key that is no point', async () => {
    await loaded(async () => check.mockReturnValue(false));
    expect(verify(signature)).toBe(true);
    expect(verify(wrong)).toBe(false);
    expect(verify(signature, Uint8Array.of(2, ...new Uint8Array(31), 5))).toBeUndefined();
    expect(check).toHaveBeenCalledTimes(3);
  });

  it('are all made by the host where the library cannot be loaded', async () => {
    await loaded(() => Promise.reject(new Error('no WebAssembly')));
    expect([verify(signature), verify(wrong)]).toEqual([true, false]);
  });

  it('load the library of an engine', async () => {
    vi.doMock('../../src/hash/libsecp256k1.ts', () => ({ libsecp256k1: async () => check }));
    const { Engine } = await import('../../src/engine.ts');
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
    vi.doUnmock('../../src/hash/libsecp256k1.ts');
  });
});
