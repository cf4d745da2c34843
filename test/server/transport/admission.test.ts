/** Which requests a listener lets in: each reason to refuse one, and the request next to it that is answered. */
import { maxHeaderSize } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HttpOptions, type HttpServer, serveHttp } from '../../../src/server/transport/index.ts';
import { EchoHandler, request } from './echo-handler.ts';
import { post, RawHttp, type RawResponse } from './raw-http.ts';

async function listen(options: HttpOptions = {}, handler = new EchoHandler()): Promise<HttpServer> {
  const server = await serveHttp(handler, { port: 0, closeMsMax: 100, health: true, ...options });
  onTestFinished(() => server.close());
  return server;
}

async function dial(server: HttpServer): Promise<RawHttp> {
  const raw = await RawHttp.open(server.port);
  onTestFinished(() => {
    raw.socket.destroy();
  });
  return raw;
}

const ask = async (server: HttpServer, text: string): Promise<RawResponse> =>
  (await dial(server)).send(text).response();

/** A GET with these header lines. */
const get = (path: string, ...lines: string[]): string => `GET ${path} HTTP/1.1\r\n${[...lines, '', ''].join('\r\n')}`;

/** The status, the word of the error, and what was expected. */
function refusal({ status, body }: RawResponse): readonly [status: number, code: string, expected: string] {
  const { code, expected } = JSON.parse(body).error.data;
  return [status, code, expected];
}

describe('a request is refused', () => {
  it('on a connection too many, and answered on the last that may be open', async () => {
    const server = await listen({ connectionsMax: 2 });
    const [first, second, third] = [await dial(server), await dial(server), await dial(server)];
    const text = get('/health', 'Host: localhost');
    expect((await first.send(text).response()).status).toBe(200);
    expect((await second.send(text).response()).status).toBe(200);
    expect(refusal(await third.send(text).response())).toEqual([503, 'limit-exceeded', 'at most 2 connections']);
  });

  it('without Host, or with more than one', async () => {
    const server = await listen();
    const malformed = [400, 'malformed-bytes', 'one Host field'];
    expect(refusal(await ask(server, get('/health')))).toEqual(malformed);
    for (const name of ['Host', 'HOST', 'host']) {
      expect(refusal(await ask(server, get('/health', 'Host: localhost', `${name}: localhost`)))).toEqual(malformed);
    }
    // Neither a longer name, nor a value.
    expect((await ask(server, get('/health', 'Host: localhost', 'Hosts: a', 'x-host: b', 'x: host'))).status).toBe(200);
  });

  it('for a Host of others, also after one of its own on the same connection', async () => {
    const raw = await dial(await listen());
    const statuses: number[] = [];
    statuses.push((await raw.send(post(0, request('echo'), { host: 'localhost' })).response()).status);
    for (const host of ['evil.example', 'localhost', 'localhost.evil.example']) {
      statuses.push((await raw.send(get('/health', `Host: ${host}`)).response()).status);
    }
    expect(statuses).toEqual([200, 403, 200, 403]);
  });

  it('for an Origin of others, whatever its Sec-Fetch-Site says', async () => {
    const server = await listen();
    const status = async (origin: string, site: string): Promise<number> =>
      (await ask(server, get('/health', 'Host: localhost', `Origin: ${origin}`, `Sec-Fetch-Site: ${site}`))).status;
    expect(await status('https://evil.example', 'same-origin')).toBe(403);
    expect(await status('https://evil.example', 'none')).toBe(403);
    expect(await status('http://localhost:3000', 'cross-site')).toBe(200);
  });

  it('without Origin for the site of others, but for the web client', async () => {
    const server = await listen();
    const status = async (method: string, path: string, site?: string): Promise<number> => {
      const text = get(path, 'Host: localhost', ...(site === undefined ? [] : [`Sec-Fetch-Site: ${site}`]));
      return (await (await dial(server)).send(text.replace('GET', method)).response(method !== 'HEAD')).status;
    };
    expect(await status('GET', '/health')).toBe(200);
    expect(await status('GET', '/health', 'none')).toBe(200);
    expect(await status('GET', '/health', 'cross-site')).toBe(403);
    expect(await status('GET', '/', 'cross-site')).toBe(200);
    expect(await status('HEAD', '/', 'cross-site')).toBe(200);
    expect(await status('POST', '/', 'cross-site')).toBe(403);
    expect(await status('OPTIONS', '/', 'cross-site')).toBe(403);
    expect(await status('GET', '/rooch', 'cross-site')).toBe(403);
    expect(await status('GET', '/nowhere', 'cross-site')).toBe(403);
  });

  it('beyond those of one connection that may be unanswered, and no earlier', async () => {
    const handler = new EchoHandler();
    const raw = await dial(await listen({ pipelinedRequestsMax: 3 }, handler));
    const hold = post(0, request('hold'), { host: 'localhost' });
    raw.send(hold.repeat(4));
    await handler.receives(1);
    handler.release();
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) {
      statuses.push((await raw.response()).status);
      handler.release();
    }
    const expected = 'at most 3 requests in flight on one connection';
    expect(refusal(await raw.response())).toEqual([503, 'limit-exceeded', expected]);
    expect(statuses).toEqual([200, 200, 200]);
  });

  it('beyond the bytes that all may hold, also for its headers alone', async () => {
    const expected = 'at most 8000 bytes of requests in flight';
    const server = await listen({ inFlightBytesMax: 8_000 });
    const padded = (bytes: number): string => get('/health', 'Host: localhost', `x: ${'y'.repeat(bytes)}`);
    expect(refusal(await ask(server, padded(8_000)))).toEqual([503, 'limit-exceeded', expected]);
    expect((await ask(server, padded(3_000))).status).toBe(200);
  });
});

describe('a message that cannot be read is refused', () => {
  it('with 400 if it is not HTTP, and 431 if its headers are too long', async () => {
    const server = await listen();
    expect(refusal(await ask(server, 'hello\r\n\r\n'))).toEqual([400, 'malformed-bytes', 'an HTTP/1.1 message']);
    const long = get('/health', 'Host: localhost', `x: ${'y'.repeat(maxHeaderSize)}`);
    const expected = `headers of at most ${maxHeaderSize} bytes`;
    expect(refusal(await ask(server, long))).toEqual([431, 'malformed-bytes', expected]);
  });

  it('with 408 if it does not come in time', async () => {
    const server = await listen({ headersMsMax: 1, requestMsMax: 1 });
    const expected = 'the whole request within its time limit';
    expect(refusal(await ask(server, 'GET / HTTP/1.1\r\n'))).toEqual([408, 'malformed-bytes', expected]);
  });
});
