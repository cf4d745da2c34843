import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toAddress } from '../../src/bitcoin/address.ts';
import { DEV_ACCOUNTS, Engine, type Receipt, toBech32 } from '../../src/index.ts';
import { formatAddress } from '../../src/move/address.ts';
import { expectChain } from '../../src/testing/expect-chain.ts';
import { payment } from '../payment.ts';

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => String(address)) as [string, string];
const WITHDRAWN = '0x3::coin_store::WithdrawEvent';
let engine: Engine;
let sent: Receipt;
let failed: Receipt;

const transfer = (amount: bigint): Promise<Receipt> => engine.executeAs(ALICE, payment(BOB, amount));

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
      /^expected the transaction to be executed\n\ntransaction \d+ failed: 0x3::transfer::transfer_coin by account 0, gas \d+\n {2}aborted with code \d+ \(ErrorInsufficientBalance\)\n {2}The amount is larger than the balance\.\n {4}in 0x3::account_coin_store::withdraw_from, offset \d+: Abort\n {4}in .*\n {4}in 0x3::transfer::transfer_coin, offset/,
    );
    expect(await refusal(() => expectChain(sent).not.toBeExecuted())).toMatch(
      /not to be executed[\s\S]*\n {2}event 0x3::/,
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
    const failure = { ...failed.failure!, abortName: 'EPOCH or EOWNER' };
    const ambiguous = { status: failed.status, events: [], failure };
    for (const expected of ['EPOCH', 'EOWNER', 'EPOCH or EOWNER']) expectChain(ambiguous).toAbortWith(expected);
    for (const other of ['or', 'E']) expectChain(ambiguous).not.toAbortWith(other);
    expect(await refusal(() => expectChain(sent).toAbortWith(3))).toMatch(
      /to abort with 3\n\ntransaction \d+ executed: /,
    );
  });
});

describe('a name of an abort code that is not the one', () => {
  const failedWith = (members: object) => ({
    status: failed.status,
    events: [],
    failure: { ...failed.failure!, ...members },
  });

  it('is compared with the one that was probably meant', async () => {
    expect(await refusal(() => expectChain(failed).toAbortWith('ErrorInsufficentBalance'))).toMatch(
      /to abort with ErrorInsufficentBalance; did you mean 'ErrorInsufficientBalance'\?\n/,
    );
    expect(await refusal(() => expectChain(failed).toAbortWith('Other'))).toMatch(/to abort with Other\n/);
  });

  it('has no name to compare with if the sources are not known', async () => {
    const unnamed = { abortCode: 1n, abortName: undefined, module: '0x42::auction' };
    expect(await refusal(() => expectChain(failedWith(unnamed)).toAbortWith('ErrorBidTooLow'))).toMatch(
      /; it aborted with 1, which has no name here: the sources of 0x42::auction are not known; publish what compile gave, or call addSources\n/,
    );
    const known = failedWith({ ...unnamed, source: 'sources/auction.move:7' });
    expect(await refusal(() => expectChain(known).toAbortWith('ErrorBidTooLow'))).toMatch(
      /: no constant of 0x42::auction has that value\n/,
    );
  });
});

describe('the error of a check', () => {
  const thrown = async (check: () => unknown): Promise<Error> => {
    try {
      await check();
    } catch (error) {
      return error as Error;
    }
    throw new Error('the check passed');
  };

  it('has a stack that begins at the call, and no members that say nothing', async () => {
    for (const check of [
      () => expectChain(sent).not.toBeExecuted(),
      () => expectChain(Promise.resolve(sent)).toBeExecuted(),
      () => expectChain(() => {}).toChangeBalance({ engine, owner: BOB }, 1n),
    ]) {
      const error = await thrown(check);
      const frames = error.stack!.slice(error.stack!.indexOf(error.message) + error.message.length);
      expect(frames).toMatch(/^\n\s+at .*matchers\.test\.ts:/);
      expect(['actual', 'expected', 'operator'].filter((member) => member in error)).toEqual([]);
    }
  });
});

