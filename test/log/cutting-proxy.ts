/**
 * A proxy before a PostgreSQL that cuts the connection of an append: before the server has it, on its way, or with the
 * server's answer.
 * @module
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export type Cut = 'none' | 'before' | 'on its way' | 'answer';

/** What only an append's statement contains. */
const APPEND = 'WITH moved AS';

export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `next` says what happens to the next append. */
  static async to(port: number, next: () => Cut): Promise<CuttingProxy> {
    const server = createServer();
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => proxy.#join(client, connect(port, '127.0.0.1'), next));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `postgres://movelet@127.0.0.1:${(this.#server.address() as AddressInfo).port}/postgres`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket, next: () => Cut): void {
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    let cutsAnswer = false;
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    client.on('data', (bytes) => {
      const cut = bytes.includes(APPEND) ? next() : 'none';
      if (cut === 'before') return end();
      server.write(bytes, () => {
        if (cut === 'on its way') end();
      });
      if (cut === 'answer') cutsAnswer = true;
    });
    server.on('data', (bytes) => {
      if (cutsAnswer) end();
      else client.write(bytes);
    });
  }
}
