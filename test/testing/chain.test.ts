import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ActionInput, DEV_ACCOUNTS, Engine, replay } from '../../src/index.ts';
import { fixture, PreparedChain } from '../../src/testing/chain.ts';
import { REPLAY_FILES_MAX } from '../../src/testing/replay-file.ts';
import { payment } from '../payment.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => String(address)) as [string, string];
const COIN = '0x3::gas_coin::RGas';

describe('a prepared chain', () => {
  it('is opened and prepared once; each fork is its own', async () => {
    let runs = 0;
    const chain = new PreparedChain({
      chainId: 77n,
      prepare: async (engine) => {
        runs++;
        await engine.dev.mint('0x42', 5n, COIN);
      },
    });
    const [one, other] = await Promise.all([chain.fork(), chain.fork()]);
    await one.engine.dev.mint('0x42', 1n, COIN);
    const balances = [one, other].map(({ engine }) => engine.balances.get('0x42', COIN).balance);
    expect([balances, runs, one.engine.chainId]).toEqual([[6n, 5n], 1, 77n]);
    for (const own of [one, other, chain]) await own.close();
  });

  it('tells every caller why it could not be prepared, and closes', async () => {
    const chain = new PreparedChain({
      prepare: () => {
        throw new Error('no package');
      },
    });
    await expect(chain.fork()).rejects.toThrow('no package');
    await expect(chain.fork()).rejects.toThrow('no package');
    await chain.close();
  });

  it('tells of a step that was not executed, whether it was returned, awaited or neither', async () => {
    const overdrawn: ActionInput = payment(BOB, 2n ** 200n);
    const missing: ActionInput = { function: `${ALICE}::nothing::call` };
    const preparations: readonly ((engine: Engine) => unknown)[] = [
      (engine) => engine.executeAs(ALICE, overdrawn),
      async (engine) => {
        await engine.executeAs(ALICE, overdrawn);
      },
      (engine) => void engine.executeAs(ALICE, overdrawn),
      // What follows fails only because of it.
      async (engine) => {
        await engine.executeAs(ALICE, overdrawn);
        await engine.executeAs(ALICE, missing);
      },
    ];
    await using engine = await Engine.open();
    for (const [index, prepare] of preparations.entries()) {
      await using chain = new PreparedChain({ prepare });
      for (const prepared of [() => chain.fork(), () => fixture(engine, `step ${index}`, prepare)]) {
        const error = await prepared().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).toMatchObject({ code: 'transaction-failed' });
        const { message, stack } = error as Error;
        expect(message).toMatch(
          /^a step of the preparation failed: 0x3::transfer::transfer_coin by account 0: aborted with code 3 \(ErrorInsufficientBalance\) in 0x3::account_coin_store::withdraw_from at offset \d+: The amount is larger than the balance\.$/,
        );
        expect(stack?.slice(stack.indexOf(message) + message.length)).toMatch(/^\n\s+at .*\/chain\.test\.ts:[45]\d:/);
      }
    }
  });

  it('tells of a step that nobody waited for and that was refused', async () => {
    await using chain = new PreparedChain({
      prepare: (engine) => void engine.execute(new Uint8Array(5)).catch(() => {}),
    });
    await expect(chain.fork()).rejects.toMatchObject({ code: 'malformed-bytes' });
  });

  it('closes while it is being prepared, also if that is what closes it or never ends', async () => {
    const closing: PreparedChain = new PreparedChain({ prepare: () => closing.close() });
    await expect(closing.fork()).rejects.toMatchObject({ code: 'closed' });
    const chain = new PreparedChain({
      prepare: async (engine) => {
        for (;;) await engine.dev.mint('0x42', 1n, COIN);
      },
    });
    const refused = expect(chain.fork()).rejects.toMatchObject({ code: 'closed' });
    await chain.close();
    await refused;
  });

  it('is opened again after it was closed', async () => {
    const chain = new PreparedChain();
    await (await chain.fork()).close();
    await chain.close();
    const again = await chain.fork();
    expect(again.engine.head.order).toBe(0n);
    for (const own of [again, chain]) await own.close();
  });
});

