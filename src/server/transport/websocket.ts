/**
 * JSON-RPC over WebSocket, on the port of the HTTP listener.
 *
 * What: each text frame is one JSON-RPC message; answers and notifications are text frames. The connection ends with
 * 1001 if the listener closes, 1008 if a message does not arrive in time, 1009 if one is too big, and 1013 if the
 * client reads too slowly or the listener has no room for what arrives.
 * Invariants: a connection has at most `inFlightRequestsMax` requests in progress, and starts none while the client
 * leaves `unsentBytesMax` bytes unread; meanwhile the connection is not read. A peer that does not answer a ping is cut
 * off.
 * Source: RFC 6455.
 * @module
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type RawData, type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { WEBSOCKET_FRAGMENTS_MAX } from '../../base/config.ts';
import type { RpcContext } from '../rpc/rpc.ts';
import { type Bounds, REQUEST_BYTES_MIN } from './budget.ts';
import type { Connection } from './connection.ts';
import type { Respond } from './handler.ts';
import {
  httpMalformed,
  messageMalformed,
  nodeShutsDown,
  refusalText,
  shuttingDown,
  tooMuchArriving,
  tooMuchUnread,
} from './refusal.ts';
import { ANSWER_PIECE_BYTES, replyRaw } from './reply.ts';
import { RequestQueue } from './request-queue.ts';

/** Options of WebSockets. Bounds default to the constant of the same name in config.ts. */
export interface WebSocketOptions {
  readonly requestBytesMax?: number | undefined;
  readonly inFlightRequestsMax?: number | undefined;
  readonly unsentBytesMax?: number | undefined;
  readonly pingIntervalMs?: number | undefined;
  /** Milliseconds for an entire large answer, also over HTTP. */
  readonly answerMsMax?: number | undefined;
  /** Milliseconds for an entire message, and for an entire HTTP request. */
  readonly requestMsMax?: number | undefined;
  readonly closeMsMax?: number | undefined;
}

const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const MESSAGE_TOO_BIG = 1009;
const TRY_AGAIN_LATER = 1013;

/** Bytes that an arriving message may take beyond twice its size: one read before it and one after. */
const READS_BYTES_SPARE = 131_072;

/** Milliseconds in which a peer whose input is no longer read can receive the reason. */
const LINGER_MS_MAX = 1_000;

/** Accepts upgrades and keeps track of the connections. */
export class WebSocketListener {
  readonly #respond: Respond<string | Uint8Array>;
  readonly #bounds: Bounds;
  readonly #server: WebSocketServer;
  readonly #connections = new Set<WebSocketConnection>();
  #pings: NodeJS.Timeout | undefined;

  constructor(respond: Respond<string | Uint8Array>, bounds: Bounds) {
    this.#respond = respond;
    this.#bounds = bounds;
    // closeTimeout is documented by ws and missing in its type declarations.
    const serverOptions: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      // At most one message of a connection in each round of the event loop: a read can hold thousands.
      allowSynchronousEvents: false,
      maxFragments: WEBSOCKET_FRAGMENTS_MAX,
      maxPayload: bounds.requestBytesMax,
      closeTimeout: bounds.closeMsMax,
    };
    this.#server = new WebSocketServer(serverOptions);
    this.#server.on('wsClientError', (_error, socket) => {
      replyRaw(socket, httpMalformed(400, 'a WebSocket handshake of version 13'), ['sec-websocket-version', '13']);
    });
  }

  /** Completes the handshake of a caller that the guard has accepted. */
  accept(request: IncomingMessage, socket: Socket, head: Buffer, shares: Connection, context: RpcContext): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = new WebSocketConnection(webSocket, socket, this.#respond, shares, context, this.#bounds);
      this.#connections.add(connection);
      this.#pings ??= setInterval(() => this.#ping(), this.#bounds.pingIntervalMs).unref();
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
    // A late timer runs before the data that has arrived meanwhile is read; pongs in it must count.
    setImmediate(() => {
      for (const connection of this.#connections) connection.ping();
    });
  }

  #stopPings(): void {
    clearInterval(this.#pings);
    this.#pings = undefined;
  }
}

class WebSocketConnection {
  readonly #socket: WebSocket;
  readonly #stream: Socket;
  readonly #respond: Respond<string | Uint8Array>;
  readonly #shares: Connection;
  readonly #arriving = new FrameTally();
  readonly #bounds: Bounds;
  readonly #context: RpcContext;
  readonly #gone = new AbortController();
  readonly #closed: Promise<void>;
  readonly #unsentBytesMax: number;
  readonly #queue: RequestQueue;
  #answeredPing = true;
  #unsentAtPing = 0;
  #ending = false;
  /** When the message now arriving began, in milliseconds on the host's clock. */
  #arrivingSince: number | undefined;

