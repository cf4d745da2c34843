import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { serveHttp, servePort, serveStdio } from '../../src/transport/index.ts';
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

it('the same request gives byte-equal answers over every transport', async () => {
  const handler = new EchoHandler();
  const server = await serveHttp(handler, { port: 0 });
  const http = await RawHttp.open(server.port);
  const webSocket = new WebSocket(`ws://127.0.0.1:${server.port}/`);
  await once(webSocket, 'open');
  const { port1, port2 } = new MessageChannel();
  const portServer = servePort(handler, port2);
  const streams = ['lines', 'frames'].map(() => ({ input: new PassThrough(), output: new PassThrough() }));
  const [lines, frames] = streams as [(typeof streams)[0], (typeof streams)[0]];
  const stdio = streams.map((pair) => serveStdio(handler, pair));

  for (const text of requests) {
    const wanted = (await http.send(post(server.port, text)).response()).body;
    expect(JSON.parse(wanted)).toBeTypeOf('object');
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
});

async function readBytes(stream: PassThrough, length: number): Promise<string> {
  for (;;) {
    const bytes = stream.read(length) as Buffer | null;
    if (bytes !== null) return bytes.toString();
    await once(stream, 'readable');
  }
}
