/** The gallery, tested on blocks that the tests mine. */
import { DEV_ACCOUNTS, type Engine } from 'movelet';
import { type BitcoinTransaction, reveal, spend } from 'movelet/bitcoin';
import { expect, testOn } from 'movelet/vitest';
import { Gallery } from './gallery.ts';

const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress) as [string, string];

// A block counts once two more are on top of it; until then it may be replaced.
const test = testOn({ reorganisationDepth: 2 });

/** Mines blocks until everything mined before them counts. */
const confirm = async (engine: Engine) => {
  for (let blocks = 0; blocks < 2; blocks++) await engine.dev.mine({ to: bob });
};

/** Mines an inscription of Alice. */
async function inscribe(engine: Engine, body: string): Promise<BitcoinTransaction> {
  const { transactions } = await engine.dev.mine({ to: alice });
  const coins = { txid: transactions[0]!.txid, vout: 0 };
  const inscribed = reveal(coins, { contentType: 'text/plain', body }, [{ to: alice, value: 10_000n }]);
  await engine.dev.mine({ to: alice, transactions: [inscribed] });
  return inscribed;
}

/** The transaction that gives the inscription to Bob. */
const gift = ({ txid }: BitcoinTransaction) => spend([{ outpoint: { txid, vout: 0 } }], [{ to: bob, value: 10_000n }]);

const texts = async (gallery: Gallery) => {
  await gallery.settled();
  return gallery.shown.map(({ body }) => new TextDecoder().decode(body));
};

test('an inscription is shown when its block counts', async ({ engine }) => {
  const gallery = new Gallery(engine, alice);
  await inscribe(engine, 'hello');
  expect(await texts(gallery)).toEqual([]);
  await confirm(engine);
  expect(await texts(gallery)).toEqual(['hello']);
});

test('an inscription that is given away moves to its new owner', async ({ engine }) => {
  const [hers, his] = [new Gallery(engine, alice), new Gallery(engine, bob)];
  const inscribed = await inscribe(engine, 'hello');
  await engine.dev.mine({ to: alice, transactions: [gift(inscribed)] });
  await confirm(engine);
  expect([await texts(hers), await texts(his)]).toEqual([[], ['hello']]);
});

test('a gift in a block that was replaced never happened', async ({ engine }) => {
  const gallery = new Gallery(engine, alice);
  const inscribed = await inscribe(engine, 'hello');
  const { height } = await engine.dev.mine({ to: alice, transactions: [gift(inscribed)] });
  // Two blocks on top of its parent make a longer branch, and neither contains the gift.
  await engine.dev.mine({ to: bob, on: height - 1 });
  await engine.dev.mine({ to: bob });
  await confirm(engine);
  expect(await texts(gallery)).toEqual(['hello']);
});
