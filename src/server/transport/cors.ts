/**
 * The CORS headers for callers from other origins, which the guard has let through by then.
 *
 * Source: Fetch (CORS), Private Network Access.
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MIN_ORDER_HEADER } from './min-order.ts';
import { type HeaderList, replyEmpty } from './reply.ts';

/** An answer may differ by Origin, which caches must know. */
export const VARY: HeaderList = ['vary', 'Origin'];
const PREFLIGHT_VARY: HeaderList = ['vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers'];

/** Headers of every answer to an accepted caller; if there is an Origin, it is an allowed one. */
export function corsHeaders({ headers: { origin } }: IncomingMessage): HeaderList {
  return origin === undefined ? VARY : [...VARY, 'access-control-allow-origin', origin];
}

/** Answers a CORS preflight or a plain OPTIONS from an allowed caller, on any path, as the reference does. */
export function replyPreflight(request: IncomingMessage, response: ServerResponse, headers: HeaderList): void {
  const isPrivate = request.headers['access-control-request-private-network'] === 'true';
  replyEmpty(response, 200, [
    ...PREFLIGHT_VARY,
    ...headers.slice(VARY.length),
    'access-control-allow-methods',
    'POST',
    'access-control-allow-headers',
    // The last one is sent by event-stream clients that use fetch.
    `content-type, ${MIN_ORDER_HEADER}, last-event-id`,
    'access-control-max-age',
    '600',
    ...(isPrivate ? ['access-control-allow-private-network', 'true'] : []),
    'allow',
    'GET, HEAD, POST, OPTIONS',
  ]);
}
