/**
 * Reads HTTP requests: the path, the headers, and the JSON text of the body.
 * Source of the paths: crates/rooch-rpc-server/src/axum_router.rs of the reference.
 * @module
 */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { RpcContext, StreamTopic } from '../rpc/rpc.ts';
import type { Exchange } from './connection.ts';
import { RequestBuffer } from './framing.ts';
import {
  contentEncodingUnsupported,
  contentTypeUnsupported,
  expectationUnsupported,
  notUtf8,
  type Refusal,
  requestTooBig,
  tooMuchArriving,
} from './refusal.ts';

/** What a path serves. Every path accepts an upgrade to WebSocket. */
export interface Route {
  readonly context: RpcContext;
  /** JSON-RPC over POST. */
  readonly calls: boolean;
  /** The web client over GET. */
  readonly page: boolean;
  /** A stream of server-sent events over GET. */
  readonly stream?: StreamTopic;
}

const ROOT: RpcContext = Object.freeze({ path: '/' });
const CURRENT: RpcContext = Object.freeze({ path: '/rooch' });

const ROUTES: ReadonlyMap<string, Route> = new Map([
  ['/', { context: ROOT, calls: true, page: true }],
  ['/subscribe', { context: ROOT, calls: false, page: false }],
  ['/subscribe/sse/events', { context: ROOT, calls: false, page: false, stream: 'events' }],
  ['/subscribe/sse/transactions', { context: ROOT, calls: false, page: false, stream: 'transactions' }],
  ['/rooch', { context: CURRENT, calls: true, page: false }],
  ['/rooch/subscribe', { context: CURRENT, calls: false, page: false }],
  ['/rooch/subscribe/sse/events', { context: CURRENT, calls: false, page: false, stream: 'events' }],
  ['/rooch/subscribe/sse/transactions', { context: CURRENT, calls: false, page: false, stream: 'transactions' }],
]);

/** A fork serves the same paths as the chain itself, under its id. */
const FORK_PATH = /^\/fork\/([0-9a-zA-Z_-]{1,64})(\/.*)?$/;

export function routeOf(target: string | undefined): Route | undefined {
  const path = pathOf(target);
  const [, fork, rest = '/'] = FORK_PATH.exec(path) ?? [];
  const route = ROUTES.get(fork === undefined ? path : rest);
  if (route === undefined || fork === undefined) return route;
  return { ...route, page: false, context: { ...route.context, fork } };
}

/** The path of a request target, without its query and trailing slashes. */
function pathOf(target: string | undefined): string {
  const absolute =
    target === undefined || target.startsWith('/') ? target : URL.canParse(target) ? new URL(target).pathname : target;
  const path = (absolute ?? '').split('?', 1)[0] ?? '';
  return path.length > 1 ? path.replace(/\/+$/, '') || '/' : path;
}

export function queryOf(target: string | undefined): URLSearchParams {
  const start = target?.indexOf('?') ?? -1;
  return new URLSearchParams(start === -1 ? '' : target?.slice(start));
}

/** The methods of a path, for the `allow` header. */
export function allowedMethods({ calls }: Route, servesPage: boolean): string {
  if (!calls) return 'GET';
  return servesPage ? 'GET, HEAD, POST, OPTIONS' : 'POST, OPTIONS';
}

/** A client can set it once, for all of its requests. */
export const MIN_ORDER_HEADER = 'x-movelet-min-order';

/** The order a request asks for: undefined if it asks for none, null if the value is not an order. */
export function minOrderOf({ headers }: IncomingMessage): bigint | undefined | null {
  const given = headers[MIN_ORDER_HEADER];
  if (given === undefined) return undefined;
  if (typeof given !== 'string' || !/^\d{1,20}$/.test(given)) return null;
  const order = BigInt(given);
  return order < 1n << 64n ? order : null;
}

/** `application/json` and `application/*+json`, with parameters. Source: RFC 6838. */
const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)[ \t]*(?:;(.*))?$/i;
const CHARSET = /(?:^|;)[ \t]*charset[ \t]*=[ \t]*"?([^";\s]*)"?/i;

/** As node:http recognises it. */
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/** Whether the client waits to be told to send its body. HTTP/1.0 has no answer 100. Source: RFC 9110 10.1.1. */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && headers.expect !== undefined && CONTINUE.test(headers.expect);
}

/** The reason why the client's expectation cannot be met; undefined if it can, or there is none. */
export function rejectExpectation(request: IncomingMessage): Refusal | undefined {
  const { expect } = request.headers;
  const isMet = expect === undefined || request.httpVersion === '1.0' || expectsContinue(request);
  return isMet ? undefined : expectationUnsupported(expect);
}

/** The reason why the body, judging by its headers, cannot be JSON text; undefined if it can. */
export function rejectContentType(request: IncomingMessage): Refusal | undefined {
  const type = request.headers['content-type'];
  if (type !== 'application/json') {
    const match = type === undefined ? null : JSON_TYPE.exec(type);
    const charset = match?.[1] === undefined ? 'utf-8' : (CHARSET.exec(match[1])?.[1] ?? 'utf-8').toLowerCase();
    if (match === null || (charset !== 'utf-8' && charset !== 'utf8' && charset !== 'us-ascii')) {
      return contentTypeUnsupported(type);
    }
  }
  const encoding = request.headers['content-encoding'];
  return encoding === undefined || encoding === 'identity' ? undefined : contentEncodingUnsupported(encoding);
}

/**
 * Reads the body and passes it to `done`, or the reason why it could not be read. `done` is called at most once, and
 * not at all if the client goes away first.
 * @param bytesMax bytes of one body
 */
export function readJsonBody(exchange: Exchange, bytesMax: number, done: (body: string | Refusal) => void): void {
  const { request, response } = exchange;
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    done(requestTooBig(bytesMax));
    return;
  }
  if (expectsContinue(request)) response.writeContinue();
  const body = new RequestBuffer(bytesMax);
  let refused = false;
  request.on('data', (chunk: Buffer) => {
    if (refused) return;
    const fits = body.append(chunk);
    if (fits && exchange.hold(chunk.length)) return;
    refused = true;
    body.clear();
    done(fits ? tooMuchArriving(exchange.connection.requestBytes.budget) : requestTooBig(bytesMax));
  });
  request.on('end', () => {
    if (refused) return;
    const bytes = body.take();
    done(isUtf8(bytes) ? bytes.toString('utf8') : notUtf8());
  });
}
