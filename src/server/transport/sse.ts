/**
 * Server-sent events: subscriptions over a plain GET, for clients that only read.
 *
 * What: `GET /subscribe/sse/events?filter=JSON` and `/subscribe/sse/transactions?filter=JSON`, where the filter is a
 * query's or `"all"`; `&from_order=N` starts at an earlier order. Items have the current forms, or the interface's with
 * `&forms=interface`. The last item of each order carries that order as its `id`, so a browser that reconnects
 * continues after it. A stream from the next transaction on begins with only an `id`, which a browser remembers too. If
 * the `id` of a client is beyond the chain, which was started anew or reverted meanwhile, the stream begins by saying so.
 * Invariants: nothing is written while the client leaves `unsentBytesMax` bytes unread; a comment every SSE_COMMENT_MS
 * shows that the connection is alive.
 * Source: the server-sent events section of the HTML standard.
 * @module
 */

import { SSE_COMMENT_MS } from '../../base/config.ts';
import { messageOf } from '../../base/error.ts';
import type { StreamTopic } from '../rpc/rpc.ts';
import type { Bounds } from './budget.ts';
import type { Exchange } from './connection.ts';
import type { RpcHandler } from './handler.ts';
import { queryOf } from './http-request.ts';
import { nodeShutsDown, queryMissing, streamRefused, upgradeRequired } from './refusal.ts';
import { type HeaderList, replyRefusal } from './reply.ts';

/** The open event streams of a listener. */
export class EventStreams {
  readonly #handler: RpcHandler;
  readonly #unsentBytesMax: number;
  /** What ends the response of each open stream, and its subscription. */
  readonly #open = new Map<() => void, AbortController>();

  constructor(handler: RpcHandler, { unsentBytesMax }: Bounds) {
    this.#handler = handler;
    this.#unsentBytesMax = unsentBytesMax;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Answers a GET with a stream, which lasts until either side ends it. Earlier requests on the connection are answered
   * first, and later ones wait, so that a connection has one stream at most.
   */
  serve(exchange: Exchange, topic: StreamTopic, fork: string | undefined, headers: HeaderList): void {
    exchange.connection.answer(
      () =>
        new Promise((resolve) => {
          exchange.response.on('close', resolve);
          this.#serve(exchange, topic, fork, headers);
        }),
    );
  }

  #serve(exchange: Exchange, topic: StreamTopic, fork: string | undefined, headers: HeaderList): void {
    const { request, response, connection } = exchange;
    const query = queryOf(request.url);
    const filter = query.get('filter');
    const { stream } = this.#handler;
    if (stream === undefined || filter === null) {
      replyRefusal(request, response, stream === undefined ? upgradeRequired() : queryMissing('filter'), headers);
      return;
    }
    const gone = new AbortController();
    let comments: NodeJS.Timeout | undefined;
    /** Sends the head, once: what is refused before that is answered with an error instead of a stream. */
    const open = (): void => {
      if (response.headersSent) return;
      response.writeHead(200, ['content-type', 'text/event-stream', 'cache-control', 'no-cache', ...headers]);
      response.flushHeaders();
      comments = setInterval(() => response.write(':\n\n'), SSE_COMMENT_MS);
    };
    const end = (): void => {
      // Writing to an ended response, whose end may still be unread, is an uncaught error.
      clearInterval(comments);
      response.end();
    };
    this.#open.set(end, gone);
    response.on('close', () => {
      clearInterval(comments);
      this.#open.delete(end);
      gone.abort();
    });
    const last = request.headers['last-event-id'];
    const asked = {
      topic,
      filter,
      fromOrder: query.get('from_order') ?? undefined,
      lastOrder: typeof last === 'string' && /^\d{1,20}$/.test(last) ? last : undefined,
      forms: query.get('forms') === 'interface' ? 'interface' : 'current',
      fork,
    } as const;
    let counted = 0;
    /** Charges the budget for what is not sent yet, plus `more`. */
    const count = (more: number): boolean => {
      const unsent = response.writableLength + more;
      if (unsent < counted) exchange.sent(counted - unsent);
      else if (!exchange.send(unsent - counted)) return false;
      counted = unsent;
      return true;
    };
    response.on('drain', () => count(0));
    const write = (text: string): boolean => {
      const bytes = Buffer.from(text);
      if (response.writableEnded || !count(bytes.length)) return false;
      open();
      response.write(bytes);
      return true;
    };
    const sink = {
      send: (event: string, data: string, id?: string) => write(eventText(event, data, id)),
      begin: (id: string) => write(`id: ${id}\n\n`),
      isWritable: () => {
        count(0);
        return connection.isWritable(this.#unsentBytesMax);
      },
      end,
      closed: gone.signal,
    };
    stream.call(this.#handler, asked, sink).then(open, (error: unknown) => {
      // A browser would reconnect to a stream that ends, again and again.
      if (!response.headersSent) replyRefusal(request, response, streamRefused(error), headers);
      else sink.send('error', messageOf(error));
      end();
    });
  }

  /** Ends all streams and tells their clients why. */
  close(): void {
    for (const [end, gone] of this.#open) {
      gone.abort(nodeShutsDown());
      end();
    }
  }
}

function eventText(event: string, data: string, id: string | undefined): string {
  // A line break would end the field.
  const line = data.replace(/[\r\n]+/g, ' ');
  return `event: ${event}\ndata: ${line}\n${id === undefined ? '' : `id: ${id}\n`}\n`;
}
