import { once } from 'node:events';
import { maxHeaderSize } from 'node:http';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { EngineError } from '../../../src/base/error.ts';
import type { LogEntry } from '../../../src/base/log.ts';
import { type HttpOptions, type HttpServer, serveHttp } from '../../../src/server/index.ts';
import type { StreamSink } from '../../../src/server/rpc/rpc.ts';
import { answer, EchoHandler, PATIENCE, request, start, UNREAD, untilEnd } from './echo-handler.ts';
import { post, RawHttp, type RawResponse } from './raw-http.ts';

async function dial(server: HttpServer): Promise<RawHttp> {
  return untilEnd(await RawHttp.open(server.port));
}

/** A listener, its handler, and a connection to it. */
async function dialled(
  options: HttpOptions = {},
): Promise<{ handler: EchoHandler; server: HttpServer; connection: RawHttp }> {
  const handler = new EchoHandler();
  const server = await start(options, handler);
  return { handler, server, connection: await dial(server) };
}

async function ask(server: HttpServer, message: string | Uint8Array): Promise<RawResponse> {
  const connection = await dial(server);
  return connection.send(message).response();
}

/** The error of a refusal, which every refusal must carry with id null. */
function errorOf(response: RawResponse): {
  code: number;
  message: string;
  data: { code: string; received?: string; expected?: string };
} {
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { jsonrpc, id, error } = JSON.parse(response.body);
  expect({ jsonrpc, id }).toEqual({ jsonrpc: '2.0', id: null });
  return error;
}

describe('a call', () => {
  it('is answered with 200, the text of the RPC and its length in bytes', async () => {
    const server = await start();
    const response = await ask(server, post(server.port, request('echo', ['ε😀'])));
    expect(response.status).toBe(200);
    expect(response.body).toBe(answer(['ε😀']));
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('vary')).toBe('Origin');
  });

  it('is answered with 204 and no body when there were only notifications', async () => {
    const { server, connection } = await dialled();
    const response = await connection.send(post(server.port, '{"jsonrpc":"2.0","method":"echo"}')).response();
    expect([response.status, response.body, response.headers.get('content-length')]).toEqual([204, '', null]);
    expect((await connection.send(post(server.port, request('echo'))).response()).status).toBe(200);
  });

  it('is answered with 200 when its JSON is broken, since the RPC reports that', async () => {
    const server = await start();
    for (const body of ['', '{', 'null x']) {
      const response = await ask(server, post(server.port, body));
      expect([response.status, JSON.parse(response.body).error.code]).toEqual([200, -32700]);
    }
  });

  it('is a parse error when its bytes are not UTF-8', async () => {
    const server = await start();
    const body = Buffer.from([0x22, 0xff, 0x22]);
    const head = post(server.port, '', { 'content-length': '3' });
    const response = await ask(server, Buffer.concat([Buffer.from(head), body]));
    expect(response.status).toBe(200);
    expect(errorOf(response)).toMatchObject({ code: -32700, data: { code: 'malformed-bytes' } });
  });

  it('keeps letters whole that chunks cut in two', async () => {
    const server = await start();
    const body = Buffer.from(request('echo', ['ε😀']));
    const connection = await dial(server);
    connection.send(post(server.port, '', { 'content-length': undefined, 'transfer-encoding': 'chunked' }));
    for (const byte of body)
      connection.send(Buffer.concat([Buffer.from('1\r\n'), Buffer.of(byte), Buffer.from('\r\n')]));
    connection.send('0\r\n\r\n');
    expect((await connection.response()).body).toBe(answer(['ε😀']));
  });

  it('tells the RPC its base path', async () => {
    const server = await start();
    for (const [path, base] of [
      ['/', '/'],
      ['/?x=1', '/'],
      ['//', '/'],
      ['/rooch', '/rooch'],
      ['/rooch/', '/rooch'],
      ['http://127.0.0.1/rooch', '/rooch'],
    ] as const) {
      expect((await ask(server, post(server.port, request('path'), {}, path))).body).toBe(answer(base));
    }
  });

  it('gets an internal error without details when the RPC breaks, and the log gets the cause', async () => {
    const told: LogEntry[] = [];
    const server = await start({ log: (entry) => told.push(entry) });
    const response = await ask(server, post(server.port, request('fail')));
    expect(response.status).toBe(200);
    expect(errorOf(response)).toEqual({
      code: -32603,
      message: 'Internal error',
      data: { code: 'invariant-violation' },
    });
    expect(response.body).not.toContain('secret');
    expect(told[0]?.message).toBe('the RPC handler failed: secret detail');
  });

  it('gets error -32008 instead of an answer over the bound, counted in bytes', async () => {
    const bound = answer('x'.repeat(100)).length;
    const server = await start({ responseBytesMax: bound });
    expect((await ask(server, post(server.port, request('big', [100])))).body).toBe(answer('x'.repeat(100)));
    expect(errorOf(await ask(server, post(server.port, request('big', [101]))))).toMatchObject({
      code: -32008,
      data: { code: 'limit-exceeded', expected: `at most ${bound} bytes` },
    });
    const wide = request('echo', ['ε'.repeat(60)]);
    expect(errorOf(await ask(server, post(server.port, wide))).code).toBe(-32008);
  });

  it('may follow another without waiting, and is answered in order', async () => {
    const { server, connection } = await dialled();
    const calls = Array.from({ length: 300 }, (_, id) => request(id % 7 === 0 ? 'later' : 'echo', [id % 20], id));
    connection.send(calls.map((call) => post(server.port, call)).join(''));
    for (let id = 0; id < calls.length; id++) expect((await connection.response()).body).toBe(answer([id % 20], id));
  });

  it('is not worked on before what was asked earlier on the connection is answered', async () => {
    const { handler, server, connection } = await dialled();
    connection.send(post(server.port, request('later', [2])).repeat(50));
    for (let index = 0; index < 50; index++) expect((await connection.response()).status).toBe(200);
    expect(handler.inFlightSeen).toBe(1);
  });

  it('is not worked on while the client has too much left to read', async () => {
    const { handler, server, connection } = await dialled({ unsentBytesMax: 100_000 });
    connection.socket.pause();
    connection.send(post(server.port, request('big', [1_000_000])).repeat(100));
    await sleep(300);
    // What the system's own buffers take is out of our sight.
    expect(handler.received.length).toBeLessThan(40);
    connection.socket.resume();
    for (let index = 0; index < 100; index++) expect((await connection.response()).body.length).toBeGreaterThan(1e6);
  });

  it('is refused with 503 when too many before it on the connection are unanswered', async () => {
    const { server, connection } = await dialled({ pipelinedRequestsMax: 2 });
    connection.send(post(server.port, request('later', [30])).repeat(3));
    expect((await connection.response()).status).toBe(200);
    expect((await connection.response()).status).toBe(200);
    const third = await connection.response();
    expect(third.status).toBe(503);
    const expected = 'at most 2 requests in flight on one connection';
    expect(errorOf(third)).toMatchObject({ code: -32009, data: { code: 'limit-exceeded', expected } });
  });
});

