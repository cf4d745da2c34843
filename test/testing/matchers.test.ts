import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine.ts';
import { DEV_ACCOUNTS } from '../../src/framework/accounts.ts';
import type { Receipt } from '../../src/pipeline/receipt.ts';
import { expectChain } from '../../src/testing/expect-chain.ts';

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => String(address)) as [string, string];
const WITHDRAWN = '0x3::coin_store::WithdrawEvent';
let engine: Engine;
let sent: Receipt;
let failed: Receipt;

const transfer = (amount: bigint): Promise<Receipt> =>
  engine.call(ALICE, {
    function: '0x3::transfer::transfer_coin',
    typeArguments: ['0x3::gas_coin::RGas'],
    arguments: [BOB, amount],
  });

beforeAll(async () => {
  engine = await Engine.open();
  sent = await transfer(7n);
  failed = await transfer(2n ** 200n);
});
afterAll(() => engine.close());

/** What a check that must fail says. */
async function refusal(check: () => unknown): Promise<string> {
  try {
    await check();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('the check passed');
}

describe('toBeExecuted', () => {
  it('passes for what was executed, and says how anything else ended', async () => {
    expectChain(sent).toBeExecuted();
    expectChain(failed).not.toBeExecuted();
    expect(await refusal(() => expectChain(failed).toBeExecuted())).toMatch(
      /to be executed; it aborted with code \d+ \(ErrorInsufficientBalance\) in 0x3::/,
    );
    expect(await refusal(() => expectChain(failed).toBeExecuted())).toMatch(
      /\nThe amount is larger than the balance\.\n {2}at 0x3::account_coin_store::withdraw_from, offset \d+: Abort\n {2}at .*\n {2}at 0x3::transfer::transfer_coin, offset/,
    );
    expect(await refusal(() => expectChain(sent).not.toBeExecuted())).toMatch(
      /not to be executed[\s\S]*events:\n {2}0x/,
    );
  });

  it('asks whether a promise was awaited', async () => {
    const pending = transfer(1n);
    expect(await refusal(() => expectChain(pending).toBeExecuted())).toMatch(
      /did you await the transaction\?\), got a promise: await it$/,
    );
    // Others would see its coins arrive.
    await pending;
  });
});

describe('toAbortWith', () => {
  it('takes the code or its name', async () => {
    const code = failed.failure!.abortCode!;
    for (const expected of [code, Number(code), 'ErrorInsufficientBalance']) expectChain(failed).toAbortWith(expected);
    for (const other of [code + 1n, 'ErrorOther', '']) expectChain(failed).not.toAbortWith(other);
    expectChain(sent).not.toAbortWith(code);
    expect(await refusal(() => expectChain(sent).toAbortWith(3))).toContain('to abort with 3; it was executed');
  });
});

describe('toEmit', () => {
  it('finds an event by its type, whole or just its end, and by some of its members', () => {
    for (const type of [WITHDRAWN, 'coin_store::WithdrawEvent', 'WithdrawEvent']) expectChain(sent).toEmit(type);
    for (const amount of [7n, 7, '7']) expectChain(sent).toEmit(WITHDRAWN, { amount });
    for (const type of ['Event', 'store::WithdrawEvent', '0x3::coin_store']) expectChain(sent).not.toEmit(type);
    expectChain(sent).not.toEmit(WITHDRAWN, { amount: 8n });
    expectChain(sent).not.toEmit(WITHDRAWN, { amount: 7n, other: 1n });
  });

  it('lists what was emitted', async () => {
    const message = await refusal(() => expectChain(sent).toEmit('Added', { amount: 8n }));
    expect(message).toContain('event Added with {"amount":"8"}');
    expect(message).toContain(`  ${WITHDRAWN} {`);
  });
});

describe('toChangeBalance', () => {
  it('compares the balance before and after', async () => {
    const of = { engine, owner: BOB };
    await expectChain(() => transfer(5n)).toChangeBalance(of, 5);
    await expectChain(() => transfer(5n)).not.toChangeBalance(of, 6n);
    const message = await refusal(() => expectChain(() => transfer(5n)).toChangeBalance(of, 6n));
    expect(message).toContain('to change by 6; it changed by 5');
    expect(await refusal(() => expectChain(transfer(1n)).toChangeBalance(of, 1))).toContain('expected a function');
  });
});

describe('toOwnUtxo', () => {
  it('looks at all outputs of an address', async () => {
    const [, , carol] = DEV_ACCOUNTS;
    await expectChain(engine).not.toOwnUtxo(carol!.address);
    const { transactions } = await engine.bitcoin.mine({ to: carol!.regtestAddress });
    // More than a page has.
    for (let block = 0; block < 60; block++) await engine.bitcoin.mine({ to: carol!.regtestAddress });
    await expectChain(engine).toOwnUtxo(carol!.address, { txid: String(transactions[0]!.txid), vout: 0 });
    await expectChain(engine).not.toOwnUtxo(carol!.address, { vout: 1 });
    expect(await refusal(() => expectChain(engine).toOwnUtxo(carol!.address, { vout: 1 }))).toContain('owned:\n  {');
    expect(await refusal(() => expectChain({}).toOwnUtxo(ALICE))).toContain('expected an engine');
  });
});