  constructor(
    socket: WebSocket,
    stream: Socket,
    respond: Respond<string | Uint8Array>,
    shares: Connection,
    context: RpcContext,
    bounds: Bounds,
  ) {
    this.#socket = socket;
    this.#stream = stream;
    this.#respond = respond;
    this.#shares = shares;
    this.#bounds = bounds;
    this.#unsentBytesMax = bounds.unsentBytesMax;
    this.#queue = new RequestQueue(
      bounds.inFlightRequestsMax,
      () => this.#socket.bufferedAmount <= this.#unsentBytesMax || this.#gone.signal.aborted,
      () => this.#balance(),
    );
    this.#context = {
      ...context,
      connection: this,
      isGone: () => this.#gone.signal.aborted,
      notify: (text) => this.#notify(text),
      isWritable: () => shares.isWritable(this.#unsentBytesMax / 2),
      closed: this.#gone.signal,
    };
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    // Before the listener of ws, which emits the message with its last byte.
    stream.prependListener('data', (read) => this.#arrive(read));
    // ws closes the connection with the right code (1002, 1007, 1009); the event only needs a listener.
    socket.on('error', () => {});
    this.#closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#gone.abort();
        this.#queue.next();
        resolve();
      });
    });
  }

  /**
   * Checks for the answer to the last ping and sends the next one. Peers that read slowly answer late, and those whose
   * input is paused cannot be heard: neither is cut off.
   */
  ping(): void {
    const unsent = this.#socket.bufferedAmount;
    const lives = this.#answeredPing || unsent < this.#unsentAtPing || (this.#socket.isPaused && this.#queue.size > 0);
    if (!lives) {
      this.#socket.terminate();
      return;
    }
    if (performance.now() - (this.#arrivingSince ?? Infinity) > this.#bounds.requestMsMax) {
      this.#refuse(POLICY_VIOLATION, 'a message takes too long to arrive');
      return;
    }
    this.#answeredPing = false;
    this.#socket.ping();
    this.#unsentAtPing = this.#socket.bufferedAmount;
  }

  /**
   * Resolves when the answers in flight are sent and the peer has closed too. The listener cuts off a peer that takes
   * too long.
   */
  async end(): Promise<void> {
    this.#ending = true;
    await Promise.race([this.#queue.idle(), this.#closed]);
    this.#gone.abort(nodeShutsDown());
    // A paused socket would not see the peer's close frame.
    this.#socket.resume();
    this.#socket.close(GOING_AWAY, 'the node is shutting down');
    await this.#closed;
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.#ending) {
      this.#answer(refusalText(shuttingDown()));
      return;
    }
    if (isBinary) {
      this.#answer(refusalText(messageMalformed('JSON in a text frame', 'a binary frame')));
      return;
    }
    // The bytes are not kept: they are a view of the whole read.
    const text = data.toString();
    const { requestBytes } = this.#shares;
    const bytes = REQUEST_BYTES_MIN + (data as Buffer).length;
    if (!requestBytes.add(bytes)) {
      this.#answer(refusalText(tooMuchArriving(requestBytes.budget)));
      return;
    }
    this.#shares.requests++;
    this.#queue.add(async () => {
      const answer = this.#gone.signal.aborted ? undefined : await this.#respond(text, this.#context);
      this.#shares.requests--;
      requestBytes.remove(bytes);
      if (answer !== undefined) this.#answer(answer);
    });
    this.#balance();
  }

  /** Counts the bytes of an unfinished message that have arrived. */
  #arrive(read: Buffer): void {
    // A pong, or anything else, shows that the peer is alive.
    this.#answeredPing = true;
    const before = this.#arriving.heldBytes;
    this.#arriving.take(read);
    const { heldBytes } = this.#arriving;
    if (heldBytes === 0) this.#arrivingSince = undefined;
    else this.#arrivingSince ??= performance.now();
    const { requestBytes } = this.#shares;
    const bytesMax = this.#bounds.requestBytesMax;
    const heldMax = 2 * bytesMax + READS_BYTES_SPARE;
    // ws would close it too, without a reason.
    if (this.#arriving.largestBytes > bytesMax)
      this.#refuse(MESSAGE_TOO_BIG, `expected a request of at most ${bytesMax} bytes; send less at once`);
    else if (heldBytes > heldMax) this.#refuse(MESSAGE_TOO_BIG, 'a message takes too much memory in such pieces');
    else if (heldBytes < before) requestBytes.remove(before - heldBytes);
    else if (!requestBytes.add(heldBytes - before)) this.#refuse(TRY_AGAIN_LATER, 'the node is busy');
  }

  /**
   * Ends the connection without reading further, so that a partial message is not held until the peer closes too.
   */
  #refuse(code: number, reason: string): void {
    this.#stream.removeAllListeners('data').on('data', () => {});
    this.#stream.resume();
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), LINGER_MS_MAX).unref();
  }

  #notify(text: string): boolean {
    if (this.#socket.readyState !== this.#socket.OPEN) return false;
    this.#gather();
    if (this.#shares.unsentBytes.held > this.#unsentBytesMax || !this.#send(text)) {
      this.#socket.close(TRY_AGAIN_LATER, 'notifications are not read fast enough');
      return false;
    }
    return true;
  }

  /** Sends everything written within one task in one system call, which is most of the cost of a notification. */
  #gather(): void {
    if (this.#stream.writableCorked > 0) return;
    this.#stream.cork();
    process.nextTick(() => this.#stream.uncork());
  }

  #answer(answer: string | Uint8Array): void {
    if (this.#socket.readyState !== this.#socket.OPEN || this.#send(answer)) return;
    const refusal = refusalText(tooMuchUnread(this.#shares.unsentBytes.budget));
    if (!this.#send(refusal)) this.#refuse(TRY_AGAIN_LATER, 'answers are not read fast enough');
  }

  /** Returns false if the budget for unsent bytes is exhausted. */
  #send(message: string | Uint8Array): boolean {
    const bytes = typeof message === 'string' ? Buffer.from(message) : message;
    const { unsentBytes } = this.#shares;
    if (!unsentBytes.add(bytes.length)) return false;
    const isLarge = bytes.length > ANSWER_PIECE_BYTES;
    const cutOff = isLarge ? setTimeout(() => this.#socket.terminate(), this.#bounds.answerMsMax) : undefined;
    this.#socket.send(bytes, { binary: false }, () => {
      clearTimeout(cutOff);
      unsentBytes.remove(bytes.length);
      this.#onSent();
    });
    this.#balance();
    return true;
  }

  #onSent(): void {
    this.#queue.next();
    this.#balance();
  }

  /** Pauses or resumes reading, depending on what is in progress and what is waiting to be sent. */
  #balance(): void {
    const { isFull } = this.#queue;
    if (isFull && !this.#socket.isPaused) this.#socket.pause();
    else if (!isFull && this.#socket.isPaused) {
      // Its pong may be waiting unread.
      this.#answeredPing = true;
      this.#socket.resume();
    }
  }
}

