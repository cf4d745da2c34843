/** Transactions of a chain, run again under trace. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../../src/base/bcs.ts';
import { EngineError } from '../../../src/base/error.ts';
import { ObjectRuntime } from '../../../src/execution/runtime/object-runtime.ts';
import type { Engine, Receipt } from '../../../src/index.ts';
import { parseTypeTag, signedTransaction } from '../../../src/query/transaction-builder.ts';
import { runs } from '../../effort.ts';
import { forge } from '../../forge.ts';
import { VALIDATOR_OF_CONTRACT, validatorModule, withPayload } from '../../pipeline/authenticators.ts';
import { publishFor } from '../../pipeline/contract.ts';
import { callOf } from '../../pipeline/step-chain.ts';
import { ALICE, act, BOB, engineWithContract } from './contract.ts';

let prepared: Engine;
beforeAll(async () => {
  prepared = await engineWithContract();
});
afterAll(() => prepared.close());

const GAS_COIN = '0x3::gas_coin::RGas';
const transferOf = (to: string, amount: bigint) => ({
  function: '0x3::transfer::transfer_coin',
  typeArguments: [GAS_COIN],
  arguments: [to, amount],
});

/** One transaction: signed or not, of either account, one that succeeds or one of each way to fail. */
const TRANSACTION = fc.record({
  sender: fc.constantFrom(0, 1),
  isSigned: fc.boolean(),
  action: fc.oneof(
    fc.bigInt({ min: 0n, max: 300n }).map((n) => act('outer', n)),
    fc.bigInt({ min: 0n, max: 50n }).map((n) => act('many', n)),
    fc.bigInt({ min: 0n, max: 9n }).map((n) => act('keep', n)),
    fc.constantFrom(1n, 1_000n, 2n ** 100n).map((amount) => transferOf(BOB.address, amount)),
    fc.constant(act('missing', 5n)),
    fc.constant(act('spin')),
  ),
});

const MAX_GAS = 1_500_000n;

/** Lets in who does not send the signature of a certain key: one that was taken back. */
const VALIDATOR_OF_OTHERS = `let key: vector<u8>
  LdConst vector<u8> 0x20${'06'.repeat(32)}; StLoc key
  ImmBorrowLoc payload; ImmBorrowLoc key; ImmBorrowLoc key; Call 0x3::ed25519::verify; BrFalse good
  LdU64 1010; Abort; good: Ret`;

interface Sent {
  readonly sender: number;
  readonly isSigned: boolean;
  readonly action: Parameters<Engine['executeAs']>[1];
}

async function send(engine: Engine, { sender, isSigned, action }: Sent): Promise<Receipt> {
  const account = engine.accounts[sender]!;
  if (isSigned) return engine.execute(account.signTransaction(action, { maxGasAmount: MAX_GAS }));
  return engine.executeAs(account.address, action, { maxGasAmount: MAX_GAS });
}

describe('a transaction that is run again', () => {
  it('ends as the ledger says, whatever it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(TRANSACTION, { minLength: 1, maxLength: 6 }), async (transactions) => {
        await using engine = prepared.fork();
        const receipts = [];
        for (const transaction of transactions) receipts.push(await send(engine, transaction));
        for (const { hash, gasUsed, status, failure } of receipts) {
          const trace = engine.trace(hash);
          expect(trace.gasUsed).toBe(gasUsed);
          expect(trace.failure === undefined).toBe(status.kind === 'executed');
          expect(trace.failure?.message).toBe(failure?.message);
          expect(failure?.callStack).toEqual(trace.failure?.callStack);
        }
      }),
      { numRuns: runs(5, 100) },
    );
  });

  it('may be the one that published the contract, and the funding of an account', async () => {
    await using engine = prepared.fork();
    const published = engine.head.order;
    expect(engine.trace(published).failure).toBeUndefined();
    const { order } = await engine.dev.mint(BOB.address, 5n);
    const trace = engine.trace(order);
    expect(trace.gasUsed).toBe(0n);
    expect(trace.calls.map(({ function: name }) => name)).toContain('deposit_extend');
  });

  it('passes validation again, signed or not, even if a validator asks for a signature that does not hold', async () => {
    for (const verifySignatures of [true, false]) {
      await using engine = prepared.fork({ verifySignatures });
      const install = '0x3::account_authentication::install_auth_validator_entry';
      for (const action of [
        publishFor(ALICE, validatorModule(VALIDATOR_OF_OTHERS)),
        callOf(`${ALICE.address}::door::open`),
        callOf(install, [parseTypeTag(`${ALICE.address}::door::Door`)]),
      ]) {
        expect((await engine.executeAs(ALICE.address, action)).failure).toBeUndefined();
      }
      const signed = engine.accounts[0]!.signTransaction(transferOf(BOB.address, 1n));
      const { data, authenticator } = decode(signedTransaction, signed);
      // A bit of the signature, which passes where none is checked.
      const spoilt = authenticator.payload.map((byte, at) => (at === 40 ? byte ^ 1 : byte));
      const sent = verifySignatures
        ? withPayload(data, VALIDATOR_OF_CONTRACT, new Uint8Array(64))
        : withPayload(data, authenticator.validatorId, spoilt);
      const { order, gasUsed } = await engine.execute(sent);
      expect(engine.trace(order).gasUsed).toBe(gasUsed);
    }
  });

  it('is corrupt if it ends otherwise than the ledger says', async () => {
    await using engine = prepared.fork();
    const other = prepared.fork();
    const { gasUsed, order } = await other.executeAs(ALICE.address, act('many', 5n));
    const { data } = other.inside.transactions.get(order)!.transaction;
    await other.close();
    for (const [gas, message] of [
      [1n, /expected to end with gas of 1, as the ledger says; got \d+/],
      [gasUsed, /expected to end with the root 0x/],
    ] as const) {
      const fork = engine.fork();
      await forge(fork, data, (state) => ({
        status: { kind: 'executed' },
        gasUsed: gas,
        changeSet: new ObjectRuntime(state).changeSet(),
        events: [],
      }));
      expect(() => fork.trace(order)).toThrow(message);
      await fork.close();
    }
  });

  it('is refused if no Move code ran, or if there is no transaction', async () => {
    await using engine = prepared.fork();
    expect(() => engine.trace(0n)).toThrow(/order 0 is genesis/);
    const block = await engine.dev.mine({ to: ALICE.regtestAddress });
    expect(block.height).toBeDefined();
    expect(() => engine.trace(engine.head.order)).toThrow(
      /is a Bitcoin (?:block|transaction), whose rules are TypeScript/,
    );
    expect(() => engine.trace(engine.head.order + 1n)).toThrow(EngineError);
    expect(() => engine.trace(new Uint8Array(32))).toThrow(/no transaction of this chain has the hash 0x00/);
  });
});
