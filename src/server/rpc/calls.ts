/**
 * The calls of an adapter: where each is answered, and the context its row gets. A view runs on the engine's thread,
 * with or without a time limit, or on a worker thread; a long page waits for a slot; a node that follows a log sends
 * writes to the writer.
 * @module
 */
import { PAGE_ITEMS_DEFAULT } from '../../base/config.ts';
import { HANDLER_ERROR, INTERNAL_ERROR, SERVICE_UNAVAILABLE } from '../../base/json-rpc.ts';
import type { Log } from '../../base/log.ts';
import { nextPiece } from '../../store/piece.ts';
import { RequestTally } from '../metrics.ts';
import { AnswerRoom, BatchAnswers, type EncodedAnswer, resultHead, WrittenResult } from './answer.ts';
import { type DevEngine, type RpcChain, type RpcEngine, readNow, readPinned } from './engine.ts';
import { paramError, rpcError } from './error.ts';
import { FairQueue } from './fair-queue.ts';
import type { HeldPoints } from './fork-origin.ts';
import { type ForkServer, Forks } from './forks.ts';
import { type Forward, forwarded, isFollowing } from './forward.ts';
import {
  type JsonValue,
  pageText,
  parseJson,
  stringifyInPieces,
  stringifyJson,
  stringifyResult,
  withBigints,
} from './json.ts';
import type { DevContext, DevForks, Forms, MethodContext, MethodRow, SubscribedItems } from './method.ts';
import { isDevMethod, type MethodTable, methodTable, type NamedMethod, subscribeMethod } from './methods.ts';
import type { RpcLimits, RpcOptions } from './options.ts';
import { type RequestId, readParams } from './request.ts';
import { type RpcContext, type StreamRequest, type StreamSink, streamed } from './rpc.ts';
import { type PushConnection, type Selection, type Subscriptions, SubscriptionTally } from './subscriptions.ts';
import { WorkerThreads } from './worker-threads.ts';

interface CallsHost {
  readonly engine: RpcEngine;
  readonly options: RpcOptions;
  readonly limits: RpcLimits;
  readonly shared: SharedByForks<ForkServer>;
  readonly subscriptions: Subscriptions;
  /** Set if the controls of a test node are on. */
  readonly snapshots: DevContext['snapshots'] | undefined;
  /** Set if rows are served. */
  readonly origin: HeldPoints | undefined;
  /** Makes an adapter over a fork of the engine and returns its id. */
  readonly addFork: () => string;
}

export class Calls {
  readonly #host: CallsHost;
  readonly #forms: Forms;

  constructor(host: CallsHost) {
    this.#host = host;
    this.#forms = host.options.wire === 'rooch' ? 'current' : 'interface';
  }

