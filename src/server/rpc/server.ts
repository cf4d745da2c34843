/**
 * The JSON-RPC 2.0 adapter over an engine: from text to text for transports, from values to values for programs.
 *
 * Every message is answered exactly as the specification says (https://www.jsonrpc.org/specification): one
 * answer for each request, none for notifications, ids as received. `json-rpc-2.0` does the dispatch; the rest is added
 * here: batches are limited, nothing is printed, and all a client learns of an unexpected error is that it happened.
 * Limits: options.ts.
 * @module
 */

import { type JSONRPCRequest, JSONRPCServer } from 'json-rpc-2.0';
import { argumentError, assertMethods, assertObject, assertText } from '../../base/argument.ts';
import { assert } from '../../base/error.ts';
import { INTERNAL_ERROR, INVALID_REQUEST } from '../../base/json-rpc.ts';
import { type Log, SILENT_LOG } from '../../base/log.ts';
import { healthOf, nodeMetrics, workerMetrics } from '../metrics.ts';
import {
  type Answer,
  EncodedAnswer,
  errorText,
  invalidRequest,
  parseError,
  resultText,
  textOf,
  WrittenResult,
} from './answer.ts';
import { Calls, newShared, type SharedByForks } from './calls.ts';
import { type DevEngine, type RpcEngine, readPinned } from './engine.ts';
import { answerTooLong, describeThrown, errorOf, type RpcError, rpcError } from './error.ts';
import { HeldPoints } from './fork-origin.ts';
import { clientSnapshots, type ForkServer } from './forks.ts';
import { type JsonValue, parseJson, stringifyInPieces, stringifyJson, stringifyResult } from './json.ts';
import {
  DISCOVER,
  type MethodName,
  type MethodResult,
  type NamedMethod,
  openRpcDocument,
  unknownMethod,
} from './methods.ts';
import { assertRpcOptions, limitsOf, type RpcLimits, type RpcOptions } from './options.ts';
import { idOf, type RequestId, readRequest, type ValidRequest } from './request.ts';
import {
  assertStream,
  type Meter,
  type RequestParams,
  type Rpc,
  type RpcContext,
  type StreamRequest,
  type StreamSink,
} from './rpc.ts';
import { Subscriptions } from './subscriptions.ts';

/** Messages of this many characters and more are read after cheap requests are answered: 2 MB take up to 50 ms. */
const LARGE_MESSAGE_CHARACTERS = 65_536;

/** A JSON-RPC adapter over an engine. It needs `Rpc.close` only if it has forks or worker threads. */
export function createRpc(engine: DevEngine, options?: RpcOptions): Rpc;
export function createRpc(engine: RpcEngine, options?: RpcOptions & { readonly dev?: false | undefined }): Rpc;
export function createRpc(engine: RpcEngine, options: RpcOptions = {}): Rpc {
  assertMethods(engine, 'engine', 'an engine', ['at']);
  assertRpcOptions(options);
  return new RpcServer(engine, options);
}

class RpcServer implements Rpc, ForkServer {
  readonly #engine: RpcEngine;
  readonly #shared: SharedByForks<RpcServer>;
  readonly #calls: Calls;
  readonly #server: JSONRPCServer<RpcContext>;
  readonly #log: Log;
  readonly #limits: RpcLimits;
  readonly #subscriptions: Subscriptions;
  readonly #takeThreadBack: (() => void) | undefined;
  readonly #origin: HeldPoints | undefined;