describe('the balances of a failed test', () => {
  it('are those of accounts, with the gas apart: a deposit for it is taken from one store and refunded to the other', async () => {
    await using chain = new PreparedChain();
    await using own = await chain.fork();
    const { gasUsed } = await own.engine.executeAs(ALICE, payment(BOB, 100n * 10n ** 8n));
    const gas = `0.0${gasUsed}`.replace(/0+$/, '');
    const lines = own.explain().split('\n');
    const begin = lines.indexOf('What differs since the test began:');
    expect(lines.slice(begin + 2)).toEqual([
      '  account 1: +100 RGAS',
      `  account 0: -100 RGAS, gas ${gas} RGAS`,
      expect.stringMatching(/^ {2}and \d+ changes by the framework, for fees, numbers and the clock$/),
    ]);
    expect(lines[begin + 1]).toMatch(/: balances$/);
  });
});

describe('a chain of a test', () => {
  it('has a URL and a transport of its own', async () => {
    const chain = new PreparedChain();
    const own = await chain.fork();
    await own.engine.dev.mint('0x42', 5n, COIN);
    const request = { jsonrpc: '2.0', id: 1, method: 'rooch_getBalance', params: ['0x42', COIN] };
    const url = await own.rpcUrl();
    expect(await own.rpcUrl()).toBe(url);
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) });
    const { result } = (await response.json()) as { result: { balance: string } };
    const { balance } = await own.transport().request<{ balance: string }>(request);
    expect([result.balance, balance]).toEqual(['5', '5']);
    await own.close();
    await expect(fetch(url)).rejects.toThrow();
    await expect(own.rpcUrl()).rejects.toMatchObject({ code: 'closed' });
    await chain.close();
  });

  it('lists its transactions, only the last ones if there were many', async () => {
    const chain = new PreparedChain({ prepare: (engine) => engine.dev.mint('0x42', 5n, COIN) });
    const own = await chain.fork();
    expect(own.explain()).toBe('');
    const transfer = (amount: bigint) => own.engine.executeAs(ALICE, payment(BOB, amount));
    await transfer(1n);
    await transfer(2n ** 200n);
    await own.engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
    const [head, sent, withdrawn, , deposited, failed, meaning, innermost, , outermost, block] = own
      .explain()
      .split('\n');
    expect(head).toBe('Transactions of this test:');
    expect(sent).toMatch(/^ {2}2 {2}0x3::transfer::transfer_coin by account 0: executed, gas \d+$/);
    expect(withdrawn).toMatch(
      /^ {6}event 0x3::coin_store::WithdrawEvent \{"coin_store_id":"0x\w{6}\.\.\w{4}",.*"amount":"1"\}$/,
    );
    expect(deposited).toMatch(/^ {6}event 0x3::multi_coin_store::DepositEvent \{.*"amount":"1"\}$/);
    expect(failed).toMatch(/^ {2}3 .*: aborted with code \d+ \(ErrorInsufficientBalance\), gas \d+$/);
    expect(meaning).toBe('      The amount is larger than the balance.');
    expect(innermost).toMatch(/^ {6}in 0x3::account_coin_store::withdraw_from, offset \d+: Abort$/);
    expect(outermost).toMatch(/^ {6}in 0x3::transfer::transfer_coin, offset \d+: Call /);
    expect(block).toMatch(/^ {2}4 {2}Bitcoin block [0-9a-f]{64}: executed, gas \d+$/);
    // What the test did to the state, and not what its transactions cost.
    const differences = own.explain().split('What differs since the test began:\n')[1]!;
    expect(differences).toContain('\n  account 0: -0.00000001 RGAS, gas ');
    expect(differences).not.toContain('sequence_number');
    expect(differences).toMatch(/\n {2}and \d+ changes by the framework, for fees, numbers and the clock$/);
    for (let count = 0; count < 20; count++) await transfer(1n);
    const lines = own.explain().split('\n');
    expect(lines[0]).toMatch(/^The last 20 of 2\d transactions:$/);
    const end = lines.indexOf('What differs since the test began:');
    expect(lines.slice(0, end).filter((text) => /^ {2}\d+ {2}/.test(text))).toHaveLength(20);
    expect(lines[end + 1]).toMatch(/^ {2}order 1 \(0x\w+\.\.\.\) -> order 25 \(/);
    expect(lines).toContain('      value.sequence_number: 0 -> 22');
    // A bound for what a hundred transactions would change.
    expect(lines.filter((text) => /^ {2}[+~-] /.test(text)).length).toBeLessThanOrEqual(50);
    await own.close();
    await chain.close();
  });
});

describe('a chain that is closed', () => {
  it('says that it can no longer tell everything', async () => {
    await using chain = new PreparedChain();
    const own = await chain.fork();
    await own.engine.dev.mint('0x42', 1n, COIN);
    await own.close();
    expect(own.explain()).toMatch(
      /^Transactions of this test:\n {2}1 .*\nThe chain is closed, .*: call explain before close\.$/,
    );
  });
});

