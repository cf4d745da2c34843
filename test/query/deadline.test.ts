/** Views and dry runs that would hold the thread: they end by the clock, and what is signed never does. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode, encode } from '../../src/base/bcs.ts';
import { Engine } from '../../src/index.ts';
import { signedTransaction, transactionData } from '../../src/query/transaction-builder.ts';
import { createRpc } from '../../src/server/index.ts';
import { expectRefusal } from '../refusal.ts';
import { asked } from '../server/asked.ts';
import { publish, SIGHTS } from './published.ts';

const FOREVER = { function: '0x42::sights::forever' };
const SPIN = 'module 0x42::spin entry fun f() { again: Branch again }';
let engine: Engine;

beforeAll(async () => {
  // No machine uses up the gas of a view in a millisecond.
  engine = await Engine.open({ viewMsMax: 1 });
  await publish(engine, SIGHTS, SPIN);
});
afterAll(() => engine.close());

const wire = (method: string, params: readonly unknown[]): Promise<unknown> =>
  asked(createRpc(engine, { dev: true }), method, params);

const REFUSED = {
  error: { code: 2, data: { code: 'deadline-exceeded', expected: 'at most 1 ms' } },
};

describe('a deadline of one millisecond', () => {
  it('ends a view, directly, pinned, in a fork and over JSON-RPC', async () => {
    expectRefusal(() => engine.tryView(FOREVER), 'deadline-exceeded', 'viewMsMax');
    expect(() => engine.at().tryView(FOREVER)).toThrow(expect.objectContaining({ code: 'deadline-exceeded' }));
    await using fork = engine.fork();
    expectRefusal(() => fork.tryView(FOREVER), 'deadline-exceeded');
    const call = { function_id: FOREVER.function, ty_args: [], args: [] };
    expect(await wire('chain_executeViewFunction', [call])).toMatchObject(REFUSED);
  });

  it('ends a dry run, of a call, of data and of a signed transaction, and over JSON-RPC', async () => {
    const [alice] = engine.accounts;
    const action = { function: '0x42::spin::f' };
    const signed = decode(signedTransaction, alice!.signTransaction(action));
    const dryRuns = [{ sender: alice!.address, action }, signed, signed.data];
    for (const dryRun of dryRuns) expectRefusal(() => engine.simulate(dryRun), 'deadline-exceeded');
    const hex = `0x${Buffer.from(encode(transactionData, signed.data)).toString('hex')}`;
    expect(await wire('rooch_dryRunRawTransaction', [hex])).toMatchObject(REFUSED);
  });

  it('ends no transaction and no call that is written: gas bounds those, on every machine alike', async () => {
    const [alice] = engine.accounts;
    const action = { function: '0x42::spin::f' };
    const maxGasAmount = 1_000_000_000n;
    const { status, gasUsed } = await engine.execute(alice!.signTransaction(action, { maxGasAmount }));
    expect([status.kind, gasUsed]).toEqual(['out-of-gas', maxGasAmount]);
    const called = await engine.executeAs(alice!.address, action, { maxGasAmount });
    expect([called.status.kind, called.gasUsed]).toEqual(['out-of-gas', maxGasAmount]);
  });
});

describe('the option viewMsMax', () => {
  it('is a whole number of milliseconds', async () => {
    for (const viewMsMax of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 3_600_001]) {
      await expect(Engine.open({ viewMsMax })).rejects.toMatchObject({ code: 'invalid-argument' });
    }
  });
});
