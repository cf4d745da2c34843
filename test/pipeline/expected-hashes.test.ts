/** The hashes that waiting transactions are expected to have are those that they get. */
import { describe, expect, it } from 'vitest';
import { Engine, sourceOf, writerOf } from '../../src/engine/engine.ts';
import type { Commit } from '../../src/pipeline/commit.ts';
import type { ExpectedHash } from '../../src/pipeline/expected-hashes.ts';
import { ExpectedHashes } from '../../src/pipeline/expected-hashes.ts';
import type { Input } from '../../src/pipeline/input.ts';
import { single } from '../../src/pipeline/turn.ts';

const transfer = (to: string) => ({
  function: '0x3::transfer::transfer_coin',
  typeArguments: ['0x3::gas_coin::RGas'],
  arguments: [to, 1n],
});

/** Signed transactions and calls of two accounts, in turns. */
function inputs(engine: Engine): Input[] {
  const [alice, bob, carol] = engine.accounts as [Engine['accounts'][0], Engine['accounts'][0], Engine['accounts'][0]];
  const call = (from: typeof alice, to: typeof alice, gas: bigint | undefined): Input => {
    const { sender, action } = from.transaction(transfer(String(to)));
    return { kind: 'call', sender, action, maxGasAmount: gas };
  };
  const signed = (sequenceNumber: bigint): Input => ({
    kind: 'signed',
    bytes: carol.signed(transfer(String(alice)), { sequenceNumber }),
  });
  return [0n, 1n, 2n].flatMap((round) => [
    call(alice, bob, undefined),
    call(bob, alice, 50_000_000n),
    call(alice, carol, 60_000_000n),
    signed(round),
  ]);
}

describe('the hashes that are expected', () => {
  it('are those of the transactions, calls of an account counted on from its sequence number', async () => {
    await using engine = await Engine.open();
    const expectedHashes = new ExpectedHashes(() => sourceOf(engine).current());
    for (let round = 0; round < 2; round++) {
      const sent: { readonly expected: ExpectedHash; readonly commit: Promise<Commit> }[] = [];
      const next = round === 0 ? inputs(engine) : inputs(engine).filter(({ kind }) => kind === 'call');
      for (const input of next) {
        const expected = expectedHashes.of(input)!;
        const { turn, commit } = single(input, expected.hash);
        writerOf(engine).submit(turn);
        sent.push({ expected, commit });
      }
      for (const { expected, commit } of sent) {
        expect(expected.hash()).toEqual((await commit).record.executionInfo.txHash);
        expected.done();
      }
    }
  });

  it('do not exist for bytes that are not a transaction, nor for a block', () => {
    const hashes = new ExpectedHashes(() => {
      throw new Error('no chain is asked for');
    });
    expect(hashes.of({ kind: 'signed', bytes: Uint8Array.of(1, 2, 3) })!.hash()).toBeUndefined();
    expect(hashes.of({ kind: 'l1-block', height: 1n, bytes: Uint8Array.of(1) })).toBeUndefined();
  });
});
