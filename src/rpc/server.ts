/**
 * The JSON-RPC 2.0 adapter over an engine: from text to text for transports, from values to values for programs.
 *
 * Whatever a client sends is answered exactly as the specification says (https://www.jsonrpc.org/specification): one
 * answer for each request, none for notifications, ids as they came. Dispatch is `json-rpc-2.0`'s; the rest is added
 * here: batches are bounded, nothing is printed, and all that a client learns of an unexpected error is that it
 * happened. Bounds: options.ts.
 * @module
 */

import { type JSONRPCRequest, JSONRPCServer } from 'json-rpc-2.0';
import { argumentError, assertMethods, assertObject, assertText } from '../argument.ts';
import { BRIEF_MS_MAX, LARGE_MESSAGE_CHARACTERS, PACKAGE_VERSION, PAGE_ITEMS_DEFAULT } from '../config.ts';
import { HANDLER_ERROR, INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, SERVICE_UNAVAILABLE } from '../json-rpc.ts';
import { type Log, SILENT_LOG } from '../log.ts';
import { Aside, WrittenResult } from './aside.ts';
import type { RpcContext } from './context.ts';
import type { DevEngine, RpcChain, RpcEngine } from './engine.ts';
import { errorText, invalidRequest, parseError, resultText } from './envelope.ts';
import { errorOf, type RpcError, responseTooBig, rpcError } from './error.ts';
import { type ForkServer, Forks } from './forks.ts';
import { type Forward, forwarded, isFollowing } from './forward.ts';
import { type JsonValue, parseJson, stringifyInPieces, stringifyJson, stringifyResult, withBigints } from './json.ts';
import { LongPages, writtenPage } from './long-pages.ts';
import type { Broadcast, CollectItems, DevContext, DevForks, Forms, ListItem, MethodContext } from './method.ts';
import {
  isDevMethod,
  type MethodName,
  type MethodParams,
  type MethodResult,
  methodTable,
  type NamedMethod,
  subscribeMethod,
} from './methods.ts';
import type { Metric } from './metric.ts';
import { nearestName } from './nearest.ts';
import { healthOf, nodeMetrics, workerMetrics } from './node-metrics.ts';
import { openRpcDocument } from './openrpc.ts';
import { assertRpcOptions, limitsOf, type RpcLimits, type RpcOptions } from './options.ts';
import { idOf, type RequestId, readParams, readRequest, reasonOf, type ValidRequest } from './request.ts';
import { RequestTally } from './request-tally.ts';
import { Snapshots } from './snapshots.ts';
import { assertStream, type StreamRequest, type StreamSink, streamed } from './stream.ts';
import type { Collect } from './subscription.ts';
import { type PushConnection, Subscriptions, SubscriptionTally } from './subscriptions.ts';
import { Turns } from './turns.ts';

/** Parameters by name, in snake case or camel case. */
export type NamedParams = Readonly<Record<string, unknown>>;

/** Positional or named parameters of a method. */
export type RequestParams<N extends MethodName = MethodName> = MethodParams<N> | NamedParams;

/** JSON-RPC over one engine, in process: pass it to a transport, or call `request`. */
export interface Rpc {
  /** Answers one message or batch, with undefined if there is nothing to answer. Never rejects. */
  handle(text: string, context?: RpcContext): Promise<string | undefined>;
  /**
   * Calls a method directly. The result is the value that transports send as text; integers beyond 2^53 are bigints.
   * @throws {RpcError} with the number and data that a transport would send
   */
  request<N extends MethodName>(method: N, params?: RequestParams<N>, context?: RpcContext): Promise<MethodResult<N>>;
  /**
   * Streams a subscription to a client that only reads: items under the event name `message`, until it is closed.
   * @throws {RpcError} for an invalid filter or order, or for too many subscriptions
   */
  stream(request: StreamRequest, sink: StreamSink): Promise<void>;
  /** Starts counting requests and returns a meter that reads the figures. Calling it again changes nothing. */
  measure(): { metrics(): Promise<readonly Metric[]> };
  /** Whether the node is healthy, and its progress as JSON text. */
  health(): Promise<{ readonly isWell: boolean; readonly text: string }>;
  /**
   * Ends subscriptions, worker threads and the forks that clients made; needed only with `dev` or `workers`. Close the
   * engine afterwards.
   */
  close(): Promise<void>;
}

