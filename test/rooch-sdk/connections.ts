/**
 * The official SDK's client on an engine: over a port, and in process.
 * @module
 */
import { RoochClient, type RoochClientOptions, RoochHTTPTransport } from '@roochnetwork/rooch-sdk';
import { WebSocket } from 'ws';
import type { Engine } from '../../src/engine.ts';
import { roochTransport } from '../../src/rooch.ts';
import { createRpc } from '../../src/rpc/server.ts';
import { serveHttp } from '../../src/transport/http.ts';

export interface Connection {
  readonly client: RoochClient;
  close(): Promise<void>;
}

export interface ConnectionKind {
  readonly name: string;
  readonly connect: (engine: Engine) => Promise<Connection>;
}

export const CONNECTIONS: readonly ConnectionKind[] = [
  {
    name: 'a port: HTTP, WebSocket and server-sent events',
    connect: async (engine) => {
      const server = await serveHttp(createRpc(engine, { forms: 'current' }), { port: 0 });
      // Node 20 has no WebSocket of its own.
      const WebSocketConstructor = WebSocket as unknown as typeof globalThis.WebSocket;
      const transport = new RoochHTTPTransport({ url: server.url, WebSocketConstructor });
      const client = new RoochClient({ transport });
      return {
        client,
        close: async () => {
          client.destroy();
          await server.close();
        },
      };
    },
  },
  {
    name: 'the same process',
    connect: async (engine) => {
      // Subscriptions come with the feed's methods.
      const transport = roochTransport(engine) as unknown as NonNullable<RoochClientOptions['transport']>;
      const client = new RoochClient({ transport });
      return { client, close: async () => client.destroy() };
    },
  },
];
