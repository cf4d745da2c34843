import crypto from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { DEV_ACCOUNTS } from '../../src/framework/accounts.ts';
import { parseAddress } from '../../src/move/address.ts';
import { SignaturesAhead } from '../../src/signature/ahead.ts';
import { bitcoinSigner, multisignSigner } from '../../src/signature/signer.ts';
import { verifyAuthenticator } from '../../src/signature/verify.ts';
import type { Authenticator } from '../../src/transaction/authenticator.ts';
import { transactionHash } from '../../src/transaction/signed.ts';

const signer = bitcoinSigner(DEV_ACCOUNTS[0]!.privateKey);
let made = 0n;

interface Signed {
  readonly hash: Uint8Array;
  readonly authenticator: Authenticator;
}

/** A transaction that was never signed before. */
function signed(by: Pick<typeof signer, 'address' | 'sign'> = signer): Signed {
  const { data, authenticator } = by.sign({
    sender: by.address,
    sequenceNumber: made++,
    chainId: 4n,
    maxGasAmount: 1n,
    action: { kind: 'modules', modules: [] },
  });
  return { hash: transactionHash(data), authenticator };
}

/** How many checks the host makes in their turn while the authenticator is verified. */
function checksInTurn({ hash, authenticator }: Signed): number {
  const verify = vi.spyOn(crypto, 'verify');
  try {
    verifyAuthenticator(hash, authenticator);
    return verify.mock.calls.length;
  } finally {
    verify.mockRestore();
  }
}

describe('signatures checked ahead', () => {
  it('are not checked again in their turn', async () => {
    const ahead = new SignaturesAhead(2);
    const [checked, other] = [signed(), signed()];
    await ahead.check(checked.hash, checked.authenticator);
    expect(verifyAuthenticator(checked.hash, checked.authenticator)?.kind).toBe('bitcoin');
    expect(checksInTurn(checked)).toBe(0);
    expect(checksInTurn(other)).toBe(1);
  });

  it('are no truer for it', async () => {
    const ahead = new SignaturesAhead(2);
    const { hash, authenticator } = signed();
    const wrong = hash.with(0, hash[0]! ^ 1);
    await ahead.check(wrong, authenticator);
    expect(verifyAuthenticator(wrong, authenticator)).toBeUndefined();
  });

  it('of several keys are all checked', async () => {
    const keys = DEV_ACCOUNTS.slice(0, 3).map(({ privateKey }) => privateKey);
    const several = signed(multisignSigner(parseAddress('0x42'), keys));
    const ahead = new SignaturesAhead(1);
    await ahead.check(several.hash, several.authenticator);
    expect(checksInTurn(several)).toBe(0);
  });

  it('that cannot be checked hold nothing up', async () => {
    const ahead = new SignaturesAhead(1);
    const { hash, authenticator } = signed();
    const unknown = { ...authenticator, validatorId: 77n };
    const broken = { ...authenticator, payload: authenticator.payload.subarray(1) };
    await Promise.all([unknown, broken, authenticator].map((each) => ahead.check(hash, each)));
    expect(ahead.waiting).toBe(0);
  });

  it('wait in a bounded queue', async () => {
    const ahead = new SignaturesAhead(1, 2);
    const order: number[] = [];
    const all = Array.from({ length: 5 }, async (_, index) => {
      const { hash, authenticator } = signed();
      await ahead.check(hash, authenticator);
      order.push(index);
    });
    expect(ahead.waiting).toBe(2);
    await Promise.all(all);
    // The first runs and two wait; the others are not looked at.
    expect(order.slice(0, 2).sort()).toEqual([3, 4]);
    expect(order.slice(2)).toEqual([0, 1, 2]);
  });

  it('let go of what waits when closed, and may be used again', async () => {
    const ahead = new SignaturesAhead(1);
    const several = Array.from({ length: 4 }, () => signed());
    const checks = several.map(({ hash, authenticator }) => ahead.check(hash, authenticator));
    ahead.close();
    expect(ahead.waiting).toBe(0);
    await Promise.all(checks);
    await setImmediate();
    await ahead.check(several[0]!.hash, several[0]!.authenticator);
    expect(ahead.waiting).toBe(0);
  });
});
