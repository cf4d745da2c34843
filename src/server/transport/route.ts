/**
 * The paths of the HTTP listener, each also under `/fork/ID`.
 * Source: crates/rooch-rpc-server/src/axum_router.rs of the reference.
 * @module
 */
import type { RpcContext } from '../rpc/context.ts';
import type { StreamTopic } from '../rpc/stream.ts';

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

/** The route of a request target, if there is one. */
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

/** The query of a request target. */
export function queryOf(target: string | undefined): URLSearchParams {
  const start = target?.indexOf('?') ?? -1;
  return new URLSearchParams(start === -1 ? '' : target?.slice(start));
}

/** The methods of a path, for the `allow` header. */
export function allowedMethods({ calls }: Route, servesPage: boolean): string {
  if (!calls) return 'GET';
  return servesPage ? 'GET, HEAD, POST, OPTIONS' : 'POST, OPTIONS';
}
