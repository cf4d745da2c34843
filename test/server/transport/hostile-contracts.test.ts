/**
 * Requests that come while contracts hold the thread: each is answered after the one that runs, before the next, and
 * nothing is lost. By order and not by time: the client asks for the last order all the while, from a thread of its own.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { createRpc, serveHttp } from '../../../src/server/index.ts';
import { assembleFor } from '../../pipeline/contract.ts';

/** Some 0.3 s of one native, which no other work interrupts: longer than a group of commits may take. */
const ROUNDS = 1_200_000;
const HELD = 5;

const zeros = (length: number): string =>
  `LdConst vector<u8> 0x${length < 128 ? '' : '80'}${(length < 128 ? length : 1).toString(16).padStart(2, '0')}${'00'.repeat(length)}`;
const CONTRACT = `module 0xa11ce::held
  entry fun hold() {
    LdConst vector<u8> 0x04${ROUNDS.toString(16).padStart(8, '0')}; ${zeros(64)}; ${zeros(128)}; ${zeros(16)}
    LdConst vector<u8> 0x0101; Call 0x2::evm::blake2f; Pop; Ret
  }`;

/** Asks again as soon as it is answered, until it is told to stop; then reports its answers. */
const CLIENT = `
  const { parentPort, workerData } = require('node:worker_threads');
  const http = require('node:http');
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const orders = [];
  const { port, sent } = workerData;
  let stopped = false;
  parentPort.once('message', () => { stopped = true; });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'chain_getTransactionsByOrder', params: [null, '1'] });
  (function ask() {
    const request = http.request({ port, method: 'POST', agent, headers: { 'content-type': 'application/json' } }, (response) => {
      let text = '';
      response.on('data', (chunk) => { text += chunk; });
      response.on('end', () => {
        orders.push(Number(JSON.parse(text).result.next_cursor));
        if (orders.length === 1) parentPort.postMessage('asking');
        if (!stopped) return setImmediate(ask);
        agent.destroy();
        parentPort.postMessage(orders);
      });
    });
    // Handed to the system: from here on it is the node that has it.
    request.on('finish', () => Atomics.add(sent, 0, 1));
    request.end(body);
  })();`;

it('are answered between one that holds the thread and the next', async () => {
  await using engine = await Engine.open();
  await engine.publish(String(engine.accounts[0]), [assembleFor(DEV_ACCOUNTS[0]!, CONTRACT)]);
  // On a busy machine the client may get no turn while they run.
  while ((await answeredBetween(engine)) === 0);
});

/** How many answers a client gets between contracts that hold the thread, one after the other. */
async function answeredBetween(engine: Engine): Promise<number> {
  const [alice, ...callers] = engine.accounts;
  const listener = await serveHttp(createRpc(engine, { workers: 0 }), { port: 0 });
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(CLIENT, { eval: true, workerData: { port: listener.port, sent } });
  await once(client, 'message');

  const before = Number(engine.head.order);
  /** By order: how many requests had been sent when that order could be read. */
  const sentAt: [order: number, requests: number][] = [];
  const stop = engine.on('head', ({ head }) => sentAt.push([Number(head.order), Atomics.load(sent, 0)]));
  const receipts = await Promise.all(
    callers
      .slice(0, HELD)
      .map((caller) => engine.execute(caller.signTransaction({ function: `${alice}::held::hold` }))),
  );
  stop();
  client.postMessage('stop');
  const [answers] = (await once(client, 'message')) as [number[]];
  await client.terminate();
  await listener.close();

  // Nothing is lost: each is there, in the order in which they were sent.
  expect(receipts.map(({ status, order }) => [status.kind, Number(order)])).toEqual(
    receipts.map((_, index) => ['executed', before + 1 + index]),
  );
  // One at a time: what was sent while a contract ran is answered before the next one ends.
  expect(sentAt.map(([order]) => order)).toEqual(receipts.map((_, index) => before + 1 + index));
  for (const [order, requests] of sentAt) {
    for (const answer of answers.slice(0, requests)) expect(answer).toBeLessThanOrEqual(order);
  }
  return answers.filter((order) => order > before && order < before + HELD).length;
}
