import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { PING_INTERVAL_MS } from '../../../src/base/config.ts';
import type { HttpOptions, HttpServer } from '../../../src/server/index.ts';
import { answer, EchoHandler, PATIENCE, request, rounds, start, UNREAD, untilEnd } from './echo-handler.ts';
import { post, RawHttp } from './raw-http.ts';

/** A client that keeps what it receives. */
class Client implements AsyncDisposable {
  readonly socket: WebSocket;
  readonly received: string[] = [];
  readonly closed: Promise<number>;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => this.received.push(String(data)));
    socket.on('error', () => {});
    this.closed = once(socket, 'close').then(([code]) => code);
  }

  static async open(server: HttpServer, path = '/', headers: Record<string, string> = {}): Promise<Client> {
    const client = new Client(new WebSocket(`ws://127.0.0.1:${server.port}${path}`, { headers }));
    untilEnd(client);
    await once(client.socket, 'open');
    return client;
  }

  async take(count: number): Promise<string[]> {
    while (this.received.length < count) await once(this.socket, 'message');
    return this.received.splice(0, count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.terminate();
    if (this.socket.readyState !== WebSocket.CLOSED) await this.closed;
  }
}

/** A listener, its handler, and a client of it. */
async function connected(
  options: HttpOptions = {},
): Promise<{ handler: EchoHandler; server: HttpServer; client: Client }> {
  const handler = new EchoHandler();
  const server = await start(options, handler);
  return { handler, server, client: await Client.open(server) };
}

/**
 * From now on in this test pings are due when the returned function is called, and not when time has passed: server and
 * clients are in one process, and a pause of it would let a ping go unanswered.
 */
function handPings(): () => void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return () => void vi.advanceTimersByTime(PING_INTERVAL_MS);
}

