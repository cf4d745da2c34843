import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Engine } from '../../../src/index.ts';
import { createRpc, type Rpc, type RpcHandler, serveHttp, servePort, serveStdio } from '../../../src/server/index.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';
import { mutateText } from '../../fuzz/mutate-text.ts';
import { EchoHandler, request } from './echo-handler.ts';
import { post, RawHttp } from './raw-http.ts';

const requests = [
  request('echo', []),
  request('echo', ['ε😀\u2028\u0000"\\ ']),
  request('echo', ['x'.repeat(100_000)]),
  request('path', []),
  '{"jsonrpc":"2.0","id":-9007199254740993,"method":"echo"}',
  '[]',
  'null',
  '"text"',
  'nonsense',
  request('fail'),
];

/** Asks one handler over every transport, and expects the bytes of its own answer each time. */
async function askEverywhere(handler: RpcHandler, texts: readonly string[]): Promise<void> {
  const server = await serveHttp(handler, { port: 0 });
  const http = await RawHttp.open(server.port);
  const webSocket = new WebSocket(`ws://127.0.0.1:${server.port}/`);
  await once(webSocket, 'open');
  const { port1, port2 } = new MessageChannel();
  const portServer = servePort(handler, port2);
  const lines = { input: new PassThrough(), output: new PassThrough() };
  const frames = { input: new PassThrough(), output: new PassThrough() };
  const stdio = [lines, frames].map((streams) => serveStdio(handler, streams));

  for (const text of texts) {
    const wanted = (await http.send(post(server.port, text)).response()).body;
    expect(JSON.parse(wanted)).toBeTypeOf('object');
    if (!text.includes('"fail"')) expect(await handler.handle(text, { path: '/' })).toBe(wanted);
    webSocket.send(text);
    expect(String((await once(webSocket, 'message'))[0])).toBe(wanted);
    port1.postMessage(text);
    expect((await once(port1, 'message'))[0]).toBe(wanted);
    lines.input.write(`${text}\n`);
    expect(await readBytes(lines.output, Buffer.byteLength(wanted) + 1)).toBe(`${wanted}\n`);
    frames.input.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    const framed = `Content-Length: ${Buffer.byteLength(wanted)}\r\n\r\n${wanted}`;
    expect(await readBytes(frames.output, Buffer.byteLength(framed))).toBe(framed);
  }

  await Promise.all([http[Symbol.asyncDispose](), portServer.close(), ...stdio.map((each) => each.close())]);
  port1.close();
  webSocket.terminate();
  await server.close();
}

interface Document {
  readonly methods: readonly {
    readonly name: string;
    readonly examples: readonly { readonly params: readonly { readonly value: unknown }[] }[];
  }[];
}

/** Every documented method, by position and in a batch without notifications, among mistakes: typical and random ones. */
async function realRequests(rpc: Rpc): Promise<string[]> {
  const { methods: all } = (await rpc.request('rpc.discover')) as unknown as Document;
  // Subscriptions need a connection that lasts, unlike HTTP's: subscriptions.test.ts. A transaction is taken once.
  const methods = all.filter(({ name }) => !/subscribe|_(execute|send)RawTransaction$/i.test(name));
  const calls = methods.flatMap(({ name, examples }) =>
    examples.map(({ params }) =>
      request(
        name,
        params.map(({ value }) => value),
      ),
    ),
  );
  const wrong = methods.map(({ name }) => request(name, [{ nonsense: true }, 'ε😀']));
  const random = randomNumbers(seed);
  const changed: string[] = [];
  while (changed.length < runs(50, 10_000)) {
    const bytes = mutateText(new TextEncoder().encode(calls[random(calls.length)]), random);
    // A line ends where a line feed is; a blank one, and what has no id, is not answered.
    const text = new TextDecoder().decode(bytes).replaceAll(/[\r\n]/g, ' ');
    if (/[^\t-\r ]/.test(text) && (await rpc.handle(text)) !== undefined) changed.push(text);
  }
  return [
    ...calls,
    ...wrong,
    ...changed,
    `[${calls.slice(0, 20).join(',')}]`,
    request('chain_getBalanse', [], -3),
    '{"jsonrpc":"2.0","id":98765432109876543210,"method":"chain_getChainID"}',
    '{"jsonrpc":"1.0","id":1,"method":"chain_getChainID"}',
    '{"jsonrpc":"2.0","id":1.5,"method":"chain_getChainID"}',
    `\uFEFF${request('chain_getChainID', [])}`,
    `\uFEFF \uFEFF${request('chain_getChainID', [])}`,
    '[]',
    '[1]',
    'null',
    '"\u2028"',
    '{',
  ];
}

describe('the same request gives byte-equal answers over every transport', () => {
  it('from a handler that does odd things', async () => {
    await askEverywhere(new EchoHandler(), requests);
  });

  it(`from a node, for every method and many mistakes, seed ${seed}`, { timeout: 3_600_000 }, async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const texts = await realRequests(rpc);
    expect(texts.length).toBeGreaterThan(80);
    await askEverywhere(rpc, texts);
  });
});

async function readBytes(stream: PassThrough, length: number): Promise<string> {
  for (;;) {
    const bytes = stream.read(length) as Buffer | null;
    if (bytes !== null) return bytes.toString();
    await once(stream, 'readable');
  }
}