describe('content type', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json ; x=y; charset=utf8',
    'application/json-rpc+json',
    'application/vnd.api+json; charset=utf-8',
  ])('%s is taken', async (type) => {
    const server = await start();
    expect((await ask(server, post(server.port, request('echo'), { 'content-type': type }))).status).toBe(200);
  });

  it.each([
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'text/json',
    'application/json charset=utf-8',
    'application/json; charset=utf-16',
    'multipart/form-data; boundary=application/json',
  ])('%s is refused with 415', async (type) => {
    const handler = new EchoHandler();
    const server = await start({}, handler);
    const response = await ask(server, post(server.port, request('echo'), { 'content-type': type }));
    expect(response.status).toBe(415);
    expect(errorOf(response)).toMatchObject({ code: -32600, data: { code: 'not-supported' } });
    expect(handler.received).toEqual([]);
  });

  it('with a compressed body is refused with 415', async () => {
    const server = await start();
    const response = await ask(server, post(server.port, 'xx', { 'content-encoding': 'gzip' }));
    expect([response.status, errorOf(response).data.received]).toEqual([415, 'gzip']);
  });
});

describe('size', () => {
  const bytesMax = 100;

  it('at the bound passes, one byte more is refused with 413', async () => {
    const server = await start({ requestBytesMax: bytesMax });
    const fits = request('echo', ['']).padEnd(bytesMax, ' ');
    expect((await ask(server, post(server.port, fits))).status).toBe(200);
    const response = await ask(server, post(server.port, `${fits} `));
    expect(response.status).toBe(413);
    expect(response.headers.get('connection')).toBe('close');
    expect(errorOf(response)).toMatchObject({
      code: -32007,
      data: { code: 'limit-exceeded', expected: 'at most 100 bytes' },
    });
  });

  it('is refused by its declared length before the body is sent', async () => {
    const { server, connection } = await dialled({ requestBytesMax: bytesMax });
    const head = post(server.port, '', { 'content-length': '101', expect: '100-continue' });
    expect((await connection.send(head).response()).status).toBe(413);
    await connection.closed();
  });

  it('that fits is asked for when the client expects to be told to continue', async () => {
    const { server, connection } = await dialled();
    const body = request('echo');
    connection.send(post(server.port, '', { 'content-length': String(body.length), expect: '100-continue' }));
    expect((await connection.response()).status).toBe(100);
    expect((await connection.send(body).response()).body).toBe(answer([]));
  });

  it('is not asked for over HTTP/1.0, which has no answer 100', async () => {
    const server = await start();
    const body = request('echo');
    const { status } = await ask(server, post(server.port, body, { expect: '100-continue' }).replace('/1.1', '/1.0'));
    expect(status).toBe(200);
  });

  it('with any other expectation is refused with 417', async () => {
    const server = await start();
    const response = await ask(server, post(server.port, request('echo'), { expect: 'more' }));
    expect([response.status, errorOf(response).data.received]).toEqual([417, 'more']);
    const foreign = { expect: 'more', origin: 'https://evil.example' };
    expect((await ask(server, post(server.port, request('echo'), foreign))).status).toBe(403);
  });

  it('is counted while chunks arrive, and a sender that never stops still reads its 413', async () => {
    const { server, connection } = await dialled({ requestBytesMax: bytesMax });
    connection.send(post(server.port, '', { 'content-length': undefined, 'transfer-encoding': 'chunked' }));
    const chunk = `400\r\n${'x'.repeat(0x400)}\r\n`;
    const flood = setInterval(() => connection.send(chunk.repeat(16)), 5);
    const response = await connection.response();
    clearInterval(flood);
    expect(response.status).toBe(413);
    await connection.closed();
  });

  it('of all requests at once is bounded, and the budget is returned', async () => {
    const { handler, server, connection } = await dialled({ inFlightBytesMax: 100_000 });
    connection.send(post(server.port, request('hold').padEnd(60_000, ' ')));
    await handler.receives(1);
    const body = request('echo').padEnd(60_000, ' ');
    const second = await ask(server, post(server.port, body));
    expect([second.status, errorOf(second).data.code]).toEqual([503, 'limit-exceeded']);
    handler.release();
    expect((await connection.response()).status).toBe(200);
    expect((await ask(server, post(server.port, body))).status).toBe(200);
  });

  it('held by a client that went away is returned to the budget', async () => {
    const server = await start({ inFlightBytesMax: 100_000 });
    for (let round = 0; round < 5; round++) {
      const half = await dial(server);
      half.send(post(server.port, 'x'.repeat(60_000), { 'content-length': '90000' }));
      const whole = await dial(server);
      whole.send(post(server.port, request('later', [40]).padEnd(30_000, ' ')));
      await sleep(15);
      half.socket.destroy();
      whole.socket.destroy();
      await sleep(5);
    }
    await expect
      .poll(async () => (await ask(server, post(server.port, request('echo').padEnd(70_000, ' ')))).status)
      .toBe(200);
  });
});

