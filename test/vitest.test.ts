/** The door `movelet/vitest`, used as its users do; what a failed test leaves is seen from outside. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RoochClient } from '@roochnetwork/rooch-sdk';
import { describe, it, onTestFinished } from 'vitest';
import { expect, test, testOn } from '../src/testing/vitest.ts';
import { payment } from './payment.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const isBuilt = existsSync(join(root, 'dist', 'testing', 'vitest.js'));
const note = isBuilt ? '' : ' (skipped: dist is not built; npm test builds it)';

const COIN = '0x3::gas_coin::RGas';

const prepared = testOn({ chainId: 77n, prepare: (engine) => engine.dev.mint('0x42', 5n, COIN) });

describe('test', () => {
  for (const round of [1, 2]) {
    test(`has a chain of its own, time ${round}`, async ({ engine, accounts: [alice, bob] }) => {
      expect(engine.head.order).toBe(0n);
      const receipt = await engine.execute(alice!.signTransaction(payment(bob!.address, 5n)));
      expect(receipt).toBeExecuted();
      expect(receipt).toEmit('coin_store::WithdrawEvent', { amount: 5n });
      expect(receipt).not.toAbortWith(1n);
      const act = () => engine.executeAs(alice!.address, payment(bob!.address, 7n));
      await expect(act).toChangeBalance({ engine, owner: bob!.address }, 7n);
      await expect(engine).not.toOwnUtxo(bob!.address);
    });
  }

  test('gives the official client and a URL', async ({ engine, transport, rpcUrl }) => {
    await engine.dev.mint('0x42', 5n, COIN);
    for (const client of [new RoochClient({ transport }), new RoochClient({ url: rpcUrl })]) {
      expect((await client.getBalance({ owner: '0x42', coinType: COIN })).balance).toBe('5');
    }
  });
});

describe('testOn', () => {
  for (const round of [1, 2]) {
    prepared(`begins with what was prepared, time ${round}`, async ({ engine }) => {
      expect([engine.chainId, engine.head.order]).toEqual([77n, 1n]);
      await engine.dev.mint('0x42', 1n, COIN);
    });
  }
});

describe.skipIf(!isBuilt)(`a test that fails${note}`, () => {
  it('is followed by the transactions of its chain', () => {
    mkdirSync(join(root, 'build'), { recursive: true });
    // Below the project, where `movelet` is the built package itself.
    const folder = mkdtempSync(join(root, 'build', 'vitest-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const program = `import { expect, test } from 'movelet/vitest';
      test('fails', async ({ engine, accounts: [alice] }) => {
        await engine.dev.mint('0x42', 5n);
        await engine.executeAs(alice.address, { function: '0x3::transfer::transfer_coin', typeArguments: ['${COIN}'], arguments: ['0x42', 1n << 200n] });
        expect(await engine.executeAs(alice.address, { function: '0x3::empty::empty', arguments: [] })).toAbortWith(3);
      });
      test.fails('has to fail', async ({ engine }) => {
        await engine.dev.mint('0x43', 5n);
        expect(engine.head.order).toBe(7n);
      });
      test('passes', async ({ engine }) => { await engine.dev.mint('0x43', 5n); });`;
    writeFileSync(join(folder, 'failing.test.ts'), program);
    const cli = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
    writeFileSync(
      join(folder, 'vitest.config.mjs'),
      'export default { test: { testTimeout: 600_000, hookTimeout: 600_000 } };',
    );
    const args = [cli, 'run', '--root', folder];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1', VITEST: undefined, MOVELET_REPLAYS: 'runs' },
    });
    expect(status).toBe(1);
    const output = stdout + stderr;
    expect(output).toContain(
      'expected the transaction to abort with 3\n\ntransaction 3 executed: 0x3::empty::empty by account 0',
    );
    expect(output).toMatch(
      /fails\nTransactions of this test:\n {2}1 {2}[^\n]*\n {2}2 {2}[^\n]*\(ErrorInsufficientBalance\)[^\n]*\n {6}The amount is larger than the balance\.\n {6}in 0x3::account_coin_store::withdraw_from, [^\n]*\n(?: {6}in [^\n]*\n)+ {2}3 {2}0x3::empty::empty by account 0: executed, gas \d+/,
    );
    expect(output.match(/Transactions of this test/g)).toHaveLength(1);
    expect(output).toMatch(
      /What differs since the test began:\n {2}order 0 \(0x\w+\.\.\.\) -> order 3 \(0x\w+\.\.\.\): \d+ created, \d+ modified, 0 removed\n {2}0x42: \+0\.00000005 RGAS\n/,
    );
    const run = join('runs', 'failing-test-ts-fails.run');
    expect(output).toContain(`replay file: ${run} (movelet replay FILE --dev)`);
    const replayed = spawnSync(process.execPath, [join(root, 'dist', 'cli.js'), 'replay', run, '--check'], {
      cwd: folder,
    });
    expect(String(replayed.stderr)).toMatch(/^replayed to order 3/);
    expect(readdirSync(join(folder, 'runs'))).toHaveLength(1);
  });
});
