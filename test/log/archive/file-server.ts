/**
 * A server of one file, which may end too early, fall silent, or have something else.
 * @module
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the server does with a request. */
export type Reply = (response: ServerResponse, request: IncomingMessage) => void;

export class FileServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #file: Uint8Array;
  #reply: Reply;
  /** Paths and queries that were asked for. */
  readonly requests: string[] = [];

  private constructor(server: Server, file: Uint8Array) {
    this.#server = server;
    this.#file = file;
    this.#reply = (response) => response.end(file);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.requests.push(request.url!);
      this.#reply(response, request);
    });
  }

  static async open(file: Uint8Array): Promise<FileServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FileServer(server, file);
  }

  /** `http://HOST:PORT`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sends this many bytes of the file, states its whole length, and closes the connection. */
  endAfter(length: number): void {
    this.#reply = (response) => {
      response.writeHead(200, { 'content-length': this.#file.length });
      // Not once it has ended: a connection that is kept alive no longer belongs to its response.
      const { socket } = response;
      response.write(this.#file.subarray(0, length), () => socket?.destroy());
    };
  }

  /** Sends this many bytes of the file, and nothing more. */
  stopAfter(length: number): void {
    this.#reply = (response) => response.write(this.#file.subarray(0, length));
  }

  reply(reply: Reply): void {
    this.#reply = reply;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }
}