/** A JSON-RPC adapter over an engine. Only forks and worker threads need to be closed: `Rpc.close`. */
export function createRpc(engine: DevEngine, options?: RpcOptions): Rpc;
export function createRpc(engine: RpcEngine, options?: RpcOptions & { readonly dev?: false | undefined }): Rpc;
export function createRpc(engine: RpcEngine, options: RpcOptions = {}): Rpc {
  assertMethods(engine, 'engine', 'an engine', ['moment', 'peek']);
  assertRpcOptions(options);
  return new RpcServer(engine, options);
}

/** What the adapters of a chain and of its forks share. */
interface Family {
  readonly methods: ReadonlyMap<string, NamedMethod>;
  readonly forks: Forks<RpcServer>;
  readonly subscriptions: SubscriptionTally;
  readonly turns: Turns;
  /** Set if there are worker threads. */
  readonly aside: Aside | undefined;
  readonly longPages: LongPages;
  readonly tally: RequestTally;
}

/** The text of an answer; undefined if there is none. */
type Answer = string | undefined;

const DISCOVER = 'rpc.discover';

const DEV_HINT = 'start the node with --dev, or make the adapter by createRpc(engine, { dev: true })';

class RpcServer implements Rpc, ForkServer {
  readonly #engine: RpcEngine;
  readonly #options: RpcOptions;
  readonly #family: Family;
  readonly #snapshots: Snapshots | undefined;
  readonly #methods: ReadonlyMap<string, NamedMethod>;
  readonly #server: JSONRPCServer<RpcContext>;
  readonly #forms: Forms;
  readonly #listItem: ListItem;
  readonly #broadcast: Broadcast | undefined;
  readonly #forward: Forward | undefined;
  readonly #log: Log;
  readonly #limits: RpcLimits;
  readonly #subscriptions: Subscriptions;

