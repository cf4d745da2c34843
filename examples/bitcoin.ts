/**
 * Bitcoin without a Bitcoin node: mine blocks, inscribe, move the inscription, reorganise, and ask who owns what.
 */
import assert from 'node:assert/strict';
import { DEV_ACCOUNTS, Engine } from 'movelet';
import { formatInscriptionId, reveal, spend } from 'movelet/bitcoin';
import { createRpc } from 'movelet/rpc';

const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress) as [string, string];

// A block is processed once two more are on top of it; until then another branch may take its place.
const engine = await Engine.open({ reorganisationDepth: 2 });
const { bitcoin } = engine;
const confirm = async () => {
  for (let block = 0; block < 2; block++) await engine.dev.mine({ to: bob });
};

// The coinbase of the first block is Alice's. She inscribes its first satoshi.
const first = await engine.dev.mine({ to: alice });
const coins = { txid: first.transactions[0]!.txid, vout: 0 };
const inscribed = reveal(coins, { contentType: 'text/plain', body: 'hello' }, [{ to: alice, value: 10_000n }]);
const id = { txid: inscribed.txid, index: 0 };
await engine.dev.mine({ to: alice, transactions: [inscribed] });
await confirm();
console.log(`inscription ${formatInscriptionId(id)} belongs to ${ownerOf()}`);
assert.equal(ownerOf(), alice);

// She sends it to Bob in the next block, and Bitcoin reorganises: the winning block does not contain her transaction.
const base = bitcoin.status().pending!.blockHeight;
const moved = spend([{ outpoint: { txid: inscribed.txid, vout: 0 } }], [{ to: bob, value: 10_000n }]);
const lost = await engine.dev.mine({ to: alice, transactions: [moved] });
const won = await engine.dev.mine({ to: bob, on: base });
await confirm();
assert.equal(bitcoin.block(lost.hash), undefined);
assert.equal(bitcoin.block(won.hash)?.isConfirmed, true);
console.log(`block ${lost.height} was replaced; the inscription still belongs to ${ownerOf()}`);
assert.equal(ownerOf(), alice);

// The transaction was not lost: the next block includes it.
await engine.dev.mine({ to: bob, transactions: [moved] });
await confirm();
console.log(`after the transfer it belongs to ${ownerOf()}`);
assert.equal(ownerOf(), bob);

// The same over JSON-RPC, as a wallet would ask.
const rpc = createRpc(engine);
const owned = await rpc.request('btc_queryInscriptions', [{ owner: bob }, null, '10', true]);
assert.equal(owned.data.length, 1);
const outputs = await bitcoin.utxos({ kind: 'owner', owner: bob });
console.log(`Bob owns ${outputs.data.length} outputs; the chain is at order ${engine.head.order}`);
await engine.close();

/** The Bitcoin address of the inscription's owner, as recorded by the chain. */
function ownerOf(): string | undefined {
  const owner = bitcoin.inscription(id)?.owner;
  return owner === undefined ? undefined : bitcoin.addressOf(owner);
}