describe('routes', () => {
  it('unknown paths are 404', async () => {
    const server = await start();
    const response = await ask(server, post(server.port, request('echo'), {}, '/v1'));
    expect(response.status).toBe(404);
    expect(errorOf(response)).toMatchObject({
      message: 'No such path /v1: POST JSON-RPC requests to /',
      data: { code: 'not-found', received: '/v1' },
    });
    expect((await ask(server, `GET /x HTTP/1.1\r\nhost: localhost\r\n\r\n`)).status).toBe(404);
  });

  it.each([
    ['PUT', '/', 'GET, HEAD, POST, OPTIONS'],
    ['DELETE', '/', 'GET, HEAD, POST, OPTIONS'],
    ['GET', '/rooch', 'POST, OPTIONS'],
  ])('%s %s is 405 and says what is allowed', async (method, path, allow) => {
    const server = await start();
    const response = await ask(server, `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(errorOf(response).data.received).toBe(method);
  });

  it('GET without upgrade on /subscribe is 426', async () => {
    const server = await start();
    const response = await ask(server, `GET /subscribe HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    expect([response.status, response.headers.get('upgrade')]).toEqual([426, 'websocket']);
  });

  it('GET / gives the web client, HEAD / its headers alone', async () => {
    const server = await start();
    const get = await ask(server, `GET / HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    expect(get.status).toBe(200);
    expect(get.body).toMatch(/^<!doctype html>/i);
    const connection = await dial(server);
    const head = await connection
      .send(`HEAD / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`)
      .response(false);
    expect(head.status).toBe(200);
    expect(await connection.closed()).toBe('');
  });

  it('GET / is 405 when the web client is switched off', async () => {
    const server = await start({ page: false });
    const response = await ask(server, `GET / HTTP/1.1\r\nhost: localhost\r\n\r\n`);
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });

  it('an offer of h2c is passed over, with and without a body, and the connection goes on', async () => {
    const { server, connection } = await dialled();
    const offer = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAEAAEAAAAIAAAAB' };
    expect((await connection.send(post(server.port, request('echo', [1]), offer)).response()).body).toBe(answer([1]));
    expect((await connection.send(post(server.port, request('echo', [2]))).response()).body).toBe(answer([2]));
    expect((await connection.send(post(server.port, request('echo', [3]), offer)).response()).body).toBe(answer([3]));
  });

  it('an offer over HTTP/1.0 is passed over, and the connection closed, as such a client expects', async () => {
    const { server, connection } = await dialled();
    const offer = post(server.port, request('echo'), { connection: 'Upgrade', upgrade: 'h2c' }).replace('/1.1', '/1.0');
    const { body, headers } = await connection.send(offer).response();
    expect([body, headers.get('connection')]).toEqual([answer([]), 'close']);
    await connection.closed();
  });
});

describe('an upgrade behind requests that are not answered yet', () => {
  const offer = (name: string): string =>
    `GET / HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: ${name}\r\nsec-websocket-version: 13\r\n` +
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

  it.each([
    ['websocket', 101],
    ['h2c', 200],
  ])('to %s waits until they are answered', async (name, status) => {
    const { server, connection } = await dialled();
    connection.send(post(server.port, request('later', [40])) + post(server.port, request('echo')) + offer(name));
    expect((await connection.response()).body).toBe(answer([40]));
    expect((await connection.response()).body).toBe(answer([]));
    expect((await connection.response()).status).toBe(status);
  });

  it('to h2c, many times over, leaves nothing behind on the connection', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): unknown => warnings.push(name);
    process.on('warning', note);
    try {
      const server = await start();
      const connection = await dial(server);
      connection.send(post(server.port, request('echo', [1]), { connection: 'Upgrade', upgrade: 'h2c' }).repeat(40));
      for (let index = 0; index < 40; index++) expect((await connection.response()).body).toBe(answer([1]));
      await sleep(10);
    } finally {
      process.off('warning', note);
    }
    expect(warnings).toEqual([]);
  });

  it('is dropped when the listener closes meanwhile', async () => {
    const { handler, server, connection } = await dialled({ closeMsMax: PATIENCE });
    connection.send(post(server.port, request('hold')) + offer('websocket'));
    await handler.receives(1);
    const closed = server.close();
    handler.release();
    expect((await connection.response()).headers.get('connection')).toBe('close');
    expect(await connection.closed()).toBe('');
    await closed;
  });
});

// Which names, origins and sites are accepted: guard.test.ts.
describe('Host', () => {
  const get = (...lines: string[]): string => `GET / HTTP/1.1\r\n${[...lines, '', ''].join('\r\n')}`;

  it.each([
    [],
    ['host: localhost', 'host: evil.example'],
    ['host: localhost', 'HOST: localhost'],
    ['Host: localhost', 'X: y', 'hOsT: '],
  ])('is given once: %j, %j', async (...lines) => {
    const server = await start();
    for (const upgrade of [[], ['connection: Upgrade', 'upgrade: websocket']]) {
      const response = await ask(server, get(...lines.filter((line) => line !== undefined), ...upgrade));
      expect(response.status).toBe(400);
      expect(errorOf(response).data).toMatchObject({ code: 'malformed-bytes', expected: 'one Host field' });
    }
    // Neither a longer name, nor a value.
    expect((await ask(server, get('host: localhost', 'hosts: a', 'x-host: b', 'x: host'))).status).toBe(200);
  });

  it('of others is refused with 403, also after one of its own on the same connection', async () => {
    const { handler, server, connection } = await dialled({ hosts: ['node.example'] });
    const statuses: number[] = [];
    for (const host of ['localhost', 'evil.example', 'node.example:443', 'a b']) {
      statuses.push((await connection.send(get(`host: ${host}`)).response()).status);
    }
    expect(statuses).toEqual([200, 403, 200, 403]);
    const response = await ask(server, post(server.port, request('echo'), { host: 'evil.example' }));
    expect(errorOf(response)).toMatchObject({ code: -32600, data: { code: 'forbidden' } });
    expect(handler.received).toEqual([]);
  });

  it('may be any address of this machine, and no other, on a wildcard listener', async () => {
    const server = await start({ host: '0.0.0.0' });
    expect((await ask(server, get('host: 127.0.0.1'))).status).toBe(200);
    expect((await ask(server, get('host: 203.0.113.9'))).status).toBe(403);
    const local = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === 'IPv4' && !each.internal);
    if (local === undefined) return;
    const connection = untilEnd(await RawHttp.open(server.port, local.address));
    expect((await connection.send(get(`host: ${local.address}`)).response()).status).toBe(200);
  });
});

describe('Origin', () => {
  it('is named in the header that lets the page read the answer', async () => {
    const server = await start({ cors: ['https://wallet.example'] });
    for (const origin of ['http://localhost:3000', 'https://wallet.example']) {
      const response = await ask(server, post(server.port, request('echo'), { origin }));
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      expect(response.headers.get('vary')).toBe('Origin');
    }
  });

  it.each(['https://evil.example', 'null', ''])('%s is refused with 403', async (origin) => {
    const handler = new EchoHandler();
    const server = await start({ cors: ['https://wallet.example'] }, handler);
    const response = await ask(server, post(server.port, request('echo'), { origin }));
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    expect(errorOf(response)).toMatchObject({ data: { code: 'forbidden', received: origin } });
    expect(handler.received).toEqual([]);
  });

  it('preflight is answered for allowed origins on any path, and refused for others', async () => {
    const server = await start();
    const preflight = (origin: string, path = '/'): string =>
      `OPTIONS ${path} HTTP/1.1\r\nhost: localhost\r\norigin: ${origin}\r\naccess-control-request-method: POST\r\n` +
      'access-control-request-headers: content-type\r\naccess-control-request-private-network: true\r\n\r\n';
    for (const path of ['/', '/rooch', '/any']) {
      const response = await ask(server, preflight('http://localhost:3000', path));
      expect([response.status, response.body]).toEqual([200, '']);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': 'http://localhost:3000',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type, x-movelet-min-order, last-event-id',
        'access-control-allow-private-network': 'true',
        vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
      });
    }
    const refused = await ask(server, preflight('https://evil.example'));
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });
});

describe('a GET without Origin', () => {
  /** What a browser sends for an image, a script, a frame or a link of a page. */
  const get = (path: string, site: string, host = 'localhost'): string =>
    `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nsec-fetch-site: ${site}\r\nsec-fetch-mode: no-cors\r\n\r\n`;
  const COSTLY = [
    '/subscribe/sse/events?filter=%22all%22&from_order=0',
    '/rooch/subscribe/sse/transactions?filter=%22all%22',
    '/fork/1/subscribe/sse/events?filter=%22all%22',
    '/metrics',
    '/health',
  ];

  /** A listener, and the streams that were opened on it. */
  async function streaming(options: HttpOptions = {}): Promise<{ server: HttpServer; opened: () => number }> {
    let opened = 0;
    const stream = async (_: unknown, sink: StreamSink): Promise<void> => {
      opened++;
      sink.end();
    };
    const handler = Object.assign(new EchoHandler(), { stream });
    return { server: await start({ metrics: true, health: true, ...options }, handler), opened: () => opened };
  }

  it.each(COSTLY)('that a page of another site causes is refused: %s', async (path) => {
    const { server, opened } = await streaming();
    for (const site of ['cross-site', 'anything', '', 'none, cross-site']) {
      const response = await ask(server, get(path, site));
      expect([site, response.status, errorOf(response).data.code]).toEqual([site, 403, 'forbidden']);
    }
    expect(opened()).toBe(0);
  });

  it.each(COSTLY)('that the user or a page of the listener causes is answered: %s', async (path) => {
    const { server } = await streaming();
    for (const site of ['same-origin', 'none']) expect((await ask(server, get(path, site))).status).toBe(200);
    expect((await ask(server, `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)).status).toBe(200);
  });

  it('may follow a link to the web client, and to nothing else', async () => {
    const { server } = await streaming();
    expect((await ask(server, get('/', 'cross-site'))).status).toBe(200);
    const head = (await dial(server)).send(get('/', 'cross-site').replace('GET', 'HEAD'));
    expect((await head.response(false)).status).toBe(200);
    expect((await ask(server, get('/nothing', 'cross-site'))).status).toBe(403);
    expect((await ask(server, get('/rooch', 'cross-site'))).status).toBe(403);
    for (const method of ['POST', 'OPTIONS']) {
      expect((await ask(server, get('/', 'cross-site').replace('GET', method))).status).toBe(403);
    }
  });

  it('is judged by its Origin if there is one', async () => {
    const { server } = await streaming();
    const from = (origin: string, site: string): string =>
      get('/health', site).replace('\r\n\r\n', `\r\norigin: ${origin}\r\n\r\n`);
    expect((await ask(server, from('http://localhost:3000', 'cross-site'))).status).toBe(200);
    expect((await ask(server, from('https://evil.example', 'same-origin'))).status).toBe(403);
  });
});

