/** Subscriptions over every transport that can push, on a real engine. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import WebSocket from 'ws';
import { SSE_COMMENT_MS } from '../../../src/base/config.ts';
import { createRpc, type HttpServer, serveHttp, servePort, serveStdio } from '../../../src/server/index.ts';
import type { StreamSink } from '../../../src/server/rpc/rpc.ts';
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

/** Opens a conversation with a node over each transport that pushes; `close` is of the node's side. */
const CONVERSATIONS: Readonly<Record<string, (hand: HandEngine) => Promise<Conversation>>> = {
  WebSocket: async (hand) => {
    const server = await served(hand);
    const socket = new WebSocket(server.url.replace('http', 'ws'));
    onTestFinished(() => socket.terminate());
    const texts: string[] = [];
    socket.on('message', (data) => texts.push(String(data)));
    await once(socket, 'open');
    const close = async (): Promise<void> => {
      const closed = once(socket, 'close');
      await server.close();
      expect((await closed)[0]).toBe(1001);
    };
    return { say: (text) => socket.send(text), texts, close };
  },
  stdio: async (hand) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const texts: string[] = [];
    createInterface({ input: output }).on('line', (line) => texts.push(line));
    const server = serveStdio(createRpc(hand.engine), { input, output });
    onTestFinished(() => server.close());
    return { say: (text) => input.write(`${text}\n`), texts, close: () => server.close() };
  },
  'a message port': async (hand) => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    const texts: string[] = [];
    port1.on('message', (text: string) => texts.push(text));
    const server = servePort(createRpc(hand.engine), port2);
    return { say: (text) => port1.postMessage(text), texts, close: () => server.close() };
  },
};

describe('a subscription', () => {
  it.each(Object.entries(CONVERSATIONS))('over %s, which says why it ends when the node closes it', async (_, open) => {
    const hand = await handEngine();
    const { say, texts, close } = await open(hand);
    say(SUBSCRIBE);
    await until(texts, 1);
    await hand.commit();
    await hand.commit();
    await until(texts, 3);
    expect(ordersOf(texts)).toEqual(['1', '2']);
    await close();
    await until(texts, 4);
    const { message, data } = JSON.parse(texts.at(-1)!).params.error;
    expect(message).toBe('the node is shutting down; subscribe again from order 3');
    expect(data).toEqual({ code: 'closed', from_order: '3' });
  });

  it('of a batch sends its first item after the answer with its id', async () => {
    const hand = await handEngine();
    await hand.commit();
    const { say, texts } = await CONVERSATIONS['stdio']!(hand);
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
    const { say, texts } = await CONVERSATIONS['WebSocket']!(hand);
    say(subscribe);
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

  // An EventSource connects again to a stream that was answered with 200 and ended, and gives up after any other status.
  it.each([
    ['a filter that is no JSON', 'filter=all', -32602, /filter: .*JSON/],
    ['an unknown filter', 'filter=%22some%22', -32602, /filter/],
    ['an order that is no number', 'filter=%22all%22&from_order=x', -32602, /from_order/],
  ])('refuse %s with status 400 and a JSON-RPC error', async (_, query, code, message) => {
    const hand = await handEngine();
    const { url } = await served(hand);
    const response = await fetch(`${url}/subscribe/sse/events?${query}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
    const { error } = (await response.json()) as { error: { code: number; message: string } };
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
  });

  it('need a filter, and a GET', async () => {
    const hand = await handEngine();
    const { url } = await served(hand);
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

  /** A stream behind a large answer that nobody reads: its connection, and how many streams are open. */
  async function behindLargeAnswer(begun: () => Promise<void>): Promise<{ raw: RawHttp; openStreams: () => number }> {
    let streams = 0;
    const handler = {
      handle: async () => JSON.stringify('x'.repeat(15_000_000)),
      stream: (_request: unknown, sink: StreamSink): Promise<void> => {
        streams++;
        sink.closed.addEventListener('abort', () => streams--);
        return begun();
      },
    };
    const server = await serveHttp(handler, { port: 0 });
    onTestFinished(() => server.close());
    const raw = await RawHttp.open(server.port);
    raw.socket.pause();
    raw.send('POST / HTTP/1.1\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]');
    raw.send('GET /subscribe/sse/events?filter=%22all%22 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await expect.poll(() => streams).toBe(1);
    return { raw, openStreams: () => streams };
  }

  it('that wait behind a large answer which nobody reads end with their connection', async () => {
    const { raw, openStreams } = await behindLargeAnswer(() => Promise.resolve());
    raw.socket.destroy();
    await expect.poll(openStreams).toBe(0);
  });

  it('that ended say nothing more while the rest of them waits to be read', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { raw, openStreams } = await behindLargeAnswer(() => Promise.reject(new Error('no such filter')));
    await new Promise((resolve) => setImmediate(resolve));
    // A comment would be an error that nobody handles, and the end of the process.
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(2 * SSE_COMMENT_MS);
    raw.socket.destroy();
    await expect.poll(openStreams).toBe(0);
  });

  it.each([
    ['engine', 'the engine was closed'],
    ['listener', 'the node is shutting down'],
  ])('end with the %s, and say so', async (closed, reason) => {
    const hand = await handEngine();
    const server = await served(hand);
    const response = await fetch(`${server.url}/subscribe/sse/events?filter=%22all%22`);
    await (closed === 'engine' ? hand.engine : server).close();
    expect(await response.text()).toBe(`id: 0\n\nevent: error\ndata: ${reason}; subscribe again from order 1\n\n`);
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
