/** Subscriptions over every transport that can push, on a real engine. */
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import WebSocket from 'ws';
import { SSE_COMMENT_MS } from '../../../src/base/config.ts';
import type { StreamSink } from '../../../src/server/rpc/rpc.ts';
import { createRpc } from '../../../src/server/rpc/server.ts';
import { type HttpServer, serveHttp } from '../../../src/server/transport/http.ts';
import { servePort } from '../../../src/server/transport/message-port.ts';
import { serveStdio } from '../../../src/server/transport/stdio.ts';
import { HandEngine } from '../../journeys/hand.ts';
import { RawHttp } from './raw-http.ts';

async function handEngine(): Promise<HandEngine> {
  const hand = await HandEngine.open();
  onTestFinished(() => hand.engine.close());
  return hand;
}

async function served(hand: HandEngine): Promise<HttpServer> {
  const server = await serveHttp(createRpc(hand.engine), { port: 0 });
  onTestFinished(() => server.close());
  return server;
}

const SUBSCRIBE = '{"jsonrpc":"2.0","id":1,"method":"rooch_subscribeTransactions","params":["all"]}';

/** The orders in pushed texts; the first text answers the subscription. */
function ordersOf(texts: readonly string[]): string[] {
  const [answer, ...pushed] = texts.map((text) => JSON.parse(text));
  expect(answer).toMatchObject({ id: 1, result: expect.any(Number) });
  for (const { params } of pushed) expect(params.subscription).toBe(answer.result);
  return pushed.map(({ params }) => params.result.transaction.sequence_info.tx_order);
}