describe('broken HTTP', () => {
  it('is answered as such and cut off', async () => {
    const { connection } = await dialled();
    const response = await connection.send('nonsense\r\n\r\n').response();
    expect(response.status).toBe(400);
    expect(errorOf(response)).toMatchObject({ data: { code: 'malformed-bytes', expected: 'an HTTP/1.1 message' } });
    await connection.closed();
  });

  it('after good requests does not lose their answers', async () => {
    const { server, connection } = await dialled();
    connection.send(
      `${post(server.port, request('later', [30]))}${post(server.port, request('echo'))}nonsense\r\n\r\n`,
    );
    const statuses = [];
    for (let index = 0; index < 3; index++) statuses.push((await connection.response()).status);
    expect(statuses).toEqual([200, 200, 400]);
    await connection.closed();
  });

  it('after the last byte of a body does not change its answer', async () => {
    const server = await start();
    for (let round = 0; round < 20; round++) {
      const connection = await dial(server);
      connection.send(`${post(server.port, request('echo'))}\0\0`);
      expect((await connection.response()).body).toBe(answer([]));
      expect((await connection.response()).status).toBe(400);
      await connection.closed();
    }
  });

  it('inside a body is reported after the answers that are owed', async () => {
    const { server, connection } = await dialled();
    const broken = post(server.port, 'zz\r\n', { 'content-length': undefined, 'transfer-encoding': 'chunked' });
    connection.send(post(server.port, request('later', [30])) + broken);
    expect((await connection.response()).status).toBe(200);
    expect((await connection.response()).status).toBe(400);
    await connection.closed();
  });

  it('cut short after a whole request is reported, and the connection ends', async () => {
    const { server, connection } = await dialled();
    const cut = post(server.port, '5\r\nhel', { 'content-length': undefined, 'transfer-encoding': 'chunked' });
    connection.send(post(server.port, request('echo')) + cut);
    connection.socket.end();
    expect((await connection.response()).body).toBe(answer([]));
    expect((await connection.response()).status).toBe(400);
    await connection.closed();
  });

  it('with endless headers is 431', async () => {
    const { connection } = await dialled();
    connection.send('GET / HTTP/1.1\r\nhost: localhost\r\n');
    const flood = setInterval(() => connection.send(`x-flood: ${'y'.repeat(4_000)}\r\n`), 2);
    const response = await connection.response();
    clearInterval(flood);
    expect(response.status).toBe(431);
    expect(errorOf(response).data).toMatchObject({ expected: `headers of at most ${maxHeaderSize} bytes` });
    await connection.closed();
  });

  it('with both lengths (smuggling) is 400', async () => {
    const server = await start();
    const response = await ask(server, post(server.port, 'x', { 'transfer-encoding': 'chunked' }));
    expect(response.status).toBe(400);
  });
});

