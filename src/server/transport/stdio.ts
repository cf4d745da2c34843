/**
 * JSON-RPC over standard input and output: the node as a child process, without a port.
 *
 * What: messages are lines or Content-Length frames (framing.ts). Answers use the framing of the requests and are sent
 * as soon as they are ready. Nothing but answers and notifications is written.
 * Invariants: at most `inFlightRequestsMax` requests, of `inFlightBytesMax` bytes in total, are in progress, and
 * reading stops while output is not taken; an answer that would exceed `allUnsentBytesMax` unread bytes is replaced by
 * error -32009. The end of input does not end the work: every request is answered before `ended` resolves.
 * @module
 */

import type { Readable, Writable } from 'node:stream';
import { assertOptions, type Expectation, hasMethods } from '../../base/argument.ts';
import { EngineError } from '../../base/error.ts';
import type { RpcContext } from '../rpc/rpc.ts';
import { type Bounds, Budget, boundOptions, boundsOf, Share } from './budget.ts';
import { type Found, frame, MessageReader } from './framing.ts';
import {
  assertHandler,
  RESPONDER_OPTIONS,
  type Respond,
  type ResponderOptions,
  type RpcHandler,
  responder,
} from './handler.ts';
import { nodeShutsDown, refusalText, tooMuchUnread } from './refusal.ts';

/** Options of `serveStdio`. Bounds default to the constant of the same name in config.ts. */
export interface StdioOptions extends ResponderOptions {
  /** Default `process.stdin`. */
  readonly input?: Readable | undefined;
  /** Default `process.stdout`. */
  readonly output?: Writable | undefined;
  readonly requestBytesMax?: number | undefined;
  readonly inFlightRequestsMax?: number | undefined;
  /** Bytes of requests in progress; a single request may always have `requestBytesMax`. */
  readonly inFlightBytesMax?: number | undefined;
  /** Unread bytes beyond which no notification is sent. */
  readonly unsentBytesMax?: number | undefined;
  /** Bytes of answers and notifications not read yet. */
  readonly allUnsentBytesMax?: number | undefined;
  readonly closeMsMax?: number | undefined;
}

/** Why the conversation ended: the input ended, the peer stopped reading, or `close` was called. */
export type StdioEnd = 'input-ended' | 'output-closed' | 'closed';

const OPTIONS: { readonly [name in keyof StdioOptions]-?: Expectation } = {
  ...RESPONDER_OPTIONS,
  input: ['a stream to read', (value) => hasMethods(value, ['on', 'read'])],
  output: ['a stream to write', (value) => hasMethods(value, ['on', 'write'])],
  ...boundOptions([
    'requestBytesMax',
    'inFlightRequestsMax',
    'inFlightBytesMax',
    'unsentBytesMax',
    'allUnsentBytesMax',
    'closeMsMax',
  ]),
};

/** Answers the requests arriving on `input` on `output`. */
export function serveStdio(handler: RpcHandler, options: StdioOptions = {}): StdioServer {
  assertHandler(handler);
  assertOptions(options, OPTIONS);
  return new StdioServer(handler, options);
}

