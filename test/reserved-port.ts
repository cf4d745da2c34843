import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free port for a server in another process, which takes it some seconds later and again after it was killed. It lies
 * below those that systems give to listeners on port 0 and to clients (from 32,768 on Linux, 49,152 elsewhere): one of
 * these could go to another test meanwhile.
 */
export async function reservedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
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