describe('time', () => {
  it.each([
    ['headers', 'POST / HTTP/1.1\r\n', 'a: b\r\n'],
    ['a body', post(80, '', { 'content-length': '1000' }), ' '],
  ])('cuts off %s that drip', async (_, begun, more) => {
    const { connection } = await dialled({ headersMsMax: 300, requestMsMax: 600 });
    connection.send(begun);
    const drip = setInterval(() => connection.send(more), 50);
    const response = await connection.response();
    clearInterval(drip);
    expect(response.status).toBe(408);
    expect(errorOf(response).data).toMatchObject({ expected: 'the whole request within its time limit' });
    await connection.closed();
  });

  it('cuts off a connection that says nothing', async () => {
    const { connection } = await dialled({ headersMsMax: 300, requestMsMax: 600 });
    expect(await connection.closed()).toContain('408');
  });

  it('cuts off an idle connection, and not one whose answer takes long', async () => {
    const { server, connection } = await dialled({ idleMsMax: 1_000, sendMsMax: 100 });
    const started = performance.now();
    expect((await connection.send(post(server.port, request('later', [1_500]))).response()).status).toBe(200);
    expect(await connection.closed()).toBe('');
    // The answer took 1,500 ms, and the connection was idle for 1,000 ms.
    expect(performance.now() - started).toBeGreaterThan(2_400);
  });

  it('cuts off a client that does not read its answer', async () => {
    const { handler, server, connection } = await dialled({ sendMsMax: 200, responseBytesMax: 2 * UNREAD });
    connection.socket.pause();
    connection.send(post(server.port, request('big', [UNREAD])));
    await vi.waitFor(() => expect([handler.received.length, handler.inFlight]).toEqual([1, 0]), 200_000);
    await sleep(1_500);
    connection.socket.resume();
    const { length } = await connection.closed();
    expect(length).toBeLessThan(UNREAD);
    // More than a refusal.
    expect(length).toBeGreaterThan(10_000);
  });
});

