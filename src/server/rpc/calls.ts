/**
 * The calls of an adapter: where each is answered, and the context its row gets. A view runs on the engine's thread,
 * with or without a time limit, or on a worker thread; a long page waits for a slot; on a node that follows a log, a
 * write goes to the writer.
 * @module
 */
import { PAGE_ITEMS_DEFAULT } from '../../base/config.ts';
import { HANDLER_ERROR, INTERNAL_ERROR, SERVICE_UNAVAILABLE } from '../../base/json-rpc.ts';
import { type EncodedAnswer, WrittenResult } from './answer.ts';
import { AnswerRoom } from './answer-room.ts';
import type { RpcContext } from './context.ts';
import { type DevEngine, type RpcChain, type RpcEngine, readNow, readPinned } from './engine.ts';
import { resultHead } from './envelope.ts';
import { type RpcError, rpcError } from './error.ts';
import type { Family } from './family.ts';
import type { ForkServer } from './forks.ts';
import { type Forward, forwarded, isFollowing } from './forward.ts';
import type { ItemStream } from './item-pages.ts';
import { type JsonValue, stringifyInPieces, stringifyJson, withBigints } from './json.ts';
import { writtenPage } from './long-pages.ts';
import type { DevContext, DevForks, Forms, MethodContext, SubscribedItems } from './method.ts';
import { isDevMethod, type NamedMethod } from './methods.ts';
import type { RpcLimits, RpcOptions } from './options.ts';
import { type RequestId, readParams } from './request.ts';
import type { Snapshots } from './snapshots.ts';
import type { Selection } from './subscription.ts';
import type { PushConnection, Subscriptions } from './subscriptions.ts';

/** What calls need from their adapter. */
export interface CallsHost {
  readonly engine: RpcEngine;
  readonly options: RpcOptions;
  readonly limits: RpcLimits;
  readonly family: Family<ForkServer>;
  readonly subscriptions: Subscriptions;
  /** Set if the controls of a test node are on. */
  readonly snapshots: Snapshots | undefined;
  /** Makes an adapter over a fork of the engine and returns its id. */
  readonly addFork: () => string;
}

export class Calls {
  readonly #host: CallsHost;
  readonly #forms: Forms;

  constructor(host: CallsHost) {
    this.#host = host;
    this.#forms = host.options.forms ?? 'interface';
  }

