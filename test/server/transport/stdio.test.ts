import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { IN_FLIGHT_BYTES_MAX, REQUEST_BYTES_MAX, UNSENT_BYTES_MAX } from '../../../src/base/config.ts';
import { type StdioOptions, type StdioServer, serveStdio } from '../../../src/server/index.ts';
import { answer, EchoHandler, request, rounds } from './echo-handler.ts';

interface Child {
  readonly handler: EchoHandler;
  readonly server: StdioServer;
  readonly input: PassThrough;
  readonly output: PassThrough;
  /** Everything that was written so far. */
  written(): string;
  /** Waits for so many lines. */
  lines(count: number): Promise<string[]>;
}

function start(options: StdioOptions = {}): Child {
  const handler = new EchoHandler();
  const input = new PassThrough();
  const output = new PassThrough();
  const chunks: Buffer[] = [];
  output.on('data', (chunk: Buffer) => chunks.push(chunk));
  const written = (): string => Buffer.concat(chunks).toString();
  const lines = async (count: number): Promise<string[]> => {
    while (written().split('\n').length <= count) await once(output, 'data');
    return written().split('\n').slice(0, -1);
  };
  const server = serveStdio(handler, { input, output, ...options });
  return { handler, server, input, output, written, lines };
}

const framed = (text: string): string => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

describe('requests', () => {
  it('by line are answered by line', async () => {
    const { input, server, written } = start();
    input.write(`${request('echo', ['ε😀'])}\r\n{"jsonrpc":"2.0","method":"echo"}\n`);
    input.end(`${request('path', [], 2)}\n`);
    expect(await server.ended).toBe('input-ended');
    expect(written()).toBe(`${answer(['ε😀'])}\n${answer('/', 2)}\n`);
  });

  it('in frames are answered in frames', async () => {
    const { input, server, written } = start();
    input.write(framed(request('echo', ['ε😀'])));
    input.end(framed(request('echo', [], 2)));
    expect(await server.ended).toBe('input-ended');
    expect(written()).toBe(framed(answer(['ε😀'])) + framed(answer([], 2)));
  });

  it('may arrive byte by byte, letters cut in two', async () => {
    for (const message of [`${request('echo', ['ε😀'])}\n`, framed(request('echo', ['ε😀']))]) {
      const { input, server, written } = start();
      for (const byte of Buffer.from(message)) input.write(Buffer.of(byte));
      input.end();
      await server.ended;
      expect(written()).toContain(answer(['ε😀']));
    }
  });

  it('of nonsense get one error each, and the next is answered', async () => {
    const { input, lines } = start({ requestBytesMax: 100 });
    input.write('nonsense\n');
    input.write(Buffer.from([0x7b, 0xc3, 0x28, 0x0a]));
    input.write(`${'x'.repeat(5_000)}\n`);
    input.write(`${request('fail')}\n`);
    input.write(`${request('echo')}\n`);
    const answers = (await lines(5)).map((line) => JSON.parse(line));
    expect(answers.map((each) => each.error?.code ?? each.result).sort()).toEqual(
      [-32700, -32700, -32007, -32603, []].sort(),
    );
  });

  it('share one context, whose notify writes in their framing', async () => {
    const { input, handler, server, written } = start();
    input.write(framed(request('subscribe', [1])));
    input.end(framed(request('echo')));
    await server.ended;
    expect(handler.contexts.size).toBe(1);
    expect(written().startsWith(framed('{"note":0}'))).toBe(true);
    const [context] = handler.contexts;
    expect([context?.closed?.aborted, context?.notify?.('late')]).toEqual([true, false]);
  });
});

