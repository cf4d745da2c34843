/** A wallet's own view of Bitcoin, and an account that is added later. docs/embedding.md shows part of this file. */
import assert from 'node:assert/strict';
import { DEV_ACCOUNTS, Engine } from 'movelet';
import { RegtestChain } from 'movelet/bitcoin';

const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress) as [string, string];
const chain = new RegtestChain();
for (const to of [alice, bob, bob, alice]) chain.mine({ to });

await using engine = await Engine.open({ ingest: { owners: [alice] } });
for (const { bytes, height } of chain.blocks) await engine.bitcoin.ingest(bytes, height);

// Where the blocks come from: files, or a node: `async (height) => node.block(await node.blockHash(height))`.
const blocks = (height: number) => chain.blocks[height]!.bytes;
// Both are watched from now on, and the scan adds their past.
engine.bitcoin.watch([alice, bob]);
const { outputs, inscriptions } = await engine.bitcoin.rescan({
  blocks,
  from: 0, // By default, the chain's first block; it may be lower than that.
  onProgress: ({ height, to }) => console.log(`block ${height} of ${to}`),
});

console.log(`${outputs} outputs and ${inscriptions} inscriptions were added`);
assert.deepEqual([outputs, inscriptions], [2, 0]);
