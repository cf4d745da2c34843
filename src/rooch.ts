/**
 * The door `movelet/rooch`: the official TypeScript SDK's client on an engine of the same process.
 *
 * ```ts
 * import { RoochClient } from '@roochnetwork/rooch-sdk';
 * import { Engine } from 'movelet';
 * import { roochTransport } from 'movelet/rooch';
 *
 * const client = new RoochClient({ transport: roochTransport(engine) });
 * ```
 *
 * No port and no socket: each request goes through the same JSON-RPC adapter as over HTTP, from text to text, so what the
 * client sees is what it would see of a node, to the byte, and it may keep and change it. The SDK is no dependency: its
 * transport is an interface, and this is an object of that form.
 *
 * Source: src/client/transportInterface.ts and httpTransport.ts of `@roochnetwork/rooch-sdk` 0.4; spec/rpc.md section 11.
 * @module
 */
import { EngineError } from './error.ts';
import type { RpcEngine } from './rpc/engine.ts';
import { createRpc, type Rpc } from './rpc/server.ts';

/** A request of the SDK. */
export interface RoochRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What `new RoochClient({ transport })` takes. */
export interface RoochTransport {
  /**
   * @throws {RoochRpcError} for every answer that is an error, or what the option `JsonRpcError` makes of it
   * @throws {EngineError} `closed` after `destroy`
   */
  request<T = unknown>(input: RoochRequest): Promise<T>;
  destroy(): void;
}

export interface RoochTransportOptions {
  /**
   * The SDK's class of this name, for programs that ask `error instanceof JsonRpcError`. Default: `RoochRpcError`, which
   * has the same members.
   */
  readonly JsonRpcError?: (new (message: string, code: number) => Error) | undefined;
}

/** Why a transaction was refused, as the SDK names the low 16 bits of the sub status. */
const REFUSALS: Readonly<Record<number, string>> = {
  1001: 'SequenceNuberTooOld',
  1002: 'SequenceNuberTooNew',
  1003: 'AccountDoesNotExist',
  1004: 'CantPayGasDeposit',
  1005: 'TransactionExpired',
  1006: 'BadChainId',
  1007: 'SequenceNumberTooBig',
  1008: 'MaxGasAmountExceeded',
  1009: 'InvalidAccountAuthKey',
  1010: 'InvalidAuthenticator',
  1011: 'NotInstalledAuthValidator',
  1012: 'SessionIsExpired',
  1013: 'CallFunctionBeyondSessionScop',
};

/** An answer that is an error, with the members of the SDK's `JsonRpcError`. */
export class RoochRpcError extends Error {
  /** The low 16 bits of the sub status that the message names; otherwise the number of the JSON-RPC error. */
  readonly code: number;
  /** The SDK's word for the code, spelt as the SDK spells it. */
  readonly type: string;

  constructor(message: string, code: number) {
    super(message);
    this.name = 'RoochRpcError';
    const [, subStatus] = /sub status (\d+)/.exec(message) ?? [];
    this.code = (subStatus === undefined ? 0 : Number(subStatus) & 0xffff) || code;
    this.type = REFUSALS[this.code] ?? 'ServerError';
  }
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/**
 * A transport of the official SDK over an engine. It holds nothing of the engine, which stays open when the transport is
 * destroyed.
 */
export function roochTransport(engine: RpcEngine, options: RoochTransportOptions = {}): RoochTransport {
  return new InProcess(createRpc(engine, { forms: 'current' }), options);
}

class InProcess implements RoochTransport {
  readonly #rpc: Rpc;
  readonly #Failure: new (
    message: string,
    code: number,
  ) => Error;
  #requests = 0;
  #isDestroyed = false;

  constructor(rpc: Rpc, { JsonRpcError = RoochRpcError }: RoochTransportOptions) {
    this.#rpc = rpc;
    this.#Failure = JsonRpcError;
  }

  async request<T = unknown>({ method, params }: RoochRequest): Promise<T> {
    if (this.#isDestroyed) throw new EngineError('closed', 'the transport was destroyed: make another one');
    const request = { jsonrpc: '2.0', id: ++this.#requests, method, params };
    // A request with an id is always answered.
    const answer = JSON.parse((await this.#rpc.handle(JSON.stringify(request)))!) as Answer;
    if (answer.error !== undefined) throw new this.#Failure(answer.error.message, answer.error.code);
    return answer.result as T;
  }

  destroy(): void {
    this.#isDestroyed = true;
  }
}
