/** The option `signatureThreads`: what it changes, which is nothing but where signatures are checked. */
import crypto from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { toHex } from '../../../src/base/bytes/hex.ts';
import { Engine } from '../../../src/engine/engine.ts';
import type { Account } from '../../../src/query/account.ts';

// The host makes all checks, where they are counted.
vi.mock('../../../src/base/hash/libsecp256k1.ts', () => ({
  libsecp256k1: () => Promise.reject(new Error('not here')),
}));

const TRANSFER = { function: '0x3::transfer::transfer_coin', typeArguments: ['0x3::gas_coin::RGas'] };

/** Transfers from one account, in the order of their numbers, from `from` on; `salt` makes new signatures. */
function transfers(engine: Engine, count: number, salt: bigint, from = 0): Uint8Array[] {
  const [alice, bob] = engine.accounts as [Account, Account];
  return Array.from({ length: count }, (_, index) =>
    alice.signed(
      { ...TRANSFER, arguments: [bob.address, salt + BigInt(index)] },
      { sequenceNumber: BigInt(from + index) },
    ),
  );
}

/** Executes all at once; gives the last root, and how many signatures were checked in their turn. */
async function run(engine: Engine, signed: readonly Uint8Array[]): Promise<{ root: string; inTurn: number }> {
  const verify = vi.spyOn(crypto, 'verify');
  try {
    const receipts = await Promise.all(signed.map((bytes) => engine.execute(bytes)));
    expect(receipts.map(({ status }) => status.kind)).toEqual(signed.map(() => 'executed'));
    return { root: toHex(receipts.at(-1)!.stateRoot), inTurn: verify.mock.calls.length };
  } finally {
    verify.mockRestore();
  }
}

describe('signatures of transactions that wait', () => {
  it('are checked on other threads, with the same outcome', async () => {
    await using plain = await Engine.open();
    await using threaded = await Engine.open({ signatureThreads: 2 });
    let sent = 0;
    // The threads begin with the first transactions, and a busy machine may give them no processor for a while.
    await vi.waitFor(async () => {
      const signed = transfers(plain, 60, 1_000n, sent);
      sent += signed.length;
      const inTurn = await run(plain, signed);
      const elsewhere = await run(threaded, signed);
      expect(inTurn.inTurn).toBe(signed.length);
      expect(elsewhere.root).toBe(inTurn.root);
      expect(elsewhere.inTurn).toBeLessThan(signed.length / 2);
    }, 120_000);
  });

  it('are refused when they are wrong, and so is what cannot be read', async () => {
    await using engine = await Engine.open({ signatureThreads: 2 });
    const [first, second] = transfers(engine, 2, 9_000n) as [Uint8Array, Uint8Array];
    // A byte of the amount: what was signed is another transaction.
    const at = first.length - 300;
    const forged = first.with(at, first[at]! ^ 1);
    const refusals = [forged, first.subarray(1), new Uint8Array(0)].map((bytes) => engine.execute(bytes));
    for (const refusal of refusals) await expect(refusal).rejects.toThrow();
    expect(engine.head.order).toBe(0n);
    const receipts = await Promise.all([first, second].map((bytes) => engine.execute(bytes)));
    expect(receipts.map(({ order }) => order)).toEqual([1n, 2n]);
  });

  it('do not hold up closing', async () => {
    const engine = await Engine.open({ signatureThreads: 1 });
    const all = transfers(engine, 20, 20_000n).map((bytes) => engine.execute(bytes));
    await engine.close();
    expect((await Promise.all(all)).length).toBe(20);
  });

  it.each([-1, 1.5, 65, '2'])('take no %j threads', async (signatureThreads) => {
    const opening = Engine.open({ signatureThreads: signatureThreads as number });
    await expect(opening).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});
