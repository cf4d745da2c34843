/**
 * JSON-RPC over a message port: between threads, between a page and its worker, or between Electron processes.
 *
 * What: each message is the text of one JSON-RPC message or batch, each answer is posted as text. A port cannot be
 * paused, so a sender with more than `waitingRequestsMax` unanswered requests, or `inFlightBytesMax` characters of
 * them, gets an error with id null. Nor does a port show that its reader lags: posted messages stay in memory until the
 * other side takes them, and `notify` accepts everything until the port closes. So serve a port only to your own code.
 * This file uses nothing from Node, so it also runs in a page.
 * @module
 */
import { argumentError, assertOptions, type Expectation, hasMethods } from '../../base/argument.ts';
import type { RpcContext } from '../rpc/rpc.ts';
import { type Bounds, Budget, boundOptions, boundsOf, Share } from './budget.ts';
import {
  assertHandler,
  RESPONDER_OPTIONS,
  type Respond,
  type ResponderOptions,
  type RpcHandler,
  responder,
  utf8LongerThan,
} from './handler.ts';
import {
  messageMalformed,
  nodeShutsDown,
  overloaded,
  type Refusal,
  refusalText,
  requestTooBig,
  shuttingDown,
} from './refusal.ts';
import { RequestQueue } from './request-queue.ts';

/** A MessagePort or Worker of node:worker_threads, a MessagePortMain or parentPort of Electron: `on`. */
export interface EmitterPort {
  on(event: 'message' | 'close', listener: (message: unknown) => void): unknown;
  off(event: 'message' | 'close', listener: (message: unknown) => void): unknown;
  postMessage(message: string): void;
  start?(): void;
}

/** A MessagePort, Worker or worker scope of the DOM: `addEventListener`. */
export interface EventTargetPort {
  addEventListener(type: 'message' | 'close', listener: (event: never) => void): void;
  removeEventListener(type: 'message' | 'close', listener: (event: never) => void): void;
  postMessage(message: string): void;
  start?(): void;
}

/** Options of `servePort`. Bounds default to the constant of the same name in config.ts. */
export interface PortOptions extends ResponderOptions {
  readonly requestBytesMax?: number | undefined;
  readonly inFlightRequestsMax?: number | undefined;
  /** Unanswered requests. Default PORT_REQUESTS_MAX. */
  readonly waitingRequestsMax?: number | undefined;
  /** Their total characters; a single request may always have `requestBytesMax`. */
  readonly inFlightBytesMax?: number | undefined;
  readonly closeMsMax?: number | undefined;
}

const OPTIONS: { readonly [name in keyof PortOptions]-?: Expectation } = {
  ...RESPONDER_OPTIONS,
  ...boundOptions(['requestBytesMax', 'inFlightRequestsMax', 'waitingRequestsMax', 'inFlightBytesMax', 'closeMsMax']),
};

/**
 * Answers the requests that arrive on `port`. The port still belongs to the caller: it is neither closed nor
 * unreferenced here.
 */
export function servePort(
  handler: RpcHandler,
  port: EmitterPort | EventTargetPort,
  options: PortOptions = {},
): PortServer {
  assertHandler(handler);
  if (!hasMethods(port, ['postMessage', 'on']) && !hasMethods(port, ['postMessage', 'addEventListener'])) {
    throw argumentError('port', 'a MessagePort or Worker, of Node, of the DOM or of Electron', port);
  }
  assertOptions(options, OPTIONS);
  return new PortServer(handler, port, options);
}

/** A conversation over a port. */
export class PortServer implements AsyncDisposable {
  readonly #port: EmitterPort | EventTargetPort;
  readonly #respond: Respond<string>;
  readonly #context: RpcContext;
  readonly #gone = new AbortController();
  readonly #bounds: Bounds;
  readonly #requestBytes: Share;
  readonly #queue: RequestQueue;
  readonly #onMessage = (message: unknown): void => this.#receive(message);
  readonly #onClose = (): void => this.#leave();
  #closing = false;
  #hasLeft = false;

