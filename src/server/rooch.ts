/**
 * The official TypeScript SDK's client on an engine in the same process: the entry point `movelet/rooch`, which has a TestBox
 * beside it where there is Node (src/cli/rooch).
 *
 * ```ts
 * import { RoochClient } from '@roochnetwork/rooch-sdk';
 * import { Engine } from 'movelet';
 * import { roochTransport } from 'movelet/rooch';
 *
 * const client = new RoochClient({ transport: roochTransport(engine) });
 * ```
 *
 * No port and no socket: each request goes through the same JSON-RPC adapter as over HTTP, from text to text, so the
 * client sees what a node would send it, to the byte, and may keep and change it. The SDK is not a dependency: its
 * transport is an interface, and this object implements it.
 *
 * Source: src/client/transportInterface.ts and httpTransport.ts of `@roochnetwork/rooch-sdk` 0.4.
 * @module
 */
import {
  A_FUNCTION,
  argumentError,
  assertFunction,
  assertObject,
  assertOptions,
  assertText,
} from '../base/argument.ts';
import { EngineError } from '../base/error.ts';
import type { RpcEngine } from './rpc/engine.ts';
import type { Rpc, RpcContext } from './rpc/rpc.ts';
import { createRpc } from './rpc/server.ts';

/** A request from the SDK. */
export interface RoochRequest {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A subscription from the SDK. */
export interface RoochSubscription<T> extends RoochRequest {
  readonly onMessage: (item: T) => void;
  /** Ends the subscription when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** A subscription from the SDK by server-sent events: the path of the URL, and the filter. */
export interface RoochSseSubscription<T> {
  readonly method: string;
  readonly params: unknown;
  readonly onMessage: (item: T) => void;
  /** Called with the reason when the engine ends the subscription. */
  readonly onError?: ((error: Error) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Ends a subscription; false if it had already ended. */
export type Unsubscribe = () => Promise<boolean>;

/** What `new RoochClient({ transport })` takes. */
export interface RoochTransport {
  /**
   * @throws {Error} for every error answer, of the class of the option `JsonRpcError`
   * @throws {EngineError} `closed` after `destroy`
   */
  request<T = unknown>(input: RoochRequest): Promise<T>;
  /**
   * Calls `onMessage` with each item from now on; what `onMessage` throws is an uncaught exception, as in a WebSocket's
   * listener.
   * @throws as `request`
   */
  subscribe<T = unknown>(input: RoochSubscription<T>): Promise<Unsubscribe>;
  /** As `subscribe`; the path names what is subscribed to. */
  subscribeWithSSE<T = unknown>(input: RoochSseSubscription<T>): Promise<Unsubscribe>;
  /** Ends all subscriptions. */
  destroy(): void;
}

/** How the transport behaves towards the SDK. */
export interface RoochTransportOptions {
  /**
   * The class of error answers. Default: the SDK's class of this name, so that `error instanceof JsonRpcError` holds;
   * `RoochRpcError`, which has the same members, where the SDK is not found from here, as in a bundle.
   */
  readonly JsonRpcError?: ErrorClass | undefined;
}

/** Why a transaction was rejected: the SDK's names for the low 16 bits of the sub status. */
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

type ErrorClass = new (message: string, code: number) => Error;

/** Not a dependency: users of the SDK have it installed. */
const SDK = '@roochnetwork/rooch-sdk';

let found: Promise<ErrorClass> | undefined;

/** The SDK's error class; the SDK is loaded for it on the first error. */
function errorClass(): Promise<ErrorClass> {
  found ??= import(/* @vite-ignore */ /* webpackIgnore: true */ SDK).then(
    ({ JsonRpcError }: { readonly JsonRpcError?: ErrorClass }) => JsonRpcError ?? RoochRpcError,
    () => RoochRpcError,
  );
  return found;
}

/** An error answer, with the members of the SDK's `JsonRpcError`. */
export class RoochRpcError extends Error {
  /** The low 16 bits of the sub status that the message names; otherwise the JSON-RPC error code. */
  readonly code: number;
  /** The SDK's word for the code, spelt as the SDK spells it. */
  readonly type: string;

  constructor(message: string, code: number) {
    assertText(message, 'message');
    if (!Number.isInteger(code)) throw argumentError('code', 'a whole number', code);
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
 * A transport for the official SDK over an engine. It does not own the engine, which stays open when the transport is
 * destroyed.
 */
export function roochTransport(engine: RpcEngine, options: RoochTransportOptions = {}): RoochTransport {
  const rpc = createRpc(engine, { wire: 'rooch' });
  assertOptions(options, { JsonRpcError: A_FUNCTION });
  return new InProcess(rpc, options);
}

/** The methods behind the paths of server-sent events. */
const STREAMS: Readonly<Record<string, string>> = {
  '/subscribe/sse/events': 'rooch_subscribeEvents',
  '/subscribe/sse/transactions': 'rooch_subscribeTransactions',
};

/** A notification from the adapter. */
interface Notification {
  readonly params: {
    readonly subscription: number;
    readonly result?: unknown;
    readonly error?: { readonly code: number; readonly message: string };
  };
}

/** The callbacks of a subscription; once stopped, none is called any more, not even for items already on their way. */
interface Listener {
  readonly onMessage: (item: never) => void;
  readonly onError: ((error: Error) => void) | undefined;
  isStopped: boolean;
}

/** Calls the subscriber in a microtask of its own, so that the engine does not catch what it throws. */
function tell(listener: Listener, say: () => void): void {
  queueMicrotask(() => {
    if (!listener.isStopped) say();
  });
}

function assertRequest(input: RoochRequest): void {
  assertObject(input, 'input', 'a request { method, params }');
  assertText(input.method, 'input.method', 'the name of a method');
  if (!Array.isArray(input.params)) throw argumentError('input.params', 'an array', input.params);
}

/** One connection to the adapter, with its subscriptions. */
class InProcess implements RoochTransport {
  readonly #rpc: Rpc;
  readonly #own: ErrorClass | undefined;
  readonly #end = new AbortController();
  readonly #connection: RpcContext;
  readonly #listeners = new Map<number, Listener>();
  /** Notifications for a subscription whose id is still on its way to the subscriber. */
  readonly #early = new Map<number, Notification[]>();
  #subscribing = 0;
  #requests = 0;

  constructor(rpc: Rpc, { JsonRpcError }: RoochTransportOptions) {
    this.#rpc = rpc;
    this.#own = JsonRpcError;
    this.#connection = { notify: (text) => this.#notified(JSON.parse(text) as Notification), closed: this.#end.signal };
  }

  async request<T = unknown>(input: RoochRequest): Promise<T> {
    assertRequest(input);
    const { method, params } = input;
    if (this.#end.signal.aborted) throw new EngineError('closed', 'the transport was destroyed: make another one');
    const request = { jsonrpc: '2.0', id: ++this.#requests, method, params };
    // A request with an id is always answered.
    const answer = JSON.parse((await this.#rpc.handle(JSON.stringify(request), this.#connection))!) as Answer;
    if (answer.error !== undefined) throw await this.#failure(answer.error);
    return answer.result as T;
  }

  async subscribe<T = unknown>(input: RoochSubscription<T>): Promise<Unsubscribe> {
    assertRequest(input);
    assertFunction(input.onMessage, 'input.onMessage');
    return this.#subscribe(input, input);
  }

  async subscribeWithSSE<T = unknown>(input: RoochSseSubscription<T>): Promise<Unsubscribe> {
    assertObject(input, 'input', 'a subscription { method, params, onMessage }');
    assertFunction(input.onMessage, 'input.onMessage');
    const method = STREAMS[input.method];
    if (method === undefined) {
      const expected = Object.keys(STREAMS).join(' or ');
      throw argumentError('input.method', expected, input.method);
    }
    return this.#subscribe({ method, params: [input.params] }, input);
  }

  destroy(): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort();
    for (const listener of this.#listeners.values()) listener.isStopped = true;
    this.#listeners.clear();
    // Takes back the thread that the adapter lent to the engine. Its worker, if it has started, need not be awaited.
    void this.#rpc.close();
  }

  async #subscribe<T>(
    request: RoochRequest,
    { onMessage, onError, signal }: Omit<RoochSseSubscription<T>, 'method' | 'params'>,
  ): Promise<Unsubscribe> {
    signal?.throwIfAborted();
    const listener: Listener = { onMessage, onError, isStopped: false };
    this.#subscribing++;
    let id: number;
    try {
      id = await this.request<number>(request);
      this.#listeners.set(id, listener);
      for (const notification of this.#early.get(id) ?? []) this.#notified(notification);
    } finally {
      if (--this.#subscribing === 0) this.#early.clear();
    }
    const unsubscribe = async (): Promise<boolean> => {
      listener.isStopped = true;
      if (!this.#listeners.delete(id) || this.#end.signal.aborted) return false;
      return this.request<boolean>({ method: request.method.replace('_subscribe', '_unsubscribe'), params: [id] });
    };
    if (signal?.aborted === true) await unsubscribe();
    // An engine closed in the meantime refuses; the answer is not awaited.
    signal?.addEventListener('abort', () => void unsubscribe().catch(() => {}), { once: true });
    return unsubscribe;
  }

  async #failure({ message, code }: { readonly message: string; readonly code: number }): Promise<Error> {
    const Failure = this.#own ?? (await errorClass());
    return new Failure(message, code);
  }

  /** Always accepts the notification. */
  #notified(notification: Notification): true {
    const { subscription, result, error } = notification.params;
    const listener = this.#listeners.get(subscription);
    if (listener === undefined) {
      if (this.#subscribing > 0)
        this.#early.set(subscription, [...(this.#early.get(subscription) ?? []), notification]);
      return true;
    }
    if (error !== undefined) {
      this.#listeners.delete(subscription);
      void this.#failure(error).then((failure) => tell(listener, () => listener.onError?.(failure)));
    }
    if (result !== undefined) tell(listener, () => listener.onMessage(result as never));
    return true;
  }
}
