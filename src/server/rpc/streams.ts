/**
 * The streams of an adapter: what a subscribing method gives, sent to a client that only reads.
 * @module
 */
import type { Calls } from './calls.ts';
import { type RpcChain, type RpcEngine, readPinned } from './engine.ts';
import { parseJson } from './json.ts';
import type { MethodContext } from './method.ts';
import { subscribeMethod } from './methods.ts';
import { readParams } from './request.ts';
import { type StreamRequest, type StreamSink, streamed } from './stream.ts';
import type { Subscriptions } from './subscriptions.ts';

/** What streams need from their adapter. */
export interface StreamsHost {
  readonly engine: RpcEngine;
  readonly calls: Calls;
  readonly subscriptions: Subscriptions;
  readonly jsonDepthMax: number;
}

export class Streams {
  readonly #host: StreamsHost;

  constructor(host: StreamsHost) {
    this.#host = host;
  }

  /**
   * Streams until either side ends it.
   * @throws {RpcError} -32006 for too many subscriptions, -32602 for an invalid filter or order
   * @throws {SyntaxError} for a filter that is not JSON
   */
  async open({ topic, filter, fromOrder, lastOrder, forms }: StreamRequest, sink: StreamSink): Promise<void> {
    const { engine, calls, subscriptions, jsonDepthMax } = this.#host;
    const { name, row } = subscribeMethod(topic);
    const method = { name, row, forms };
    const first = lastOrder === undefined ? fromOrder : (BigInt(lastOrder) + 1n).toString();
    const values = readParams(row.params, [parseJson(filter, jsonDepthMax), { from_order: first }]);
    await readPinned(engine, (chain) => {
      const next = chain.head.order + 1n;
      const subscribe: MethodContext['subscribe'] = (from = next, items, matches) => {
        const client = streamed(sink);
        const isBeyond = lastOrder !== undefined && from > next && isAlone(chain);
        subscriptions.add(isBeyond ? next : from, calls.selection(items, matches, method, {}), client, sink);
        if (isBeyond) client.reverted(next);
        // Without it, a client cut off before the first item would miss what comes until it is back.
        if (first === undefined) sink.begin?.((from - 1n).toString());
        return 0;
      };
      return row.handle({ ...calls.context(chain, method, {}), subscribe }, values);
    });
  }
}

/**
 * Whether no other node has the chain. Then whoever has seen an order beyond its head has seen another chain, or this one
 * before it went back. Of nodes that share a log, any may be behind.
 */
function isAlone(chain: RpcChain): boolean {
  return chain.status().log === undefined;
}
