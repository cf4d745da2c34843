/**
 * A relay in front of a server, whose address stays while servers come and go. A port that was just closed cannot
 * be had again for certain: a child that another thread is about to start holds it until its program begins.
 * @module
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class Relay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port: number | undefined;
  /** Connections that wait for a server, while there are any that may. */
  #held: Socket[] | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<Relay> {
    const server = createServer();
    const relay = new Relay(server);
    server.on('connection', (client) => relay.#join(client));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  /** `http://HOST:PORT`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** New connections lead to the server at this port, and those that were held; with undefined they are ended at once. */
  lead(port: number | undefined): void {
    this.#port = port;
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const client of held) this.#join(client);
  }

  /** New connections wait, unanswered, until there is a server for them. */
  hold(): void {
    this.#held ??= [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of [...this.#sockets, ...(this.#held ?? [])]) socket.destroy();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    if (this.#held) {
      this.#held.push(client);
      return;
    }
    if (this.#port === undefined) {
      client.on('error', () => {}).destroy();
      return;
    }
    const server = connect(this.#port, '127.0.0.1');
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    client.pipe(server);
    server.pipe(client);
  }
}
