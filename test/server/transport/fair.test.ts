/**
 * Connections that ask for much, and others beside them: the others are answered in between, by order and not by time.
 * At 6c57e4c a batch of 80 views of `0x2::groth16::prepare_verifying_key` held the thread for 48.8 s, and nobody else was
 * answered before its last request.
 */
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { TURNS_MS } from '../../../src/base/config.ts';
import {
  createRpc,
  type HttpServer,
  type Rpc,
  type RpcEngine,
  serveHttp,
  servePort,
  serveStdio,
} from '../../../src/server/index.ts';
import { request } from './echo-handler.ts';
import { type Link, openLinks } from './links.ts';
import { post, RawHttp } from './raw-http.ts';

const FLOOD = 100;
const METHOD = 'rooch_getChainID';

/** Requests that have begun. */
let served = 0;
let onFirst: () => void = () => {};

/** Each request holds the thread for longer than turns go on without reading the sockets. */
const engine = {
  at: () => {
    if (++served === 1) onFirst();
    for (const end = performance.now() + 1.5 * TURNS_MS; performance.now() < end; );
    return { inside: { chainId: 4n }, [Symbol.dispose]: () => {} };
  },
} as Partial<Record<keyof RpcEngine, unknown>> as RpcEngine;

let rpc: Rpc;
let server: HttpServer;
let links: Link[];
let close: () => Promise<void>;

beforeAll(async () => {
  rpc = createRpc(engine);
  server = await serveHttp(rpc, { port: 0 });
  ({ links, close } = await openLinks(rpc, server.url));
});
afterAll(async () => {
  await close();
  await server.close();
});
beforeEach(() => {
  served = 0;
});

const flood = Array.from({ length: FLOOD }, (_, id) => request(METHOD, [], id));

/** Ways to ask for all of it at once; each resolves with its answers. */
const floods: Readonly<Record<string, () => Promise<readonly unknown[]>>> = {
  'a batch over HTTP': async () => {
    const http = await RawHttp.open(server.port);
    const { body } = await http.send(post(server.port, `[${flood.join()}]`)).response();
    return JSON.parse(body);
  },
  'requests on one connection over HTTP, in one write': async () => {
    const http = await RawHttp.open(server.port);
    http.send(flood.map((text) => post(server.port, text)).join(''));
    const answers = [];
    for (let count = 0; count < FLOOD; count++) answers.push(JSON.parse((await http.response()).body));
    return answers;
  },
  'messages on a WebSocket, in one turn': async () => {
    const socket = new WebSocket(server.url.replace('http', 'ws'));
    await once(socket, 'open');
    const answers: unknown[] = [];
    const done = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        if (answers.push(JSON.parse(String(data))) === FLOOD) resolve();
      });
    });
    for (const text of flood) socket.send(text);
    await done;
    socket.terminate();
    return answers;
  },
  'lines on stdio, in one write': async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const stdio = serveStdio(rpc, { input, output });
    input.end(`${flood.join('\n')}\n`);
    let text = '';
    output.on('data', (chunk) => {
      text += chunk;
    });
    await stdio.ended;
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  },
  'messages on a port, at once': async () => {
    const { port1, port2 } = new MessageChannel();
    const port = servePort(rpc, port2);
    const answers: unknown[] = [];
    const done = new Promise<void>((resolve) => {
      port1.on('message', (text) => {
        if (answers.push(JSON.parse(text)) === FLOOD) resolve();
      });
    });
    for (const text of flood) port1.postMessage(text);
    await done;
    await port.close();
    port1.close();
    return answers;
  },
};

describe.each(Object.keys(floods))('beside %s', (name) => {
  it('every other connection is answered long before its last request', async () => {
    let others: Promise<readonly (readonly [string, number])[]> | undefined;
    onFirst = () => {
      others = Promise.all(
        links.map(async (link) => {
          await link.ask(METHOD);
          return [link.name, served] as const;
        }),
      );
    };
    const answers = await floods[name]!();
    expect(answers.map((answer) => (answer as { id: number }).id).sort((a, b) => a - b)).toEqual([...flood.keys()]);
    for (const [link, place] of await others!) expect(place, link).toBeLessThan(FLOOD / 2);
    expect(served).toBe(FLOOD + links.length);
  });
});

describe('a message of two megabytes', () => {
  it('is read once the cheap requests of others have been answered', async () => {
    const order: string[] = [];
    const large = JSON.stringify({ jsonrpc: '2.0', id: 'large', method: METHOD, params: ['f'.repeat(1_900_000)] });
    const ask = async (name: string, text: string): Promise<void> => {
      await rpc.handle(text, { connection: {} });
      order.push(name);
    };
    await Promise.all([
      ask('large', large),
      ask('large too', large),
      ...['first', 'second', 'third'].map((name) => ask(name, request(METHOD, []))),
    ]);
    expect(order).toEqual(['first', 'second', 'third', 'large', 'large too']);
  });
});

describe('a batch whose client is gone', () => {
  it.each(['HTTP', 'WebSocket'])('is not processed to its end: %s', async (transport) => {
    const batch = `[${flood.join()}]`;
    let leave = (): void => {};
    onFirst = () => leave();
    const closed = new Promise<void>((resolve) => {
      if (transport === 'HTTP') {
        void RawHttp.open(server.port).then((http) => {
          leave = () => http.socket.destroy();
          http.socket.once('close', () => resolve());
          http.send(post(server.port, batch));
        });
      } else {
        const socket = new WebSocket(server.url.replace('http', 'ws'));
        leave = () => socket.terminate();
        socket.once('close', () => resolve());
        socket.once('open', () => socket.send(batch));
      }
    });
    await closed;
    let before = -1;
    // Until a round of the event loop brings nothing new, some rounds in a row.
    for (let still = 0; still < 20; still = served === before ? still + 1 : 0) {
      before = served;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThan(FLOOD / 2);
  });
});
