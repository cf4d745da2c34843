/**
 * A proxy in front of a listener that drops and delays connections: for HTTP, WebSocket and server-sent events alike,
 * since it only looks at bytes.
 * @module
 */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { EngineError } from '../../base/error.ts';
import { type Chance, drawMs, type FaultPlan } from './fault-plan.ts';

/** What happens to connections. */
export interface SocketFaults {
  /** Fraction of connections, from 0 to 1, dropped somewhere in the first DROPPED_BYTES_MAX bytes of answers. */
  readonly drop?: number | undefined;
  /** Connections whose answers are late, each piece by the same delay. */
  readonly slow?: Chance | undefined;
}

/** Within the first answers, so that whoever waits for one sees it missing or cut off. */
const DROPPED_BYTES_MAX = 512;

/** The kind of choices of a connection is this plus its number. */
const CONNECTION = 1_000;

/** An address at which a chain is reached through dropped and delayed connections. */
export class ChaosProxy {
  /** The URL of the listener behind it, but on 127.0.0.1 and with its own port. */
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  /** Use `Chaos.proxy`. @internal */
  constructor(url: string, server: Server, sockets: Set<Socket>) {
    this.url = url;
    this.#server = server;
    this.#sockets = sockets;
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Listens on a free port of this machine, in front of `url`.
 * @throws {EngineError} `transport-failed`
 */
export async function chaosProxy(url: URL, faults: SocketFaults, plan: FaultPlan): Promise<ChaosProxy> {
  const sockets = new Set<Socket>();
  let connections = 0;
  // An address of IPv6 is in brackets in a URL, and nowhere else.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // A client may end its side once it has asked, and still waits for the answer.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect({ host, port: Number(url.port || 80) });
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    // Either end may go away at any time: that is what this is for. Data the listener sent before it ended is still
    // passed on.
    client.on('error', () => target.destroy());
    client.on('close', () => target.destroy());
    target.on('error', () => client.destroy());
    client.pipe(target);
    answer(target, client, ++connections, faults, plan);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new EngineError('transport-failed', `chaos could not listen: ${cause.message}`, { cause })),
    );
    server.listen(0, '127.0.0.1', resolve);
  });
  const own = new URL(url);
  own.hostname = '127.0.0.1';
  own.port = String((server.address() as { readonly port: number }).port);
  return new ChaosProxy(own.href.replace(/\/$/, ''), server, sockets);
}

/** Passes the answers on, as late and as far as the seed says. */
function answer(target: Socket, client: Socket, connection: number, faults: SocketFaults, plan: FaultPlan): void {
  const draw = plan.draws(CONNECTION + connection);
  const isDropped = draw() < (faults.drop ?? 0);
  const bytes = Math.floor(draw() * DROPPED_BYTES_MAX);
  const ms = faults.slow && drawMs(draw, faults.slow);
  if (ms !== undefined) plan.note({ kind: 'socket-slow', connection, ms });
  let left = bytes;
  const hand = (chunk: Uint8Array): void => {
    if (client.destroyed) return;
    if (!isDropped || chunk.length < left) {
      left -= chunk.length;
      client.write(chunk);
      return;
    }
    plan.note({ kind: 'socket-dropped', connection, bytes });
    client.write(chunk.subarray(0, left), () => client.destroy());
    left = Number.POSITIVE_INFINITY;
    target.removeAllListeners('data');
  };
  target.on('data', (chunk) => {
    if (ms === undefined) hand(chunk);
    else setTimeout(hand, ms, chunk);
  });
  target.on('end', () => setTimeout(() => client.end(), ms ?? 0));
}
