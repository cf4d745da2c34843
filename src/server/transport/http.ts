/**
 * JSON-RPC over HTTP POST, and the listener that WebSockets and the web client share with it.
 *
 * What: one node:http server. `POST /` calls the RPC, `POST /rooch` calls it for the current forms, `GET /` serves the
 * web client, `GET /metrics` and `GET /health` report on the node if enabled; an upgrade on `/`, `/subscribe` or their
 * counterparts under `/rooch` opens a WebSocket.
 * Invariants: no request reaches the RPC before its Host, Origin, path, method, content type and size are accepted;
 * nothing is buffered beyond its limit; every refusal is a JSON-RPC error with id null that gives the reason; every
 * connection ends, by its client, a deadline or `close()`.
 * Source: RFC 9110 and 9112, Fetch (CORS).
 * Cost: bench/http.ts compares it with a bare node:http echo.
 * @module
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { A_BOOLEAN, arrayOf, assertOptions, type Expectation, TEXT, wholeNumber } from '../../base/argument.ts';
import { EngineError } from '../../base/error.ts';
import { servePage } from '../../inspector/page.ts';
import type { RpcContext } from '../rpc/rpc.ts';
import { type Bounds, type Budgets, boundOptions, boundsOf, listenerBudgets } from './budget.ts';
import { Connection, Exchange } from './connection.ts';
import { Guard, type GuardOptions, refuseCaller, refuseExcess, unreadableMessage } from './guard.ts';
import {
  assertHandler,
  encodedResponder,
  failureEntry,
  RESPONDER_OPTIONS,
  type Respond,
  type ResponderOptions,
  type RpcHandler,
} from './handler.ts';
import {
  allowedMethods,
  MIN_ORDER_HEADER,
  minOrderOf,
  type Route,
  readJsonBody,
  rejectContentType,
  rejectExpectation,
  routeOf,
} from './http-request.ts';
import { listenerMetrics, type ProbeOptions, Probes } from './probes.ts';
import {
  httpMalformed,
  methodNotAllowed,
  pathUnknown,
  type Refusal,
  shuttingDown,
  tooMuchUnread,
  upgradeRequired,
} from './refusal.ts';
import {
  ANSWER_PIECE_BYTES,
  corsHeaders,
  type HeaderList,
  replyEmpty,
  replyInPieces,
  replyJson,
  replyPreflight,
  replyRaw,
  replyRefusal,
  VARY,
} from './reply.ts';
import { EventStreams } from './sse.ts';
import { WebSocketListener, type WebSocketOptions } from './websocket.ts';

/** Options of `serveHttp`. Bounds default to the constant of the same name in config.ts. */
export interface HttpOptions extends GuardOptions, ProbeOptions, ResponderOptions, WebSocketOptions {
  /** Address or name to listen on. Default `127.0.0.1`: this machine only. `0.0.0.0` listens on every IPv4 address. */
  readonly host?: string | undefined;
  /** TCP port; 0 picks a free one. Default 6767. */
  readonly port?: number | undefined;
  /**
   * Whether the controls of a test node may be used even if other machines can reach the listener, because it binds a
   * non-loopback address or has names in `hosts`. Default false. Without `dev` of `createRpc` there are no controls.
   */
  readonly devExposed?: boolean | undefined;
  /** Whether `GET /` serves the web client. Default true. */
  readonly page?: boolean | undefined;
  readonly connectionsMax?: number | undefined;
  /** Unanswered requests on one connection. */
  readonly pipelinedRequestsMax?: number | undefined;
  /** Bytes of all requests that the listener holds at once. */
  readonly inFlightBytesMax?: number | undefined;
  /** Unsent bytes of answers and notifications on all connections. */
  readonly allUnsentBytesMax?: number | undefined;
  readonly headersMsMax?: number | undefined;
  readonly requestMsMax?: number | undefined;
  readonly sendMsMax?: number | undefined;
  readonly idleMsMax?: number | undefined;
}

const HTTP_OPTIONS: { readonly [name in keyof HttpOptions]-?: Expectation } = {
  ...RESPONDER_OPTIONS,
  host: ['the address or name to listen on', (value) => typeof value === 'string' && value !== ''],
  port: wholeNumber(0, 65_535),
  hosts: arrayOf(TEXT),
  cors: arrayOf(TEXT),
  devExposed: A_BOOLEAN,
  page: A_BOOLEAN,
  metrics: A_BOOLEAN,
  health: A_BOOLEAN,
  ...boundOptions([
    'connectionsMax',
    'pipelinedRequestsMax',
    'inFlightBytesMax',
    'inFlightRequestsMax',
    'allUnsentBytesMax',
    'unsentBytesMax',
    'requestBytesMax',
    'headersMsMax',
    'requestMsMax',
    'sendMsMax',
    'idleMsMax',
    'answerMsMax',
    'closeMsMax',
    'pingIntervalMs',
  ]),
};