/** The HTTP status and JSON-RPC error code with which an upgrade was refused. */
async function refused(server: HttpServer, path: string, headers: Record<string, string>): Promise<[number, string]> {
  const connection = untilEnd(await RawHttp.open(server.port));
  const all = {
    host: `127.0.0.1:${server.port}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  connection.send(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const response = await connection.response();
  await connection.closed();
  return [response.status, response.body === '' ? '' : JSON.parse(response.body).error.data.code];
}

describe('messages', () => {
  it('are answered, and notifications are not', async () => {
    const { client } = await connected();
    client.socket.send('{"jsonrpc":"2.0","method":"echo"}');
    client.socket.send(request('echo', ['ε😀']));
    expect(await client.take(1)).toEqual([answer(['ε😀'])]);
    client.socket.send('{');
    expect(JSON.parse((await client.take(1))[0] ?? '').error.code).toBe(-32700);
  });

  it('are answered when they are ready, not in turn', async () => {
    const { handler, client } = await connected();
    client.socket.send(request('hold', [], 'slow'));
    client.socket.send(request('echo', [], 'fast'));
    expect(await client.take(1)).toEqual([answer([], 'fast')]);
    handler.release();
    expect(await client.take(1)).toEqual([answer([], 'slow')]);
  });

  it.each([
    ['/', '/'],
    ['/subscribe', '/'],
    ['/rooch', '/rooch'],
    ['/rooch/subscribe?x', '/rooch'],
  ])('on %s have the base path %s', async (path, base) => {
    const client = await Client.open(await start(), path);
    client.socket.send(request('path'));
    expect(await client.take(1)).toEqual([answer(base)]);
  });

  it('of one connection share one context, whose signal ends with it', async () => {
    const { handler, client } = await connected();
    client.socket.send(request('echo'));
    client.socket.send(request('echo'));
    await client.take(2);
    expect(handler.contexts.size).toBe(1);
    const [context] = handler.contexts;
    expect(context?.closed?.aborted).toBe(false);
    client.socket.close();
    await client.closed;
    await expect.poll(() => context?.closed?.aborted).toBe(true);
    expect(context?.notify?.('late')).toBe(false);
  });

  it('may be pushed by the RPC', async () => {
    const { client } = await connected();
    client.socket.send(request('subscribe', [2]));
    expect(await client.take(3)).toEqual(['{"note":0}', '{"note":1}', answer([2])]);
  });

  it('in binary frames are refused, and the connection goes on', async () => {
    const { handler, client } = await connected();
    client.socket.send(Buffer.from(request('echo')));
    expect(JSON.parse((await client.take(1))[0] ?? '')).toMatchObject({
      id: null,
      error: { code: -32700, data: { expected: 'JSON in a text frame' } },
    });
    expect(handler.received).toEqual([]);
    client.socket.send(request('echo'));
    expect(await client.take(1)).toEqual([answer([])]);
  });

  it('that are too big end the connection with 1009', async () => {
    const { client } = await connected({ requestBytesMax: 100 });
    client.socket.send(request('echo').padEnd(100));
    expect(await client.take(1)).toEqual([answer([])]);
    client.socket.send(request('echo').padEnd(101));
    const [code, reason] = await once(client.socket, 'close');
    expect([code, String(reason)]).toEqual([1009, 'expected a request of at most 100 bytes; send less at once']);
  });

  it('that are too big end it however many frames they have', async () => {
    const server = await start({ requestBytesMax: 100 });
    for (const parts of [[101], [60, 41], [0, 100, 1]]) {
      const client = await Client.open(server);
      client.socket.send(request('echo').padEnd(100));
      expect(await client.take(1)).toEqual([answer([])]);
      for (const [index, length] of parts.entries()) {
        client.socket.send('x'.repeat(length), { fin: index === parts.length - 1 });
      }
      expect(await client.closed).toBe(1009);
    }
  });

  it('that are not UTF-8 end the connection with 1007', async () => {
    const { client } = await connected();
    client.socket.send(Buffer.from([0x22, 0xff, 0x22]), { binary: false });
    expect(await client.closed).toBe(1007);
  });

  it('whose handling fails are answered with an internal error', async () => {
    const { client } = await connected();
    client.socket.send(request('fail'));
    expect(JSON.parse((await client.take(1))[0] ?? '').error.code).toBe(-32603);
  });
});

describe('upgrade', () => {
  it('is refused with the status and error of a POST', async () => {
    const server = await start();
    expect(await refused(server, '/', { host: 'evil.example' })).toEqual([403, 'forbidden']);
    expect(await refused(server, '/', { origin: 'https://evil.example' })).toEqual([403, 'forbidden']);
    expect(await refused(server, '/nowhere', {})).toEqual([404, 'not-found']);
    expect(await refused(server, '/', { 'sec-websocket-key': 'x' })).toEqual([400, 'malformed-bytes']);
    expect(await refused(server, '/', { 'sec-websocket-version': '7' })).toEqual([400, 'malformed-bytes']);
  });

  it('is open to pages on this machine and to configured origins', async () => {
    const server = await start({ cors: ['https://wallet.example'] });
    for (const origin of ['http://localhost:3000', 'https://wallet.example']) {
      const client = await Client.open(server, '/', { origin });
      client.socket.send(request('echo'));
      expect(await client.take(1)).toEqual([answer([])]);
    }
  });

  it('counts as a connection', async () => {
    const server = await start({ connectionsMax: 1 });
    await Client.open(server);
    expect(await refused(server, '/', {})).toEqual([503, 'limit-exceeded']);
    const http = untilEnd(await RawHttp.open(server.port));
    expect((await http.send(post(server.port, request('echo'))).response()).status).toBe(503);
  });
});

describe('limits', () => {
  it('bound the requests that are at work at once, and lose none', async () => {
    const { handler, client } = await connected({ inFlightRequestsMax: 4 });
    for (let id = 0; id < 30; id++) client.socket.send(request('later', [5], id));
    const answers = await client.take(30);
    expect(new Set(answers.map((text) => JSON.parse(text).id)).size).toBe(30);
    expect(handler.inFlightSeen).toBe(4);
  });

  it('bound the bytes of all requests at once, together with those over HTTP', async () => {
    const { handler, client } = await connected({ inFlightBytesMax: 100_000 });
    client.socket.send(request('hold').padEnd(60_000));
    client.socket.send(request('echo').padEnd(60_000));
    const [refusal] = await client.take(1);
    expect(JSON.parse(refusal ?? '')).toMatchObject({
      id: null,
      error: { code: -32009, data: { code: 'limit-exceeded' } },
    });
    handler.release();
    expect(await client.take(1)).toEqual([answer([])]);
    client.socket.send(request('echo').padEnd(70_000));
    expect(await client.take(1)).toEqual([answer([])]);
  });

  it('stop reading from a client that does not read', async () => {
    const { handler, client } = await connected({ unsentBytesMax: 100_000 });
    client.socket.pause();
    for (let id = 0; id < 400; id++) client.socket.send(request('big', [200_000], id));
    await sleep(300);
    // What the system's own buffers take is out of our sight.
    expect(handler.received.length).toBeLessThan(200);
    client.socket.resume();
    await client.take(400);
    expect(handler.received.length).toBe(400);
  });

  it('hold for refusals too', async () => {
    const { client } = await connected({ unsentBytesMax: 10_000 });
    client.socket.pause();
    const frame = Buffer.alloc(1_000);
    for (let index = 0; index < 80_000; index++) client.socket.send(frame);
    await sleep(1_000);
    // Were all refused at once, nothing would wait on this side.
    expect(client.socket.bufferedAmount).toBeGreaterThan(5_000_000);
  });

  it('end with 1013 the connection of a subscriber that does not read', async () => {
    const { handler, client } = await connected({ unsentBytesMax: 100_000 });
    client.socket.send(request('echo'));
    await client.take(1);
    const [context] = handler.contexts;
    client.socket.pause();
    let taken = 0;
    while (context?.notify?.('n'.repeat(50_000)) && taken < 1_000) {
      taken++;
      await sleep(0);
    }
    expect(taken).toBeLessThan(1_000);
    expect(context?.notify?.('after')).toBe(false);
    client.socket.resume();
    expect(await client.closed).toBe(1013);
    await expect.poll(() => context?.closed?.aborted).toBe(true);
  });

  it('count the reads that an unfinished message keeps, not its bytes', async () => {
    const server = await start({ inFlightBytesMax: 4_000_000 });
    const other = await Client.open(server);
    const hostile = untilEnd(await RawHttp.open(server.port));
    const upgrade = ['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
    const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';
    hostile.send(`GET / HTTP/1.1\r\nhost: localhost\r\n${[...upgrade, key].join('\r\n')}\r\n\r\n`);
    await hostile.response(false);
    // One byte of a message that never ends, and pongs that fill the read: it used to take 64 KiB for each byte.
    const masked = (head: number, length: number): Buffer =>
      Buffer.concat([Buffer.from([head, 0x80 | length, 0, 0, 0, 0]), Buffer.alloc(length, 0x20)]);
    const pongs = Buffer.concat(Array.from({ length: 500 }, () => masked(0x8a, 120)));
    let sent = 0;
    while (!hostile.isClosed && sent < 400) {
      hostile.send(Buffer.concat([masked(sent === 0 ? 1 : 0, 1), pongs]));
      sent++;
      await sleep(2);
    }
    expect(sent).toBeLessThan(400);
    other.socket.send(request('echo'));
    expect(await other.take(1)).toEqual([answer([])]);
  });

  it('end with 1008 a connection whose message does not arrive in time', async () => {
    const pingIsDue = handPings();
    const { client } = await connected({ headersMsMax: 1_000, requestMsMax: 1_000 });
    client.socket.send('[', { fin: false });
    let isOpen = true;
    void client.closed.then(() => {
      isOpen = false;
    });
    while (isOpen) {
      await sleep(1_100);
      // The answer to an earlier ping is read.
      await rounds();
      pingIsDue();
    }
    expect(await client.closed).toBe(1008);
  });

  it('refuse an answer when too many are unread on other connections, but still give small ones', async () => {
    const server = await start({ allUnsentBytesMax: 60_000_000, responseBytesMax: 2 * UNREAD });
    const idle = await Client.open(server);
    idle.socket.pause();
    idle.socket.send(request('big', [UNREAD]));
    const client = await Client.open(server);
    // The first may take a while to be made.
    const busy = async (): Promise<string> => {
      client.socket.send(request('big', [UNREAD]));
      const [text = ''] = await client.take(1);
      return text.length > 1_000 ? 'answer' : JSON.parse(text).error.data.code;
    };
    await expect.poll(busy).toBe('limit-exceeded');
    client.socket.send(request('echo'));
    expect(await client.take(1)).toEqual([answer([])]);
    idle.socket.terminate();
    await expect.poll(busy).toBe('answer');
  });

  it('cut off a peer that takes a large answer too slowly', async () => {
    const { handler, client } = await connected({ answerMsMax: 400, responseBytesMax: 2 * UNREAD });
    client.socket.pause();
    client.socket.send(request('big', [UNREAD]));
    await vi.waitFor(() => expect([handler.received.length, handler.inFlight]).toEqual([1, 0]), 200_000);
    await sleep(1_000);
    client.socket.resume();
    expect(await client.closed).toBe(1006);
    expect(client.received).toEqual([]);
  });

  it('keep a peer that answered a ping while the thread was busy', async () => {
    const pingIsDue = handPings();
    const { client } = await connected();
    pingIsDue();
    await once(client.socket, 'ping');
    // The pong is sent before the event, and the next ping is due before anything is read.
    setTimeout(pingIsDue);
    for (const until = performance.now() + 10; performance.now() < until; );
    expect(await Promise.race([once(client.socket, 'ping').then(() => 'ping'), client.closed])).toBe('ping');
  });

  it('cut off a peer that lets a ping pass, and not one that answers it', async () => {
    const pingIsDue = handPings();
    const server = await start();
    const living = await Client.open(server);
    const dead = new WebSocket(`ws://127.0.0.1:${server.port}/`, { autoPong: false });
    const gone = once(dead, 'close');
    dead.on('error', () => {});
    await once(dead, 'open');
    pingIsDue();
    await once(living.socket, 'ping');
    // The pong was sent before the request, and so it is read before that is answered.
    living.socket.send(request('echo'));
    expect(await living.take(1)).toEqual([answer([])]);
    pingIsDue();
    await gone;
    living.socket.send(request('echo'));
    expect(await living.take(1)).toEqual([answer([])]);
  });

  it('do not mistake long work for a dead peer', async () => {
    const pingIsDue = handPings();
    const { handler, client } = await connected({ inFlightRequestsMax: 1 });
    client.socket.send(request('hold'));
    await handler.receives(1);
    for (let pings = 0; pings < 5; pings++) {
      pingIsDue();
      await rounds();
    }
    handler.release();
    expect(await client.take(1)).toEqual([answer([])]);
  });
});

describe('close', () => {
  it('answers what is in flight, then ends the connection with 1001', async () => {
    const { handler, server, client } = await connected({ closeMsMax: PATIENCE });
    const idle = await Client.open(server);
    client.socket.send(request('hold'));
    await handler.receives(1);
    const closed = server.close();
    client.socket.send(request('echo', [], 'late'));
    expect(await idle.closed).toBe(1001);
    const [refusal] = await client.take(1);
    expect(JSON.parse(refusal ?? '')).toMatchObject({ id: null, error: { code: -32009, data: { code: 'closed' } } });
    handler.release();
    expect(await client.closed).toBe(1001);
    expect(await client.take(1)).toEqual([answer([])]);
    await closed;
  });

  it('cuts off a peer that does not answer the close', async () => {
    const { server, client } = await connected({ closeMsMax: 150 });
    client.socket.pause();
    const started = performance.now();
    await server.close();
    // The library's own deadline is 30 s.
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('cuts off work that takes longer than its time limit', async () => {
    const { handler, server, client } = await connected({ closeMsMax: 150 });
    client.socket.send(request('hold'));
    await handler.receives(1);
    await server.close();
    expect(await client.closed).toBe(1006);
  });
});