  /** `shared`: that of the chain this one was forked from. Default: a new one. */
  constructor(engine: RpcEngine, options: RpcOptions, shared?: SharedByForks<RpcServer>) {
    this.#engine = engine;
    this.#log = options.log ?? SILENT_LOG;
    this.#limits = limitsOf(options);
    this.#shared = shared ?? newShared(options, this.#limits, this.#log);
    this.#takeThreadBack = this.#shared.threads.lendTo(engine);
    this.#subscriptions = new Subscriptions(engine, this.#shared.subscriptions, this.#shared.queue);
    this.#origin = options.serveNodes === true ? new HeldPoints(engine) : undefined;
    this.#calls = new Calls({
      engine,
      options,
      limits: this.#limits,
      shared: this.#shared,
      subscriptions: this.#subscriptions,
      snapshots: options.dev === true ? clientSnapshots(engine as DevEngine, this.#limits.snapshotsMax) : undefined,
      origin: this.#origin,
      addFork: () => this.#addFork(options),
    });
    this.#server = this.#dispatcher();
  }

  /** A fork is isolated, so it sends nothing to Bitcoin. */
  #addFork(options: RpcOptions): string {
    const own = { ...options, broadcast: undefined };
    return this.#shared.forks.add(() => new RpcServer((this.#engine as DevEngine).fork(), own, this.#shared));
  }

  #dispatcher(): JSONRPCServer<RpcContext> {
    const server = new JSONRPCServer<RpcContext>({ errorListener: () => {} });
    server.mapErrorToJSONRPCErrorResponse = (id, thrown: unknown) => {
      const { code, message, data } = this.#errorOf(thrown);
      return { jsonrpc: '2.0', id, error: { code, message, data } };
    };
    const { methods } = this.#shared;
    for (const method of methods.values()) {
      server.addMethodAdvanced(method.name, async ({ id, params }, context) => {
        const result = await this.#calls.answer(method, params, context, id ?? null);
        return id === undefined ? null : { jsonrpc: '2.0', id, result };
      });
    }
    server.addMethod(DISCOVER, () => openRpcDocument(methods, this.#limits));
    return server;
  }

  async handle(text: string, context?: RpcContext): Promise<string | undefined> {
    const answer = await this.handleEncoded(text, context);
    return answer === undefined ? undefined : textOf(answer);
  }

  async handleEncoded(text: string, context: RpcContext = {}): Promise<Answer> {
    assertText(text, 'text', 'a JSON-RPC message as text');
    assertObject(context, 'context');
    const arrival = this.#shared.tally.arrival();
    const isExpensive = text.length >= LARGE_MESSAGE_CHARACTERS;
    return this.#queued(context, () => this.#handle(text, context, arrival), isExpensive);
  }

  /** Starts `work` when the connection is next, and returns its result. */
  #queued<T>(context: RpcContext, work: () => Soon<T>, isExpensive = false): Soon<T | undefined> {
    const { tally, queue } = this.#shared;
    tally.waiting++;
    const begin = (): Soon<T | undefined> => {
      tally.waiting--;
      return context.isGone?.() === true ? undefined : work();
    };
    return isExpensive ? queue.runExpensive(context.connection, begin) : queue.run(context.connection, begin);
  }

  #handle(text: string, context: RpcContext, arrival: number | undefined): Soon<Answer> {
    let message: unknown;
    try {
      message = parseJson(text, this.#limits.jsonDepthMax);
    } catch (error) {
      this.#shared.tally.count(arrival, 'unknown', 'malformed-json');
      return errorText(null, parseError(error));
    }
    const isBatch = Array.isArray(message);
    const id = isBatch ? null : idOf(message);
    const answer = isBatch
      ? this.#batch(message as unknown[], context, arrival)
      : this.#counted(arrival, this.#single(message, context));
    return answer instanceof Promise ? answer.then((whole) => this.#bounded(whole, id)) : this.#bounded(answer, id);
  }

  /** Counts a request in the metrics and returns its answer. */
  #counted(arrival: number | undefined, answered: Soon<Answered | undefined>): Soon<Answer> {
    if (answered instanceof Promise) return answered.then((one) => this.#counted(arrival, one));
    if (answered === undefined) return undefined;
    this.#shared.tally.count(arrival, answered.method, answered.outcome);
    return answered.answer;
  }

  #bounded(answer: Answer, id: RequestId): Answer {
    const { responseCharactersMax } = this.#limits;
    // A worker thread has already checked the length of what it wrote.
    if (typeof answer !== 'string' || answer.length <= responseCharactersMax) return answer;
    return errorText(id, answerTooLong(answer.length, responseCharactersMax));
  }

  async request<N extends MethodName>(
    method: N,
    params?: RequestParams<N>,
    context: RpcContext = {},
  ): Promise<MethodResult<N>> {
    assertText(method, 'method', 'the name of a method');
    if (params !== undefined && (typeof params !== 'object' || params === null)) {
      throw argumentError('params', 'an array or an object of parameters', params);
    }
    assertObject(context, 'context');
    return (await this.#request(method, params ?? [], context)) as MethodResult<N>;
  }

  async #request(method: MethodName, params: unknown, context: RpcContext): Promise<JsonValue> {
    const { fork, minOrder } = context;
    if (fork === undefined) return this.#run(method, params, context, minOrder);
    return this.#shared.forks.use(fork, (server) => server.#run(method, params, context));
  }

  async #run(method: MethodName, params: unknown, context: RpcContext, minOrder?: bigint): Promise<JsonValue> {
    const { methods } = this.#shared;
    const unknown = unknownMethod(methods, method);
    if (unknown !== undefined) throw unknown;
    if (method === DISCOVER) return openRpcDocument(methods, this.#limits);
    try {
      if (minOrder !== undefined) await this.#engine.waitFor(minOrder);
      // Only answers sent over a wire become text.
      return (await this.#calls.answer(methods.get(method)!, params, context, undefined)) as JsonValue;
    } catch (thrown) {
      throw this.#errorOf(thrown);
    }
  }

  measure(): Meter {
    const { tally, threads } = this.#shared;
    tally.begin();
    return {
      metrics: async () => {
        const status = await readPinned(this.#engine, (chain) => chain.status());
        const workers = threads.usage === undefined ? [] : workerMetrics(threads.usage);
        const { inside } = this.#engine;
        assert(inside !== undefined, 'an engine with metrics reports its usage');
        return [...nodeMetrics(status, inside.core.usage()), ...tally.metrics(), ...workers];
      },
    };
  }

  async health(): Promise<{ readonly isWell: boolean; readonly text: string }> {
    const { isWell, answer } = healthOf(await readPinned(this.#engine, (chain) => chain.status()));
    return { isWell, text: stringifyJson(answer) };
  }

  get hasSubscriptions(): boolean {
    return this.#subscriptions.size > 0;
  }

  async end(reason: string): Promise<void> {
    this.#letGo(reason);
    await (this.#engine as DevEngine).close();
  }

  #letGo(reason: string): void {
    this.#subscriptions.end(reason);
    this.#takeThreadBack?.();
    this.#origin?.close();
  }

  async close(): Promise<void> {
    this.#letGo('the node is shutting down');
    const { threads, forks } = this.#shared;
    await Promise.all([threads.close(), forks.close()]);
  }

  async stream(given: StreamRequest, sink: StreamSink): Promise<void> {
    assertStream(given, sink);
    const { fork, ...request } = given;
    if (fork !== undefined) return this.#shared.forks.use(fork, (server) => server.stream(request, sink));
    try {
      await this.#calls.stream(request, sink);
    } catch (thrown) {
      throw this.#errorOf(thrown);
    }
  }

  async #batch(messages: readonly unknown[], given: RpcContext, arrival: number | undefined): Promise<Answer> {
    if (messages.length === 0) return errorText(null, invalidRequest('a batch holds at least one request'));
    const { batchRequestsMax, responseCharactersMax } = this.#limits;
    if (messages.length > batchRequestsMax) {
      const expected = `at most ${batchRequestsMax} requests in a batch`;
      const details = { expected, received: messages.length };
      return errorText(
        null,
        rpcError(INVALID_REQUEST, `expected ${expected}, got ${messages.length}`, 'limit-exceeded', details),
      );
    }
    const { tally, batches } = this.#shared;
    const gathered = batches.begin();
    let begin: () => void = () => {};
    const answered = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const context: RpcContext = { ...given, answered };
    try {
      // One after another: a batch takes no more at once than a single request.
      for (const [index, message] of messages.entries()) {
        await gathered.mayGoOn();
        // Other connections and the event loop are served in between.
        const begun = index === 0 ? arrival : tally.arrival();
        const work = (): Soon<Answer> => this.#counted(begun, this.#single(message, context));
        const one = await (index === 0 ? work() : this.#queued(context, work));
        if (context.isGone?.() === true) return undefined;
        if (one !== undefined) gathered.add(textOf(one), responseCharactersMax);
      }
      return gathered.text;
    } catch (error) {
      return errorText(null, this.#errorOf(error));
    } finally {
      gathered.end();
      begin();
    }
  }

  #single(message: unknown, context: RpcContext): Soon<Answered | undefined> {
    const request = readRequest(message);
    if (typeof request === 'string') return refused(idOf(message), invalidRequest(request));
    const fork = request.fork ?? context.fork;
    if (fork !== undefined) return this.#onFork(fork, request, context);
    const minOrder = request.minOrder ?? context.minOrder;
    if (minOrder !== undefined) return this.#afterOrder(minOrder, request, context);
    return this.#answer(request, context);
  }

  /** Answers once the chain has reached an order: the client may have a receipt from another node of the same log. */
  async #afterOrder(order: bigint, request: ValidRequest, context: RpcContext): Promise<Answered | undefined> {
    try {
      await this.#engine.waitFor(order);
    } catch (late) {
      return refused(request.id, this.#errorOf(late));
    }
    if (context.isGone?.() === true) return undefined;
    return this.#queued(context, () => this.#answer(request, context));
  }

  async #onFork(fork: string, request: ValidRequest, context: RpcContext): Promise<Answered | undefined> {
    try {
      return await this.#shared.forks.use(fork, (server) => server.#answer(request, context));
    } catch (unknown) {
      return refused(request.id, this.#errorOf(unknown));
    }
  }

  #answer(request: ValidRequest, context: RpcContext): Soon<Answered | undefined> {
    const { methods } = this.#shared;
    const unknown = unknownMethod(methods, request.method);
    if (unknown !== undefined) return refused(request.id, unknown);
    const method = methods.get(request.method);
    const work = (): Soon<Answered> =>
      method?.row.isImmediate === true ? this.#atOnce(method, request, context) : this.#dispatch(request, context);
    // Cheap requests go first.
    const isExpensive =
      method?.row.runsOnWorker === true && this.#shared.threads.placeOf(context.connection) !== 'thread';
    return isExpensive ? this.#queued(context, work, true) : work();
  }

  /** For synchronous methods, which are most requests: no promise is made. */
  #atOnce(method: NamedMethod, request: ValidRequest, context: RpcContext): Soon<Answered> {
    const { params, id } = request;
    try {
      const done = this.#calls.atOnce(method, params, context);
      if (done === undefined) return this.#dispatch(request, context);
      if (id === undefined) return notified(method.name);
      return { method: method.name, outcome: 'ok', answer: resultText(id, stringifyResult(done.value)) };
    } catch (thrown) {
      return id === undefined ? notified(method.name) : refused(id, this.#errorOf(thrown), method.name);
    }
  }

  async #dispatch({ method, params, id, isForwarded }: ValidRequest, context: RpcContext): Promise<Answered> {
    const call = { jsonrpc: '2.0', method, params, id } as JSONRPCRequest;
    const answer = await this.#server.receive(call, isForwarded ? { ...context, isForwarded } : context);
    if (answer === null || id === undefined) return notified(method);
    if (answer.error !== undefined) return refused(id, answer.error as RpcError, method);
    const { result } = answer as { readonly result: JsonValue | WrittenResult | EncodedAnswer };
    return { method, outcome: 'ok', answer: await this.#written(id, result, context) };
  }

  async #written(
    id: RequestId,
    result: JsonValue | WrittenResult | EncodedAnswer,
    { connection }: RpcContext,
  ): Promise<Answer> {
    if (result instanceof EncodedAnswer) return result.bytes;
    const { queue } = this.#shared;
    const written = result instanceof WrittenResult ? result.text : await stringifyInPieces(result);
    const begun = queue.now();
    const text = resultText(id, written);
    queue.spend(connection, queue.now() - begun);
    return text;
  }

  #errorOf(thrown: unknown): RpcError {
    const error = errorOf(thrown);
    if (error.code === INTERNAL_ERROR && error !== thrown) {
      const cause = thrown instanceof Error ? (thrown.stack ?? thrown.message) : describeThrown(thrown);
      this.#log({ level: 'error', message: 'a method failed in an unforeseen way', details: { cause } });
    }
    return error;
  }
}

type Soon<T> = T | Promise<T>;

/** The outcome of one request: its answer, and what metrics count. */
interface Answered {
  readonly answer: Answer;
  /** `unknown` if there is no such method. */
  readonly method: string;
  readonly outcome: string;
}

function notified(method: string): Answered {
  return { answer: undefined, method, outcome: 'notification' };
}

function refused(id: RequestId | undefined, error: RpcError, method = 'unknown'): Answered {
  const { code } = error.data as { readonly code: string };
  return { answer: id === undefined ? undefined : errorText(id, error), method, outcome: code };
}
