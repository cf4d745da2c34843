import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, type MessagePort as NodePort, Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { IN_FLIGHT_REQUESTS_MAX, PORT_REQUESTS_MAX } from '../../../src/base/config.ts';
import { type EmitterPort, type PortOptions, type PortServer, servePort } from '../../../src/server/index.ts';
import { answer, EchoHandler, request, rounds } from './echo-handler.ts';

const ports: NodePort[] = [];

afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

interface Pair {
  readonly handler: EchoHandler;
  readonly server: PortServer;
  readonly client: NodePort;
  take(count: number): Promise<string[]>;
}

function start(options: PortOptions = {}): Pair {
  const { port1: client, port2 } = new MessageChannel();
  ports.push(client);
  const received: string[] = [];
  client.on('message', (text: string) => received.push(text));
  const take = async (count: number): Promise<string[]> => {
    while (received.length < count) await once(client, 'message');
    return received.splice(0, count);
  };
  const handler = new EchoHandler();
  return { handler, client, take, server: servePort(handler, port2, options) };
}

describe('a port of worker_threads', () => {
  it('carries requests and answers as text', async () => {
    const { client, take } = start();
    client.postMessage(request('echo', ['ε😀']));
    client.postMessage('{"jsonrpc":"2.0","method":"echo"}');
    client.postMessage(request('path', [], 2));
    expect(await take(2)).toEqual([answer(['ε😀']), answer('/', 2)]);
  });

  it('carries what the RPC pushes, until it closes', async () => {
    const { client, take, handler } = start();
    client.postMessage(request('subscribe', [2]));
    expect(await take(3)).toEqual(['{"note":0}', '{"note":1}', answer([2])]);
    const [context] = handler.contexts;
    client.close();
    while (context?.closed?.aborted === false) await sleep(5);
    expect(context?.notify?.('late')).toBe(false);
  });

  it('refuses what is not text, too big or one too many', async () => {
    const { client, take, handler } = start({ requestBytesMax: 100, waitingRequestsMax: 1 });
    for (const message of [{ jsonrpc: '2.0' }, 7, null, 'ε'.repeat(51), 'x'.repeat(101)]) client.postMessage(message);
    const refusals = (await take(5)).map((text) => JSON.parse(text));
    expect(refusals.map((each) => [each.id, each.error.code])).toEqual([
      [null, -32700],
      [null, -32700],
      [null, -32700],
      [null, -32007],
      [null, -32007],
    ]);
    client.postMessage(request('later', [30]));
    client.postMessage(request('echo', [], 2));
    const [refusal, last] = await take(2);
    expect(JSON.parse(refusal ?? '').error).toMatchObject({ code: -32009, data: { code: 'limit-exceeded' } });
    expect(last).toBe(answer([30]));
    expect(handler.received).toHaveLength(1);
    client.postMessage('ε'.repeat(50));
    expect(JSON.parse((await take(1))[0] ?? '').error.code).toBe(-32700);
  });

  it('refuses requests that together are too big, until others are answered', async () => {
    const { client, take, handler } = start({ inFlightBytesMax: 1_000, requestBytesMax: 600 });
    const padding = 'x'.repeat(400);
    for (let id = 0; id < 4; id++) client.postMessage(request('later', [30, padding], id));
    const [first, second, ...last] = await take(4);
    for (const refusal of [first, second]) {
      expect(JSON.parse(refusal!).error).toMatchObject({ code: -32009, data: { code: 'limit-exceeded' } });
    }
    expect(last).toEqual([answer([30, padding], 0), answer([30, padding], 1)]);
    client.postMessage(request('echo', [padding], 4));
    expect(await take(1)).toEqual([answer([padding], 4)]);
    expect(handler.received).toHaveLength(3);
  });

  it('takes a single request of the largest size, whatever the bound for all of them', async () => {
    const { client, take } = start({ inFlightBytesMax: 10, requestBytesMax: 600 });
    client.postMessage(request('echo', ['x'.repeat(400)]));
    expect(await take(1)).toEqual([answer(['x'.repeat(400)])]);
  });

  it('has a bounded number of requests at work at once', async () => {
    const { client, take, handler } = start({ inFlightRequestsMax: 3 });
    for (let id = 0; id < 20; id++) client.postMessage(request('later', [2], id));
    expect(new Set(await take(20)).size).toBe(20);
    expect(handler.inFlightSeen).toBe(3);
  });

  it('gets answers to what is in flight when the server closes, refusals of what comes later, and is left open', async () => {
    const { client, take, server, handler } = start({ closeMsMax: 1_000_000 });
    client.postMessage(request('hold'));
    await handler.receives(1);
    const closed = server.close();
    client.postMessage(request('echo'));
    const [refusal] = await take(1);
    expect(JSON.parse(refusal ?? '').error).toMatchObject({ code: -32009, data: { code: 'closed' } });
    handler.release();
    expect(await take(1)).toEqual([answer([])]);
    await closed;
    await server.close();
  });

  it('is not waited for longer than the time limit', async () => {
    const { client, server, handler } = start({ closeMsMax: 50 });
    client.postMessage(request('hold'));
    await handler.receives(1);
    await server.close();
    expect(handler.inFlight).toBe(1);
  });

  it('gets a refusal for each request that is not answered by then', async () => {
    const { client, take, server, handler } = start({ closeMsMax: 50, inFlightRequestsMax: 1 });
    for (let count = 0; count < 3; count++) client.postMessage(request('hold'));
    await handler.receives(1);
    await server.close();
    for (const refusal of await take(3)) {
      expect(JSON.parse(refusal)).toMatchObject({ id: null, error: { code: -32009, data: { code: 'closed' } } });
    }
  });
});

