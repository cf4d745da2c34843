import crypto, { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SIGNATURES_WAITING_MAX } from '../../../src/base/config.ts';
import { hostVerify, type SignatureCheck } from '../../../src/base/hash/host-signature.ts';
import { SignatureThreads } from '../../../src/base/hash/signature-threads.ts';

// Only the host checks here, so its calls tell who checked: tables of keys would, once a key was seen often.
vi.mock('../../../src/base/hash/ed25519-check.ts', () => ({ acceptsEd25519: () => false }));
vi.mock('../../../src/base/hash/secp256k1-check.ts', () => ({ acceptsEcdsa: () => false }));

/** Only what fails waits for so long. */
const PATIENCE = { timeout: 60_000 };

const MESSAGE = Uint8Array.from({ length: 256 }, (_, index) => index);

/** A check that holds, under a key that was never seen. */
function freshCheck(curve: 'secp256k1' | 'ed25519'): SignatureCheck {
  if (curve === 'ed25519') {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
    return { curve, publicKey: key, message: MESSAGE, signature: sign(null, MESSAGE, privateKey) };
  }
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const key = Buffer.concat([Uint8Array.of(4), Buffer.from(x!, 'base64url'), Buffer.from(y!, 'base64url')]);
  const signature = sign('sha256', MESSAGE, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return { curve, publicKey: key, message: MESSAGE, signature };
}

function verdictOf({ curve, publicKey, message, signature }: SignatureCheck): boolean | undefined {
  return hostVerify(curve, publicKey, message, signature);
}

/** The verdict, and whether the asking thread had to find it itself. */
function ask(check: SignatureCheck): { verdict: boolean | undefined; isOwn: boolean } {
  const verify = vi.spyOn(crypto, 'verify');
  try {
    return { verdict: verdictOf(check), isOwn: verify.mock.calls.length > 0 };
  } finally {
    verify.mockRestore();
  }
}

function threads(count: number): SignatureThreads {
  const made = new SignatureThreads(count);
  onTestFinished(() => made.close());
  return made;
}

describe('threads that check signatures', () => {
  it.each(['secp256k1', 'ed25519'] as const)('tell what holds: %s', async (curve) => {
    const pool = threads(2);
    const check = freshCheck(curve);
    pool.check(check);
    await vi.waitFor(() => expect(ask(check)).toEqual({ verdict: true, isOwn: false }), PATIENCE);
    // Each verdict is told once; then the check is made as ever.
    expect(ask(check)).toEqual({ verdict: true, isOwn: true });
  });

  it('tell it to a thread that never waits', () => {
    const pool = threads(1);
    const check = freshCheck('secp256k1');
    pool.check(check);
    // The message leaves at the end of this turn of the event loop, which a busy thread never reaches.
    expect(ask(check)).toEqual({ verdict: true, isOwn: true });
  });

  it('tell it in memory, while the asking thread is busy', async () => {
    const pool = threads(1);
    const first = freshCheck('secp256k1');
    pool.check(first);
    await vi.waitFor(() => expect(ask(first).isOwn).toBe(false), PATIENCE);
    const checks = Array.from({ length: 20 }, () => freshCheck('secp256k1'));
    for (const check of checks) pool.check(check);
    await Promise.resolve();
    // Nothing of the event loop runs from here on.
    const last = checks.at(-1)!;
    const start = performance.now();
    while (ask(last).isOwn) expect(performance.now() - start).toBeLessThan(10_000);
    expect(checks.slice(0, -1).map(ask)).toEqual(checks.slice(1).map(() => ({ verdict: true, isOwn: false })));
  });

  it('change no answer for what does not hold', async () => {
    const pool = threads(1);
    const right = freshCheck('secp256k1');
    const wrong: SignatureCheck[] = [
      { ...right, message: MESSAGE.subarray(1) },
      { ...right, signature: right.signature.with(40, right.signature[40]! ^ 1) },
      { ...right, publicKey: right.publicKey.with(64, right.publicKey[64]! ^ 1) },
      { ...right, publicKey: right.publicKey.subarray(1) },
    ];
    const before = wrong.map(verdictOf);
    for (const check of [...wrong, right]) pool.check(check);
    // They are made in their order: when the last is known, all are.
    await vi.waitFor(() => expect(ask(right).isOwn).toBe(false), PATIENCE);
    expect(wrong.map(verdictOf)).toEqual(before);
  });

  it('do not take what holds for an earlier check that does not, in the same place', async () => {
    const pool = threads(1);
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const key = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
    const checkOf = (number: number): SignatureCheck => {
      const message = Uint8Array.from(Buffer.from(`${number}`));
      return { curve: 'ed25519', publicKey: key, message, signature: sign(null, message, privateKey) };
    };
    const wrong = { ...checkOf(-1), message: MESSAGE };
    pool.check(wrong);
    for (let number = 1; number < SIGNATURES_WAITING_MAX; number++) pool.check(checkOf(number));
    // One is told, so there is room for another, and the first is still waited for.
    for (const number of [SIGNATURES_WAITING_MAX - 1, SIGNATURES_WAITING_MAX]) {
      if (number === SIGNATURES_WAITING_MAX) pool.check(checkOf(number));
      await vi.waitFor(() => expect(ask(checkOf(number)).isOwn).toBe(false), PATIENCE);
    }
    expect(verdictOf(wrong)).toBe(false);
  });

  it('are asked nothing once they are closed, and close twice', async () => {
    const pool = threads(2);
    const check = freshCheck('ed25519');
    pool.check(check);
    await pool.close();
    await pool.close();
    pool.check(check);
    expect(verdictOf(check)).toBe(true);
  });
});