describe('answers', () => {
  it('that nobody reads are bounded for all connections together, but small ones are still given', async () => {
    const server = await start({ allUnsentBytesMax: 60_000_000, responseBytesMax: 2 * UNREAD });
    const idle = await dial(server);
    idle.socket.pause();
    idle.send(post(server.port, request('big', [UNREAD])));
    const busy = async (): Promise<number> => (await ask(server, post(server.port, request('big', [UNREAD])))).status;
    await expect.poll(busy).toBe(503);
    expect((await ask(server, post(server.port, request('echo')))).status).toBe(200);
    idle.socket.destroy();
    await expect.poll(busy).toBe(200);
  });

  it('that are large have a deadline for the whole, however slowly the client reads', async () => {
    const { server, connection } = await dialled({ answerMsMax: 500, sendMsMax: 20_000, responseBytesMax: 2 * UNREAD });
    connection.socket.pause();
    connection.send(post(server.port, request('big', [UNREAD])));
    let isOpen = true;
    const closed = connection.closed().then((text) => {
      isOpen = false;
      return text;
    });
    for (let sip = 0; sip < 100 && isOpen; sip++) {
      connection.socket.resume();
      await sleep(1);
      connection.socket.pause();
      await sleep(50);
    }
    connection.socket.resume();
    const { length } = await closed;
    expect(length).toBeLessThan(UNREAD);
    // More than a refusal.
    expect(length).toBeGreaterThan(10_000);
  });

  it('that are large arrive whole', async () => {
    const server = await start();
    const body = `${'ε'.repeat(400_000)}😀${'x'.repeat(1_000_000)}`;
    const connection = await dial(server);
    connection.send(post(server.port, request('echo', [body], 1))).send(post(server.port, request('echo', [], 2)));
    expect((await connection.response()).body).toBe(answer([body], 1));
    expect((await connection.response()).body).toBe(answer([], 2));
  });
});