describe('what a test took back', () => {
  it('is said to be, and is not explained by what came in its place', async () => {
    await using chain = new PreparedChain();
    await using own = await chain.fork();
    const transfer = (amount: bigint) => own.engine.executeAs(ALICE, payment(BOB, amount));
    const before = own.engine.snapshot();
    await transfer(1n);
    const after = own.engine.snapshot();
    await own.engine.revert(before);
    await transfer(2n ** 200n);
    const [, taken, failed, , innermost] = own.explain().split('\n');
    expect(taken).toMatch(/^ {2}1 .*: executed, gas \d+ \(taken back\)$/);
    expect(failed).toMatch(/^ {2}1 .*: aborted with code \d+ \(\w+\), gas \d+$/);
    expect(innermost).toMatch(/^ {6}in 0x3::account_coin_store::withdraw_from/);
    await own.engine.revert(after);
    const [again, lost] = own
      .explain()
      .split('\n')
      .filter((text) => /^ {2}1 {2}/.test(text));
    expect(again).toMatch(/: executed, gas \d+$/);
    expect(lost).toMatch(/: aborted with code .* \(taken back\)$/);
  });
});

describe('the difference that is shown with a failed test', () => {
  it('is left out if the test went back to before it began', async () => {
    const chain = new PreparedChain({ prepare: (engine) => engine.dev.mint('0x42', 5n, COIN) });
    const own = await chain.fork();
    await own.engine.dev.mint('0x42', 1n, COIN);
    expect(own.explain()).toContain('\n  0x42: +0.00000001 RGAS\n');
    await own.engine.reset();
    expect(own.explain()).toContain('no difference');
    await own.close();
    await chain.close();
  });
});

describe('the run of a failed test', () => {
  const newDirectory = temporaryDirectories();

  it('is left in the requested folder, with what was prepared in it', async () => {
    const replays = join(newDirectory(), 'runs');
    const chain = new PreparedChain({ replays, prepare: (engine) => engine.dev.mint('0x42', 5n, COIN) });
    const own = await chain.fork();
    const before = own.engine.snapshot();
    await own.engine.dev.mint('0x42', 90n, COIN);
    await own.engine.revert(before);
    await own.engine.dev.mint('0x42', 2n, COIN);
    await own.close();
    const path = join(replays, 'a-b-it-s-wrong.run');
    expect(await own.leaveReplay("a/b > it's wrong!")).toBe(`replay file: ${path} (movelet replay FILE --dev)`);
    await using again = await replay(readFileSync(path));
    expect([again.head.order, again.balances.get('0x42', COIN).balance]).toEqual([2n, 7n]);
    // The same test again replaces its file; others go beside it, up to as many as there may be.
    for (let count = 1; count < REPLAY_FILES_MAX; count++) await own.leaveReplay(`${count}`);
    expect(await own.leaveReplay("a/b > it's wrong!")).toContain(path);
    expect(await own.leaveReplay('one more')).toMatch(/^no replay file: .* holds 100 of them/);
    expect(readdirSync(replays)).toHaveLength(REPLAY_FILES_MAX);
    await chain.close();
  });

  it('has a file of its own, whatever other tests are called', async () => {
    const replays = join(newDirectory(), 'runs');
    await using chain = new PreparedChain({ replays });
    await using own = await chain.fork();
    const long = 'deep/'.repeat(30);
    const names = ['adds 1!', 'adds: 1', '測試一', '測試二', `${long}one`, `${long}two`];
    const left = async (): Promise<unknown[]> => {
      const told: unknown[] = [];
      for (const name of names) told.push(await own.leaveReplay(name));
      return told;
    };
    const first = await left();
    expect(new Set(first).size).toBe(names.length);
    expect(await left()).toEqual(first);
    expect(readdirSync(replays)).toHaveLength(names.length);
  });

  it('is not recorded unless it is asked for', async () => {
    await using chain = new PreparedChain();
    await using own = await chain.fork();
    expect(await own.leaveReplay('any')).toBeUndefined();
  });

  it('is no second failure if it cannot be written', async () => {
    const file = join(newDirectory(), 'file');
    writeFileSync(file, '');
    await using chain = new PreparedChain({ replays: join(file, 'below') });
    await using own = await chain.fork();
    expect(await own.leaveReplay('any')).toMatch(/^no replay file: ENOTDIR/);
  });
});
