/** When TypeScript stands in for the Move functions around an action, and when their code runs. */
import crypto from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { addressOf, parseAddress } from '../../src/move/address.ts';
import { executeTransaction } from '../../src/pipeline/execute.ts';
import { validateCall } from '../../src/pipeline/validate.ts';
import { Session, type SessionTracer } from '../../src/runtime/session.ts';
import { writeModule } from '../../src/vm/binary/write.ts';
import { frameworkModule } from '../runtime/externs.ts';
import { signBitcoin } from './signer.ts';
import { ALICE, BOB, effectsOf, StepChain, transfer } from './step-chain.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
const UNHEARD: SessionTracer = {
  enter: () => undefined,
  leave: () => undefined,
  fail: () => undefined,
  restart: () => undefined,
};

/** The names of the Move functions that sessions call while `run` runs. */
function callsOf(run: () => void): string[] {
  const spy = vi.spyOn(Session.prototype, 'call');
  run();
  return spy.mock.calls.map(([{ function: name }]) => name);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('validation', () => {
  it('checks a wrong signature once, although Move code says why it is refused', async () => {
    const chain = await StepChain.open();
    const spy = vi.spyOn(crypto, 'verify');
    const data = chain.data(alice, transfer(bob, 1n));
    chain.execute(signBitcoin(ALICE, data));
    spy.mockClear();
    const signed = signBitcoin(ALICE, chain.data(alice, transfer(bob, 1n)), (parts) => ({
      ...parts,
      signature: parts.signature.with(20, parts.signature[20]! ^ 1),
    }));
    expect(chain.refusal(signed).message).toContain('1010');
    expect(spy).toHaveBeenCalledTimes(1);
  });
});

describe('around an action', () => {
  it('no Move code runs when all goes as usual', async () => {
    const chain = await StepChain.open();
    const calls = callsOf(() => {
      chain.send(ALICE, transfer(bob, 1n));
      chain.send(ALICE, transfer(bob, 1n));
    });
    expect(calls).toEqual(['transfer_coin', 'transfer_coin']);
  });

  it('no Move code runs after one that failed, either', async () => {
    const chain = await StepChain.open();
    expect(callsOf(() => chain.call({ sender: alice, action: transfer(bob, 10n ** 30n) }))).toEqual(['transfer_coin']);
  });

  it('Move code creates the account of a stranger, and gives it coins', async () => {
    const chain = await StepChain.open();
    const calls = callsOf(() => chain.call({ sender: addressOf(0x57a6), action: transfer(bob, 1n) }));
    expect(calls).toContain('pre_execute');
  });

  it('Move code runs on the interpreter and for tracers, to the same effect', async () => {
    const [interpreted, chain] = [await StepChain.open({ engine: 'interpret' }), await StepChain.open()];
    const call = { sender: alice, action: transfer(bob, 1n) };
    expect(callsOf(() => interpreted.call(call))).toEqual(['pre_execute', 'transfer_coin', 'post_execute']);
    vi.restoreAllMocks();
    const validation = validateCall(call, chain.context);
    if (validation.kind === 'refused') throw validation.error;
    const run = (tracer?: SessionTracer): unknown => {
      const execution = executeTransaction(validation.transaction, undefined, { ...chain.context, tracer });
      if (execution.kind === 'refused') throw execution.error;
      return effectsOf(execution);
    };
    expect(callsOf(() => run(UNHEARD))).toEqual(['pre_execute', 'transfer_coin', 'post_execute']);
    expect(run()).toEqual(run(UNHEARD));
  });

  it('Move code runs on a chain with a different framework', async () => {
    const chain = await StepChain.open();
    const fees = frameworkModule('0x3::transaction_fee')!;
    // The same code, but for one different byte that nobody reads.
    chain.replaceModules([writeModule({ ...fees, metadata: [{ key: Uint8Array.of(1), value: new Uint8Array(0) }] })]);
    const calls = callsOf(() => chain.call({ sender: alice, action: transfer(bob, 1n) }));
    expect(calls).toEqual(['pre_execute', 'transfer_coin', 'post_execute']);
  });
});