  /** Use `servePort`. */
  constructor(handler: RpcHandler, port: EmitterPort | EventTargetPort, options: PortOptions) {
    this.#port = port;
    this.#respond = responder(handler, options);
    this.#bounds = boundsOf(options);
    const { inFlightBytesMax, inFlightRequestsMax, requestBytesMax } = this.#bounds;
    this.#requestBytes = new Share(new Budget(Math.max(inFlightBytesMax, requestBytesMax), 1));
    this.#queue = new RequestQueue(inFlightRequestsMax, () => true);
    this.#context = {
      path: '/',
      connection: this,
      isGone: () => this.#gone.signal.aborted,
      notify: (text) => this.#post(text),
      closed: this.#gone.signal,
    };
    if ('on' in port) {
      port.on('message', this.#onMessage);
      port.on('close', this.#onClose);
    } else {
      port.addEventListener('message', this.#onMessage);
      port.addEventListener('close', this.#onClose);
    }
    port.start?.();
  }

  /**
   * Refuses new requests, answers what is in flight for at most `closeMsMax`, refuses the rest, since the port stays open
   * and its other side would wait forever, ends subscriptions with the reason, and stops listening.
   */
  async close(): Promise<void> {
    this.#closing = true;
    let cutOff: ReturnType<typeof setTimeout> | undefined;
    const tooLong = new Promise<void>((resolve) => {
      cutOff = setTimeout(resolve, this.#bounds.closeMsMax);
    });
    await Promise.race([this.#queue.idle(), tooLong]);
    clearTimeout(cutOff);
    for (let left = this.#queue.size; left > 0; left--) this.#post(refusalText(shuttingDown()));
    this.#leave(nodeShutsDown());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #receive(message: unknown): void {
    // The DOM and Electron pass an event whose data is the message; Node passes the message.
    const text = typeof message === 'object' && message !== null && 'data' in message ? message.data : message;
    const admitted = this.#admit(text);
    if (typeof admitted !== 'string') {
      this.#post(refusalText(admitted));
      return;
    }
    this.#queue.add(async () => {
      const answer = await this.#respond(admitted, this.#context);
      this.#requestBytes.remove(admitted.length);
      if (answer !== undefined) this.#post(answer);
    });
  }

  /** Returns the text of a request and reserves room for it, or the reason why it is refused. */
  #admit(text: unknown): string | Refusal {
    if (this.#closing) return shuttingDown();
    if (typeof text !== 'string')
      return messageMalformed('a JSON text as the message', `a message of type ${typeof text}`);
    if (utf8LongerThan(text, this.#bounds.requestBytesMax)) return requestTooBig(this.#bounds.requestBytesMax);
    if (this.#queue.size >= this.#bounds.waitingRequestsMax)
      return overloaded('unanswered requests on one port', this.#bounds.waitingRequestsMax);
    if (!this.#requestBytes.add(text.length)) {
      return overloaded('characters of unanswered requests on one port', this.#requestBytes.budget.max);
    }
    return text;
  }

  #post(text: string): boolean {
    if (this.#hasLeft) return false;
    try {
      this.#port.postMessage(text);
      return true;
    } catch {
      // Electron's ports throw when the other process is gone.
      this.#leave();
      return false;
    }
  }

  /** @param reason what subscriptions are told, if the port is still open */
  #leave(reason?: Error): void {
    if (this.#gone.signal.aborted) return;
    if ('on' in this.#port) {
      this.#port.off('message', this.#onMessage);
      this.#port.off('close', this.#onClose);
    } else {
      this.#port.removeEventListener('message', this.#onMessage);
      this.#port.removeEventListener('close', this.#onClose);
    }
    this.#gone.abort(reason);
    this.#hasLeft = true;
    this.#queue.clear();
  }
}
