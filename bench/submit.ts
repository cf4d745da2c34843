/**
 * Signed transfers over HTTP on ten keep-alive connections. The load comes from a separate process, as in http.ts; each
 * connection sends one account's transfers, each once the previous one is answered.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { toHexPrefixed } from '../src/base/bytes/bytes.ts';
import { createRpc } from '../src/server/rpc/index.ts';
import { serveHttp } from '../src/server/transport/index.ts';
import { CONNECTIONS, onConnections, postOf } from './connections.ts';
import type { BenchLine } from './line.ts';
import { Transfers } from './transfers.ts';

const LOAD = '--submit-load';

function requestOf(port: number, transaction: string): Buffer {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'rooch_executeRawTransaction', params: [transaction] });
  return postOf(port, body);
}

/** Sends transactions, given in hexadecimal; returns the seconds until all are answered. */
async function generate(port: number, transactions: readonly string[]): Promise<number> {
  const requests = transactions.map((transaction) => requestOf(port, transaction));
  return onConnections(port, (socket, own) =>
    exchange(
      socket,
      requests.filter((_, index) => index % CONNECTIONS === own),
    ),
  );
}

function exchange(socket: Socket, requests: readonly Buffer[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    let answered = 0;
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const head = received.indexOf('\r\n\r\n');
      if (head === -1 || received.length < head + 4 + Number(/content-length: (\d+)/i.exec(received)?.[1])) return;
      if (!received.includes('"executed"')) reject(new Error(`expected a receipt, got ${received}`));
      received = '';
      answered++;
      if (answered === requests.length) resolve();
      else socket.write(requests[answered]!);
    });
    socket.write(requests[0]!);
  });
}

/** Sends transfers from another process; returns the rate per second, and this process's microseconds for each. */
async function measure(transfers: Transfers, port: number, count: number): Promise<{ perSecond: number; own: number }> {
  const lines = transfers.signed(count).map(toHexPrefixed).join('\n');
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), LOAD, `${port}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const before = process.cpuUsage();
  child.stdin.end(lines);
  const [chunk] = await once(child.stdout, 'data');
  const { user, system } = process.cpuUsage(before);
  if (child.exitCode === null) await once(child, 'exit');
  return { perSecond: count / Number(chunk), own: (user + system) / count };
}

/** @param alone transfers per second of processor time without HTTP */
export async function submitOverHttp(short: boolean, alone: number): Promise<BenchLine[]> {
  const transfers = await Transfers.open('secp256k1');
  const node = await serveHttp(createRpc(transfers.engine), { port: 0 });
  const [rounds, count] = short ? [2, 200] : [5, 1_000];
  const samples: { perSecond: number; own: number }[] = [];
  try {
    for (let round = 0; round <= rounds; round++) samples.push(await measure(transfers, node.port, count));
  } finally {
    await node.close();
    await transfers.engine.close();
  }
  const measured = samples.slice(1);
  const baseline = { name: 'the same in process', value: alone };
  return [
    {
      name: 'submitted over HTTP, 10 connections, secp256k1',
      value: Math.max(...measured.map(({ perSecond }) => perSecond)),
      unit: '/s',
    },
    {
      name: 'the same, of processor time',
      value: 1e6 / Math.min(...measured.map(({ own }) => own)),
      unit: '/s',
      baseline,
    },
  ];
}

if (process.argv[2] === LOAD) {
  const parts: Buffer[] = [];
  for await (const chunk of process.stdin) parts.push(chunk as Buffer);
  const transactions = Buffer.concat(parts).toString().split('\n');
  process.stdout.write(String(await generate(Number(process.argv[3]), transactions)));
}
