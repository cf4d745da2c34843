/** Bytes on a connection that has become a WebSocket, and on one that has not. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveHttp } from '../../src/server/index.ts';
import { type Area, textBytes } from './area.ts';

const UPGRADE =
  'GET / HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n' +
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const POST = 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
const REQUEST_BYTES_MAX = 5_000;
export const LIFE_MS = 25;
/** Cases between two checks that a well-behaved client is answered. */
const LOOK_EVERY = 50;

/** A masked frame whose mask changes nothing. */
function frame(head: number, payload: string): Buffer {
  const length = payload.length < 126 ? [0x80 | payload.length] : [0xfe, payload.length >> 8, payload.length & 0xff];
  return Buffer.concat([Buffer.from([head, ...length, 0, 0, 0, 0]), Buffer.from(payload)]);
}

/** What a client may send on a connection: a WebSocket and its frames, and requests. */
export function frameSeeds(): Uint8Array[] {
  const seeds = [
    [frame(0x81, '{"id":1}'), frame(0x89, 'ping'), frame(0x88, '\u0003\u00e8')],
    [frame(0x01, 'a'), frame(0x89, 'p'.repeat(120)), frame(0x00, 'b'), frame(0x80, 'c')],
    [frame(0x82, 'binary'), frame(0x81, 'x'.repeat(300)), frame(0x8a, '')],
  ].map((parts) => Buffer.concat([textBytes(UPGRADE), ...parts]));
  const plain = [
    `${POST}content-length: 2\r\n\r\n{}${POST}content-length: 2\r\n\r\n{}`,
    `${POST}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    `${POST}expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}`,
    `${POST}content-length: ${2 * REQUEST_BYTES_MAX}\r\n\r\n${'x'.repeat(2 * REQUEST_BYTES_MAX)}`,
    `${POST}connection: Upgrade\r\nupgrade: h2c\r\ncontent-length: 2\r\n\r\n{}`,
    'OPTIONS /x HTTP/1.1\r\nhost: localhost\r\norigin: http://localhost\r\n\r\n',
  ].map(textBytes);
  return [...seeds, ...plain];
}

/**
 * Sends bytes on a connection of their own; gives what came back until it was closed, after `lifeMs` at the latest. A
 * node may reset a connection on which more came than it reads.
 */
export async function talk(port: number, input: Uint8Array, lifeMs: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket
    .on('error', () => {})
    .on('data', (read) => {
      answer += read.toString('latin1');
    });
  // Not `once` of node:events, which rejects when an error comes first.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(input);
  await Promise.race([closed, sleep(lifeMs)]);
  socket.destroy();
  await closed;
  return answer;
}

/** A request of a well-behaved client. */
export const QUIET_POST: Uint8Array = textBytes(`${POST}connection: close\r\ncontent-length: 2\r\n\r\n{}`);

export async function frames(): Promise<Area> {
  const failures: string[] = [];
  const server = await serveHttp(
    { handle: async (text) => JSON.stringify({ length: text.length }) },
    { port: 0, requestBytesMax: REQUEST_BYTES_MAX, log: ({ message }) => failures.push(message) },
  );
  let cases = 0;
  return {
    seeds: frameSeeds(),
    msMax: 2_000,
    run: async (input) => {
      await talk(server.port, input, LIFE_MS);
      if (++cases % LOOK_EVERY !== 0) return;
      const answer = await talk(server.port, QUIET_POST, 30_000);
      if (!answer.startsWith('HTTP/1.1 200')) throw new Error(`a well-behaved client got ${JSON.stringify(answer)}`);
      if (failures.length > 0) throw new Error(failures.join('\n'));
    },
    close: () => server.close(),
  };
}
