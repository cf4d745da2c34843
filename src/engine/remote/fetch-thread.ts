/**
 * The thread that sends requests to the origin while the engine's own thread is blocked: execution reads rows
 * synchronously.
 *
 * A request that fails temporarily (no connection, 429, 502, 503, 504) is repeated a bounded number of times within one
 * time limit.
 * @module
 */

import type * as Http from 'node:http';
import type * as Https from 'node:https';
import type * as WorkerThreads from 'node:worker_threads';
import { EngineError } from '../../base/error.ts';
import { HOST } from '../../base/host.ts';
import { basicCredentials, type HttpAddress } from '../../base/http-address.ts';

/** Attempts of one request, and milliseconds before the second one; each further pause is twice as long. */
export const FETCH_ATTEMPTS_MAX = 4;
const FETCH_PAUSE_MS = 100;

/** Bytes of one answer: the longest that an origin sends, as hex text, with room for one long row. */
export const FETCH_ANSWER_BYTES_MAX: number = 40 * 2 ** 20;

/** Milliseconds that the engine's thread waits beyond the time limit of the other one. */
const MARGIN_MS = 1_000;

/** The result of a request. */
type Fetched =
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly problem: string; readonly isTooLong?: boolean };

interface ThreadSettings {
  readonly url: string;
  readonly authorization: string | undefined;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly attemptsMax: number;
  readonly pauseMs: number;
  /** Counts answers, to wake the waiting thread. */
  readonly answered: Int32Array;
}

/** A thread that posts to one address. */
export class FetchThread {
  readonly #origin: string;
  readonly #timeoutMs: number;
  readonly #answered = new Int32Array(new SharedArrayBuffer(4));
  readonly #receive: typeof WorkerThreads.receiveMessageOnPort;
  readonly #port: WorkerThreads.MessagePort;
  readonly #worker: WorkerThreads.Worker;
  readonly #waiting = new Map<number, { resolve(text: string): void; reject(error: EngineError): void }>();
  #asked = 0;
  #isClosed = false;