const PORT_DEFAULT = 6767;

/** Connections beyond connectionsMax that are answered with an error; any more are dropped. */
const REFUSED_CONNECTIONS_MAX = 64;

/** How often node:http looks for connections past a deadline, in milliseconds. */
const DEADLINE_CHECK_MS = 1_000;

/**
 * Opens an HTTP listener for `handler`.
 * @throws {EngineError} `transport-failed` if the port cannot be opened, `invalid-argument` for malformed hosts or
 *   origins
 */
export async function serveHttp(handler: RpcHandler, options: HttpOptions = {}): Promise<HttpServer> {
  assertHandler(handler);
  assertOptions(options, HTTP_OPTIONS);
  const server = new HttpServer(handler, options);
  await server.listen();
  return server;
}

/** An open listener. `close` (or `await using`) ends it. */
export class HttpServer implements AsyncDisposable {
  /** The address or name from the options. */
  readonly host: string;
  readonly #port: number;
  readonly #options: HttpOptions;
  readonly #guard: Guard;
  readonly #respond: Respond<string | Uint8Array>;
  readonly #webSockets: WebSocketListener;
  readonly #streams: EventStreams;
  readonly #probes: Probes;
  readonly #server: Server;
  readonly #connections = new Map<Duplex, Connection>();
  readonly #budgets: Budgets;
  readonly #bounds: Bounds;
  #ended: Promise<void> | undefined;

  /** Use `serveHttp`. */
  constructor(handler: RpcHandler, options: HttpOptions) {
    this.host = options.host ?? '127.0.0.1';
    this.#port = options.port ?? PORT_DEFAULT;
    this.#options = options;
    this.#guard = new Guard(this.host, options);
    this.#respond = encodedResponder(handler, options);
    this.#bounds = boundsOf(options);
    const { connectionsMax } = this.#bounds;
    this.#budgets = listenerBudgets(this.#bounds, connectionsMax + REFUSED_CONNECTIONS_MAX);
    this.#webSockets = new WebSocketListener(this.#respond, this.#bounds);
    this.#streams = new EventStreams(handler, this.#bounds);
    this.#probes = new Probes(handler, options, () =>
      listenerMetrics(this.#connections.values(), this.#streams.size, this.#budgets),
    );
    this.#server = this.#createServer();
  }

