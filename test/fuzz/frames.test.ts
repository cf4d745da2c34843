import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { textBytes } from './area.ts';
import { talk } from './frames.ts';

it('a connection that the node resets is no failure', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    expect(await talk((server.address() as AddressInfo).port, textBytes('x'), 10_000)).toBe('');
  } finally {
    server.close();
  }
});