  /** @throws {EngineError} `not-supported` in a host without worker threads */
  constructor({ href, origin, credentials }: HttpAddress, timeoutMs: number) {
    const threads = HOST.builtin('node:worker_threads');
    if (threads === undefined) {
      throw new EngineError('not-supported', 'fork: this host has no worker threads, which fetch rows; use Node');
    }
    this.#origin = origin;
    this.#timeoutMs = timeoutMs;
    this.#receive = threads.receiveMessageOnPort;
    const { port1, port2 } = new threads.MessageChannel();
    const settings: ThreadSettings = {
      url: href,
      authorization: credentials === undefined ? undefined : `Basic ${basicCredentials(credentials)}`,
      timeoutMs,
      bytesMax: FETCH_ANSWER_BYTES_MAX,
      attemptsMax: FETCH_ATTEMPTS_MAX,
      pauseMs: FETCH_PAUSE_MS,
      answered: this.#answered,
    };
    // A file of its own would be one more for bundlers to lose.
    this.#worker = new threads.Worker(`(${serveThread})()`, {
      eval: true,
      workerData: { port: port2, settings },
      transferList: [port2],
      execArgv: [],
      env: {},
    });
    this.#worker.unref();
    this.#port = port1;
    port1.on('message', (fetched: Fetched) => this.#settle(fetched));
    port1.unref();
    this.#worker.on('error', (error) => this.#fail(`the thread that asks it ended: ${error.message}`));
  }

  /**
   * Sends a request and blocks this thread until the answer arrives.
   * @throws {EngineError} `transport-failed` if there is none, `limit-exceeded` for one that is too long, `closed`
   */
  ask(body: string): string {
    const id = this.#post(body);
    const end = performance.now() + this.#timeoutMs + MARGIN_MS;
    for (;;) {
      const seen = Atomics.load(this.#answered, 0);
      for (let message = this.#receive(this.#port); message !== undefined; message = this.#receive(this.#port)) {
        const fetched = message.message as Fetched;
        if (fetched.id === id) return this.#textOf(fetched);
        this.#settle(fetched);
      }
      const left = end - performance.now();
      if (left <= 0) {
        throw this.#failure(`it did not answer within ${this.#timeoutMs} ms`);
      }
      Atomics.wait(this.#answered, 0, seen, left);
    }
  }

  /** As `ask`, without blocking. */
  request(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const id = this.#post(body);
      this.#waiting.set(id, { resolve, reject });
      this.#port.ref();
    });
  }

  /** Ends the thread; pending requests reject with `closed`. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(closed());
    this.#waiting.clear();
    this.#port.close();
    void this.#worker.terminate();
  }

  #post(body: string): number {
    if (this.#isClosed) throw closed();
    const id = ++this.#asked;
    this.#port.postMessage({ id, body });
    return id;
  }

  #settle(fetched: Fetched): void {
    const waiting = this.#waiting.get(fetched.id);
    this.#waiting.delete(fetched.id);
    if (this.#waiting.size === 0) this.#port.unref();
    try {
      waiting?.resolve(this.#textOf(fetched));
    } catch (error) {
      waiting?.reject(error as EngineError);
    }
  }

  #fail(problem: string): void {
    for (const { reject } of this.#waiting.values()) reject(this.#failure(problem));
    this.#waiting.clear();
  }

  #textOf(fetched: Fetched): string {
    if ('text' in fetched) return fetched.text;
    if (fetched.isTooLong === true) {
      const expected = `at most ${FETCH_ANSWER_BYTES_MAX} bytes (FETCH_ANSWER_BYTES_MAX)`;
      throw new EngineError('limit-exceeded', `the answer of ${this.#origin}: expected ${expected}`, {
        details: { remote: this.#origin, expected },
      });
    }
    throw this.#failure(fetched.problem);
  }

  #failure(problem: string): EngineError {
    return new EngineError(
      'transport-failed',
      `the node at ${this.#origin}, of which this chain is a fork, gave no answer: ${problem}; what needed it was not done, and can be tried again`,
      { details: { remote: this.#origin } },
    );
  }
}

function closed(): EngineError {
  return new EngineError('closed', 'the fork is closed');
}

/** The program of the thread. It is passed as text, so it may use nothing from outside. */
function serveThread(): void {
  const { process } = globalThis as unknown as { readonly process: { getBuiltinModule(name: string): unknown } };
  const { workerData } = process.getBuiltinModule('node:worker_threads') as typeof WorkerThreads;
  const { port, settings } = workerData as {
    readonly port: WorkerThreads.MessagePort;
    readonly settings: ThreadSettings;
  };
  const { url, authorization, timeoutMs, bytesMax, attemptsMax, pauseMs, answered } = settings;
  const http = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http') as typeof Http &
    typeof Https;
  const agent = new http.Agent({ keepAlive: true });
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (authorization !== undefined) headers['authorization'] = authorization;
  const passing = [429, 502, 503, 504];

  type Attempt = {
    readonly text?: string;
    readonly problem?: string;
    readonly mayRepeat?: boolean;
    readonly isTooLong?: boolean;
  };
  const attempt = (body: string, msMax: number): Promise<Attempt> =>
    new Promise((resolve) => {
      const length = String(new TextEncoder().encode(body).length);
      const request = http.request(url, { method: 'POST', agent, headers: { ...headers, 'content-length': length } });
      const timer = setTimeout(() => {
        resolve({ problem: `it did not answer within ${timeoutMs} ms` });
        request.destroy();
      }, msMax);
      const end = (outcome: Attempt): void => {
        clearTimeout(timer);
        resolve(outcome);
      };
      request.on('error', (error) => end({ problem: error.message, mayRepeat: true }));
      request.on('response', (response) => {
        const parts: Uint8Array[] = [];
        let bytes = 0;
        response.on('data', (part: Uint8Array) => {
          bytes += part.length;
          if (bytes > bytesMax) {
            end({ problem: 'too long', isTooLong: true });
            request.destroy();
            return;
          }
          parts.push(part);
        });
        response.on('error', (error) => end({ problem: error.message, mayRepeat: true }));
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          const whole = new Uint8Array(bytes);
          let at = 0;
          for (const part of parts) {
            whole.set(part, at);
            at += part.length;
          }
          const text = new TextDecoder().decode(whole);
          // A JSON-RPC error may come with any status.
          if (status === 200 || (!passing.includes(status) && text.startsWith('{'))) end({ text });
          else end({ problem: `it answered with HTTP status ${status}`, mayRepeat: passing.includes(status) });
        });
      });
      request.end(body);
    });

  const answer = async (id: number, body: string): Promise<void> => {
    const begun = performance.now();
    let outcome: Attempt = {};
    for (let made = 0, pause = pauseMs; made < attemptsMax; made++, pause *= 2) {
      if (made > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      const left = timeoutMs - (performance.now() - begun);
      if (left <= 0) break;
      outcome = await attempt(body, left);
      if (outcome.mayRepeat !== true) break;
    }
    const { text, problem = '', isTooLong = false } = outcome;
    port.postMessage(text === undefined ? { id, problem, isTooLong } : { id, text });
    Atomics.add(answered, 0, 1);
    Atomics.notify(answered, 0);
  };
  port.on('message', ({ id, body }: { readonly id: number; readonly body: string }) => void answer(id, body));
}
