/**
 * JSON-RPC over standard input and output: the node as a child process, without a port.
 *
 * What: messages by line or by Content-Length frames (framing.ts), answers in the framing of the requests, in the order
 * in which they are ready. Nothing but answers and notifications is written.
 * Invariants: at most `inFlightRequestsMax` requests are at work, and input is not read on while output is not taken;
 * the end of input is no end of the work: all that was asked is answered before `ended` resolves.
 * @module
 */

import type { Readable, Writable } from 'node:stream';
import { assertOptions, bound, type Expectation, hasMethods } from '../argument.ts';
import { CLOSE_MS_MAX, IN_FLIGHT_REQUESTS_MAX, REQUEST_BYTES_MAX, UNSENT_BYTES_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import type { RpcContext } from '../rpc/context.ts';
import { type Found, frame, MessageReader } from './framing.ts';
import { assertHandler, type RpcHandler } from './handler.ts';
import { refusalText } from './refusal.ts';
import { RESPONDER_OPTIONS, Responder, type ResponderOptions } from './responder.ts';

/** Options of `serveStdio`. Bounds default to the constant of the same name in config.ts. */
export interface StdioOptions extends ResponderOptions {
  /** Default `process.stdin`. */
  readonly input?: Readable | undefined;
  /** Default `process.stdout`. */
  readonly output?: Writable | undefined;
  readonly requestBytesMax?: number | undefined;
  readonly inFlightRequestsMax?: number | undefined;
  readonly unsentBytesMax?: number | undefined;
  readonly closeMsMax?: number | undefined;
}

/** Why the conversation ended: the peer sent all, the peer stopped reading, or `close` was called. */
export type StdioEnd = 'input-ended' | 'output-closed' | 'closed';

const OPTIONS: { readonly [name in keyof StdioOptions]-?: Expectation } = {
  ...RESPONDER_OPTIONS,
  input: ['a stream to read', (value) => hasMethods(value, ['on', 'read'])],
  output: ['a stream to write', (value) => hasMethods(value, ['on', 'write'])],
  requestBytesMax: bound(0),
  inFlightRequestsMax: bound(0),
  unsentBytesMax: bound(0),
  closeMsMax: bound(0),
};

/** Answers on `output` what comes on `input`. */
export function serveStdio(handler: RpcHandler, options: StdioOptions = {}): StdioServer {
  assertHandler(handler);
  assertOptions(options, OPTIONS);
  return new StdioServer(handler, options);
}

/** A conversation over a pair of streams. */
export class StdioServer implements AsyncDisposable {
  /**
   * Resolves when all that was asked is answered and written, with the reason of the end. Rejects with
   * `transport-failed` when a stream fails otherwise than by its other side going away.
   */
  readonly ended: Promise<StdioEnd>;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #responder: Responder;
  readonly #reader: MessageReader;
  readonly #context: RpcContext;
  readonly #gone = new AbortController();
  readonly #inFlightMax: number;
  readonly #unsentBytesMax: number;
  readonly #closeMsMax: number;
  #inFlight = 0;
  #end: StdioEnd | undefined;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** Use `serveStdio`. */
  constructor(handler: RpcHandler, options: StdioOptions) {
    this.#input = options.input ?? process.stdin;
    this.#output = options.output ?? process.stdout;
    this.#responder = new Responder(handler, options);
    this.#reader = new MessageReader(options.requestBytesMax ?? REQUEST_BYTES_MAX);
    this.#inFlightMax = options.inFlightRequestsMax ?? IN_FLIGHT_REQUESTS_MAX;
    this.#unsentBytesMax = options.unsentBytesMax ?? UNSENT_BYTES_MAX;
    this.#closeMsMax = options.closeMsMax ?? CLOSE_MS_MAX;
    this.#context = {
      path: '/',
      connection: this,
      isGone: () => this.#gone.signal.aborted,
      notify: (text) => this.#notify(text),
      isWritable: () => this.#output.writableLength <= this.#unsentBytesMax / 2,
      closed: this.#gone.signal,
    };
    this.ended = this.#run();
  }

  /** Reads no more, answers what is in flight, and resolves as `ended` does. */
  async close(): Promise<void> {
    this.#stop('closed');
    const cutOff = setTimeout(() => this.#stop('output-closed'), this.#closeMsMax);
    await this.ended;
    clearTimeout(cutOff);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(): Promise<StdioEnd> {
    const onError = (cause: NodeJS.ErrnoException): void => this.#fail(cause);
    const onDrain = (): void => this.#wakeUp();
    const onClose = (): void => this.#stop('output-closed');
    // The error listener stays: a pipe may report only later that its reader went away.
    this.#output.on('error', onError).on('drain', onDrain).on('close', onClose);
    try {
      await this.#read();
      while (this.#inFlight > 0 && this.#end !== 'output-closed') await this.#change();
      if (this.#end !== 'output-closed') await this.#flush();
    } finally {
      this.#gone.abort();
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
      // Destroying the input is how reading is stopped.
      if (this.#end !== undefined) return;
      throw new EngineError('transport-failed', `cannot read requests: ${String(cause)}`, { cause });
    }
    await this.#take(this.#reader.end());
    this.#end ??= 'input-ended';
  }

  async #take(messages: Iterable<Found>): Promise<void> {
    for (const message of messages) {
      while (this.#isFull() && this.#end === undefined) await this.#change();
      if (this.#end !== undefined) return;
      if (typeof message === 'string') this.#answer(message);
      else this.#write(refusalText(message));
    }
  }

  #isFull(): boolean {
    return this.#inFlight >= this.#inFlightMax || this.#output.writableNeedDrain;
  }

  #answer(text: string): void {
    this.#inFlight++;
    void this.#responder.respond(text, this.#context).then((answer) => {
      this.#inFlight--;
      if (answer !== undefined) this.#write(answer);
      this.#wakeUp();
    });
  }

  #notify(text: string): boolean {
    if (this.#gone.signal.aborted || this.#output.writableLength > this.#unsentBytesMax) return false;
    this.#write(text);
    return true;
  }

  #write(text: string): void {
    if (this.#end === 'output-closed') return;
    try {
      this.#output.write(frame(text, this.#reader.framing));
    } catch (cause) {
      // A file as standard output is written at once and throws; other streams tell by an event.
      this.#fail(cause as NodeJS.ErrnoException);
    }
  }

  /** Resolves when everything written before has left. */
  #flush(): Promise<void> {
    return new Promise((resolve) => {
      this.#output.once('close', resolve);
      this.#output.write('', () => {
        this.#output.off('close', resolve);
        resolve();
      });
    });
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

  /** Resolves when a request was answered, output was taken, or the conversation is to end. */
  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #wakeUp(): void {
    this.#wake?.();
  }
}