  /** Answers a synchronous call immediately; undefined if it took too long and was given up. */
  atOnce(method: NamedMethod, params: unknown, context: RpcContext): { readonly value: JsonValue } | undefined {
    assertAllowed(method, context);
    const values = readParams(method.row.params, params);
    const read = (chain: RpcChain): JsonValue =>
      method.row.handle(this.#context(chain, method, context, this.#textRoom()), values) as JsonValue;
    const { engine, shared } = this.#host;
    const run = (): JsonValue => readNow(engine, read);
    return method.row.runsOnWorker === true ? shared.threads.here(engine, context.connection, run) : { value: run() };
  }

  /**
   * Answers a call on the appropriate thread or node.
   * @param id that of the request, if the answer is to be text
   */
  async answer(
    method: NamedMethod,
    params: unknown,
    context: RpcContext,
    id: RequestId | undefined,
  ): Promise<JsonValue | WrittenResult | EncodedAnswer> {
    assertAllowed(method, context);
    const isWritten = id !== undefined;
    const values = readParams(method.row.params, params);
    const { engine, options, limits } = this.#host;
    const { forward } = options;
    if (method.row.isWrite === true && forward !== undefined && isFollowing(engine)) {
      return this.#forwarded(forward, { method: method.name, params }, context, isWritten);
    }
    const read = (chain: RpcChain): JsonValue | Promise<JsonValue> =>
      method.row.handle(this.#context(chain, method, context, isWritten ? this.#textRoom() : undefined), values);
    if (method.row.runsOnWorker === true) {
      const { threads } = this.#host.shared;
      const here = threads.here(engine, context.connection, () => readNow(engine, read));
      if (here !== undefined) return here.value;
      const task = {
        method: method.name,
        forms: this.#formsOf(method, context),
        values,
        written: isWritten ? { head: resultHead(id), charactersMax: limits.responseCharactersMax } : undefined,
        findsCallStacks: this.#findsCallStacks(context),
      };
      const answer = await threads.answer(engine, task, context);
      if (answer !== undefined) return answer;
    }
    if (isLongPage(method, values)) return this.#longPage(method, values, context, isWritten);
    // A view held until a write is done would make the store keep the rows that the write replaces.
    return method.row.isWrite === true ? readNow(engine, read) : readPinned(engine, read);
  }

  /** Runs when there is a slot for it, and produces text, since values take more memory than their text. */
  #longPage(
    method: NamedMethod,
    values: readonly unknown[],
    call: RpcContext,
    isWritten: boolean,
  ): Promise<JsonValue | WrittenResult> {
    return this.#host.shared.queue.runLongPage(call.connection, async () => {
      if (call.isGone?.() === true) throw rpcError(SERVICE_UNAVAILABLE, 'the client is gone', 'closed');
      return readPinned(this.#host.engine, async (chain) => {
        const context = this.#context(chain, method, call, isWritten ? this.#textRoom() : undefined);
        const handle = (asked: readonly unknown[]): JsonValue | Promise<JsonValue> => method.row.handle(context, asked);
        if (!isWritten) return handle(values);
        if (method.row.isDivisible !== true) return new WrittenResult(await stringifyInPieces(await handle(values)));
        return new WrittenResult(await writtenPage(method.row, values, context.pageItemsMax, handle));
      });
    });
  }

  /** The writer's answer to a request that this node cannot serve. */
  async #forwarded(
    forward: Forward,
    request: { readonly method: string; readonly params: unknown },
    context: RpcContext,
    isWritten: boolean,
  ): Promise<JsonValue | WrittenResult> {
    const { engine, shared, limits } = this.#host;
    const statusMethod = shared.methods.get('chain_status') === undefined ? 'rooch_status' : 'chain_status';
    const write = { ...request, params: request.params ?? [], statusMethod } as const;
    const made = (result: JsonValue): JsonValue | WrittenResult =>
      isWritten ? new WrittenResult(stringifyJson(result)) : withBigints(result);
    return forwarded(forward, engine, write, context, { queue: shared.queue, depthMax: limits.jsonDepthMax, made });
  }

  #textRoom(): AnswerRoom {
    return new AnswerRoom(this.#host.limits.responseCharactersMax);
  }

  /** The context a row gets; `room` is set for an answer that becomes text. */
  #context(chain: RpcChain, method: NamedMethod, call: RpcContext, room: AnswerRoom = new AnswerRoom()): MethodContext {
    const { engine, options, limits, subscriptions } = this.#host;
    return {
      chain,
      engine,
      forms: this.#formsOf(method, call),
      listItem: options.listStates === 'keyed' ? 'B' : 'A',
      room,
      pageItemsMax: method.forms === 'current' ? limits.pageItemsMaxCurrent : limits.pageItemsMaxInterface,
      broadcast: options.broadcast,
      origin: this.#host.origin,
      dev: this.#dev(call),
      findsCallStacks: this.#findsCallStacks(call),
      isExposed: call.exposed === true,
      subscribe: (from = chain.head.order + 1n, items, matches) =>
        subscriptions.open(pushConnection(call), method.name, from, this.#selection(items, matches, method, call)),
      unsubscribe: (id) => subscriptions.close(pushConnection(call), id),
    };
  }

  /**
   * Sends what a subscribing method gives to a client that only reads, until either side ends it.
   * @throws {RpcError} -32006 for too many subscriptions, -32602 for an invalid filter or order
   */
  async stream({ topic, filter, fromOrder, lastOrder, forms }: StreamRequest, sink: StreamSink): Promise<void> {
    const { engine, subscriptions, limits } = this.#host;
    const { name, row } = subscribeMethod(topic);
    const method = { name, row, forms };
    const first = lastOrder === undefined ? fromOrder : (BigInt(lastOrder) + 1n).toString();
    const values = readParams(row.params, [parsedFilter(filter, limits.jsonDepthMax), { from_order: first }]);
    await readPinned(engine, (chain) => {
      const next = chain.head.order + 1n;
      const subscribe: MethodContext['subscribe'] = (from = next, items, matches) => {
        const client = streamed(sink);
        const isBeyond = lastOrder !== undefined && from > next && isAlone(chain);
        subscriptions.add(isBeyond ? next : from, this.#selection(items, matches, method, {}), client, sink);
        if (isBeyond) client.reverted(next);
        // Without it, a client cut off before the first item would miss the items until it reconnects.
        if (first === undefined) sink.begin?.((from - 1n).toString());
        return 0;
      };
      return row.handle({ ...this.#context(chain, method, {}), subscribe }, values);
    });
  }

  /** What to send to a subscription that a row opens. */
  #selection<T>(
    items: SubscribedItems<T>,
    matches: (value: T) => boolean,
    method: NamedMethod,
    call: RpcContext,
  ): Selection {
    const context = (chain: RpcChain): MethodContext => this.#context(chain, method, call);
    const name = `${this.#formsOf(method, call)} ${items.name}`;
    return { name, items, matches, context } as Selection<T> as Selection;
  }

  #formsOf(method: NamedMethod, { path }: RpcContext): Forms {
    return method.forms ?? (path === '/rooch' ? 'current' : this.#forms);
  }

  /** Finding a call stack takes a second run, which only the owner of a test node may request. */
  #findsCallStacks(call: RpcContext): boolean {
    return call.exposed !== true && this.#host.snapshots !== undefined;
  }

  #dev({ url }: RpcContext): DevContext | undefined {
    const { snapshots, addFork } = this.#host;
    if (snapshots === undefined) return undefined;
    const engine = this.#host.engine as DevEngine;
    const { forks } = this.#host.shared;
    const add: DevForks['add'] = () => {
      const id = addFork();
      return { id, url: url && `${url}/fork/${id}` };
    };
    return { engine, snapshots, forks: { add, drop: (id) => forks.drop(id, 'the fork was dropped') } };
  }
}

