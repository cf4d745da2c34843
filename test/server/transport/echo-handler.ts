import { afterEach, expect } from 'vitest';
import {
  type HttpOptions,
  type HttpServer,
  type RpcContext,
  type RpcHandler,
  serveHttp,
} from '../../../src/server/index.ts';

/** Letters of an answer that the system's own buffers do not take. */
export const UNREAD = 45_000_000;

/** Longer than a test may take: a server that waits for it fails the test. */
export const PATIENCE = 1_000_000;

const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const disposable of open.splice(0).reverse()) await disposable[Symbol.asyncDispose]();
});

/** Disposes of it after the test. */
export function untilEnd<T extends AsyncDisposable>(disposable: T): T {
  open.push(disposable);
  return disposable;
}

/** A listener until the end of the test. */
export async function start(options: HttpOptions = {}, handler: RpcHandler = new EchoHandler()): Promise<HttpServer> {
  return untilEnd(await serveHttp(handler, { port: 0, closeMsMax: 500, ...options }));
}

/**
 * A stand-in for the RPC. `echo` gives its params back, `path` the base path, `later` answers after some milliseconds,
 * `hold` once the test calls `release`, `fail` breaks the contract, `big` gives a text of so many letters, `subscribe` pushes so many notifications. A message
 * without id is a notification, text that is no JSON a parse error.
 */
export class EchoHandler implements RpcHandler {
  readonly received: string[] = [];
  readonly contexts: Set<RpcContext | undefined> = new Set<RpcContext | undefined>();
  inFlight = 0;
  inFlightSeen = 0;
  /** Lets requests to `hold` be answered, those waiting now and all later ones. */
  release: () => void = () => {};
  readonly #released = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  async handle(text: string, context?: RpcContext): Promise<string | undefined> {
    this.received.push(text);
    this.contexts.add(context);
    this.inFlight++;
    this.inFlightSeen = Math.max(this.inFlightSeen, this.inFlight);
    try {
      return await this.#answer(text, context);
    } finally {
      this.inFlight--;
    }
  }

  /** Waits until that many requests have been received. */
  async receives(count: number): Promise<void> {
    await expect.poll(() => this.received.length).toBe(count);
  }

  async #answer(text: string, context: RpcContext | undefined): Promise<string | undefined> {
    let request: { id?: unknown; method?: string; params?: unknown[] };
    try {
      request = { ...JSON.parse(text) };
    } catch {
      return '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}';
    }
    if (request.method === undefined)
      return '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}';
    const { id, method, params = [] } = request;
    const count = Number(params[0]);
    if (method === 'fail') throw new Error('secret detail');
    if (method === 'later') await new Promise((resolve) => setTimeout(resolve, count));
    if (method === 'hold') await this.#released;
    if (method === 'subscribe') for (let index = 0; index < count; index++) context?.notify?.(`{"note":${index}}`);
    if (id === undefined) return undefined;
    const result = method === 'path' ? context?.path : method === 'big' ? 'x'.repeat(count) : params;
    return JSON.stringify({ jsonrpc: '2.0', id, result });
  }
}

/** Lets the event loop go round until what has arrived is begun. */
export async function rounds(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
}

export function request(method: string, params: unknown[] = [], id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function answer(result: unknown, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}
