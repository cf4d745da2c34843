/**
 * Balance reads a second over HTTP at 10 kept-alive connections, beside a bare node:http echo in the same run.
 *
 * The load comes from a worker thread that writes prepared requests on raw sockets and counts the bytes that come back,
 * so that on two cores the listener is what is measured. `--json` prints one line of JSON, `--short` runs a tenth.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type RpcHandler, serveHttp } from '../src/transport/index.ts';

interface Load {
  readonly port: number;
  readonly connections: number;
  readonly requests: number;
}

const CONNECTIONS = 10;
const ROUNDS = 5;
const REQUESTS = process.argv.includes('--short') ? 4_000 : 40_000;

const ACCOUNT = `0x${'3'.repeat(64)}`;
const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'chain_getBalance',
  params: [ACCOUNT, '0x3::gas_coin::RGas'],
});

/** Sends `requests` over each connection, one after the other, and resolves with the requests a second. */
async function generate({ port, connections, requests }: Load): Promise<number> {
  const request = Buffer.from(
    `POST / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
  );
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay();
      await once(socket, 'connect');
      return socket;
    }),
  );
  const started = performance.now();
  await Promise.all(sockets.map((socket) => exchange(socket, request, requests)));
  const seconds = (performance.now() - started) / 1_000;
  for (const socket of sockets) socket.destroy();
  return (connections * requests) / seconds;
}

/** Every answer is as long as the first one, so that bytes count answers. */
function exchange(socket: Socket, request: Buffer, requests: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let answerLength = 0;
    let received = 0;
    let left = requests;
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      if (answerLength === 0) answerLength = lengthOfAnswer(chunk);
      received += chunk.length;
      if (received < answerLength) return;
      received = 0;
      left--;
      if (left === 0) resolve();
      else socket.write(request);
    });
    socket.write(request);
  });
}

function lengthOfAnswer(chunk: Buffer): number {
  const head = chunk.indexOf('\r\n\r\n') + 4;
  const text = chunk.toString('latin1', 0, head);
  if (!text.startsWith('HTTP/1.1 200')) throw new Error(`expected status 200, got ${text.split('\r\n', 1)[0]}`);
  return head + Number(/content-length: (\d+)/i.exec(text)?.[1]);
}

/** The least that a node server can do with a request: give its body back. */
async function bareEcho(): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
      response.end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Balances in a Map, so that the transport is what is measured. */
function balances(): RpcHandler {
  const record = { coin_type: '0x3::gas_coin::RGas', name: 'Rooch Gas Coin', symbol: 'RGAS', decimals: 8 };
  const byAccount = new Map([[ACCOUNT, '100000000000']]);
  return {
    handle: async (text) => {
      const { id, params } = JSON.parse(text);
      const result = { ...record, supply: '0', balance: byAccount.get(params[0]) };
      return JSON.stringify({ jsonrpc: '2.0', id, result });
    },
  };
}

async function measure(port: number, requests: number): Promise<number> {
  const load: Load = { port, connections: CONNECTIONS, requests: Math.ceil(requests / CONNECTIONS) };
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: load });
  const [rate] = await once(worker, 'message');
  await worker.terminate();
  return rate;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

async function main(): Promise<void> {
  const bare = await bareEcho();
  const node = await serveHttp(balances(), { port: 0 });
  const rates: Record<'bare' | 'node', number[]> = { bare: [], node: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const bareRate = await measure(bare.port, REQUESTS);
    const nodeRate = await measure(node.port, REQUESTS);
    // The first round warms up.
    if (round === 0) continue;
    rates.bare.push(bareRate);
    rates.node.push(nodeRate);
  }
  await Promise.all([bare.close(), node.close()]);
  const result = {
    name: 'http: balance reads a second, 10 connections',
    machine: `${cpus().length} x ${cpus()[0]?.model}`,
    node: process.version,
    baseline: Math.round(median(rates.bare)),
    value: Math.round(median(rates.node)),
    ratio: Number((median(rates.node) / median(rates.bare)).toFixed(3)),
  };
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    process.stdout.write(
      `${result.name}: ${result.value}/s, ${result.ratio} of a bare node:http echo (${result.baseline}/s); ` +
        `${result.machine}, Node ${result.node}\n`,
    );
  }
}

if (isMainThread) await main();
else parentPort?.postMessage(await generate(workerData as Load));
