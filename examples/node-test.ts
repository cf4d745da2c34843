/** The counter, tested with node:test. docs/testing-contracts.md shows this file, and the command that runs it. */
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { DEV_ACCOUNTS } from 'movelet';
import { expectChain, PreparedChain } from 'movelet/testing';

const [alice, bob] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];
const counter = `${alice}::counter::Counter`;
const add = (amount: bigint) => ({ function: `${alice}::counter::add`, arguments: [counter, amount] });

const chain = new PreparedChain({
  prepare: async (engine) => engine.publish(alice, [await readFile(new URL('counter/counter.mv', import.meta.url))]),
});
after(() => chain.close());

test('anyone can add to the counter, and it emits an event', async (t) => {
  const own = await chain.fork();
  t.after(() => own.close());
  const receipt = await own.engine.executeAs(bob, add(7n));
  expectChain(receipt).toBeExecuted();
  expectChain(receipt).toEmit('counter::Added', { by: bob, amount: 7n });
});

test('adding zero aborts', async (t) => {
  const own = await chain.fork();
  t.after(() => own.close());
  expectChain(await own.engine.executeAs(bob, add(0n))).toAbortWith(1);
});
