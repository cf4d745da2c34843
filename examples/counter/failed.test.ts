/** What is printed after a failed test. `movelet/vitest` does so itself; with other runners, print `chain.explain()`. */
import { readFile } from 'node:fs/promises';
import { DEV_ACCOUNTS } from 'movelet';
import { PreparedChain } from 'movelet/testing';
import { afterAll, expect, test } from 'vitest';

const alice = DEV_ACCOUNTS[0]!.address;
const counter = `${alice}::counter::Counter`;
const prepared = new PreparedChain({
  prepare: async (engine) => engine.publish(alice, [await readFile(new URL('counter.mv', import.meta.url))]),
});
afterAll(() => prepared.close());

test('the transactions of a test and what they changed are explained', async () => {
  const chain = await prepared.fork();
  await chain.engine.executeAs(alice, { function: `${alice}::counter::add`, arguments: [counter, 7n] });
  const failed = await chain.engine.executeAs(alice, { function: `${alice}::counter::add`, arguments: [counter, 0n] });

  const told = chain.explain();
  expect(told).toContain(`Transactions of this test:
  2  counter::add by account 0: executed, gas `);
  expect(told).toContain(`counter::add by account 0: aborted with code 1, gas ${failed.gasUsed}
      in counter::add, offset 10: Abort
What differs since the test began:
  order 1 (`);
  expect(told).toMatch(/ {2}~ counter::Counter 0x\w{6}\.\.\w{4}\n {6}value\.value: 0 -> 7\n/);
  await chain.close();
});
