/** The ten keep-alive connections of the HTTP benches, as raw sockets: otherwise we would measure a client library. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';

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

/** Sends a request and returns the whole answer, whatever it says. */
export function ask(socket: Socket, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      if (head === -1 || text.length < head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)) return;
      socket.off('data', onData).off('close', onClose);
      resolve(text);
    };
    const onClose = (): void => reject(new Error('the node closed a connection'));
    socket.on('data', onData);
    socket.once('close', onClose);
    socket.write(request);
  });
}

/** Starts a bench file again as another process, which finds `args` after its name. */
export function startProcess(file: string, ...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [fileURLToPath(file), ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** What a process prints until it ends. */
export async function printedBy(child: ChildProcess): Promise<string> {
  let text = '';
  child.stdout!.on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  return text;
}