describe('without options', () => {
  it('as many requests are at work, and as many wait, as the constants say', async () => {
    const { client, take, handler } = start();
    const excess = 100;
    for (let id = 0; id < PORT_REQUESTS_MAX + excess; id++) client.postMessage(request('hold', [], id));
    const refused = await take(excess);
    for (const refusal of refused) {
      expect(JSON.parse(refusal).error).toMatchObject({ code: -32009, data: { code: 'limit-exceeded' } });
    }
    await rounds();
    expect(handler.received).toHaveLength(IN_FLIGHT_REQUESTS_MAX);
    handler.release();
    const answered = await take(PORT_REQUESTS_MAX);
    expect(answered).toEqual(Array.from({ length: PORT_REQUESTS_MAX }, (_, id) => answer([], id)));
    expect(handler.inFlightSeen).toBe(IN_FLIGHT_REQUESTS_MAX);
  });
});

describe('other shapes', () => {
  it('a Worker is served as its own port', async () => {
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
       parentPort.once('message', (text) => { parentPort.postMessage({ got: text }); });
       parentPort.postMessage(${JSON.stringify(request('echo', ['from a worker']))});`,
      { eval: true },
    );
    const server = servePort(new EchoHandler(), worker);
    // The server refuses the object; only the text that it was sent before is of interest.
    const [, got] = [await once(worker, 'message'), await once(worker, 'message')];
    expect(got[0]).toEqual({ got: answer(['from a worker']) });
    await server.close();
    await worker.terminate();
  });

  it("Electron's MessagePortMain gives events with data and must be started", async () => {
    class PortMain extends EventEmitter implements EmitterPort {
      started = false;
      readonly posted: string[] = [];
      start(): void {
        this.started = true;
      }
      postMessage(message: string): void {
        if (!this.started) throw new Error('Object has been destroyed');
        this.posted.push(message);
      }
    }
    const port = new PortMain();
    const handler = new EchoHandler();
    const server = servePort(handler, port);
    expect(port.started).toBe(true);
    port.emit('message', { data: request('echo', [1]), ports: [] });
    await expect.poll(() => port.posted).toEqual([answer([1])]);
    port.emit('message', { data: request('later', [10]), ports: [] });
    port.started = false;
    const [context] = handler.contexts;
    await expect.poll(() => context?.closed?.aborted).toBe(true);
    expect(port.listenerCount('message')).toBe(0);
    await server.close();
  });

  it('a DOM port has listeners and gives events', async () => {
    const channel = new globalThis.MessageChannel();
    const server = servePort(new EchoHandler(), {
      // Only what the DOM has, so that addEventListener gives the shape away.
      addEventListener: (type, listener) => channel.port2.addEventListener(type, listener as never),
      removeEventListener: (type, listener) => channel.port2.removeEventListener(type, listener as never),
      postMessage: (text) => channel.port2.postMessage(text),
      start: () => channel.port2.start(),
    });
    const received = new Promise((resolve) => {
      channel.port1.addEventListener('message', (event) => resolve((event as MessageEvent).data));
    });
    channel.port1.start();
    channel.port1.postMessage(request('echo', ['dom']));
    expect(await received).toBe(answer(['dom']));
    await server.close();
    channel.port1.close();
  });
});
