/**
 * What one read brings is handled a little in each round of the event loop. Before, the frames of a read, up to 9,000 of 7 bytes, and of the reads that
 * followed it at once, held the thread for up to 0.4 s, and each of the other connections could do the same.
 */
import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { WEBSOCKET_FRAGMENTS_MAX } from '../../../src/base/config.ts';
import { type HttpServer, serveHttp } from '../../../src/server/index.ts';
import { EchoHandler, request } from './echo-handler.ts';
import { RawHttp } from './raw-http.ts';

const FLOOD = 1_000;

/** One, and the first few of a read. */
const IN_A_ROUND = 10;

let server: HttpServer;
let handler: EchoHandler;
beforeEach(async () => {
  handler = new EchoHandler();
  server = await serveHttp(handler, { port: 0, closeMsMax: 500 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server.close();
});

/** A frame of RFC 6455 5.2 with a mask of zeros. */
function frame(opcode: number, text: string): Buffer {
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
}

/** A WebSocket that can write many frames at once. */
async function openRaw(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  const lines = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${[...lines, key].join('\r\n')}\r\n\r\n`);
  await once(socket, 'data');
  socket.resume();
  return socket;
}

/** The most calls between two rounds of the event loop until there have been `count`, or `socket` is closed. */
async function mostInARound(socket: Socket, count: number, calls: () => number): Promise<number> {
  let most = 0;
  let last = calls();
  while (last < count && !socket.closed) {
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, calls() - last);
    last = calls();
  }
  return most;
}

describe('a WebSocket', () => {
  it.each([
    ['pings', frame(9, 'x'), 'pong'],
    ['binary frames', frame(2, 'x'), 'send'],
    ['requests', frame(1, request('echo')), 'send'],
  ] as const)('handles %s of one read one after the other', async (_name, one, answers) => {
    const answered = vi.spyOn(WebSocket.prototype, answers);
    const socket = await openRaw();
    socket.write(Buffer.concat(Array.from({ length: FLOOD }, () => one)));
    const most = await mostInARound(socket, FLOOD, () => answered.mock.calls.length);
    socket.destroy();
    expect(most).toBeLessThanOrEqual(IN_A_ROUND);
    expect(answered).toHaveBeenCalledTimes(FLOOD);
  });

  it('is closed at a message of too many fragments', async () => {
    const fragments = async (count: number): Promise<Socket> => {
      const socket = await openRaw();
      const [first, more] = [Buffer.from([1, 0x81, 0, 0, 0, 0, 0x22]), Buffer.from([0, 0x80, 0, 0, 0, 0])];
      socket.write(Buffer.concat([first, ...Array.from({ length: count - 2 }, () => more), frame(0, '"')]));
      return socket;
    };
    const many = await fragments(WEBSOCKET_FRAGMENTS_MAX);
    await handler.receives(1);
    expect(handler.received).toEqual(['""']);
    const tooMany = await fragments(WEBSOCKET_FRAGMENTS_MAX + 1);
    await once(tooMany, 'end');
    expect(handler.received).toHaveLength(1);
    many.destroy();
  });

  it('gets what came in one read in order, and what follows it', async () => {
    const socket = new WebSocket(server.url.replace('http', 'ws'));
    await once(socket, 'open');
    const ids: number[] = [];
    const done = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        if (ids.push(JSON.parse(String(data)).id) === 2 * FLOOD) resolve();
      });
    });
    for (let id = 0; id < 2 * FLOOD; id++) {
      socket.send(request('echo', [], id));
      if (id % 97 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await done;
    socket.terminate();
    expect(ids).toEqual(Array.from({ length: 2 * FLOOD }, (_, id) => id));
  });
});

/** A request as it lies on the wire. */
function wire(method: string, path: string, body = ''): string {
  const headers = [
    `Host: 127.0.0.1:${server.port}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  return `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

describe('an HTTP connection', () => {
  it.each([
    ['preflights', 'OPTIONS', '/', ''],
    ['unknown paths', 'GET', '/nowhere', ''],
    ['requests', 'POST', '/', '{}'],
  ] as const)('answers %s of one read one after the other', async (_name, method, path, body) => {
    const answered = vi.spyOn(ServerResponse.prototype, 'writeHead');
    await using client = await RawHttp.open(server.port);
    client.send(wire(method, path, body).repeat(FLOOD));
    const most = await mostInARound(client.socket, FLOOD, () => answered.mock.calls.length);
    expect(most).toBeLessThanOrEqual(IN_A_ROUND);
    expect(answered).toHaveBeenCalledTimes(FLOOD);
  });

  it('answers what came in one read in order, and what follows it', async () => {
    await using client = await RawHttp.open(server.port);
    for (let id = 0; id < 2 * FLOOD; id++) {
      client.send(wire('POST', '/', request('echo', [], id)));
      if (id % 97 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    for (let id = 0; id < 2 * FLOOD; id++) expect(JSON.parse((await client.response()).body).id).toBe(id);
  });

  it('becomes a WebSocket once all requests before that are answered, however long their answers are', async () => {
    await using client = await RawHttp.open(server.port);
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    const offer = wire('GET', '/').replace(/Content-.*/s, `${[...upgrade, key].join('\r\n')}\r\n\r\n`);
    const requests = wire('OPTIONS', '/').repeat(100);
    client.send(Buffer.concat([Buffer.from(requests + offer), frame(1, request('echo', ['first']))]));
    for (let count = 0; count < 100; count++) expect((await client.response()).status).toBe(200);
    expect((await client.response(false)).status).toBe(101);
    client.send(frame(1, request('echo', ['second'])));
    await handler.receives(2);
  });

  it('with requests that wait ends when its client goes, and when the listener closes', async () => {
    await using gone = await RawHttp.open(server.port);
    await using client = await RawHttp.open(server.port);
    for (const each of [gone, client]) each.send(wire('POST', '/', request('hold')).repeat(100));
    await handler.receives(2);
    gone.socket.destroy();
    const closed = server.close();
    handler.release();
    for (let count = 0; count < 100; count++) expect([200, 503]).toContain((await client.response()).status);
    await closed;
    expect(await client.closed()).toBe('');
  });
});
