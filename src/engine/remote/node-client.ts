/**
 * JSON-RPC to the node that a chain was forked from, asynchronous or blocking this thread.
 * @module
 */
import { EngineError, ERROR_CODES, type ErrorCode, messageOf } from '../../base/error.ts';
import type { HttpAddress } from '../../base/http-address.ts';
import { METHOD_NOT_FOUND } from '../../base/json-rpc.ts';
import { FetchThread } from './fetch-thread.ts';

/** The kind of node expected at an address, for messages. */
export interface ExpectedNode {
  /** Completes the question: is it ...? */
  readonly kind: string;
  /** What a node without a method cannot do, and the remedy; follows the name of the node. */
  readonly withoutMethod: string;
}

export class NodeClient {
  /** The node, for messages. */
  readonly name: string;
  readonly #expected: ExpectedNode;
  readonly #thread: FetchThread;
  /** The remedy if the node does not have something. */
  adviceIfMissing = '';
  #requests = 0;

  constructor(address: HttpAddress, timeoutMs: number, expected: ExpectedNode) {
    this.name = address.origin;
    this.#expected = expected;
    this.#thread = new FetchThread(address, timeoutMs);
  }

  get requests(): number {
    return this.#requests;
  }

  /** @throws {EngineError} `transport-failed`, `limit-exceeded`, `closed`, `not-supported`; what the node refuses */
  async request(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#resultOf(await this.#thread.request(this.#body(method, params)));
  }

  /** As `request`, but blocks this thread. */
  ask(method: string, params: readonly unknown[]): unknown {
    return this.#resultOf(this.#thread.ask(this.#body(method, params)));
  }

  /** Reads an answer; one in another form is an error. */
  read<T>(read: () => T): T {
    try {
      return read();
    } catch (cause) {
      if (cause instanceof EngineError && cause.code === 'remote-untrue') throw cause;
      const message = `${this.name} answered in another form than ${this.#expected.kind} does: ${messageOf(cause)}`;
      throw new EngineError('transport-failed', message, { cause, details: { remote: this.name } });
    }
  }

  close(): void {
    this.#thread.close();
  }

  #body(method: string, params: readonly unknown[]): string {
    this.#requests++;
    return JSON.stringify({ jsonrpc: '2.0', id: this.#requests, method, params });
  }

  #resultOf(text: string): unknown {
    let answer: { readonly result?: unknown; readonly error?: NodeError } | null;
    try {
      answer = JSON.parse(text) as typeof answer;
    } catch (cause) {
      const message = `${this.name} did not answer with JSON: is it ${this.#expected.kind}?`;
      throw new EngineError('transport-failed', message, { cause });
    }
    if (answer?.error !== undefined) throw this.#refusal(answer.error);
    if (answer?.result !== undefined) return answer.result;
    throw new EngineError('transport-failed', `${this.name} did not answer as a JSON-RPC node does`);
  }

  #refusal({ code, message, data }: NodeError): EngineError {
    const details = { remote: this.name };
    if (code === METHOD_NOT_FOUND) {
      return new EngineError('not-supported', `${this.name} ${this.#expected.withoutMethod}`, { details });
    }
    const word = data?.code as ErrorCode | undefined;
    const known = word !== undefined && Object.hasOwn(ERROR_CODES, word) ? word : 'transport-failed';
    const advice = word === 'not-found' ? this.adviceIfMissing : '';
    return new EngineError(known, `${this.name}: ${message}${advice}`, { details });
  }
}

interface NodeError {
  readonly code?: number;
  readonly message?: string;
  readonly data?: { readonly code?: string } | null;
}