describe('requests', () => {
  it('count including their headers', async () => {
    const { handler, server, connection } = await dialled({ inFlightBytesMax: 60_000 });
    const padded = { 'x-padding': 'x'.repeat(12_000) };
    connection.send(post(server.port, request('hold'), padded));
    for (let more = 0; more < 5; more++) connection.send(post(server.port, request('echo'), padded));
    // Asked of another server on the same thread: a request to this one would be counted.
    await hasRead(await start());
    handler.release();
    const statuses: number[] = [];
    while (!statuses.includes(503)) statuses.push((await connection.response()).status);
    expect(statuses.length).toBeGreaterThan(3);
    expect(statuses.length).toBeLessThanOrEqual(6);
    const alone = post(server.port, '', { 'x-padding': 'x'.repeat(12_000) });
    const small = await ask(await start({ inFlightBytesMax: 8_000 }), alone);
    expect(errorOf(small).data).toMatchObject({ expected: 'at most 8000 bytes of requests in flight' });
    expect((await ask(server, post(server.port, request('echo')))).status).toBe(200);
  });
});

describe('connections', () => {
  it('beyond the bound are refused with 503, and welcome once others have left', async () => {
    const server = await start({ connectionsMax: 2 });
    const first = await dial(server);
    const second = await dial(server);
    await first.send(post(server.port, request('echo'))).response();
    await second.send(post(server.port, request('echo'))).response();
    const third = await dial(server);
    const response = await third.send(post(server.port, request('echo'))).response();
    expect(response.status).toBe(503);
    const data = { code: 'limit-exceeded', expected: 'at most 2 connections' };
    expect(errorOf(response)).toMatchObject({ code: -32009, data });
    await third[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
    await expect.poll(async () => (await ask(server, post(server.port, request('echo')))).status).toBe(200);
  });
});

describe('listening', () => {
  it('is on loopback by default, on a free port when asked', async () => {
    const server = await start();
    expect(server.host).toBe('127.0.0.1');
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(server.port).toBeGreaterThan(0);
  });

  it('names the port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const failure = await serveHttp(new EchoHandler(), { port }).catch((error: unknown) => error);
    taken.close();
    expect(failure).toBeInstanceOf(EngineError);
    expect(failure).toMatchObject({ code: 'transport-failed', details: { port, cause: 'EADDRINUSE' } });
    expect(String(failure)).toContain(`port ${port} is in use`);
  });

  it('names an address that is not one of this machine', async () => {
    await expect(serveHttp(new EchoHandler(), { port: 0, host: '203.0.113.1' })).rejects.toThrow(
      '203.0.113.1 is not an address of this machine',
    );
  });

  it('works on IPv6 where available', async () => {
    const server = await serveHttp(new EchoHandler(), { port: 0, host: '::1' }).catch(() => undefined);
    if (server === undefined) return;
    untilEnd(server);
    expect(server.url).toBe(`http://[::1]:${server.port}`);
    const connection = untilEnd(await RawHttp.open(server.port, '::1'));
    const message = post(server.port, request('echo'), { host: `[::1]:${server.port}` });
    expect((await connection.send(message).response()).status).toBe(200);
  });
});