describe('the end of input', () => {
  it('is acted on after what is in flight', async () => {
    const { input, server, handler, lines, written } = start();
    input.write(`${request('hold', [], 1)}\n`);
    input.end(request('echo', [], 2));
    await lines(1);
    handler.release();
    expect(await server.ended).toBe('input-ended');
    expect(written()).toBe(`${answer([], 2)}\n${answer([], 1)}\n`);
  });

  it('without any request is a quiet end', async () => {
    const { input, server, written } = start();
    input.end();
    expect([await server.ended, written()]).toEqual(['input-ended', '']);
  });

  it('waits until the output has taken everything', async () => {
    const taken: string[] = [];
    const output = new Writable({
      highWaterMark: 1,
      write: (chunk, _encoding, done) => {
        setTimeout(() => {
          taken.push(String(chunk));
          done();
        }, 10);
      },
    });
    const input = new PassThrough();
    const server = serveStdio(new EchoHandler(), { input, output });
    input.end(`${request('echo', [], 1)}\n${request('echo', [], 2)}\n${request('echo', [], 3)}\n`);
    await server.ended;
    expect(taken.join('')).toBe([1, 2, 3].map((id) => `${answer([], id)}\n`).join(''));
  });
});

describe('limits', () => {
  it('bound the requests that are at work at once, and lose none', async () => {
    const { input, server, handler, written } = start({ inFlightRequestsMax: 3 });
    input.end(Array.from({ length: 40 }, (_, id) => `${request('later', [2], id)}\n`).join(''));
    await server.ended;
    expect(handler.inFlightSeen).toBe(3);
    expect(written().trim().split('\n')).toHaveLength(40);
  });

  it('bound the bytes of requests that are at work at once, and lose none', async () => {
    const { input, server, handler, written } = start({ inFlightBytesMax: 1_000, requestBytesMax: 600 });
    const padding = 'x'.repeat(400);
    input.end(Array.from({ length: 12 }, (_, id) => `${request('later', [2, padding], id)}\n`).join(''));
    await server.ended;
    expect(handler.inFlightSeen).toBe(2);
    expect(written().trim().split('\n')).toHaveLength(12);
  });

  it('on requests together never keep out a single one', async () => {
    const { input, server, written } = start({ inFlightBytesMax: 10, requestBytesMax: 600 });
    input.end(`${request('echo', ['x'.repeat(400)])}\n`);
    await server.ended;
    expect(written()).toBe(`${answer(['x'.repeat(400)])}\n`);
  });

  it('bound the bytes of unread answers: those beyond are refused, and what is asked later is answered', async () => {
    const { input, output, server, handler, written } = start({ allUnsentBytesMax: 4_000_000 });
    output.pause();
    input.write(Array.from({ length: 20 }, (_, id) => `${request('big', [1_000_000], id)}\n`).join(''));
    while (handler.received.length < 20) await sleep(5);
    await sleep(20);
    expect(output.readableLength + output.writableLength).toBeLessThan(6_100_000);
    output.resume();
    input.end(`${request('echo', [], 20)}\n`);
    await server.ended;
    const answers = written()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const refused = answers.filter((each) => each.id === null);
    expect(refused[0].error).toMatchObject({ code: -32009, data: { code: 'limit-exceeded' } });
    expect([answers.length, answers.some(({ id }) => id === 20)]).toEqual([21, true]);
    expect(refused.length).toBeGreaterThanOrEqual(14);
  });

  it('stop the reading while the output is not taken', async () => {
    const { input, output, handler, server, written } = start();
    output.pause();
    input.end(Array.from({ length: 500 }, (_, id) => `${request('big', [1_000], id)}\n`).join(''));
    await sleep(50);
    expect(handler.received.length).toBeLessThan(150);
    output.resume();
    await server.ended;
    expect(written().trim().split('\n')).toHaveLength(500);
  });
});

