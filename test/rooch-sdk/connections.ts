/**
 * The official SDK's client on an engine: over a port, and in process.
 * @module
 */
import { RoochClient, RoochHTTPTransport } from '@roochnetwork/rooch-sdk';
import { EventSource } from 'eventsource';
import { type MockInstance, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Engine } from '../../src/index.ts';
import { createRpc, serveHttp } from '../../src/server/index.ts';
import { roochTransport } from '../../src/server/rooch.ts';

export interface Connection {
  readonly client: RoochClient;
  close(): Promise<void>;
}

export interface ConnectionKind {
  readonly name: string;
  readonly connect: (engine: Engine) => Promise<Connection>;
}

/** The sockets of one client. The SDK offers no way to close them, and reopens them when the server is gone. */
class Sockets {
  readonly #open: { close(): void }[] = [];
  readonly #streams: MockInstance;
  readonly WebSocket: typeof globalThis.WebSocket;

  constructor() {
    const open = this.#open;
    class Tracked extends WebSocket {
      constructor(url: string) {
        super(url);
        open.push({
          close: () =>
            this.removeAllListeners('close')
              .on('error', () => {})
              .terminate(),
        });
      }
    }
    // Node 20 has no WebSocket of its own.
    this.WebSocket = Tracked as unknown as typeof globalThis.WebSocket;
    const { set } = Object.getOwnPropertyDescriptor(EventSource.prototype, 'onopen')!;
    this.#streams = vi.spyOn(EventSource.prototype, 'onopen', 'set').mockImplementation(function (
      this: EventSource,
      listener,
    ) {
      open.push({
        close: () => {
          this.onerror = null;
          this.close();
        },
      });
      set!.call(this, listener);
    });
  }

  close(): void {
    this.#streams.mockRestore();
    for (const socket of this.#open) socket.close();
  }
}

export const CONNECTIONS: readonly ConnectionKind[] = [
  {
    name: 'a port: HTTP, WebSocket and server-sent events',
    connect: async (engine) => {
      const server = await serveHttp(createRpc(engine, { wire: 'rooch' }), { port: 0 });
      const sockets = new Sockets();
      const transport = new RoochHTTPTransport({ url: server.url, WebSocketConstructor: sockets.WebSocket });
      const client = new RoochClient({ transport });
      return {
        client,
        close: async () => {
          client.destroy();
          sockets.close();
          await server.close();
        },
      };
    },
  },
  {
    name: 'the same process',
    connect: async (engine) => {
      const client = new RoochClient({ transport: roochTransport(engine) });
      return { client, close: async () => client.destroy() };
    },
  },
];
