/**
 * Monitoring over HTTP: `GET /metrics` in OpenMetrics text, and `GET /health`, which answers 200 while the node is
 * healthy and 503 when it is not. Both exist only if the listener's options enable them.
 * @module
 */
import { messageOf } from '../../base/error.ts';
import { gauge, type Metric, OPEN_METRICS_TYPE, openMetricsText } from '../metrics.ts';
import type { Meter } from '../rpc/rpc.ts';
import type { Budgets } from './budget.ts';
import type { Connection, Exchange } from './connection.ts';
import type { RpcHandler } from './handler.ts';
import { methodNotAllowed, tooMuchUnread } from './refusal.ts';
import { type HeaderList, replyRefusal } from './reply.ts';

/** Which of the monitoring paths are enabled. */
export interface ProbeOptions {
  /** Enables `GET /metrics`; requests are counted from then on. Default false. */
  readonly metrics?: boolean | undefined;
  /** Enables `GET /health`. Default false. */
  readonly health?: boolean | undefined;
}

interface Probed {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const ALLOW = 'GET, HEAD';

export class Probes {
  readonly #handler: RpcHandler;
  readonly #ownMetrics: () => readonly Metric[];
  readonly #meter: Meter | undefined;
  readonly #options: ProbeOptions;
  readonly #metrics: () => Promise<Probed> = together(() => this.#measured());
  readonly #health: () => Promise<Probed> = together(() => this.#checked());

  /** @param ownMetrics the listener's metrics */
  constructor(handler: RpcHandler, options: ProbeOptions, ownMetrics: () => readonly Metric[]) {
    this.#handler = handler;
    this.#options = options;
    this.#ownMetrics = ownMetrics;
    this.#meter = options.metrics === true ? handler.measure?.() : undefined;
  }

  /** Answers a request for an enabled probe. Returns false for any other request. */
  serve(exchange: Exchange, headers: HeaderList): boolean {
    const { request, response } = exchange;
    const probe = this.#probeOf(request.url?.split('?', 1)[0]);
    if (probe === undefined) return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      replyRefusal(request, response, methodNotAllowed(request.method, ALLOW), [...headers, 'allow', ALLOW]);
      return true;
    }
    void probe().then((probed) => reply(exchange, probed, headers));
    return true;
  }

  #probeOf(path: string | undefined): (() => Promise<Probed>) | undefined {
    if (path === '/metrics' && this.#options.metrics === true) return this.#metrics;
    if (path === '/health' && this.#options.health === true) return this.#health;
    return undefined;
  }

  async #measured(): Promise<Probed> {
    let text: string;
    try {
      const handled = (await this.#meter?.metrics()) ?? [];
      text = openMetricsText([...handled, ...this.#ownMetrics()]);
    } catch {
      // If the handler fails, the listener's own metrics are still reported.
      text = openMetricsText(this.#ownMetrics());
    }
    return { status: 200, type: OPEN_METRICS_TYPE, text };
  }

  async #checked(): Promise<Probed> {
    const type = 'application/json; charset=utf-8';
    try {
      const { isWell, text } = (await this.#handler.health?.()) ?? { isWell: true, text: '{"status":"ok"}' };
      return { status: isWell ? 200 : 503, type, text: `${text}\n` };
    } catch (cause) {
      const reason = messageOf(cause);
      return { status: 503, type, text: `${JSON.stringify({ status: 'failing', reason })}\n` };
    }
  }
}

/**
 * Calls `make` once for all calls before it begins, in the next round of the event loop: one connection may send a
 * thousand requests at once.
 */
function together<T>(make: () => Promise<T>): () => Promise<T> {
  let next: Promise<T> | undefined;
  return () => {
    next ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      next = undefined;
      return make();
    });
    return next;
  };
}

function reply(exchange: Exchange, { status, type, text }: Probed, headers: HeaderList): void {
  const { request, response } = exchange;
  if (response.destroyed) return;
  const bytes = Buffer.from(text);
  const all = ['content-type', type, 'content-length', String(bytes.length), 'cache-control', 'no-store', ...headers];
  if (request.method === 'HEAD') {
    response.writeHead(status, all);
    response.end();
  } else if (exchange.send(bytes.length)) {
    response.writeHead(status, all);
    response.end(bytes);
  } else {
    replyRefusal(request, response, tooMuchUnread(exchange.connection.unsentBytes.budget), headers);
  }
}

/**
 * The metrics of a listener, added up on request.
 * @param streams number of open event streams, each of which has a connection
 */
export function listenerMetrics(
  connections: Iterable<Connection>,
  streams: number,
  { requestBytes, unsentBytes }: Budgets,
): Metric[] {
  let http = -streams;
  let webSockets = 0;
  const held = { requestBytes: 0, requests: 0, unsentBytes: 0 };
  for (const connection of connections) {
    if (connection.upgraded) webSockets++;
    else http++;
    held.requestBytes += connection.requestBytes.held;
    held.requests += connection.requests;
    held.unsentBytes += connection.unsentBytes.held;
  }
  return [
    gauge('movelet_connections', 'Open connections of the listener.', [
      { labels: { kind: 'http' }, value: http },
      { labels: { kind: 'websocket' }, value: webSockets },
      { labels: { kind: 'event_stream' }, value: streams },
    ]),
    ...budget(
      'movelet_request_memory',
      'requests that are arriving, waiting or being answered',
      held.requestBytes,
      requestBytes.max,
    ),
    ...budget('movelet_unsent_memory', 'unsent answers and notifications', held.unsentBytes, unsentBytes.max),
    gauge('movelet_requests_in_flight', 'Requests that the listener has accepted and not answered.', held.requests),
  ];
}

function budget(name: string, what: string, used: number, max: number): Metric[] {
  return [
    gauge(`${name}_bytes`, `Bytes of ${what}.`, used),
    gauge(`${name}_limit_bytes`, `The bound of ${name}_bytes.`, max),
  ];
}