describe('close', () => {
  it('answers what is in flight, ends idle connections at once, and takes no new ones', async () => {
    const handler = new EchoHandler();
    const server = await start({ closeMsMax: PATIENCE }, handler);
    const silent = await dial(server);
    const idle = await dial(server);
    await idle.send(post(server.port, request('echo'))).response();
    const busy = await dial(server);
    busy.send(post(server.port, request('hold')));
    await handler.receives(2);
    const closed = server.close();
    await Promise.all([idle.closed(), silent.closed()]);
    await expect(RawHttp.open(server.port)).rejects.toThrow('ECONNREFUSED');
    handler.release();
    const response = await busy.response();
    expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    await closed;
  });

  it.each([
    ['later', [40]],
    ['echo', []],
  ])('answers all that was asked on a connection, and says so on the last answer: %s', async (method, params) => {
    const { handler, server, connection } = await dialled({ closeMsMax: PATIENCE });
    connection.send(post(server.port, request('hold', [], 1)) + post(server.port, request(method, params, 2)));
    await handler.receives(1);
    const closed = server.close();
    handler.release();
    const [first, second] = [await connection.response(), await connection.response()];
    expect([first.body, first.headers.get('connection')]).toEqual([answer([], 1), 'keep-alive']);
    expect([second.body, second.headers.get('connection')]).toEqual([answer(params, 2), 'close']);
    await connection.closed();
    await closed;
  });

  it('answers a request whose body is still coming', async () => {
    const { server, connection } = await dialled({ closeMsMax: PATIENCE });
    const whole = post(server.port, request('echo', ['x'.repeat(100)]));
    connection.send(whole.slice(0, -50));
    await hasRead(server);
    const closed = server.close();
    connection.send(whole.slice(-50));
    expect((await connection.response()).status).toBe(200);
    await closed;
  });

  it('refuses with 503 what comes on an open connection afterwards', async () => {
    const { handler, server, connection } = await dialled({ closeMsMax: PATIENCE });
    connection.send(post(server.port, request('hold')));
    await handler.receives(1);
    const closed = server.close();
    connection.send(post(server.port, request('echo')));
    handler.release();
    expect((await connection.response()).status).toBe(200);
    // The connection may have been closed with the answer before it.
    const late = await connection.response().catch(() => undefined);
    if (late !== undefined) expect([late.status, errorOf(late).data.code]).toEqual([503, 'closed']);
    await closed;
  });

  it('refuses with 503 a request that had begun to arrive', async () => {
    const { server, connection } = await dialled({ closeMsMax: PATIENCE });
    connection.send('POST / HTTP/1.1\r\nhost: localhost\r\n');
    await hasRead(server);
    const closed = server.close();
    connection.send('content-type: application/json\r\ncontent-length: 0\r\n\r\n');
    const response = await connection.response();
    expect([response.status, response.headers.get('connection'), errorOf(response).data.code]).toEqual([
      503,
      'close',
      'closed',
    ]);
    await closed;
  });

  it('cuts off at its time limit what does not end', async () => {
    const { handler, server, connection } = await dialled({ closeMsMax: 150 });
    connection.send(post(server.port, request('hold')));
    await handler.receives(1);
    await server.close();
    await connection.closed();
  });

  it('may be called again, and leaves nothing open', async () => {
    // Other files of the same worker may have some of their own.
    const listeners = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
    const before = listeners();
    const server = await start();
    expect(listeners()).toBe(before + 1);
    await Promise.all([server.close(), server.close()]);
    await server.close();
    await expect.poll(listeners).toBe(before);
  });
});

/** Waits until the server has read what came on other connections before: everything there is read in one turn. */
async function hasRead(server: HttpServer): Promise<void> {
  expect((await ask(server, post(server.port, request('echo')))).status).toBe(200);
}