describe('without options', () => {
  it('as many bytes of requests are at work as the constant says, and no more than the next one is read', async () => {
    const { input, handler, server, written } = start();
    const piece = 65_536;
    const line = Buffer.from(`${request('hold', ['x'.repeat(REQUEST_BYTES_MAX - 1_000)])}\n`);
    const fitting = Math.floor(IN_FLIGHT_BYTES_MAX / (line.length - 1));
    const count = fitting + 4;
    for (let sent = 0; sent < count; sent++) {
      for (let at = 0; at < line.length; at += piece) input.write(line.subarray(at, at + piece));
    }
    await handler.receives(fitting);
    await rounds();
    expect(handler.received).toHaveLength(fitting);
    const read = count * line.length - input.readableLength - input.writableLength;
    expect(read).toBeLessThan((fitting + 1) * line.length + 4 * piece);
    handler.release();
    input.end();
    await server.ended;
    expect(written().trim().split('\n')).toHaveLength(count);
  });

  it('notifications leave room for answers', async () => {
    const { input, output, handler } = start();
    output.pause();
    input.write(`${request('echo')}\n`);
    await handler.receives(1);
    const [context] = handler.contexts;
    const note = `"${'x'.repeat(1_000_000)}"`;
    let taken = 0;
    while (context?.notify?.(note) === true) taken += note.length;
    expect(taken).toBeGreaterThan(UNSENT_BYTES_MAX - note.length);
    expect(taken).toBeLessThan(UNSENT_BYTES_MAX + 2 * note.length);
    expect(context?.isWritable?.()).toBe(false);
    output.resume();
    await expect.poll(() => context?.isWritable?.()).toBe(true);
    expect(context?.notify?.(note)).toBe(true);
    output.destroy();
  });
});

describe('what cannot be read', () => {
  it('is refused one by one, as fast as the refusals are read', async () => {
    const { input, output, server, written } = start();
    output.pause();
    const count = 5_000;
    input.end(Buffer.alloc(2 * count, Buffer.from([0xff, 0x0a])));
    await rounds();
    const unread = output.readableLength + output.writableLength;
    expect(unread).toBeGreaterThan(0);
    expect(unread).toBeLessThan(100_000);
    output.resume();
    await server.ended;
    expect(written().trim().split('\n')).toHaveLength(count);
  });
});

describe('the other side', () => {
  it('that stops reading ends the conversation quietly', async () => {
    const { input, output, server } = start();
    input.write(`${request('later', [10_000])}\n`);
    await sleep(10);
    output.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(await server.ended).toBe('output-closed');
    expect(input.destroyed).toBe(true);
  });

  it('that closes the output without an error ends it too', async () => {
    const { output, server } = start();
    output.destroy();
    expect(await server.ended).toBe('output-closed');
  });

  it('whose disk is full is an error', async () => {
    const { output, server } = start();
    output.destroy(Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
    await expect(server.ended).rejects.toMatchObject({ code: 'transport-failed' });
  });

  it('whose disk is full, which it says at once, is an error', async () => {
    const output = new PassThrough();
    output.write = () => {
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    };
    const input = new PassThrough();
    const server = serveStdio(new EchoHandler(), { input, output });
    input.write(`${request('echo')}\n`);
    await expect(server.ended).rejects.toMatchObject({ code: 'transport-failed' });
  });

  it('whose input breaks is an error', async () => {
    const { input, server } = start();
    input.destroy(new Error('read failed'));
    await expect(server.ended).rejects.toMatchObject({ code: 'transport-failed' });
  });
});

describe('close', () => {
  it('answers what is in flight and reads no more', async () => {
    const { input, server, handler, written } = start();
    input.write(`${request('hold')}\n`);
    await handler.receives(1);
    const closed = server.close();
    input.write(`${request('echo')}\n`);
    handler.release();
    await closed;
    expect(await server.ended).toBe('closed');
    expect(written()).toBe(`${answer([])}\n`);
    expect(handler.received).toHaveLength(1);
    await server.close();
  });

  it('waits no longer than its time limit', async () => {
    const { input, server, handler } = start({ closeMsMax: 50 });
    input.write(`${request('hold')}\n`);
    await handler.receives(1);
    await server.close();
    expect(handler.inFlight).toBe(1);
  });

  it('waits no longer for answers that nobody reads', async () => {
    const { input, output, server, handler } = start({ closeMsMax: 50 });
    output.pause();
    input.write(`${request('big', [1_000_000])}\n`);
    await handler.receives(1);
    await rounds();
    await server.close();
    expect(await server.ended).toBe('output-closed');
  });
});
