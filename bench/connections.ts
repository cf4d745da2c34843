/** The ten keep-alive connections of the HTTP benches, as raw sockets: otherwise we would measure a client library. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export const CONNECTIONS = 10;

/** A request with `body`, which is JSON of ASCII characters. */
export function postOf(port: number, body: string): Buffer {
  const head = `POST / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n`;
  return Buffer.from(`${head}content-length: ${body.length}\r\n\r\n${body}`);
}

/** Opens the connections and returns the seconds until `exchange` is done on each of them. */
export async function onConnections(
  port: number,
  exchange: (socket: Socket, index: number) => Promise<void>,
): Promise<number> {
  const sockets = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay();
      await once(socket, 'connect');
      return socket;
    }),
  );
  const started = performance.now();
  await Promise.all(sockets.map(exchange));
  const seconds = (performance.now() - started) / 1_000;
  for (const socket of sockets) socket.destroy();
  return seconds;
}