/** Waits until `count` texts are there. */
async function until(texts: readonly string[], count: number): Promise<void> {
  while (texts.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** A conversation: what the client says, and the texts that come back. */
interface Conversation {
  readonly say: (text: string) => void;
  readonly texts: readonly string[];
  readonly close: () => Promise<void>;
}

function overStdio(hand: HandEngine): Conversation {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const texts: string[] = [];
  createInterface({ input: output }).on('line', (line) => texts.push(line));
  const server = serveStdio(createRpc(hand.engine), { input, output });
  onTestFinished(() => server.close());
  return { say: (text) => input.write(`${text}\n`), texts, close: () => server.close() };
}

function overPort(hand: HandEngine): Conversation {
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  const texts: string[] = [];
  port1.on('message', (text: string) => texts.push(text));
  const server = servePort(createRpc(hand.engine), port2);
  return { say: (text) => port1.postMessage(text), texts, close: () => server.close() };
}

const CONVERSATIONS: readonly (readonly [string, (hand: HandEngine) => Conversation])[] = [
  ['stdio', overStdio],
  ['a message port', overPort],
];

describe('a subscription', () => {
  it('over WebSocket', async () => {
    const hand = await handEngine();
    const server = await served(hand);
    const socket = new WebSocket(server.url.replace('http', 'ws'));
    const texts: string[] = [];
    socket.on('message', (data) => texts.push(String(data)));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(SUBSCRIBE);
    await until(texts, 1);
    await hand.commit();
    await hand.commit();
    await until(texts, 3);
    expect(ordersOf(texts)).toEqual(['1', '2']);
    socket.close();
  });

  it.each(CONVERSATIONS)('over %s', async (_, over) => {
    const hand = await handEngine();
    const { say, texts } = over(hand);
    say(SUBSCRIBE);
    await until(texts, 1);
    await hand.commit();
    await until(texts, 2);
    expect(ordersOf(texts)).toEqual(['1']);
  });

  it('of a batch sends its first item after the answer with its id', async () => {
    const hand = await handEngine();
    await hand.commit();
    const { say, texts } = overStdio(hand);
    const subscribe =
      '{"jsonrpc":"2.0","id":1,"method":"rooch_subscribeTransactions","params":["all",{"from_order":0}]}';
    // A page of many objects gives others their turn in between.
    const page = '{"jsonrpc":"2.0","id":2,"method":"rooch_listStates","params":["/object",null,"100",{"decode":true}]}';
    say(`[${subscribe},${page},${page}]`);
    await until(texts, 3);
    const [answer, ...items] = texts.map((text) => JSON.parse(text));
    expect(answer.map(({ id }: { id: number }) => id)).toEqual([1, 2, 2]);
    for (const { params } of items) expect(params.subscription).toBe(answer[0].result);
  });

  const TOLD = 'the node is shutting down; subscribe again from order 2';
  /** The last thing that was pushed. */
  const reason = (texts: readonly string[]): unknown => {
    const { message, data } = JSON.parse(texts.at(-1)!).params.error;
    return [message, data];
  };

  it.each(CONVERSATIONS)('over %s says why it ends when the conversation is closed', async (_, over) => {
    const hand = await handEngine();
    const { say, texts, close } = over(hand);
    say(SUBSCRIBE);
    await until(texts, 1);
    await hand.commit();
    await until(texts, 2);
    await close();
    await until(texts, 3);
    expect(reason(texts)).toEqual([TOLD, { code: 'closed', from_order: '2' }]);
  });

  it('over WebSocket says why it ends with the listener', async () => {
    const hand = await handEngine();
    const server = await served(hand);
    const socket = new WebSocket(server.url.replace('http', 'ws'));
    const texts: string[] = [];
    socket.on('message', (data) => texts.push(String(data)));
    const code = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(SUBSCRIBE);
    await until(texts, 1);
    await hand.commit();
    await until(texts, 2);
    await server.close();
    expect(await code).toBe(1001);
    expect(reason(texts)).toEqual([TOLD, { code: 'closed', from_order: '2' }]);
  });
});

describe('a transaction with more events than a connection holds', () => {
  const COUNT = 60;
  /** 24 MB as JSON. */
  const events = Array.from({ length: COUNT }, () => ({
    type: '0x42::game::Moved',
    data: new Uint8Array(200_000).fill(7),
  }));
  const subscribe = '{"jsonrpc":"2.0","id":1,"method":"rooch_subscribeEvents","params":["all"]}';
  const indexes = (texts: readonly string[]): string[] =>
    texts.slice(1).map((text) => JSON.parse(text).params.result.indexer_event_id.event_index);
  const all = Array.from({ length: COUNT }, (_, index) => `${index}`);

  it('reaches a WebSocket that reads, whole', async () => {
    const hand = await handEngine();
    const socket = new WebSocket((await served(hand)).url.replace('http', 'ws'));
    onTestFinished(() => socket.terminate());
    const texts: string[] = [];
    socket.on('message', (data) => texts.push(String(data)));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(subscribe);
    await until(texts, 1);
    await hand.commit({ events });
    await until(texts, 1 + COUNT);
    expect(indexes(texts)).toEqual(all);
  });

  it('reaches a reader of stdio that comes late, whole', async () => {
    const hand = await handEngine();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const server = serveStdio(createRpc(hand.engine), { input, output });
    onTestFinished(() => server.close());
    input.write(`${subscribe}\n`);
    await new Promise((resolve) => output.once('readable', resolve));
    await hand.commit({ events });
    let text = '';
    output.on('data', (data: Buffer) => {
      text += data.toString();
    });
    await expect.poll(() => text.match(/\n/g)?.length).toBe(1 + COUNT);
    expect(indexes(text.trim().split('\n'))).toEqual(all);
  });
});

describe('server-sent events', () => {
  /** Reads a stream of events; `cut` ends it. */
  async function stream(
    url: string,
    headers: Record<string, string> = {},
  ): Promise<{ text: () => string; cut: () => void }> {
    const gone = new AbortController();
    onTestFinished(() => gone.abort());
    const response = await fetch(url, { headers, signal: gone.signal });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    let text = '';
    const read = async (): Promise<void> => {
      for await (const chunk of response.body!) text += Buffer.from(chunk).toString();
    };
    read().catch(() => {
      // Cut off by the test.
    });
    return { text: () => text, cut: () => gone.abort() };
  }

  const untilText = async (text: () => string, part: string): Promise<void> => {
    while (!text().includes(part)) await new Promise((resolve) => setTimeout(resolve, 1));
  };

  it('give transactions as they come, with the order to go on from', async () => {
    const hand = await handEngine();
    const { url } = await served(hand);
    const { text, cut } = await stream(`${url}/subscribe/sse/transactions?filter=%22all%22`);
    await hand.commit();
    await untilText(text, 'id: 1\n\n');
    const [event, data, id] = text().slice('id: 0\n\n'.length).split('\n');
    expect([event, id]).toEqual(['event: message', 'id: 1']);
    expect(JSON.parse(data!.slice('data: '.length))).toMatchObject({
      execution_info: { status: { type: 'executed' } },
    });
    cut();
    await hand.commit();
    const again = await stream(`${url}/subscribe/sse/transactions?filter=%22all%22`, { 'last-event-id': '1' });
    await untilText(again.text, 'id: 2\n\n');
    expect(again.text()).not.toContain('id: 1\n');
  });

  it('that are cut off before their first item have said where to go on', async () => {
    const hand = await handEngine();
    const { url } = await served(hand);
    await hand.commit();
    const { text, cut } = await stream(`${url}/subscribe/sse/transactions?filter=%22all%22`);
    // A browser takes over an id that comes without an event.
    await untilText(text, 'id: 1\n\n');
    expect(text()).toBe('id: 1\n\n');
    cut();
    await hand.commit();
    const again = await stream(`${url}/subscribe/sse/transactions?filter=%22all%22`, { 'last-event-id': '1' });
    await untilText(again.text, 'id: 2\n\n');
    expect(again.text().match(/event: message/g)).toHaveLength(1);
  });

  it('may have a question mark in their query', async () => {
    const hand = await handEngine();
    const { url } = await served(hand);
    const { text } = await stream(`${url}/subscribe/sse/transactions?why=?&filter=%22all%22&from_order=0`);
    await untilText(text, 'id: 0\n\n');
  });

  it('say where a client that was told that the chain went back would continue', async () => {
    const hand = await handEngine();
    const { url } = await served(hand);
    const { text } = await stream(`${url}/subscribe/sse/transactions?filter=%22all%22`);
    await hand.commit();
    const snapshot = hand.engine.snapshot();
    for (let count = 0; count < 2; count++) await hand.commit();
    await untilText(text, 'id: 3\n\n');
    await hand.engine.revert(snapshot);
    await untilText(text, 'event: reverted');
    // Without it a browser would reconnect with the id of the last order that is no more.
    await untilText(text, 'data: {"next_order":"2"}\nid: 1\n\n');
  });

  it('tell a browser that has seen more than the chain has, as one that was started anew, that it went back', async () => {
    const hand = await handEngine();
    const { url } = await served(hand);
    await hand.commit();
    for (const path of ['transactions', 'events']) {
      const { text } = await stream(`${url}/subscribe/sse/${path}?filter=%22all%22`, { 'last-event-id': '7' });
      await untilText(text, 'id: 1\n\n');
      expect(text()).toBe('event: reverted\ndata: {"next_order":"2"}\nid: 1\n\n');
    }
    const { text } = await stream(`${url}/subscribe/sse/transactions?filter=%22all%22`, { 'last-event-id': '9' });
    await untilText(text, 'event: reverted');
    await hand.commit();
    await untilText(text, 'id: 2\n\n');
    // One that has seen all there is only waits.
    const last = await stream(`${url}/subscribe/sse/transactions?filter=%22all%22`, { 'last-event-id': '2' });
    await hand.commit();
    await untilText(last.text, 'id: 3\n\n');
    expect(last.text()).not.toContain('reverted');
  });

  it('give events of the past from an order on', async () => {
    const hand = await handEngine();
    const { url } = await served(hand);
    const data = Uint8Array.of(7);
    await hand.commit({
      events: [
        { type: '0x42::game::Moved', data },
        { type: '0x42::game::Moved', data },
      ],
    });
    const filter = encodeURIComponent(JSON.stringify({ event_type: '0x42::game::Moved' }));
    const { text } = await stream(`${url}/subscribe/sse/events?filter=${filter}&from_order=0`);
    await untilText(text, 'id: 1\n\n');
    expect(text().match(/event: message/g)).toHaveLength(2);
    // From order 0 on, there is no order to go on after until one has been sent.
    expect(text().match(/^id: /gm)).toHaveLength(1);
  });

  it('say what is wrong with a filter, and end', async () => {
    const hand = await handEngine();
    const { url } = await served(hand);
    const response = await fetch(`${url}/subscribe/sse/events?filter=all`);
    expect(await response.text()).toMatch(/^event: error\ndata: .*JSON/);
    expect((await fetch(`${url}/subscribe/sse/events`)).status).toBe(400);
    expect((await fetch(`${url}/subscribe/sse/events?filter=%22all%22`, { method: 'POST' })).status).toBe(426);
  });

  it('end with their connection, also those that wait behind another answer', async () => {
    const hand = await handEngine();
    const server = await serveHttp(createRpc(hand.engine), { port: 0, metrics: true });
    onTestFinished(() => server.close());
    const connections = async (): Promise<Record<string, number>> => {
      const text = await (await fetch(`${server.url}/metrics`, { headers: { connection: 'close' } })).text();
      const lines = text.matchAll(/^movelet_connections\{kind="(\w+)"\} (-?\d+)$/gm);
      return Object.fromEntries([...lines].map(([, kind, count]) => [kind!, Number(count)]));
    };
    const raw = await RawHttp.open(server.port);
    const get = `GET /subscribe/sse/transactions?filter=%22all%22&from_order=0 HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    let text = '';
    raw.socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    raw.send(get.repeat(3));
    await untilText(() => text, 'id: 0\n\n');
    // One stream, and the connection of this request.
    expect(await connections()).toEqual({ http: 1, websocket: 0, event_stream: 1 });
    raw.socket.destroy();
    await expect.poll(connections).toEqual({ http: 1, websocket: 0, event_stream: 0 });
  });

  it('that wait behind a large answer which nobody reads end with their connection', async () => {
    let streams = 0;
    const handler = {
      handle: async () => JSON.stringify('x'.repeat(15_000_000)),
      stream: async (_request: unknown, sink: StreamSink): Promise<void> => {
        streams++;
        sink.closed.addEventListener('abort', () => streams--);
      },
    };
    const server = await serveHttp(handler, { port: 0 });
    onTestFinished(() => server.close());
    const raw = await RawHttp.open(server.port);
    raw.socket.pause();
    raw.send('POST / HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]');
    raw.send('GET /subscribe/sse/events?filter=%22all%22 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => streams).toBe(1);
    raw.socket.destroy();
    await expect.poll(() => streams).toBe(0);
  });

  it('that ended say nothing more while the rest of them waits to be read', async () => {
    let streams = 0;
    const handler = {
      handle: async () => JSON.stringify('x'.repeat(15_000_000)),
      stream: (_request: unknown, sink: StreamSink): Promise<void> => {
        streams++;
        sink.closed.addEventListener('abort', () => streams--);
        return Promise.reject(new Error('no such filter'));
      },
    };
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const server = await serveHttp(handler, { port: 0 });
    onTestFinished(() => server.close());
    const raw = await RawHttp.open(server.port);
    raw.socket.pause();
    raw.send('POST / HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]');
    raw.send('GET /subscribe/sse/events?filter=1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => streams).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    // A comment would be an error that nobody handles, and the end of the process.
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(2 * SSE_COMMENT_MS);
    raw.socket.destroy();
    await expect.poll(() => streams).toBe(0);
  });

  it('end with the engine, and say so', async () => {
    const hand = await handEngine();
    const server = await served(hand);
    const response = await fetch(`${server.url}/subscribe/sse/events?filter=%22all%22`);
    await hand.engine.close();
    expect(await response.text()).toBe(
      'id: 0\n\nevent: error\ndata: the engine was closed; subscribe again from order 1\n\n',
    );
  });

  it('end with the listener', async () => {
    const hand = await handEngine();
    const server = await serveHttp(createRpc(hand.engine), { port: 0 });
    const response = await fetch(`${server.url}/subscribe/sse/events?filter=%22all%22`);
    await server.close();
    expect(await response.text()).toBe(
      'id: 0\n\nevent: error\ndata: the node is shutting down; subscribe again from order 1\n\n',
    );
  });

  it('end with a reason at an event that has no room', async () => {
    const hand = await handEngine();
    const server = await serveHttp(createRpc(hand.engine), { port: 0, allUnsentBytesMax: 1_000_000 });
    onTestFinished(() => server.close());
    const response = await fetch(`${server.url}/subscribe/sse/events?filter=%22all%22`);
    await hand.commit({ events: [{ type: '0x42::game::Moved', data: new Uint8Array(500_000) }] });
    expect(await response.text()).toBe(
      'id: 0\n\nevent: error\ndata: the connection had no room for an item; subscribe again from order 1\n\n',
    );
  });
});
