/**
 * What a transaction of the counter did, call by call, and why one failed.
 */
import { readFile } from 'node:fs/promises';
import { type Account, Engine } from 'movelet';
import { afterAll, expect, test } from 'vitest';

const engine = await Engine.open();
const [alice, bob] = engine.accounts as [Account, Account];
await engine.publish(alice.address, [await readFile(new URL('counter.mv', import.meta.url))]);
afterAll(() => engine.close());

const add = (amount: bigint) => ({
  function: `${alice.address}::counter::add`,
  arguments: [`${alice.address}::counter::Counter`, amount],
});

test('a past transaction can be traced', async () => {
  const { hash } = await engine.executeAs(bob.address, add(7n));
  expect(`${engine.trace(hash)}\n`).toBe(`executed; gas 163102, 64240 of it for the size
       0x3::transaction_validator::pre_execute()  unmetered, 624 calls
98862  counter::add(account 1, {"id":"0xb47bd1..ad1f"}, 7)
17778    0x2::object::borrow_mut<counter::Counter>({"id":"0xb47bd1..ad1f"}) -> {"value":"0"}
 2820      write (borrow-mutably) object 0xb47bd1..ad1f
 2492    0x1::signer::address_of(account 1) -> account 1
63220    0x2::event::emit<counter::Added>({"by":"account 1","amount":"7","value":"7"})
 8200      emit counter::Added {"by":"account 1","amount":"7","value":"7"}
       0x3::transaction_validator::post_execute()  unmetered, 1219 calls
`);
});

test('simulations and views can be traced too', () => {
  const { trace } = engine.simulate({ sender: bob.address, action: add(1n) }, { trace: true });
  expect(trace?.events.map(({ data }) => data.value)).toContainEqual({ by: bob.address, amount: 1n, value: 8n });
  expect(trace?.writes.map(({ operation }) => operation)).toContain('borrow-mutably');
  expect(trace?.functions.map((entry) => entry.function)).toContain(`${alice.address}::counter::add`);
  const view = engine.tryView({ function: `${alice.address}::counter::value` }, { trace: true });
  expect(view.trace?.calls[0]?.results?.[0]?.value).toBe(7n);
});

test('a failure has a place, a meaning and a call stack', async () => {
  const { failure } = await engine.executeAs(bob.address, {
    function: '0x3::transfer::transfer_coin',
    typeArguments: ['0x3::gas_coin::RGas'],
    arguments: [alice.address, 10n ** 30n],
  });
  expect(failure).toMatchObject({
    module: '0x3::account_coin_store',
    function: 'withdraw_from',
    abortName: 'ErrorInsufficientBalance',
    abortMeaning: 'The amount is larger than the balance.',
    instruction: 'Abort',
  });
  expect(failure?.callStack?.map((frame) => `${frame.module}::${frame.function}`)).toEqual([
    '0x3::transfer::transfer_coin',
    '0x3::account_coin_store::transfer',
    '0x3::account_coin_store::withdraw_from',
  ]);
});

test('the gas of a transaction makes a flame graph', async () => {
  const { order, gasUsed } = await engine.executeAs(bob.address, add(1n));
  // Its JSON.stringify is a file for https://www.speedscope.app.
  const profile = engine.trace(order).profile();
  expect(profile.profiles[0]).toMatchObject({ type: 'evented', unit: 'none', endValue: Number(gasUsed) });
});
