/** The counter, tested with `movelet/vitest`: each test has its own chain, on which the package is published. */
import { readFile } from 'node:fs/promises';
import { DEV_ACCOUNTS } from 'movelet';
import { expect, testOn } from 'movelet/vitest';

const alice = DEV_ACCOUNTS[0]!.address;
const counter = `${alice}::counter::Counter`;
const add = (amount: bigint) => ({ function: `${alice}::counter::add`, arguments: [counter, amount] });

const test = testOn({
  prepare: async (engine) => engine.publish(alice, [await readFile(new URL('counter.mv', import.meta.url))]),
});

test('anyone can add to the counter, and it emits an event', async ({ engine, accounts: [, bob] }) => {
  const receipt = await engine.execute(bob!.signTransaction(add(7n)));
  expect(receipt).toBeExecuted();
  expect(receipt).toEmit('counter::Added', { by: bob!.address, amount: 7n });
});

test('adding zero aborts', async ({ engine }) => {
  expect(await engine.executeAs(alice, add(0n))).toAbortWith(1);
});

test('adding costs only gas', async ({ engine, accounts: [, bob] }) => {
  const { gasUsed } = engine.simulate({ sender: bob!.address, action: add(7n) });
  await expect(() => engine.executeAs(bob!.address, add(7n))).toChangeBalance(
    { engine, owner: bob!.address },
    -gasUsed,
  );
});

test.for(Array.from({ length: 100 }, (_, index) => BigInt(index + 1)))('adds %i', async (amount, { engine }) => {
  expect(await engine.executeAs(alice, add(amount))).toEmit('Added', { value: amount });
});
