/**
 * Which HTTP requests are let in: by their Host, Origin and Sec-Fetch-Site, and while there is room for them.
 * @module
 */
import { type IncomingMessage, maxHeaderSize } from 'node:http';
import { PIPELINED_REQUESTS_MAX } from '../../base/config.ts';
import type { Connection, Exchange } from './connection.ts';
import type { Guard } from './guard.ts';
import type { HttpOptions } from './http-options.ts';
import { hostForbidden, httpMalformed, originForbidden, overloaded, type Refusal, siteForbidden } from './refusal.ts';
import { routeOf } from './route.ts';

export class Admission {
  readonly #guard: Guard;
  readonly #connectionsMax: number;
  readonly #pipelinedRequestsMax: number;

  constructor(guard: Guard, connectionsMax: number, { pipelinedRequestsMax }: HttpOptions) {
    this.#guard = guard;
    this.#connectionsMax = connectionsMax;
    this.#pipelinedRequestsMax = pipelinedRequestsMax ?? PIPELINED_REQUESTS_MAX;
  }

  /** The reason why the caller may not be served at all; undefined if it may. */
  refuseCaller(request: IncomingMessage, connection: Connection): Refusal | undefined {
    if (connection.excess) return overloaded('connections', this.#connectionsMax);
    const { host, origin, 'sec-fetch-site': site } = request.headers;
    if (host === undefined || namesHostTwice(request)) return httpMalformed(400, 'one Host field');
    if (!this.#guard.allowsHost(host, request.socket.localAddress)) return hostForbidden(host);
    if (origin !== undefined) return this.#guard.allowsOrigin(origin, host) ? undefined : originForbidden(origin);
    const mayCause = site === undefined || this.#guard.allowsSite(site, host) || isForPage(request);
    return mayCause ? undefined : siteForbidden(site);
  }

  /** The reason why the listener has no room for the request; undefined if it has. */
  refuseExcess({ connection, isAdmitted }: Exchange): Refusal | undefined {
    if (connection.requests > this.#pipelinedRequestsMax) {
      return overloaded('requests in flight on one connection', this.#pipelinedRequestsMax);
    }
    return isAdmitted ? undefined : overloaded('bytes of requests in flight', connection.requestBytes.budget.max);
  }
}

/** Whether a request is for the web client, which any link may lead to: it is the same text for everybody. */
function isForPage({ method, url }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && routeOf(url)?.page === true;
}

/**
 * If there are two Host fields, node:http uses the first, while a proxy in front may use the other. Source: RFC 9112
 * 3.2.
 */
function namesHostTwice({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() === 'host') count++;
  }
  return count > 1;
}

/** The refusal of a message that node:http could not read, by the code of its error. */
export function unreadable(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return httpMalformed(408, 'the whole request within its time limit');
  if (code === 'HPE_HEADER_OVERFLOW') return httpMalformed(431, `headers of at most ${maxHeaderSize} bytes`);
  return httpMalformed(400, 'an HTTP/1.1 message');
}