/** @throws {RpcError} for a control of a test node on a listener that other machines can reach */
function assertAllowed({ name }: NamedMethod, { exposed }: RpcContext): void {
  if (exposed !== true || !isDevMethod(name)) return;
  const hint = 'listen on 127.0.0.1 without further host names, or allow it by --dev-exposed (serveHttp: devExposed)';
  throw rpcError(
    HANDLER_ERROR,
    `${name} is refused: other machines may reach this listener, and could write in any account's name; ${hint}`,
    'not-supported',
    { hint },
  );
}

/** Whether a request asks for a page larger than the default. */
function isLongPage({ row }: NamedMethod, values: readonly unknown[]): boolean {
  const limit = values[row.params.findIndex(({ name }) => name === 'limit')];
  return typeof limit === 'number' && limit > PAGE_ITEMS_DEFAULT;
}

interface RowPage {
  readonly data: readonly JsonValue[];
  readonly next_cursor: JsonValue;
  readonly has_next_page: boolean;
}

/**
 * The text of a long page, assembled from short ones: the items of each become text before the next is read, so that few
 * are in memory at a time. Otherwise garbage collection would dominate.
 */
async function writtenPage(
  { params }: Pick<MethodRow, 'params'>,
  values: readonly unknown[],
  itemsMax: number,
  handle: (values: readonly unknown[]) => JsonValue | Promise<JsonValue>,
): Promise<string> {
  const [cursorAt, limitAt] = ['cursor', 'limit'].map((name) => params.findIndex((param) => param.name === name));
  const asked = [...values];
  const items: string[] = [];
  for (let left = Math.min(values[limitAt!] as number, itemsMax); ; left -= PAGE_ITEMS_DEFAULT) {
    asked[limitAt!] = Math.min(left, PAGE_ITEMS_DEFAULT);
    const { data, ...rest } = (await handle(asked)) as unknown as RowPage;
    for (const item of data) items.push(stringifyResult(item));
    if (!rest.has_next_page || left <= PAGE_ITEMS_DEFAULT) return pageText(items, rest);
    asked[cursorAt!] = params[cursorAt!]!.parser.parse(rest.next_cursor);
    await nextPiece();
  }
}

/** @throws {RpcError} -32602 for text that is not JSON */
function parsedFilter(text: string, depthMax: number): unknown {
  try {
    return parseJson(text, depthMax);
  } catch (thrown) {
    throw paramError(thrown, 'filter');
  }
}

/** The connection of a request, if it can be pushed to. */
function pushConnection(call: RpcContext): PushConnection {
  if (call.notify !== undefined && call.closed !== undefined) return call as PushConnection;
  throw rpcError(
    INTERNAL_ERROR,
    'Subscriptions need a connection that stays: use WebSocket, stdio, a MessagePort or server-sent events',
    'not-supported',
  );
}

/** What an adapter shares with those of its forks: the thread, and limits that apply to all of them together. */
export interface SharedByForks<Server extends ForkServer> {
  readonly methods: MethodTable;
  readonly forks: Forks<Server>;
  readonly subscriptions: SubscriptionTally;
  readonly queue: FairQueue;
  readonly threads: WorkerThreads;
  readonly batches: BatchAnswers;
  readonly tally: RequestTally;
}

export function newShared<Server extends ForkServer>(
  options: RpcOptions,
  limits: RpcLimits,
  log: Log,
): SharedByForks<Server> {
  const { namespaces = ['chain', 'rooch'], dev = false, serveNodes = false, workers } = options;
  return {
    methods: methodTable(namespaces, dev, serveNodes),
    forks: new Forks({ ...limits, log }),
    subscriptions: new SubscriptionTally(),
    queue: new FairQueue(),
    threads: new WorkerThreads({ workers, log }),
    batches: new BatchAnswers(),
    tally: new RequestTally(),
  };
}

/**
 * Whether no other node has the chain. Then a client that has seen an order beyond its head has seen another chain, or this
 * one before it was reverted. Among nodes that share a log, any may be behind.
 */
function isAlone(chain: RpcChain): boolean {
  return chain.status().log === undefined;
}