  /** Answers a synchronous call at once; undefined if it was given up because it would hold the thread. */
  atOnce(method: NamedMethod, params: unknown, context: RpcContext): { readonly value: JsonValue } | undefined {
    assertAllowed(method, context);
    const values = readParams(method.row.params, params);
    const read = (chain: RpcChain): JsonValue =>
      method.row.handle(this.context(chain, method, context, this.#textRoom()), values) as JsonValue;
    const { engine, family } = this.#host;
    const run = (): JsonValue => readNow(engine, read);
    return method.row.isAside === true ? family.aside.here(engine, context.connection, run) : { value: run() };
  }

  /**
   * Answers a call, on whichever thread or node it belongs.
   * @param id the request's, if the answer is to be text
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
      method.row.handle(this.context(chain, method, context, isWritten ? this.#textRoom() : undefined), values);
    if (method.row.isAside === true) {
      const { aside } = this.#host.family;
      const here = aside.here(engine, context.connection, () => readNow(engine, read));
      if (here !== undefined) return here.value;
      const task = {
        method: method.name,
        forms: this.#formsOf(method, context),
        values,
        written: isWritten ? { head: resultHead(id), charactersMax: limits.responseCharactersMax } : undefined,
        findsCallStacks: this.#findsCallStacks(context),
      };
      const answer = await aside.answer(engine, task, context);
      if (answer !== undefined) return answer;
    }
    if (isLongPage(method, values)) return this.#longPage(method, values, context, isWritten);
    // A view that lasts until a write is done would make the store keep the rows from before it.
    return method.row.isWrite === true ? readNow(engine, read) : readPinned(engine, read);
  }

  /** Runs when there is a slot for it, and produces text, since values take more memory than their text. */
  #longPage(
    method: NamedMethod,
    values: readonly unknown[],
    call: RpcContext,
    isWritten: boolean,
  ): Promise<JsonValue | WrittenResult> {
    return this.#host.family.longPages.make(call.connection, async () => {
      if (call.isGone?.() === true) throw rpcError(SERVICE_UNAVAILABLE, 'the client is gone', 'closed');
      return readPinned(this.#host.engine, async (chain) => {
        const context = this.context(chain, method, call, isWritten ? this.#textRoom() : undefined);
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
    const { engine, family, limits } = this.#host;
    const statusMethod = family.methods.get('chain_status') === undefined ? 'rooch_status' : 'chain_status';
    const write = { ...request, params: request.params ?? [], statusMethod } as const;
    const made = (result: JsonValue): JsonValue | WrittenResult =>
      isWritten ? new WrittenResult(stringifyJson(result)) : withBigints(result);
    return forwarded(forward, engine, write, context, { turns: family.turns, depthMax: limits.jsonDepthMax, made });
  }

  #textRoom(): AnswerRoom {
    return new AnswerRoom(this.#host.limits.responseCharactersMax);
  }

  /** The context a row gets; `room` is set for an answer that becomes text. */
  context(chain: RpcChain, method: NamedMethod, call: RpcContext, room: AnswerRoom = new AnswerRoom()): MethodContext {
    const { engine, options, limits, subscriptions } = this.#host;
    return {
      chain,
      engine,
      forms: this.#formsOf(method, call),
      listItem: options.listItem ?? 'A',
      room,
      pageItemsMax: method.forms === 'current' ? limits.pageItemsMaxCurrent : limits.pageItemsMaxInterface,
      broadcast: options.broadcast,
      dev: this.#dev(call),
      findsCallStacks: this.#findsCallStacks(call),
      isExposed: call.exposed === true,
      subscribe: (from = chain.head.order + 1n, items, matches) =>
        subscriptions.open(pushConnection(call), method.name, from, this.selection(items, matches, method, call)),
      unsubscribe: (id) => subscriptions.close(pushConnection(call), id),
    };
  }

  /** What a subscription sends that a row asked for. */
  selection<T>(
    { name, page }: SubscribedItems<T>,
    matches: (value: T) => boolean,
    method: NamedMethod,
    call: RpcContext,
  ): Selection {
    const context = (chain: RpcChain): MethodContext => this.context(chain, method, call);
    const stream: ItemStream<T> = {
      name: `${this.#formsOf(method, call)} ${name}`,
      page: (chain, order, from) =>
        page(context(chain), order, from).map(({ value, bytes, json }) => ({
          value,
          bytes,
          json: (later) => json(context(later)),
        })),
    };
    return { stream, matches } as Selection<T> as Selection;
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
    const { forks } = this.#host.family;
    const add: DevForks['add'] = () => {
      const id = addFork();
      return { id, url: url && `${url}/fork/${id}` };
    };
    return { engine, snapshots, forks: { add, drop: (id) => forks.drop(id, 'the fork was dropped') } };
  }
}

/** @throws {RpcError} for a control of a test node if anybody might be calling */
function assertAllowed({ name }: NamedMethod, { exposed: isExposed }: RpcContext): void {
  if (isExposed === true && isDevMethod(name)) throw exposed(name);
}

/** Whether a request asks for a page larger than the default. */
function isLongPage({ row }: NamedMethod, values: readonly unknown[]): boolean {
  const limit = values[row.params.findIndex(({ name }) => name === 'limit')];
  return typeof limit === 'number' && limit > PAGE_ITEMS_DEFAULT;
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

/** The error for a control of a test node if anybody might be calling. */
function exposed(name: string): RpcError {
  const hint = 'listen on 127.0.0.1 without further host names, or allow it by --dev-exposed (serveHttp: devExposed)';
  return rpcError(
    HANDLER_ERROR,
    `${name} is refused: other machines may reach this listener, and could write in any account's name; ${hint}`,
    'not-supported',
    { hint },
  );
}
