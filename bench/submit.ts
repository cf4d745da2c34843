/**
 * Signed transfers over HTTP on ten keep-alive connections. The load comes from a separate process, as in http.ts; each
 * connection sends one account's transfers, each once the previous one is answered.
 */
import { toHexPrefixed } from '../src/base/bytes/bytes.ts';
import { createRpc, serveHttp } from '../src/server/index.ts';
import { ask, CONNECTIONS, onConnections, postOf, printedBy, startProcess } from './connections.ts';
import { type BenchLine, line } from './line.ts';
import { processorTime } from './measure.ts';
import { call } from './requests.ts';
import { Transfers } from './transfers.ts';

const LOAD = '--submit-load';

/** Sends transactions, given in hexadecimal; returns the seconds until all are answered. */
async function generate(port: number, transactions: readonly string[]): Promise<number> {
  const requests = transactions.map((one) => postOf(port, JSON.stringify(call('rooch_executeRawTransaction', one))));
  return onConnections(port, async (socket, own) => {
    for (let index = own; index < requests.length; index += CONNECTIONS) {
      const answer = await ask(socket, requests[index]!);
      if (!answer.includes('"executed"')) throw new Error(`expected a receipt, got ${answer}`);
    }
  });
}

/** Sends transfers from another process; returns the rate per second, and this process's microseconds for each. */
async function measure(transfers: Transfers, port: number, count: number): Promise<{ perSecond: number; own: number }> {
  const lines = transfers.signed(count).map(toHexPrefixed).join('\n');
  const child = startProcess(import.meta.url, LOAD, `${port}`);
  let seconds = 0;
  const time = await processorTime(async () => {
    child.stdin!.end(lines);
    seconds = Number(await printedBy(child));
  });
  return { perSecond: count / seconds, own: time / count };
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
  const fastest = Math.max(...measured.map(({ perSecond }) => perSecond));
  const least = Math.min(...measured.map(({ own }) => own));
  return [
    line('submitted over HTTP, 10 connections, secp256k1', fastest, '/s'),
    line('the same, of processor time', 1e6 / least, '/s', { name: 'the same in process', value: alone }),
  ];
}

if (process.argv[2] === LOAD) {
  const parts: Buffer[] = [];
  for await (const chunk of process.stdin) parts.push(chunk as Buffer);
  const transactions = Buffer.concat(parts).toString().split('\n');
  process.stdout.write(String(await generate(Number(process.argv[3]), transactions)));
}
