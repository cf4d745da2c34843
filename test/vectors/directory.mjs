// Writes the directory that test/data-format.test.ts opens, with a built checkout of the version that is to be kept
// readable, and tells what it says of the chain in it:
//
//   node directory.mjs CHECKOUT DIRECTORY > expected.json
//
// The files of the directory, but for LOCK and LOG, stand compressed beside expected.json, in a folder that names the
// commit of the checkout.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [checkout, directory] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(checkout, 'dist', name)).href);
const { DEV_ACCOUNTS, Engine } = await load('index.js');
const { reveal } = await load('server/follower/index.js');

const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress);
const engine = await Engine.open({ store: directory, reorganisationDepth: 1 });
const first = await engine.bitcoin.mine({ to: alice });
const coins = { txid: first.transactions[0].txid, vout: 0 };
const revealed = reveal(coins, { contentType: 'text/plain', body: 'kept' }, [{ to: bob, value: 4_999_999_000n }]);
const second = await engine.bitcoin.mine({ to: alice, transactions: [revealed] });
const third = await engine.bitcoin.mine({ to: bob });

const hex = (bytes) => Buffer.from(bytes).toString('hex');
const { head } = engine;
const told = {
  formatVersion: head.formatVersion,
  order: String(head.order),
  stateRoot: hex(head.stateRoot),
  size: String(head.size),
  accumulatorRoot: hex(head.accumulator.root),
  genesisHash: hex(head.genesisHash),
  blocks: [first, second, third].map(({ hash }) => hex(hash)),
  inscribed: hex(revealed.txid),
  inscriptionOwner: hex(engine.bitcoin.inscription({ txid: revealed.txid, index: 0 }).owner),
  value: String(engine.bitcoin.utxo({ txid: revealed.txid, vout: 0 }).value),
};
await engine.close();
process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
