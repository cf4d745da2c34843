/**
 * JSON-RPC over WebSocket, on the port of the HTTP listener.
 *
 * What: each text frame is one JSON-RPC message; answers and notifications are text frames. The connection ends with
 * 1001 when the listener closes, 1009 when a message is too big, 1013 when its reader falls too far behind.
 * Invariants: a connection has at most `inFlightRequestsMax` requests at work, and starts none while `unsentBytesMax`
 * bytes wait to be taken; it is not read on in the meantime. A peer that lets a ping pass is cut off.
 * Source: spec/rpc.md 10.1, RFC 6455.
 * @module
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type RawData, type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import {
  CLOSE_MS_MAX,
  IN_FLIGHT_REQUESTS_MAX,
  PING_INTERVAL_MS,
  REQUEST_BYTES_MAX,
  UNSENT_BYTES_MAX,
} from '../config.ts';
import type { Budget } from './connection.ts';
import type { RpcContext } from './handler.ts';
import { Lane } from './lane.ts';
import { httpMalformed, messageMalformed, overloaded, refusalText, shuttingDown } from './refusal.ts';
import { replyRaw } from './reply.ts';
import type { Responder } from './responder.ts';

/** Options of WebSockets. Bounds default to the constant of the same name in config.ts. */
export interface WebSocketOptions {
  readonly requestBytesMax?: number | undefined;
  readonly inFlightRequestsMax?: number | undefined;
  readonly unsentBytesMax?: number | undefined;
  readonly pingIntervalMs?: number | undefined;
  readonly closeMsMax?: number | undefined;
}

const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** Accepts upgrades and keeps the connections. */
export class WebSocketListener {
  readonly #responder: Responder;
  readonly #budget: Budget;
  readonly #options: WebSocketOptions;
  readonly #server: WebSocketServer;
  readonly #connections = new Set<WebSocketConnection>();
  #pings: NodeJS.Timeout | undefined;

  /** @param budget what the HTTP listener may hold of requests, WebSockets included */
  constructor(responder: Responder, budget: Budget, options: WebSocketOptions) {
    this.#responder = responder;
    this.#budget = budget;
    this.#options = options;
    // closeTimeout is documented by ws and missing in its type declarations.
    const serverOptions: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: options.requestBytesMax ?? REQUEST_BYTES_MAX,
      closeTimeout: options.closeMsMax ?? CLOSE_MS_MAX,
    };
    this.#server = new WebSocketServer(serverOptions);
    this.#server.on('wsClientError', (_error, socket) => {
      replyRaw(socket, httpMalformed(400, 'a WebSocket handshake of version 13'), ['sec-websocket-version', '13']);
    });
  }

  /** Completes the handshake of a caller that the guard has let pass. */
  accept(request: IncomingMessage, socket: Socket, head: Buffer, context: RpcContext): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new WebSocketConnection(webSocket, this.#responder, this.#budget, context, this.#options);
      this.#connections.add(connection);
      this.#pings ??= setInterval(() => this.#ping(), this.#options.pingIntervalMs ?? PING_INTERVAL_MS).unref();
      webSocket.on('close', () => {
        this.#connections.delete(connection);
        if (this.#connections.size === 0) this.#stopPings();
      });
    });
  }

  /** Answers what is in flight, then ends every connection with 1001. */
  async close(): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.end()));
    this.#stopPings();
  }

  #ping(): void {
    for (const connection of this.#connections) connection.ping();
  }

  #stopPings(): void {
    clearInterval(this.#pings);
    this.#pings = undefined;
  }
}

class WebSocketConnection {
  readonly #socket: WebSocket;
  readonly #responder: Responder;
  readonly #budget: Budget;
  readonly #context: RpcContext;
  readonly #gone = new AbortController();
  readonly #closed: Promise<void>;
  readonly #unsentBytesMax: number;
  readonly #lane: Lane;
  #answeredPing = true;
  #unsentAtPing = 0;
  #ending = false;

  constructor(socket: WebSocket, responder: Responder, budget: Budget, context: RpcContext, options: WebSocketOptions) {
    this.#socket = socket;
    this.#responder = responder;
    this.#budget = budget;
    this.#unsentBytesMax = options.unsentBytesMax ?? UNSENT_BYTES_MAX;
    this.#lane = new Lane(
      options.inFlightRequestsMax ?? IN_FLIGHT_REQUESTS_MAX,
      () => this.#socket.bufferedAmount <= this.#unsentBytesMax || this.#gone.signal.aborted,
      () => this.#balance(),
    );
    this.#context = {
      ...context,
      connection: this,
      notify: (text) => this.#notify(text),
      isWritable: () => this.#socket.bufferedAmount <= this.#unsentBytesMax / 2,
      closed: this.#gone.signal,
    };
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('pong', () => {
      this.#answeredPing = true;
    });
    // ws closes the connection with the code that fits (1002, 1007, 1009); the event only must have a listener.
    socket.on('error', () => {});
    this.#closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#gone.abort();
        this.#lane.next();
        resolve();
      });
    });
  }

  /**
   * Looks after the answer to the last ping and sends the next. A peer that reads slowly answers late, and one that we
   * do not read on for our own work cannot be heard: both live.
   */
  ping(): void {
    const unsent = this.#socket.bufferedAmount;
    const lives = this.#answeredPing || unsent < this.#unsentAtPing || (this.#socket.isPaused && this.#lane.size > 0);
    if (!lives) {
      this.#socket.terminate();
      return;
    }
    this.#answeredPing = false;
    this.#socket.ping();
    this.#unsentAtPing = this.#socket.bufferedAmount;
  }

  /** Resolves when the answers in flight are sent and the peer has closed too. The listener cuts off who takes too long. */
  async end(): Promise<void> {
    this.#ending = true;
    await Promise.race([this.#lane.idle(), this.#closed]);
    // A paused socket would not see the peer's close frame.
    this.#socket.resume();
    this.#socket.close(GOING_AWAY, 'the node is shutting down');
    await this.#closed;
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#answeredPing = true;
    if (this.#ending) {
      this.#send(refusalText(shuttingDown()));
      return;
    }
    if (isBinary) {
      this.#send(refusalText(messageMalformed('JSON in a text frame', 'a binary frame')));
      return;
    }
    // ws gives one Buffer for a message, unless its binaryType is changed.
    const { length } = data as Buffer;
    if (!this.#budget.take(length)) {
      this.#send(refusalText(overloaded('bytes of requests in flight', this.#budget.bytesMax)));
      return;
    }
    this.#lane.add(async () => {
      const answer = this.#gone.signal.aborted
        ? undefined
        : await this.#responder.respond(data.toString(), this.#context);
      this.#budget.giveBack(length);
      if (answer !== undefined) this.#send(answer);
    });
    this.#balance();
  }

  #notify(text: string): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    if (this.#socket.bufferedAmount > this.#unsentBytesMax) {
      this.#socket.close(TRY_AGAIN_LATER, 'notifications are not read fast enough');
      return false;
    }
    this.#send(text);
    return true;
  }

  #send(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(text, () => this.#onSent());
    this.#balance();
  }

  #onSent(): void {
    this.#lane.next();
    this.#balance();
  }

  /** Reads on or pauses, by what is at work and what waits to be sent. */
  #balance(): void {
    const { isFull } = this.#lane;
    if (isFull && !this.#socket.isPaused) this.#socket.pause();
    else if (!isFull && this.#socket.isPaused) {
      // Its pong may have been waiting unread.
      this.#answeredPing = true;
      this.#socket.resume();
    }
  }
}
