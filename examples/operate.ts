/** Monitoring a node that follows a Bitcoin node. docs/operating.md goes through this file. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEV_ACCOUNTS, Engine } from 'movelet';
import { BitcoinNode, Follower, formatBitcoinHash, RegtestChain } from 'movelet/bitcoin';
import { createRpc, serveHttp } from 'movelet/rpc';

// In place of Bitcoin Core: a chain of three blocks behind the three calls that a follower needs.
const chain = new RegtestChain();
for (let block = 0; block < 3; block++) chain.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
const answers: Readonly<Record<string, (argument: number | string) => unknown>> = {
  getblockcount: () => chain.height,
  getblockhash: (height) => formatBitcoinHash(chain.blocks[Number(height)]!.hash),
  getblock: (hash) =>
    Buffer.from(chain.blocks.find((block) => formatBitcoinHash(block.hash) === hash)!.bytes).toString('hex'),
};
const core = createServer(async (request, response) => {
  const { method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString());
  response.end(JSON.stringify({ result: answers[method]!(params[0]) }));
});
core.listen(0, '127.0.0.1');
await once(core, 'listening');
const bitcoinUrl = `http://me:secret@127.0.0.1:${(core.address() as AddressInfo).port}`;

const engine = await Engine.open({ clock: 'system' });

// Ingests its blocks into the engine from the height `from` on, reorganisations included, until `stop`.
const node = new BitcoinNode({ url: bitcoinUrl });
const follower = new Follower(engine, node, { from: 0 });
follower.start();

// btc_broadcastTX sends through the node that is followed.
const rpc = createRpc(engine, { broadcast: (transaction) => node.broadcast(transaction) });
const server = await serveHttp(rpc, { port: 0, metrics: true, health: true });

while (engine.status().follower?.lag !== 0) await sleep(5);

// How far it has got, how far behind it is, how long the rest will take, why it waits, and what failed last.
const { state, height, nodeHeight, lag, secondsLeft, problem, lastError } = follower.status;
console.log(state, height, nodeHeight, lag, secondsLeft, problem, lastError);

// 200 while the node does its work, 503 when it does not.
const health = await fetch(`${server.url}/health`);
console.log(health.status, await health.text());

// What Prometheus reads.
const metrics = await (await fetch(`${server.url}/metrics`)).text();
for (const line of metrics.split('\n')) if (/^movelet_(?:order|follower)/.test(line)) console.log(line);

await follower.stop();
await server.close();
await rpc.close();
await engine.close();
core.close();
assert.deepEqual([health.status, height, lag], [200, 2, 0]);
assert(metrics.endsWith('# EOF\n'));