describe('toEmit', () => {
  it('finds an event by its type, whole or just its end, and by some of its members', () => {
    for (const type of [WITHDRAWN, 'coin_store::WithdrawEvent', 'WithdrawEvent']) expectChain(sent).toEmit(type);
    for (const amount of [7n, 7, '7']) expectChain(sent).toEmit(WITHDRAWN, { amount });
    for (const type of ['Event', 'store::WithdrawEvent']) expectChain(sent).not.toEmit(type);
    expectChain(sent).not.toEmit(WITHDRAWN, { amount: 8n });
  });

  it('refuses what is not a type, and members that no such event has', async () => {
    const notEmitted = (type: string, value?: object) => refusal(() => expectChain(sent).not.toEmit(type, value));
    expect(await notEmitted('0x3::coin_store')).toMatch(/^type: expected a struct type/);
    expect(await notEmitted(WITHDRAWN, { amout: 7n })).toBe(
      "value.amout: WithdrawEvent has no such member; did you mean 'amount'? It has coin_store_id, coin_type, amount",
    );
    expect(await refusal(() => expectChain(engine).not.toOwnUtxo(ALICE, { vaule: 1n }))).toMatch(/^members.vaule: /);
  });

  it('marks the members that differ, and calls accounts by their names on both sides', async () => {
    const event = { coin_store_id: ALICE, amount: 100n, of: { by: BOB } };
    const receipt = { status: sent.status, events: [{ type: WITHDRAWN, value: event }] };
    const check = () =>
      expectChain(receipt).toEmit(WITHDRAWN, { amount: 101n, coin_store_id: ALICE, of: { by: ALICE } });
    expect(await refusal(check)).toBe(
      `expected event ${WITHDRAWN} with {"amount":"101","coin_store_id":"account 0","of":{"by":"account 0"}}; emitted:
  ${WITHDRAWN} {"coin_store_id":"account 0","amount":"100","of":{"by":"account 1"}}
      amount: expected 101, got 100
      of.by: expected account 0, got account 1`,
    );
  });

  it('lists events of packages first, and names the one that was probably meant', async () => {
    const events = [WITHDRAWN, `${ALICE}::auction::Bid`].map((type) => ({ type, value: {} }));
    expect(await refusal(() => expectChain({ status: sent.status, events }).toEmit('auction::Bit'))).toBe(
      `expected event auction::Bit; did you mean 'auction::Bid'?; emitted:\n  auction::Bid {}\n  ${WITHDRAWN} {}`,
    );
  });

  it('lists what was emitted', async () => {
    const message = await refusal(() => expectChain(sent).toEmit('Added', { amount: 8n }));
    expect(message).toContain('event Added with {"amount":"8"}');
    expect(message).toContain(`  ${WITHDRAWN} {`);
  });
});

