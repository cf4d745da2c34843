/**
 * A node that serves rows to forks, on a thread of its own: a fork holds its thread while it waits. What is asked passes
 * a proxy, which counts, waits and changes answers as the test says.
 */
import { createServer } from 'node:http';
import { runInThisContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';

const from = (path) => import(new URL(path, workerData.modules).href);
const { Engine } = await from('engine/engine.js');
const { createRpc } = await from('server/rpc/server.js');
const { serveHttp } = await from('server/transport/http.js');

const { loadDump } = await from('store/dump.js');
const { MemoryStore } = await from('store/memory.js');

const { dump, options, served } = workerData;
const store = new MemoryStore();
if (dump !== undefined) await loadDump(store, [dump], { headKey: (await from('chain/ledger/head.js')).HEAD_KEY });
const engine = await Engine.open(dump === undefined ? options : { ...options, store });
const rpc = createRpc(engine, served);
const node = await serveHttp(rpc, { port: 0, host: '127.0.0.1' });
const transfer = (to, amount) => ({
  function: '0x3::transfer::transfer_coin',
  typeArguments: ['0x3::gas_coin::RGas'],
  arguments: [to, amount],
});
const proxy = { engine, rpc, transfer, delayMs: 0, requests: [], answer: undefined };

/** Answers with what the node answers, unless `proxy.answer` gives something else. */
const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', async () => {
    const body = Buffer.concat(parts).toString();
    proxy.requests.push(JSON.parse(body).method);
    if (proxy.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, proxy.delayMs));
    const pass = async () => {
      const answered = await fetch(node.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      return { status: answered.status, text: await answered.text() };
    };
    const failed = (error) => ({ status: 500, text: String(error) });
    const given = await (proxy.answer?.(JSON.parse(body), pass) ?? pass()).catch(failed);
    if (given === undefined) return request.socket.destroy();
    response.writeHead(given.status ?? 200, { 'content-type': 'application/json' });
    response.end(given.text);
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

parentPort.on('message', async ({ id, code, argument }) => {
  try {
    const value = await runInThisContext(`(${code})`)(proxy, argument);
    parentPort.postMessage({ id, value });
  } catch (error) {
    parentPort.postMessage({ id, error: String(error?.stack ?? error) });
  }
});
parentPort.postMessage({ url: `http://127.0.0.1:${server.address().port}` });
