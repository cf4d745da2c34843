/** The counter, tested. docs/testing-contracts.md goes through this file. */
import { readFile } from 'node:fs/promises';
import { Engine } from 'movelet';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';

// A chain in memory, with ten funded accounts. The package is published once.
const published = await Engine.open();
const [alice, bob] = published.accounts.map(({ address }) => address) as [string, string];
await published.publish(alice, [await readFile(new URL('counter.mv', import.meta.url))]);
// A named object is addressed by its type, any other object by its id.
const counter = `${alice}::counter::Counter`;

// Every test has its own chain: a fork takes microseconds.
let chain: Engine;
beforeEach(() => {
  chain = published.fork();
});
afterEach(() => chain.close());
afterAll(() => published.close());

const add = (sender: string, amount: bigint) =>
  chain.executeAs(sender, { function: `${alice}::counter::add`, arguments: [counter, amount] });
const value = () => chain.view({ function: `${alice}::counter::value` })[0];

test('anyone can add to the counter, and it emits an event', async () => {
  const receipt = await add(bob, 7n);
  expect(receipt.status.kind).toBe('executed');
  expect(receipt.gasUsed).toBeGreaterThan(0n);
  expect(receipt.event('counter::Added')).toEqual({ by: bob, amount: 7n, value: 7n });
  // The write can be read at once: there is nothing to wait for.
  expect(value()).toBe(7n);
});

test('adding zero aborts', async () => {
  // A failed transaction is a value, not an exception. The chain keeps it, and the sender pays.
  const { status, failure } = await add(bob, 0n);
  expect(status).toMatchObject({ kind: 'move-abort', code: 1n });
  expect(failure?.message).toContain('counter::add');
  expect(value()).toBe(0n);
});

test('a wrong argument is reported before anything is sent', async () => {
  await expect(add(bob, -1n)).rejects.toThrow('argument 1 (u64): expected an integer');
});

test('a transaction can be taken back', async () => {
  const before = chain.snapshot();
  await add(bob, 7n);
  await chain.revert(before);
  expect(value()).toBe(0n);
});

test('a test can set the state that it needs', async () => {
  await chain.dev.mint('0x42', 5_000n);
  expect(chain.balances.get('0x42', '0x3::gas_coin::RGas').balance).toBe(5_000n);
  await chain.dev.setObject(counter, { value: { value: 2n ** 64n - 1n } });
  expect((await add(bob, 1n)).failure?.status).toBe('ARITHMETIC_ERROR');
  const tomorrow = chain.dev.time.now() + 86_400_000n;
  await chain.dev.time.set(tomorrow);
  expect(chain.view({ function: '0x2::timestamp::now_milliseconds' })[0]).toBe(tomorrow);
});

test('a transaction is signed as a wallet signs it, and costs its sender gas', async () => {
  const [wallet] = chain.accounts;
  const gas = () => chain.balances.get(alice, '0x3::gas_coin::RGas').balance;
  const before = gas();
  const signed = wallet!.signTransaction({ function: `${alice}::counter::add`, arguments: [counter, 1n] });
  const { gasUsed } = await chain.execute(signed);
  expect(before - gas()).toBe(gasUsed);
});