/** A conversation over a pair of streams. */
export class StdioServer implements AsyncDisposable {
  /**
   * Resolves when every request is answered and the answers are written, with the reason why the conversation ended.
   * Rejects with `transport-failed` if a stream fails for any reason other than the peer going away.
   */
  readonly ended: Promise<StdioEnd>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #respond: Respond<string>;
  readonly #reader: MessageReader;
  readonly #context: RpcContext;
  readonly #gone = new AbortController();
  readonly #bounds: Bounds;
  readonly #requestBytes: Share;
  readonly #unsentBytes: Share;
  #inFlight = 0;
  #isOver = false;
  #end: StdioEnd | undefined;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** Use `serveStdio`. */
  constructor(handler: RpcHandler, options: StdioOptions) {
    this.#input = options.input ?? process.stdin;
    this.#output = options.output ?? process.stdout;
    this.#respond = responder(handler, options);
    this.#bounds = boundsOf(options);
    const { requestBytesMax, inFlightBytesMax, allUnsentBytesMax, unsentBytesMax } = this.#bounds;
    this.#reader = new MessageReader(requestBytesMax);
    this.#requestBytes = new Share(new Budget(Math.max(inFlightBytesMax, requestBytesMax), 1));
    this.#unsentBytes = new Share(new Budget(allUnsentBytesMax, 1));
    this.#context = {
      path: '/',
      connection: this,
      isGone: () => this.#gone.signal.aborted,
      notify: (text) => this.#notify(text),
      isWritable: () => this.#unsentBytes.held <= unsentBytesMax / 2,
      closed: this.#gone.signal,
    };
    this.ended = this.#run();
  }

  /** Stops reading, answers what is in flight for at most `closeMsMax`, and resolves when `ended` does. */
  async close(): Promise<void> {
    this.#stop('closed');
    const cutOff = setTimeout(() => this.#stop('output-closed'), this.#bounds.closeMsMax);
    try {
      await this.ended;
    } finally {
      clearTimeout(cutOff);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(): Promise<StdioEnd> {
    const onError = (cause: NodeJS.ErrnoException): void => this.#fail(cause);
    const onDrain = (): void => this.#wakeUp();
    const onClose = (): void => this.#stop('output-closed');
    // The error listener stays: a pipe may report only later that its reader is gone.
    this.#output.on('error', onError).on('drain', onDrain).on('close', onClose);
    try {
      await this.#read();
      while (this.#inFlight > 0 && this.#end !== 'output-closed') await this.#change();
      if (this.#end === 'closed') this.#gone.abort(nodeShutsDown());
      if (this.#end !== 'output-closed') await this.#flush();
    } finally {
      this.#gone.abort();
      this.#isOver = true;
      this.#output.off('drain', onDrain).off('close', onClose);
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#end ?? 'input-ended';
  }

  async #read(): Promise<void> {
    try {
      for await (const chunk of this.#input) {
        await this.#take(this.#reader.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
        if (this.#end !== undefined) return;
      }
    } catch (cause) {
      // The input was destroyed to stop reading.
      if (this.#end !== undefined) return;
      throw new EngineError('transport-failed', `cannot read requests: ${String(cause)}`, { cause });
    }
    await this.#take(this.#reader.end());
    this.#end ??= 'input-ended';
  }

  async #take(messages: Iterable<Found>): Promise<void> {
    for (const message of messages) {
      const bytes = typeof message === 'string' ? Buffer.byteLength(message) : 0;
      while (this.#end === undefined && !this.#begin(bytes)) await this.#change();
      if (this.#end !== undefined) return;
      if (typeof message === 'string') this.#answer(message, bytes);
      else this.#write(refusalText(message));
    }
  }

  /** Reserves room for a request of this many bytes. Returns false if it has to wait. */
  #begin(bytes: number): boolean {
    if (this.#inFlight >= this.#bounds.inFlightRequestsMax || this.#output.writableNeedDrain) return false;
    return this.#requestBytes.add(bytes);
  }

  #answer(text: string, bytes: number): void {
    this.#inFlight++;
    void this.#respond(text, this.#context).then((answer) => {
      this.#inFlight--;
      this.#requestBytes.remove(bytes);
      if (answer !== undefined && !this.#write(answer)) {
        this.#write(refusalText(tooMuchUnread(this.#unsentBytes.budget)), true);
      }
      this.#wakeUp();
    });
  }

  #notify(text: string): boolean {
    if (this.#isOver || this.#unsentBytes.held > this.#bounds.unsentBytesMax) return false;
    return this.#write(text);
  }

  /**
   * Writes a message. Returns false if there is no room for it.
   * @param isUncounted for a short error message, of which there is at most one for each request in flight
   */
  #write(text: string, isUncounted = false): boolean {
    if (this.#end === 'output-closed') return true;
    const message = frame(text, this.#reader.framing);
    const bytes = isUncounted ? 0 : Buffer.byteLength(message);
    if (!this.#unsentBytes.add(bytes)) return false;
    try {
      this.#output.write(message, () => this.#unsentBytes.remove(bytes));
    } catch (cause) {
      // If standard output is a file, a write is synchronous and throws; other streams emit an event.
      this.#fail(cause as NodeJS.ErrnoException);
    }
    return true;
  }

  /** Resolves when everything written so far has left, or never will. */
  async #flush(): Promise<void> {
    let hasLeft = false;
    this.#output.write('', () => {
      hasLeft = true;
      this.#wakeUp();
    });
    while (!hasLeft && this.#end !== 'output-closed') await this.#change();
  }

  #fail(cause: NodeJS.ErrnoException): void {
    const gone = cause.code === 'EPIPE' || cause.code === 'ECONNRESET' || cause.code === 'ERR_STREAM_DESTROYED';
    if (!gone) this.#failure = new EngineError('transport-failed', `cannot write answers: ${cause.message}`, { cause });
    this.#stop('output-closed');
  }

  #stop(end: StdioEnd): void {
    if (this.#end !== 'output-closed') this.#end = end;
    if (!this.#input.destroyed) this.#input.destroy();
    this.#wakeUp();
  }

  /** Resolves when a request is answered, output is taken, or the conversation should end. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #wakeUp(): void {
    this.#wake?.();
  }
}
