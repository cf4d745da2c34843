import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../../src/engine/engine.ts';
import { createRpc } from '../../../src/server/rpc/index.ts';
import { serveHttp, serveStdio } from '../../../src/server/transport/index.ts';
import { isLong, randomNumbers, seed } from '../../effort.ts';
import { mutateText } from '../../fuzz/mutate-text.ts';
import { collectGarbage } from '../../garbage.ts';
import type { RandomNumber } from '../../random.ts';
import { request } from './echo-handler.ts';
import { post, RawHttp } from './raw-http.ts';

const REQUESTS = isLong ? 100_000 : 500;
const CONNECTIONS = isLong ? 30_000 : 150;
const HEAP_GROWTH_BYTES_MAX = 5_000_000;

/** Unchanged one time in five, else changed up to four times. */
function mutate(bytes: Buffer, roll: RandomNumber): Buffer {
  let mutated: Uint8Array = bytes;
  for (let times = roll(5); times > 0; times--) mutated = mutateText(mutated, roll);
  return Buffer.from(mutated);
}

interface Document {
  readonly methods: readonly {
    readonly name: string;
    readonly examples: readonly { readonly params: readonly { readonly value: unknown }[] }[];
  }[];
}

/** Fails unless the text is one JSON-RPC response, or a batch of them. */
function checkAnswer(text: string): void {
  const parsed: unknown = JSON.parse(text);
  const responses = Array.isArray(parsed) ? parsed : [parsed];
  expect(responses.length).toBeGreaterThan(0);
  for (const response of responses) {
    expect(Object.keys(response).slice(0, 2)).toEqual(['jsonrpc', 'id']);
    expect(response.jsonrpc).toBe('2.0');
    expect('result' in response).toBe(!('error' in response));
    if ('result' in response) continue;
    expect(Number.isInteger(response.error.code)).toBe(true);
    expect(typeof response.error.message).toBe('string');
    expect(typeof response.error.data.code).toBe('string');
    expect(text).not.toMatch(/node_modules|\.ts:\d|at [\w.]+ \(/);
  }
}

/** A body that both transports take as one message: not blank, without a line feed, or a return that would end it. */
function asLine(bytes: Buffer): Buffer {
  const line = Buffer.from(bytes.map((byte) => (byte === 0x0a ? 0x20 : byte)));
  if (line.at(-1) === 0x0d) line[line.length - 1] = 0x20;
  return line.every((byte) => byte <= 0x20) ? Buffer.from('x') : line;
}

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe(`fuzzing with seed ${seed} (MOVELET_FUZZ_SEED repeats it)`, () => {
  it(`${REQUESTS} mutated requests get one answer each, the same over HTTP and stdio`, {
    timeout: 3_600_000,
  }, async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const { methods: all } = (await rpc.request('rpc.discover')) as unknown as Document;
    // A subscription belongs to its connection, and HTTP has none that lasts: subscriptions.test.ts.
    const methods = all.filter(({ name }) => !/subscribe/i.test(name));
    const samples = methods.flatMap(({ name, examples }) =>
      examples.map(({ params }) =>
        Buffer.from(
          request(
            name,
            params.map(({ value }) => value),
          ),
        ),
      ),
    );
    const answers = await Promise.all(samples.map((sample) => rpc.handle(sample.toString())));
    // The genesis transaction takes a megabyte; requests answered with it are made seldom.
    const small = samples.filter((_, index) => (answers[index]?.length ?? 0) < 50_000);
    expect(small.length).toBeGreaterThan(20);
    small.push(Buffer.from(`[${small.slice(0, 3).join(',')}]`));
    const roll = randomNumbers(seed);
    const pick = (from: readonly Buffer[]): Buffer => from[roll(from.length)]!;
    await using server = await serveHttp(rpc, { port: 0 });
    await using http = await RawHttp.open(server.port);
    const [input, output] = [new PassThrough(), new PassThrough()];
    await using _stdio = serveStdio(rpc, { input, output });
    // A PassThrough keeps writes apart, and each line is written at once.
    const lines: string[] = [];
    output.on('data', (line: Buffer) => lines.push(line.toString('latin1').trimEnd()));

    const round = 50;
    const heap: number[] = [];
    for (let done = 0; done < REQUESTS; done += round) {
      const bodies = Array.from({ length: round }, () => asLine(mutate(pick(roll(50) === 0 ? samples : small), roll)));
      const last = `{"jsonrpc":"2.0","id":"end of ${done}","method":"chain_getChainID"}`;
      for (const body of bodies) {
        http.send(Buffer.concat([Buffer.from(post(server.port, '', { 'content-length': `${body.length}` })), body]));
        input.write(Buffer.concat([body, Buffer.from('\n')]));
      }
      const overHttp: string[] = [];
      for (let index = 0; index < round; index++) {
        const { status, body } = await http.response();
        expect(status).toBe(body === '' ? 204 : 200);
        if (body === '') continue;
        checkAnswer(body);
        overHttp.push(Buffer.from(body).toString('latin1'));
      }
      input.write(`${last}\n`);
      while (lines.length <= overHttp.length) await once(output, 'data');
      const overStdio = lines.splice(0).filter((line) => !line.includes(`"end of ${done}"`));
      expect(overStdio.sort()).toEqual(overHttp.sort());
      if (done % Math.max(round, REQUESTS / 10) === 0) heap.push(heapBytes());
    }
    // What is compiled and cached early on is no leak: the second tenth is the baseline.
    const growth = heap.at(-1)! - heap[1]!;
    expect(growth).toBeLessThan(HEAP_GROWTH_BYTES_MAX);
  });

  it(`${CONNECTIONS} connections of mutated HTTP neither break the listener nor stay open`, {
    timeout: 3_600_000,
  }, async () => {
    const roll = randomNumbers(seed + 1);
    const failures: unknown[] = [];
    const server = await serveHttp(
      { handle: async (text) => JSON.stringify({ length: text.length }) },
      {
        port: 0,
        requestBytesMax: 5_000,
        connectionsMax: 40,
        // Longer than the test may take: a connection that stays open fails it.
        closeMsMax: 4_000_000,
        log: (entry) => failures.push(entry),
      },
    );
    const body = request('echo');
    const upgrade = (name: string): string =>
      `GET / HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: ${name}\r\nsec-websocket-version: 13\r\n` +
      'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x81\x85\x00\x00\x00\x00hello';
    const chunked = { 'content-length': undefined, 'transfer-encoding': 'chunked' };
    const samples = [
      post(server.port, body),
      post(server.port, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`, chunked),
      post(server.port, body, { expect: '100-continue' }),
      post(server.port, 'x'.repeat(9_000)),
      post(server.port, body, { connection: 'Upgrade', upgrade: 'h2c' }),
      upgrade('websocket'),
      'OPTIONS /x HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\n\r\n',
    ];
    const talk = async (): Promise<void> => {
      const parts = Array.from({ length: 1 + roll(3) }, () => samples[roll(samples.length)]);
      const bytes = mutate(Buffer.from(parts.join(''), 'latin1'), roll);
      const [cut, waitMs, lifeMs, halfClose] = [roll(bytes.length + 1), roll(5), roll(60), roll(3) === 0];
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {}).resume();
      const closed = once(socket, 'close');
      const end = setTimeout(() => socket.destroy(), 20 + lifeMs);
      socket.write(bytes.subarray(0, cut));
      setTimeout(() => {
        if (!socket.writable) return;
        socket.write(bytes.subarray(cut));
        if (halfClose) socket.end();
      }, waitMs);
      await closed;
      clearTimeout(end);
    };
    for (let done = 0; done < CONNECTIONS; done += 50) await Promise.all(Array.from({ length: 50 }, talk));
    // The last connections may take a while to be released.
    await expect
      .poll(
        async () => {
          await using alive = await RawHttp.open(server.port);
          return (await alive.send(post(server.port, body)).response()).status;
        },
        { timeout: 60_000 },
      )
      .toBe(200);
    expect(failures).toEqual([]);
    await server.close();
  });
});
