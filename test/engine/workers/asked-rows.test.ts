import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { AskedRows } from '../../../src/engine/workers/asked-rows.ts';
import { ANSWERED, SHARED_PLACES } from '../../../src/engine/workers/exchange.ts';

/** Keeps waking whoever waits, and answers 50 ms later with the first byte of the key. */
const ENGINE = `
  const { workerData: { port, shared } } = require('node:worker_threads');
  port.on('message', (key) => {
    const waking = setInterval(() => Atomics.notify(shared, ${ANSWERED}), 1);
    setTimeout(() => {
      clearInterval(waking);
      port.postMessage(key.slice(0, 1));
      Atomics.store(shared, ${ANSWERED}, 1);
      Atomics.notify(shared, ${ANSWERED});
    }, 50);
  });`;

it('a row is waited for until it is there, however often the thread is woken', async () => {
  const shared = new Int32Array(new SharedArrayBuffer(4 * SHARED_PLACES));
  const { port1, port2 } = new MessageChannel();
  const engine = new Worker(ENGINE, { eval: true, workerData: { port: port2, shared }, transferList: [port2] });
  onTestFinished(async () => {
    port1.close();
    await engine.terminate();
  });
  const rows = new AskedRows({ shared, rows: port1 }, receiveMessageOnPort);
  for (const byte of [1, 2, 3]) expect(rows.get(Uint8Array.of(byte, 9))).toEqual(Uint8Array.of(byte));
});
