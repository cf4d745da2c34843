/** An auction with coins, a table and events, tested with `movelet/vitest`, and by its own tests in Move. */
import { fileURLToPath } from 'node:url';
import { DEV_ACCOUNTS } from 'movelet';
import { compile } from 'movelet/compile';
import { expect, testOn } from 'movelet/vitest';

const owner = DEV_ACCOUNTS[0]!.address;
const auction = `${owner}::auction::Auction`;
const bid = (amount: bigint) => ({ function: `${owner}::auction::bid`, arguments: [auction, amount] });
const takeBack = { function: `${owner}::auction::take_back`, arguments: [auction] };

const test = testOn({
  prepare: async (engine) => engine.publish(owner, await compile(fileURLToPath(new URL('.', import.meta.url)))),
});

test('a bid pays coins, and a bidder who is outbid takes them back', async ({ engine, accounts: [, alice, bob] }) => {
  const first = await engine.executeAs(alice!, bid(30n));
  expect(first).toEmit('auction::Bid', { by: alice!.address, amount: 30n });
  expect(await engine.executeAs(bob!, bid(40n))).toBeExecuted();
  expect(engine.view({ function: `${owner}::auction::highest` })).toEqual([bob!.address, 40n]);

  const { outbid } = engine.objects.get(auction)!.decoded as { outbid: { handle: { id: string } } };
  expect(engine.objects.entry(outbid, { keyType: 'address', key: alice! })).toBe(30n);

  const { gasUsed } = engine.simulate({ sender: alice!.address, action: takeBack });
  await expect(() => engine.executeAs(alice!, takeBack)).toChangeBalance(
    { engine, owner: alice!.address },
    30n - gasUsed,
  );
});

test('a bid has to be above the highest', async ({ engine, accounts: [, alice, bob] }) => {
  await engine.executeAs(alice!, bid(30n));
  expect(await engine.executeAs(bob!, bid(30n))).toAbortWith('ErrorTooLow');
});

test('the leader has nothing to take back', async ({ engine, accounts: [, alice] }) => {
  await engine.executeAs(alice!, bid(30n));
  expect(await engine.executeAs(alice!, takeBack)).toAbortWith('ErrorNothingToTake');
});
