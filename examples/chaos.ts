/**
 * An application's code under faults that are derived from a seed: what failed once fails again.
 */
import assert from 'node:assert/strict';
import { Engine, type EngineError } from 'movelet';
import { chaos } from 'movelet/chaos';
import { createRpc } from 'movelet/rpc';
import { serveHttp } from 'movelet/transport';

const engine = await Engine.open({ reorganisationDepth: 3 });
for (let block = 0; block < 8; block++) await engine.bitcoin.mine({ to: engine.accounts[block]!.bitcoin });
const COIN = '0x3::gas_coin::RGas';

// The application: a list, page by page. Blocks are replaced while it is read.
async function everyOutput(chain: Engine): Promise<string[]> {
  const outputs: string[] = [];
  for (let cursor: { order: bigint; index: number } | undefined; ; ) {
    const page = await chain.bitcoin.utxos({ kind: 'all' }, { limit: 2, cursor });
    outputs.push(...page.data.map(({ objectId }) => String(objectId)));
    if (!page.hasNextPage) return outputs;
    cursor = page.nextCursor;
  }
}

async function fundUntilFailure(chain: Engine): Promise<EngineError> {
  for (;;) {
    const failure = await chain.dev.fund('0x42', COIN, 1n).catch((error: EngineError) => error);
    if (failure instanceof Error) return failure;
  }
}

const replaced = chaos(engine, { seed: 5, reorganise: { every: 2 } });
const outputs = await everyOutput(replaced.engine);
assert.equal(new Set(outputs).size, outputs.length);
assert.equal(replaced.events[0]?.kind, 'reorganised');

// A store that is slow, and then full. Nothing is half written, and reads continue.
const full = chaos(engine, { seed: 5, store: { slow: { chance: 0.5, msMax: 10 }, failAt: 3 } });
const failure = await fundUntilFailure(full.engine);
assert.equal(failure.code, 'store-failed');
assert.equal(full.engine.balances.get('0x42', COIN).balance, 2n);

// Connections that are dropped: a client that retries gets its answer.
const cut = chaos(engine, { seed: 6, sockets: { drop: 0.5, slow: { chance: 0.5, msMax: 5 } } });
const server = await serveHttp(createRpc(cut.engine), { port: 0 });
const { url } = await cut.proxy(server.url);
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'chain_status', params: [] });
const headers = { 'content-type': 'application/json', connection: 'close' };
const ask = () => fetch(url, { method: 'POST', headers, body }).then((response) => response.json());
let attempts = 1;
while ((await ask().catch(() => undefined)) === undefined) attempts++;
console.log(`answered at attempt ${attempts}`, cut.events); // answered at attempt 2
assert.deepEqual(cut.events, [
  { kind: 'socket-dropped', connection: 1, bytes: 126 },
  { kind: 'socket-slow', connection: 2, ms: 5 },
]);

await server.close();
for (const each of [replaced, full, cut, engine]) await each.close();