describe('what toEmit expects', () => {
  /** The receipt with one event instead of its own. */
  const event = (value: object): unknown => ({ status: sent.status, events: [{ type: WITHDRAWN, value }] });
  const bytes = new Uint8Array([1, 2, 3]);
  const value = { by: formatAddress(toAddress('0x42', 'by')), data: bytes, amount: 7n, none: null };

  it('must not be empty, since what was left out by mistake would match everything', async () => {
    for (const [expected, complaint] of [
      [{ amount: undefined }, 'value.amount: expected a value to compare with, got undefined'],
      [{ absent: undefined }, 'value.absent: expected a value to compare with, got undefined'],
      [{ by: { of: [undefined] } }, 'value.by.of[0]: expected a value to compare with, got undefined'],
      [{ amount: () => 7n }, 'value.amount: expected a value to compare with, got a function'],
      [{ amount: 2 ** 53 }, 'value.amount: expected a whole number below 2^53, or a bigint, got 9007199254740992'],
      [{ amount: Number.NaN }, 'value.amount: expected a whole number below 2^53, or a bigint, got NaN'],
      [new Map([['amount', 8n]]), 'value: expected an object with the expected members'],
      [Promise.resolve({ amount: 8n }), 'value: expected an object with the expected members, got a promise: await it'],
    ] as const) {
      const check = (): void => expectChain(event(value)).toEmit(WITHDRAWN, expected);
      expect(await refusal(check)).toContain(complaint);
      expect(await refusal(() => expectChain(event(value)).not.toEmit(WITHDRAWN, expected))).toContain(complaint);
    }
    expectChain(event(value)).toEmit(WITHDRAWN, {});
  });

  it('may be an address, a type and bytes in any form', () => {
    const padded = `0x${'42'.padStart(64, '0')}`;
    for (const by of ['0x42', padded, toAddress('0x42', 'by'), value.by, toBech32(value.by)])
      expectChain(event(value)).toEmit(WITHDRAWN, { by });
    for (const by of ['0x43', 'bob', 66n, new Uint8Array(32)]) expectChain(event(value)).not.toEmit(WITHDRAWN, { by });
    for (const data of ['0x010203', new Uint8Array(bytes), Buffer.from(bytes), bytes, [1, 2, 3]])
      expectChain(event(value)).toEmit(WITHDRAWN, { data });
    for (const data of ['010203', new Uint8Array(3), [1, 2], [1, 2, 4], {}])
      expectChain(event(value)).not.toEmit(WITHDRAWN, { data });
    expectChain(event(value)).toEmit(WITHDRAWN, { none: null });
    for (const type of [WITHDRAWN.replace('0x3', `0x${'3'.padStart(64, '0')}`), WITHDRAWN.replace('0x3', '0x03')])
      expectChain(event(value)).toEmit(type);
  });

  it('may be an account, which stands for its address and is told by it', async () => {
    const [alice, bob] = engine.accounts;
    const byAlice = event({ ...value, by: alice!.address });
    expectChain(byAlice).toEmit(WITHDRAWN, { by: alice });
    expectChain(byAlice).toEmit(WITHDRAWN, { by: { address: alice!.address } });
    expectChain(byAlice).not.toEmit(WITHDRAWN, { by: bob });
    const message = await refusal(() => expectChain(byAlice).toEmit(WITHDRAWN, { by: bob }));
    expect(message).toContain('with {"by":"account 1"}');
  });

  it('may be what a runner matches asymmetrically', async () => {
    expectChain(sent).toEmit(WITHDRAWN, { amount: expect.any(BigInt), coin_type: expect.stringContaining('RGas') });
    expectChain(sent).not.toEmit(WITHDRAWN, { amount: expect.any(String) });
    expectChain(sent).toEmit(WITHDRAWN, expect.objectContaining({ amount: 7n }));
    const check = (): void => expectChain(sent).toEmit(WITHDRAWN, { amount: expect.any(String) });
    expect(await refusal(check)).toContain('with {"amount":"Any<String>"}');
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
    const ofBytes = { engine, owner: new Uint8Array(32) };
    const check = (): Promise<void> => expectChain(() => {}).toChangeBalance(ofBytes, 1);
    expect(await refusal(check)).toContain(`balance of 0x${'00'.repeat(32)} in`);
  });

  it('says what of the difference is gas, and calls accounts by their names', async () => {
    await transfer(1n);
    let gas = 0n;
    const check = async (): Promise<Receipt> => {
      const receipt = await transfer(5n);
      gas = receipt.gasUsed;
      return receipt;
    };
    const message = await refusal(() => expectChain(check).toChangeBalance({ engine, owner: ALICE }, -5n));
    expect(message).toContain('expected the balance of account 0 in ');
    expect(message).toContain(`it changed by ${-5n - gas}, of which ${-gas} is gas, from `);
  });
});

describe('toOwnUtxo', () => {
  it('looks at all outputs of an address', async () => {
    const [, , carol] = DEV_ACCOUNTS;
    await expectChain(engine).not.toOwnUtxo(carol!.address);
    const { transactions } = await engine.dev.mine({ to: carol!.regtestAddress });
    // More than a page has.
    for (let block = 0; block < 60; block++) await engine.dev.mine({ to: carol!.regtestAddress });
    await expectChain(engine).toOwnUtxo(carol!.address, { txid: String(transactions[0]!.txid), vout: 0 });
    await expectChain(engine).not.toOwnUtxo(carol!.address, { vout: 1 });
    expect(await refusal(() => expectChain(engine).toOwnUtxo(carol!.address, { vout: 1 }))).toContain('owned:\n  {');
    expect(await refusal(() => expectChain({}).toOwnUtxo(ALICE))).toContain('expected an engine');
  });
});