  /** `family`: that of the chain from which this one is forked. */
  constructor(engine: RpcEngine, options: RpcOptions, family?: Family) {
    this.#engine = engine;
    this.#options = options;
    this.#forms = options.forms ?? 'interface';
    this.#listItem = options.listItem ?? 'A';
    this.#broadcast = options.broadcast;
    this.#forward = options.forward;
    this.#log = options.log ?? SILENT_LOG;
    this.#limits = limitsOf(options);
    this.#family = family ?? {
      methods: methodTable(options.namespaces ?? ['chain', 'rooch'], options.dev ?? false),
      forks: new Forks({ ...this.#limits, log: this.#log }),
      subscriptions: new SubscriptionTally(),
      turns: new Turns(),
      aside: asideOf(options.workers, this.#log),
      longPages: new LongPages(),
      tally: new RequestTally(),
    };
    this.#family.aside?.lendTo(engine);
    this.#subscriptions = new Subscriptions(engine, this.#family.subscriptions);
    if (options.dev === true) this.#snapshots = new Snapshots(engine as DevEngine, this.#limits.snapshotsMax);
    this.#methods = this.#family.methods;
    this.#server = new JSONRPCServer<RpcContext>({ errorListener: () => {} });
    this.#server.mapErrorToJSONRPCErrorResponse = (id, thrown: unknown) => {
      const { code, message, data } = this.#errorOf(thrown);
      return { jsonrpc: '2.0', id, error: { code, message, data } };
    };
    for (const method of this.#methods.values()) {
      this.#server.addMethodAdvanced(method.name, async ({ id, params }, context) => {
        const result = await this.#call(method, params, context, true);
        return id === undefined ? null : { jsonrpc: '2.0', id, result };
      });
    }
    this.#server.addMethod(DISCOVER, () => this.#document());
  }

  async handle(text: string, context: RpcContext = {}): Promise<string | undefined> {
    assertText(text, 'text', 'a JSON-RPC message as text');
    assertObject(context, 'context');
    const arrival = this.#family.tally.arrival();
    const isDear = text.length >= LARGE_MESSAGE_CHARACTERS;
    return this.#turn(context, () => this.#handle(text, context, arrival), isDear);
  }

  /** Starts `work` when it is the connection's turn, and returns its result. */
  #turn(context: RpcContext, work: () => Answer | Promise<Answer>, isDear = false): Answer | Promise<Answer> {
    const { tally, turns } = this.#family;
    tally.waiting++;
    const begin = (): Answer | Promise<Answer> => {
      tally.waiting--;
      return context.isGone?.() === true ? undefined : work();
    };
    return isDear ? turns.runDear(context.connection, begin) : turns.run(context.connection, begin);
  }

  #handle(text: string, context: RpcContext, arrival: number | undefined): Answer | Promise<Answer> {
    let message: unknown;
    try {
      message = parseJson(text, this.#limits.jsonDepthMax);
    } catch (error) {
      this.#family.tally.count(arrival, 'unknown', 'malformed-json');
      return errorText(null, parseError(error));
    }
    const isBatch = Array.isArray(message);
    const id = isBatch ? null : idOf(message);
    const answer = isBatch
      ? this.#batch(message as unknown[], context, arrival)
      : this.#single(message, context, arrival);
    return answer instanceof Promise ? answer.then((whole) => this.#bounded(whole, id)) : this.#bounded(answer, id);
  }

  #bounded(answer: Answer, id: RequestId): Answer {
    const { responseCharactersMax } = this.#limits;
    if (answer === undefined || answer.length <= responseCharactersMax) return answer;
    return errorText(id, responseTooBig(answer.length, responseCharactersMax));
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
    return this.#family.forks.use(fork, (server) => server.#run(method, params, context));
  }

  async #run(method: MethodName, params: unknown, context: RpcContext, minOrder?: bigint): Promise<JsonValue> {
    const unknown = this.#unknownMethod(method);
    if (unknown !== undefined) throw unknown;
    if (method === DISCOVER) return this.#document();
    try {
      if (minOrder !== undefined) await this.#engine.reached(minOrder);
      // Only answers that go over a wire are written as text.
      return (await this.#call(this.#methods.get(method)!, params, context, false)) as JsonValue;
    } catch (thrown) {
      throw this.#errorOf(thrown);
    }
  }

  measure(): { metrics(): Promise<readonly Metric[]> } {
    const { tally, aside } = this.#family;
    tally.begin();
    return {
      metrics: async () => {
        const status = await this.#engine.moment((chain) => chain.status());
        const workers = aside?.usage === undefined ? [] : workerMetrics(aside.usage);
        return [...nodeMetrics(status, this.#engine.usage()), ...tally.metrics(), ...workers];
      },
    };
  }

  async health(): Promise<{ readonly isWell: boolean; readonly text: string }> {
    const { isWell, answer } = healthOf(await this.#engine.moment((chain) => chain.status()));
    return { isWell, text: stringifyJson(answer) };
  }

  get hasSubscriptions(): boolean {
    return this.#subscriptions.size > 0;
  }

  async end(reason: string): Promise<void> {
    this.#subscriptions.end(reason);
    await (this.#engine as DevEngine).close();
  }

  async close(): Promise<void> {
    this.#subscriptions.end('the node is shutting down');
    await this.#family.aside?.close();
    await this.#family.forks.close();
  }

  async stream(given: StreamRequest, sink: StreamSink): Promise<void> {
    assertStream(given, sink);
    const { fork, ...request } = given;
    if (fork !== undefined) return this.#family.forks.use(fork, (server) => server.stream(request, sink));
    const { topic, filter, fromOrder, forms } = request;
    const { name, row } = subscribeMethod(topic);
    const method = { name, row, forms };
    try {
      const given = parseJson(filter, this.#limits.jsonDepthMax);
      const values = readParams(row.params, [given, { from_order: fromOrder }]);
      await this.#engine.moment((chain) => {
        const subscribe = (from = chain.head.order + 1n, collect: CollectItems): number => {
          const items: Collect = (later, order) => collect(this.#context(later, method, {}), order);
          this.#subscriptions.add(from, items, streamed(sink), sink.closed);
          return 0;
        };
        return row.handle({ ...this.#context(chain, method, {}), subscribe }, values);
      });
    } catch (thrown) {
      throw thrown instanceof SyntaxError ? parseError(thrown) : this.#errorOf(thrown);
    }
  }

  async #batch(messages: readonly unknown[], context: RpcContext, arrival: number | undefined): Promise<Answer> {
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
    const { tally } = this.#family;
    const answers: string[] = [];
    let length = 0;
    // One after another: a batch takes no more at once than a single request, and its total size is bounded as it
    // grows.
    for (const [index, message] of messages.entries()) {
      // Other connections and the event loop have their turns in between.
      const begun = index === 0 ? arrival : tally.arrival();
      const work = (): Answer | Promise<Answer> => this.#single(message, context, begun);
      const answer = await (index === 0 ? work() : this.#turn(context, work));
      if (context.isGone?.() === true) return undefined;
      if (answer === undefined) continue;
      length += answer.length;
      if (length > responseCharactersMax) return errorText(null, responseTooBig(length, responseCharactersMax));
      answers.push(answer);
    }
    return answers.length === 0 ? undefined : `[${answers.join(',')}]`;
  }

  #single(message: unknown, context: RpcContext, arrival: number | undefined): Answer | Promise<Answer> {
    const request = readRequest(message);
    if (request === undefined) {
      this.#family.tally.count(arrival, 'unknown', 'invalid-request');
      return errorText(idOf(message), invalidRequest(reasonOf(message)));
    }
    const fork = request.fork ?? context.fork;
    if (fork !== undefined) return this.#onFork(fork, request, context, arrival);
    const minOrder = request.minOrder ?? context.minOrder;
    if (minOrder !== undefined) return this.#afterOrder(minOrder, request, context, arrival);
    return this.#answer(request, context, arrival);
  }

  /** Once the chain has come to an order, as the client has its receipt from another node of the same log. */
  async #afterOrder(
    order: bigint,
    request: ValidRequest,
    context: RpcContext,
    arrival: number | undefined,
  ): Promise<Answer> {
    try {
      await this.#engine.reached(order);
    } catch (late) {
      const error = this.#errorOf(late);
      this.#family.tally.count(arrival, 'unknown', outcomeOf(error));
      return request.id === undefined ? undefined : errorText(request.id, error);
    }
    if (context.isGone?.() === true) return undefined;
    return this.#turn(context, () => this.#answer(request, context, arrival));
  }

  async #onFork(
    fork: string,
    request: ValidRequest,
    context: RpcContext,
    arrival: number | undefined,
  ): Promise<Answer> {
    try {
      return await this.#family.forks.use(fork, (server) => server.#answer(request, context, arrival));
    } catch (unknown) {
      const error = this.#errorOf(unknown);
      this.#family.tally.count(arrival, 'unknown', outcomeOf(error));
      return request.id === undefined ? undefined : errorText(request.id, error);
    }
  }

  #answer(request: ValidRequest, context: RpcContext, arrival: number | undefined): Answer | Promise<Answer> {
    const unknown = this.#unknownMethod(request.method);
    if (unknown !== undefined) {
      this.#family.tally.count(arrival, 'unknown', 'method-not-found');
      return request.id === undefined ? undefined : errorText(request.id, unknown);
    }
    const method = this.#methods.get(request.method);
    const isDear = method?.row.isAside === true;
    const place = isDear ? this.#placeOf(context) : 'here';
    const work = (): Answer | Promise<Answer> =>
      method?.row.isImmediate === true && place !== 'thread'
        ? this.#atOnce(method, request, context, arrival)
        : this.#dispatch(request, context, arrival);
    // Cheap requests go first.
    return isDear && place !== 'thread' ? this.#turn(context, work, true) : work();
  }

  /** Where a view or a dry run begins. */
  #placeOf({ connection }: RpcContext): ReturnType<Aside['placeOf']> {
    const { aside } = this.#family;
    const place = aside === undefined ? 'here' : aside.placeOf(connection);
    return place === 'briefly' && this.#engine.peekBriefly === undefined ? 'thread' : place;
  }

  /** Runs what should not hold the thread, unless it would: undefined then, and the connection is said to be slow. */
  #briefly<T>({ connection }: RpcContext, read: (chain: RpcChain) => T): { readonly value: T } | undefined {
    const brief = this.#engine.peekBriefly!(read, BRIEF_MS_MAX);
    if (brief === undefined) this.#family.aside!.slow(connection);
    return brief;
  }

  /** For synchronous methods, which are most of what is asked for: no promise is made. */
  #atOnce(
    method: NamedMethod,
    request: ValidRequest,
    context: RpcContext,
    arrival: number | undefined,
  ): Answer | Promise<Answer> {
    const { tally } = this.#family;
    const { params, id } = request;
    try {
      if (context.exposed === true && isDevMethod(method.name)) throw exposed(method.name);
      const values = readParams(method.row.params, params);
      const read = (chain: RpcChain): JsonValue =>
        method.row.handle(this.#context(chain, method, context), values) as JsonValue;
      const isBrief = method.row.isAside === true && this.#placeOf(context) === 'briefly';
      const done = isBrief ? this.#briefly(context, read) : { value: this.#engine.peek(read) };
      if (done === undefined) return this.#dispatch(request, context, arrival);
      const result = done.value;
      const text = id === undefined ? undefined : resultText(id, stringifyResult(result));
      tally.count(arrival, method.name, id === undefined ? 'notification' : 'ok');
      return text;
    } catch (thrown) {
      const error = id === undefined ? undefined : this.#errorOf(thrown);
      tally.count(arrival, method.name, error === undefined ? 'notification' : outcomeOf(error));
      return id === undefined || error === undefined ? undefined : errorText(id, error);
    }
  }

  /** For asynchronous methods. */
  async #dispatch(
    { method, params, id, isForwarded }: ValidRequest,
    context: RpcContext,
    arrival: number | undefined,
  ): Promise<Answer> {
    const { tally, turns } = this.#family;
    const call = { jsonrpc: '2.0', method, params, id } as JSONRPCRequest;
    const answer = await this.#server.receive(call, isForwarded ? { ...context, isForwarded } : context);
    if (answer === null || id === undefined) {
      tally.count(arrival, method, 'notification');
      return undefined;
    }
    if (answer.error !== undefined) {
      tally.count(arrival, method, outcomeOf(answer.error));
      return errorText(id, answer.error as RpcError);
    }
    const { result } = answer as { readonly result: JsonValue | WrittenResult };
    const written = result instanceof WrittenResult ? result.text : await stringifyInPieces(result);
    const begun = turns.now();
    const text = resultText(id, written);
    turns.spend(context.connection, turns.now() - begun);
    tally.count(arrival, method, 'ok');
    return text;
  }

  async #call(
    method: NamedMethod,
    params: unknown,
    context: RpcContext,
    isWritten: boolean,
  ): Promise<JsonValue | WrittenResult> {
    if (context.exposed === true && isDevMethod(method.name)) throw exposed(method.name);
    const values = readParams(method.row.params, params);
    if (method.row.isWrite === true && this.#forward !== undefined && isFollowing(this.#engine)) {
      return this.#forwarded(this.#forward, { method: method.name, params }, context, isWritten);
    }
    const read = (chain: RpcChain): JsonValue | Promise<JsonValue> =>
      method.row.handle(this.#context(chain, method, context), values);
    const { aside } = this.#family;
    const place = method.row.isAside === true ? this.#placeOf(context) : 'here';
    const brief = place === 'briefly' ? this.#briefly(context, read) : undefined;
    if (brief !== undefined) return brief.value;
    if (aside !== undefined && place !== 'here') {
      const task = {
        method: method.name,
        forms: this.#formsOf(method, context),
        values,
        charactersMax: isWritten ? this.#limits.responseCharactersMax : undefined,
        findsCallStacks: this.#findsCallStacks(context),
      };
      const answer = await aside.answer(this.#engine, task, context);
      if (answer !== undefined) return answer;
    }
    if (isLongPage(method, values)) return this.#longPage(method, values, context, isWritten);
    return this.#engine.moment(read);
  }

  /** Made when there is room for it; as text, since its values take more memory than their text. */
  #longPage(
    method: NamedMethod,
    values: readonly unknown[],
    call: RpcContext,
    isWritten: boolean,
  ): Promise<JsonValue | WrittenResult> {
    return this.#family.longPages.make(call.connection, async () => {
      if (call.isGone?.() === true) throw rpcError(SERVICE_UNAVAILABLE, 'the client is gone', 'closed');
      return this.#engine.moment(async (chain) => {
        const context = this.#context(chain, method, call);
        const handle = (asked: readonly unknown[]): JsonValue | Promise<JsonValue> => method.row.handle(context, asked);
        if (!isWritten) return handle(values);
        if (method.row.isDivisible !== true) return new WrittenResult(await stringifyInPieces(await handle(values)));
        return new WrittenResult(await writtenPage(method.row, values, context.pageItemsMax, handle));
      });
    });
  }

  /** The writer's answer to a request that this node cannot do. */
  async #forwarded(
    forward: Forward,
    request: { readonly method: string; readonly params: unknown },
    context: RpcContext,
    isWritten: boolean,
  ): Promise<JsonValue | WrittenResult> {
    const statusMethod = this.#methods.has('chain_status') ? 'chain_status' : 'rooch_status';
    const write = { ...request, params: request.params ?? [], statusMethod } as const;
    const result = await forwarded(forward, this.#engine, write, context, this.#limits.jsonDepthMax);
    return isWritten ? new WrittenResult(stringifyJson(result)) : withBigints(result);
  }

  #context(chain: RpcChain, method: NamedMethod, call: RpcContext): MethodContext {
    return {
      chain,
      engine: this.#engine,
      forms: this.#formsOf(method, call),
      listItem: this.#listItem,
      pageItemsMax: method.forms === 'current' ? this.#limits.pageItemsMaxCurrent : this.#limits.pageItemsMaxInterface,
      broadcast: this.#broadcast,
      dev: this.#dev(call),
      findsCallStacks: this.#findsCallStacks(call),
      isExposed: call.exposed === true,
      subscribe: (from = chain.head.order + 1n, collect) =>
        this.#subscriptions.open(pushConnection(call), method.name, from, (later, order) =>
          collect(this.#context(later, method, call), order),
        ),
      unsubscribe: (id) => this.#subscriptions.close(pushConnection(call), id),
    };
  }

  #formsOf(method: NamedMethod, { path }: RpcContext): Forms {
    return method.forms ?? (path === '/rooch' ? 'current' : this.#forms);
  }

  /** Finding one takes another run, which only the owner of a test node may ask for. */
  #findsCallStacks(call: RpcContext): boolean {
    return call.exposed !== true && this.#snapshots !== undefined;
  }

  #dev({ url }: RpcContext): DevContext | undefined {
    const snapshots = this.#snapshots;
    if (snapshots === undefined) return undefined;
    const engine = this.#engine as DevEngine;
    const { forks } = this.#family;
    const add: DevForks['add'] = () => {
      // A fork is isolated, so it sends nothing to Bitcoin.
      const options = { ...this.#options, broadcast: undefined };
      const id = forks.add(() => new RpcServer(engine.fork(), options, this.#family));
      return { id, url: url && `${url}/fork/${id}` };
    };
    return { engine, snapshots, forks: { add, drop: (id) => forks.drop(id, 'the fork was dropped') } };
  }

  #unknownMethod(name: string): RpcError | undefined {
    if (name === DISCOVER || this.#methods.has(name)) return undefined;
    if (isDevMethod(name))
      return rpcError(METHOD_NOT_FOUND, `${name} is off: ${DEV_HINT}`, 'method-not-found', { hint: DEV_HINT });
    const names = [...this.#methods.keys(), DISCOVER];
    const nearest = names.find((one) => one.endsWith(`_${name}`)) ?? nearestName(name, names);
    const hint = nearest === undefined ? 'rpc.discover lists the methods' : `did you mean ${nearest}?`;
    const shown = name.length <= 80 ? name : `${name.slice(0, 80)}...`;
    return rpcError(METHOD_NOT_FOUND, `Method not found: ${shown}; ${hint}`, 'method-not-found', { hint });
  }

  #document(): JsonValue {
    return openRpcDocument(this.#methods.values(), { version: PACKAGE_VERSION, limits: { ...this.#limits } });
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

/** Whether a request asks for a page of more items than one has by default. */
function isLongPage({ row }: NamedMethod, values: readonly unknown[]): boolean {
  const limit = values[row.params.findIndex(({ name }) => name === 'limit')];
  return typeof limit === 'number' && limit > PAGE_ITEMS_DEFAULT;
}

function asideOf(workers: RpcOptions['workers'] = 0, log: Log): Aside | undefined {
  return workers === 0 ? undefined : new Aside({ workers, log });
}

/** The connection of a request, if it can be pushed to. Each request of a connection has the same context. */
function pushConnection(call: RpcContext): PushConnection {
  if (call.notify !== undefined && call.closed !== undefined) return call as PushConnection;
  throw rpcError(
    INTERNAL_ERROR,
    'Subscriptions need a connection that stays: use WebSocket, stdio, a MessagePort or server-sent events',
    'not-supported',
  );
}

/** The stable word of an error. */
function outcomeOf({ data }: { readonly data?: unknown }): string {
  return (data as { readonly code: string }).code;
}

/** A thrown value that is not an Error may be anything, even an object that cannot be turned into text. */
function describeThrown(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null
    ? `thrown: an object with ${Object.keys(thrown).join()}`
    : `thrown: ${String(thrown)}`;
}

/** The error for a control whose caller may be anybody. */
function exposed(name: string): RpcError {
  const hint = 'listen on 127.0.0.1 without further host names, or allow it by --dev-exposed (serveHttp: devExposed)';
  return rpcError(
    HANDLER_ERROR,
    `${name} is refused: other machines may reach this listener, and could write in any account's name; ${hint}`,
    'not-supported',
    { hint },
  );
}