/** Overhead of a read: an object, a buffer, an allocation. */
const READ_OVERHEAD_BYTES = 512;

/** Two bytes, eight of length, four of mask. */
const HEADER_BYTES_MAX = 14;

/**
 * Follows the frames arriving on a WebSocket to know how many of their bytes must still be in memory.
 *
 * `ws` keeps the parts of an unfinished message as views of the reads they arrived in, so a message sent one byte per
 * fragment keeps 64 KiB per byte if the rest of each read is pings. So every read since the unfinished message began
 * counts in full, plus the overhead of a read. Only headers are inspected; refusing protocol errors is left to `ws`.
 * Source: RFC 6455 5.2.
 */
export class FrameTally {
  readonly #header = new Uint8Array(HEADER_BYTES_MAX);
  #headerLength = 0;
  #payloadLeft = 0;
  /** Whether the frame whose payload is arriving ends a message. */
  #endsMessage = false;
  #inMessage = false;
  #heldBytes = 0;
  /** Payload bytes of the message that has begun last, as far as its headers have told. */
  #messageBytes = 0;
  #largestBytes = 0;

  /** Bytes held for the unfinished message; 0 if there is none. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Payload bytes of the largest message so far, known from its headers before they arrive. */
  get largestBytes(): number {
    return this.#largestBytes;
  }

  take(read: Uint8Array): void {
    for (let at = 0; at < read.length; ) {
      if (this.#payloadLeft > 0) {
        const taken = Math.min(this.#payloadLeft, read.length - at);
        this.#payloadLeft -= taken;
        at += taken;
        if (this.#payloadLeft === 0) this.#endFrame();
        continue;
      }
      this.#header[this.#headerLength++] = read[at++]!;
      if (this.#headerLength >= 2 && this.#headerLength === headerLength(this.#header)) this.#startPayload();
    }
    const isFinished = !this.#inMessage && this.#headerLength === 0 && this.#payloadLeft === 0;
    this.#heldBytes = isFinished ? 0 : this.#heldBytes + read.length + READ_OVERHEAD_BYTES;
  }

  #startPayload(): void {
    const header = this.#header;
    const opcode = header[0]! & 0x0f;
    this.#payloadLeft = payloadLength(header);
    // Control frames may come between the fragments of a message.
    if (opcode < 8) {
      this.#messageBytes = (this.#inMessage ? this.#messageBytes : 0) + this.#payloadLeft;
      this.#largestBytes = Math.max(this.#largestBytes, this.#messageBytes);
      this.#inMessage = true;
      this.#endsMessage = (header[0]! & 0x80) !== 0;
    }
    this.#headerLength = 0;
    if (this.#payloadLeft === 0) this.#endFrame(opcode);
  }

  #endFrame(opcode: number = this.#header[0]! & 0x0f): void {
    if (opcode >= 8 || !this.#endsMessage) return;
    this.#inMessage = false;
    this.#endsMessage = false;
    this.#heldBytes = 0;
  }
}

function headerLength(header: Uint8Array): number {
  const short = header[1]! & 0x7f;
  const mask = (header[1]! & 0x80) === 0 ? 0 : 4;
  return 2 + mask + (short === 127 ? 8 : short === 126 ? 2 : 0);
}

function payloadLength(header: Uint8Array): number {
  const short = header[1]! & 0x7f;
  if (short < 126) return short;
  const view = new DataView(header.buffer);
  return short === 126 ? view.getUint16(2) : Number(view.getBigUint64(2));
}
