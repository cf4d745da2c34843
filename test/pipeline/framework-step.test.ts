/** When TypeScript stands in for the Move functions around an action, and when their code runs. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { TRANSACTION_NATIVE_WORK_MAX } from '../../src/base/config.ts';
import { Session, type SessionTracer } from '../../src/execution/runtime/session.ts';
import { addressOf, parseAddress } from '../../src/move/address.ts';
import { executeTransaction } from '../../src/pipeline/execute.ts';
import { validateCall } from '../../src/pipeline/validate.ts';
import type { SequenceInfo } from '../../src/query/transaction-builder.ts';
import { EMPTY_ROOT } from '../../src/store/tree/tree.ts';
import { writeModule } from '../../src/vm/binary/write.ts';
import { frameworkModule } from '../execution/runtime/externs.ts';
import { publishFor } from './contract.ts';
import { ALICE, BOB, callOf, effectsOf, StepChain, transfer } from './step-chain.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
/** With it, what the context says of the action is long enough to count as work. */
const LONG_NAME = 'f'.repeat(250);
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

describe('around an action', () => {
  it('no Move code runs in the ordinary case', async () => {
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

  it('the work of Move code is not counted as that of the action', async () => {
    const chain = await StepChain.open();
    // Each signature check counts as 2 milliseconds, so these are all that a transaction may do.
    const text = `module 0xa11ce::busy
      public entry fun ${LONG_NAME}() { let i: u64
        let v: vector<u8>
        LdU64 0; StLoc i; VecPack u8 0; StLoc v
        next: ImmBorrowLoc v; ImmBorrowLoc v; ImmBorrowLoc v; Call 0x3::ed25519::verify; Pop
        MoveLoc i; LdU64 1; Add; StLoc i; CopyLoc i; LdU64 ${TRANSACTION_NATIVE_WORK_MAX / 2_000}; Lt; BrTrue next; Ret }`;
    chain.send(ALICE, publishFor(ALICE, text));
    const validation = validateCall(
      { sender: bob, action: callOf(`${ALICE.address}::busy::${LONG_NAME}`) },
      chain.context,
    );
    if (validation.kind === 'refused') throw validation.error;
    const info: SequenceInfo = {
      txOrder: 9n,
      txOrderSignature: new Uint8Array(98),
      txAccumulatorRoot: EMPTY_ROOT,
      txTimestamp: chain.now,
      txAccumulatorFrozenSubtreeRoots: [EMPTY_ROOT, EMPTY_ROOT, EMPTY_ROOT],
      txAccumulatorNumLeaves: 7n,
      txAccumulatorNumNodes: 11n,
    };
    const [ours, theirs] = [undefined, UNHEARD].map((tracer) => {
      const execution = executeTransaction(validation.transaction, info, { ...chain.context, tracer });
      if (execution.kind === 'refused') throw execution.error;
      return effectsOf(execution);
    });
    expect(ours).toMatchObject({ status: { kind: 'executed' } });
    expect(ours).toEqual(theirs);
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
