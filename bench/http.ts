/**
 * Balance reads per second over HTTP on 10 keep-alive connections, compared with a bare node:http echo in the same run.
 *
 * The load comes from a separate process that writes prepared requests to raw sockets and counts the bytes that come
 * back, so that on two cores the listener is what is measured. The listener's processor time per request is reported
 * too: it hardly changes when other work shares the machine.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Engine } from '../src/engine/engine.ts';
import { createRpc, serveHttp } from '../src/server/index.ts';
import { CONNECTIONS, onConnections, postOf, printedBy, startProcess } from './connections.ts';
import { type Baseline, type BenchLine, line } from './line.ts';
import { median, processorTime } from './measure.ts';
import { BALANCE } from './requests.ts';

const LOAD = '--http-load';

/** One measurement: how fast, and how much of it was the listener's own work. */
interface Sample {
  readonly perSecond: number;
  readonly microseconds: number;
}

/** Sends the requests over keep-alive connections, one at a time on each; returns the requests per second. */
async function generate(port: number, requests: number): Promise<number> {
  const request = postOf(port, JSON.stringify(BALANCE));
  const seconds = await onConnections(port, (socket) => exchange(socket, request, requests / CONNECTIONS));
  return requests / seconds;
}

/** Every answer is as long as the first one, so counting bytes counts answers. */
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

/** Length of a whole answer according to its head, after checking that it is the right answer. */
function lengthOfAnswer(chunk: Buffer): number {
  const head = chunk.indexOf('\r\n\r\n') + 4;
  const text = chunk.toString();
  if (!text.startsWith('HTTP/1.1 200') || !/"balance"|"chain_getBalance"/.test(text)) {
    throw new Error(`expected a balance, got ${text}`);
  }
  return head + Number(/content-length: (\d+)/i.exec(text)?.[1]);
}

/** The minimum a node server can do with a request: return its body. */
async function bareEcho(): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
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
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { port: (server.address() as AddressInfo).port, close };
}

async function measure(port: number, requests: number): Promise<Sample> {
  let perSecond = 0;
  const time = await processorTime(async () => {
    perSecond = Number(await printedBy(startProcess(import.meta.url, LOAD, `${port}`, `${requests}`)));
  });
  return { perSecond, microseconds: time / requests };
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const [rounds, requests] = short ? [2, 2_000] : [7, 40_000];
  const engine = await Engine.open();
  const node = await serveHttp(createRpc(engine), { port: 0 });
  const echo = await bareEcho();
  const samples = { node: [] as Sample[], echo: [] as Sample[] };
  try {
    // The first round warms both up.
    for (let round = 0; round <= rounds; round++) {
      const pair = { echo: await measure(echo.port, requests), node: await measure(node.port, requests) };
      if (round === 0) continue;
      samples.echo.push(pair.echo);
      samples.node.push(pair.node);
    }
  } finally {
    await Promise.all([echo.close(), node.close()]);
    await engine.close();
  }
  const of = (who: 'node' | 'echo', member: keyof Sample): number => median(samples[who].map((each) => each[member]));
  const bare = (member: keyof Sample): Baseline => ({ name: 'a bare node:http echo', value: of('echo', member) });
  const [rate, time] = [of('node', 'perSecond'), of('node', 'microseconds')];
  return [
    line('balance over HTTP, 10 connections', rate, '/s', bare('perSecond'), '30,000/s, stretch 40,000'),
    line('processor time of one balance over HTTP', time, 'us', bare('microseconds')),
  ];
}

if (process.argv[2] === LOAD) {
  process.stdout.write(String(await generate(Number(process.argv[3]), Number(process.argv[4]))));
}
