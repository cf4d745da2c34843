import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Each worker of Vitest has ports of its own, and gives each once. */
const SHARE = 600;
const FIRST = 20_000 + SHARE * (Number(process.env['VITEST_POOL_ID'] ?? 0) % 20);
const given = new Set<number>();

/**
 * A free port for a server in another process, which takes it some seconds later and again after it was killed. It lies
 * below those that systems give to listeners on port 0 and to clients (from 32,768 on Linux, 49,152 elsewhere): one of
 * these could go to another test meanwhile.
 */
export async function reservedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, FIRST + SHARE);
    if (given.has(port)) continue;
    given.add(port);
    const server = createServer();
    const listens = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!listens) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
