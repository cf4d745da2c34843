/** `--url` with a user and a password, as a node behind a proxy has them. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { NODE_OPTIONS, openNode } from '../../src/cli/node.ts';

const SECRET = 'p%40ss';
const nodeOf = (url: string) =>
  openNode(readArguments(['--url', url], NODE_OPTIONS, { min: 0, max: 0, usage: 'status' }));

it('are sent as the header that HTTP has for them', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    asked.push(headers.authorization);
    response.end('{"jsonrpc":"2.0","id":1,"result":7}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  for (const user of [`me:${SECRET}@`, '']) {
    const node = await nodeOf(`http://${user}127.0.0.1:${port}/path`);
    expect(await node.ask('x', '[]')).toBe('7');
  }
  expect(asked).toEqual([`Basic ${btoa('me:p@ss')}`, undefined]);
  server.closeAllConnections();
  server.close();
});

it.each(['http://me:p%40ss@127.0.0.1:1', 'http://me:p%zz@127.0.0.1:1', 'ftp://me:p%40ss@127.0.0.1:1'])(
  'are not in messages: %s',
  async (url) => {
    const message = await nodeOf(url)
      .then((node) => node.ask('x', '[]'))
      .catch((error: Error) => error.message);
    expect(message).toMatch(/^nothing answers at http:\/\/127\.0\.0\.1:1: |^--url: expected /);
    expect(message).not.toMatch(/p%|p@|me:/);
  },
);