  /** The port on which it listens. */
  get port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? this.#port;
  }

  /** Whether only programs on this machine can reach the listener, as far as it can tell. */
  get isLocal(): boolean {
    return this.#guard.isLocal;
  }

  /** `http://HOST:PORT`. */
  get url(): string {
    return `http://${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.port}`;
  }

  /** Called once, by `serveHttp`. */
  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (cause: NodeJS.ErrnoException): void => reject(listenError(this.host, this.#port, cause));
      this.#server.once('error', fail);
      this.#server.listen(this.#port, this.host, () => {
        this.#server.off('error', fail);
        this.#server.on('error', (cause) => this.#options.log?.(failureEntry('the HTTP listener failed', cause)));
        resolve();
      });
    });
  }

  /**
   * Stops accepting connections, answers what is in flight, refuses later requests on open connections with 503, and
   * ends WebSockets with 1001. Connections still open after `closeMsMax` are cut off. Resolves when every connection
   * has ended; may be called again.
   */
  close(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const cutOff = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy();
    }, this.#bounds.closeMsMax);
    for (const [socket, connection] of this.#connections) this.#endIfAtRest(socket as Socket, connection);
    this.#streams.close();
    await this.#webSockets.close();
    await ended;
    clearTimeout(cutOff);
  }

  #endIfAtRest(socket: Socket, connection: Connection): void {
    const atRest = connection.requests === 0 && socket.bytesRead === connection.bytesReadAtRest;
    if (atRest && !connection.upgraded) socket.destroySoon();
  }

  #createServer(): Server {
    const { connectionsMax, headersMsMax, requestMsMax, idleMsMax, sendMsMax } = this.#bounds;
    const server = createServer({
      headersTimeout: headersMsMax,
      requestTimeout: requestMsMax,
      keepAliveTimeout: idleMsMax,
      connectionsCheckingInterval: DEADLINE_CHECK_MS,
      requireHostHeader: false,
    });
    server.maxConnections = connectionsMax + REFUSED_CONNECTIONS_MAX;
    server.setTimeout(sendMsMax, (socket) => this.#onSilence(socket));
    server.on('connection', (socket) => this.#onConnection(socket));
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.on(event as 'request', (request, response) => this.#onRequest(request, response));
    }
    server.on('upgrade', (request, socket, head) => this.#onUpgrade(request, socket as Socket, head));
    server.on('clientError', (error, socket) => this.#onClientError(error, socket));
    return server;
  }

  #onConnection(socket: Socket): void {
    // A socket whose upgrade offer was ignored arrives here a second time.
    if (this.#connections.has(socket)) return;
    const excess = this.#connections.size >= this.#bounds.connectionsMax;
    const connection = new Connection(socket, excess, this.#budgets, this.#bounds.unsentBytesMax);
    this.#connections.set(socket, connection);
    socket.once('close', () => {
      this.#connections.delete(socket);
      connection.end();
    });
  }

  /** After a time without traffic: ends a connection that is idle or leaves its answer unread. */
  #onSilence(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection !== undefined && connection.requests > 0 && socket.writableLength === 0) {
      // The RPC is still working; requestTimeout covers a request that does not arrive.
      socket.setTimeout(this.#bounds.sendMsMax);
      return;
    }
    socket.destroy();
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    const exchange = new Exchange(request, response, connection);
    response.on('close', () => {
      exchange.end();
      if (connection.requests > 0) return;
      if (connection.failure !== undefined) replyRaw(socket, connection.failure, []);
      else if (connection.afterAnswers !== undefined) connection.afterAnswers();
      else if (this.#ended !== undefined) this.#endIfAtRest(socket, connection);
    });
    const excess = refuseExcess(this.#bounds, exchange);
    connection.pipelined.add(() => this.#serve(exchange, excess));
  }

  #serve(exchange: Exchange, excess: Refusal | undefined): void {
    const { request, response, connection } = exchange;
    // If what followed it was not HTTP, the rest of its body never arrives.
    const broken = request.complete ? undefined : connection.failure;
    const refusal = broken ?? this.#refuseCaller(request, connection) ?? excess;
    if (refusal !== undefined) {
      replyRefusal(request, response, refusal, this.#lastHeaders(exchange, VARY));
      return;
    }
    const headers = corsHeaders(request);
    const route = routeOf(request.url);
    if (request.method === 'OPTIONS') {
      replyPreflight(request, response, headers);
    } else if (route === undefined) {
      if (!this.#probes.serve(exchange, headers))
        replyRefusal(request, response, pathUnknown(request.url ?? ''), headers);
    } else if (request.method === 'POST' && route.calls) {
      this.#call(exchange, this.#contextOf(route, request.headers.host, connection), headers);
    } else if ((request.method === 'GET' || request.method === 'HEAD') && this.#serves(route)) {
      servePage(request, response);
    } else if (request.method === 'GET' && route.stream !== undefined) {
      this.#streams.serve(exchange, route.stream, route.context.fork, headers);
    } else {
      const allow = allowedMethods(route, this.#serves(route));
      const refusal = route.calls ? methodNotAllowed(request.method, allow) : upgradeRequired();
      const upgrade = route.calls ? [] : ['upgrade', 'websocket'];
      replyRefusal(request, response, refusal, [...headers, 'allow', allow, ...upgrade]);
    }
  }

  #refuseCaller(request: IncomingMessage, connection: Connection): Refusal | undefined {
    if (this.#ended !== undefined) return shuttingDown();
    return refuseCaller(this.#guard, this.#bounds, request, connection);
  }

  /** While the listener closes, the last answer on a connection has `connection: close`. */
  #lastHeaders(exchange: Exchange, headers: HeaderList): HeaderList {
    const isLast = this.#ended !== undefined && exchange.connection.newest === exchange;
    return isLast ? [...headers, 'connection', 'close'] : headers;
  }

  #serves(route: Route): boolean {
    return route.page && this.#options.page !== false;
  }

  /** `host`: the name under which the client reached the listener; the guard has accepted it. */
  #contextOf(route: Route, host: string | undefined, connection: Connection): RpcContext {
    const { last } = connection;
    if (last?.route === route && last.host === host) return last.context;
    const isExposed = !this.isLocal && this.#options.devExposed !== true;
    const context: RpcContext = {
      ...route.context,
      url: host === undefined ? this.url : `http://${host}`,
      ...(isExposed && { exposed: true }),
      connection,
      isGone: () => connection.isEnded,
    };
    connection.last = { route, host, context };
    return context;
  }

  #call(exchange: Exchange, context: RpcContext, headers: HeaderList): void {
    const { request, response, connection } = exchange;
    const refusal = rejectExpectation(request) ?? rejectContentType(request);
    if (refusal !== undefined) {
      replyRefusal(request, response, refusal, headers);
      return;
    }
    const minOrder = minOrderOf(request);
    if (minOrder === null) {
      const malformed = httpMalformed(400, `${MIN_ORDER_HEADER}: one order, as a decimal number`);
      replyRefusal(request, response, malformed, headers);
      return;
    }
    const full = minOrder === undefined ? context : { ...context, minOrder };
    connection.reading = exchange;
    readJsonBody(exchange, this.#bounds.requestBytesMax, (body) => {
      // It was refused in the meantime, because what followed it was not HTTP.
      if (response.headersSent) return;
      // The next request on the connection may have begun before the end of this one was emitted.
      if (connection.reading === exchange) connection.reading = undefined;
      if (typeof body === 'string') connection.answer(() => this.#answer(exchange, body, full, headers));
      else replyRefusal(request, response, body, headers);
    });
  }

  async #answer(exchange: Exchange, body: string, context: RpcContext, headers: HeaderList): Promise<void> {
    const { response } = exchange;
    const answer = await this.#respond(body, context);
    if (response.destroyed) return;
    const last = this.#lastHeaders(exchange, headers);
    if (answer === undefined) {
      replyEmpty(response, 204, last);
      return;
    }
    const length = typeof answer === 'string' ? Buffer.byteLength(answer) : answer.length;
    if (!exchange.send(length)) {
      replyRefusal(exchange.request, response, tooMuchUnread(this.#budgets.unsentBytes), last);
    } else if (length <= ANSWER_PIECE_BYTES) replyJson(response, 200, answer, last, length);
    else {
      const bytes = typeof answer === 'string' ? Buffer.from(answer) : answer;
      replyInPieces(response, bytes, last, this.#bounds.answerMsMax);
    }
  }

  #onUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    if (connection.requests > 0) {
      // Earlier answers on the connection are still being written and must not mix with what follows.
      const destroy = (): void => {
        socket.destroy();
      };
      socket.on('error', destroy);
      connection.afterAnswers = () => {
        connection.afterAnswers = undefined;
        socket.off('error', destroy);
        // The socket may have been paused, and a paused socket taken over from node:http emits nothing more.
        startOver(this.#server, request, headersOf(request), socket, head);
      };
      return;
    }
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      serveWithoutUpgrade(this.#server, request, socket, head);
      return;
    }
    connection.upgraded = true;
    const route = routeOf(request.url);
    const refusal = this.#refuseCaller(request, connection);
    if (refusal !== undefined || route === undefined) {
      replyRaw(socket, refusal ?? pathUnknown(request.url ?? ''), VARY);
      return;
    }
    const context = this.#contextOf(route, request.headers.host, connection);
    this.#webSockets.accept(request, socket, head, connection, context);
  }

  /** Handles a message that is not HTTP or did not arrive in time. Earlier requests are answered first. */
  #onClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.#connections.get(socket);
    if (connection?.failure !== undefined) return;
    if (connection === undefined || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    connection.failure = unreadableMessage(error.code);
    const { reading } = connection;
    if (reading !== undefined && !reading.request.complete) {
      connection.reading = undefined;
      replyRefusal(reading.request, reading.response, connection.failure, VARY);
    } else if (connection.requests === 0) {
      replyRaw(socket, connection.failure, VARY);
    }
  }
}

function listenError(host: string, port: number, cause: NodeJS.ErrnoException): EngineError {
  const details = { host, port, cause: cause.code ?? null };
  return new EngineError('transport-failed', `cannot listen on ${host}:${port}: ${reasonOf(host, port, cause)}`, {
    cause,
    details,
  });
}

function reasonOf(host: string, port: number, { code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use; choose another one, or 0 for any that is free`;
    case 'EACCES':
      return `port ${port} needs more rights; choose one above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${host} is not an address of this machine`;
    default:
      return message;
  }
}

/** The headers that offer an upgrade. */
const OFFER = /^(?:connection|upgrade|http2-settings)$/i;

/**
 * Serves a request that offers an upgrade other than WebSocket as if it offered none: the HTTP/2 clients of Java and curl
 * offer `h2c` with ordinary POSTs. node:http emits every offer with its parser detached, so the head is put back into the
 * socket without the offer, and the socket starts over.
 */
function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const headers = headersOf(request).filter(([name]) => !OFFER.test(name));
  if (/\bclose\b/i.test(request.headers.connection ?? '')) headers.push(['Connection', 'close']);
  startOver(server, request, headers, socket, head);
}

function headersOf({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return headers;
}

function startOver(
  server: Server,
  { method, url, httpVersion }: IncomingMessage,
  headers: readonly (readonly [name: string, value: string])[],
  socket: Socket,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  server.emit('connection', socket);
  socket.resume();
  // Resuming reads from the system again a tick later, and only as long as node:http has not handed the socket over.
  process.nextTick(() => {
    socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  });
}
