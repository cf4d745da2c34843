/**
 * Admission of requests: the checks of Host, Origin and Sec-Fetch-Site that keep foreign web pages away from a local
 * node, and those of the room for a request.
 *
 * A page of another site can make a browser send requests to a loopback address in three ways, and each check prevents
 * one. DNS rebinding: the page's own name is made to resolve to 127.0.0.1; the browser then sends that name as Host, so a
 * Host that is not an address or name of the listener is refused. Cross-site requests: the browser sends the page's
 * Origin, so an Origin that is neither on this machine, nor the listener itself, nor allowed by option is refused. Images,
 * frames and links: the browser sends a GET without Origin, whose answer the page cannot read but which costs the node
 * work; Sec-Fetch-Site shows that another site caused it. Programs other than browsers send neither and are admitted; so
 * is a browser over plain HTTP from another machine, which sends no Sec-Fetch-Site to such addresses. Ports are not
 * compared: port forwarding is common and harmless, and rebinding cannot change the name.
 * Source: Fetch standard (Origin), Fetch Metadata Request Headers, RFC 9110 7.2.
 * @module
 */

import { type IncomingMessage, maxHeaderSize } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { EngineError } from '../../base/error.ts';
import type { Bounds } from './budget.ts';
import type { Connection, Exchange } from './connection.ts';
import { routeOf } from './http-request.ts';
import {
  hostForbidden,
  httpMalformed,
  originForbidden,
  overloaded,
  type Refusal,
  siteForbidden,
  tooMuchArriving,
} from './refusal.ts';

/** Options of the guard. */
export interface GuardOptions {
  /** Other names or addresses at which the listener can be reached, without a port, such as `node.example.org`. */
  readonly hosts?: readonly string[] | undefined;
  /** Further origins that may call, such as `https://wallet.example.org`; `*` allows every origin. */
  readonly cors?: readonly string[] | undefined;
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const HOST = /^(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(?::\d{0,5})?$/i;
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+$/;
const WEB_ORIGIN = /^https?:/;

export class Guard {
  /**
   * Whether only programs on this machine can reach the listener, as far as it can tell: it binds a loopback address,
   * and no other name is allowed.
   */
  readonly isLocal: boolean;
  readonly #names = new Set<string>();
  readonly #origins = new Set<string>();

  /**
   * @param host the address or name that the listener binds
   * @throws {EngineError} `invalid-argument` if a host or an origin in the options is malformed
   */
  constructor(host: string, options: GuardOptions) {
    const bound = bracketed(host);
    this.#names.add(bound);
    const wildcard = host === '0.0.0.0' || host === '::';
    const loopback = LOOPBACK_NAMES.includes(bound) || host.startsWith('127.');
    this.isLocal = loopback && (options.hosts ?? []).length === 0;
    if (loopback || wildcard) for (const name of LOOPBACK_NAMES) this.#names.add(name);
    if (!loopback) {
      this.#names.add(hostname().toLowerCase());
      this.#names.add(`${hostname().toLowerCase()}.local`);
    }
    for (const name of options.hosts ?? []) this.#names.add(readHost(name));
    for (const origin of options.cors ?? []) this.#origins.add(readOrigin(origin));
  }

  /**
   * Whether the Host field names this listener.
   * @param localAddress this machine's end of the connection: always an address the listener binds
   */
  allowsHost(host: string, localAddress: string | undefined): boolean {
    const name = hostName(host);
    if (name === undefined) return false;
    if (this.#names.has(name)) return true;
    return localAddress !== undefined && name === bracketed(localAddress.replace(/^::ffff:(?=\d+\.)/, ''));
  }

  /**
   * Whether a page of this origin may call.
   * @param host the Host field of the same request, which `allowsHost` has passed
   */
  allowsOrigin(origin: string, host: string): boolean {
    if (LOOPBACK_ORIGIN.test(origin) || this.#origins.has('*')) return true;
    const canonical = origin.toLowerCase();
    // The page that this listener serves itself, directly or behind a proxy that adds TLS.
    const authority = host.toLowerCase();
    if (canonical === `http://${authority}` || canonical === `https://${authority}`) return true;
    return this.#origins.has(canonical);
  }

  /**
   * Whether a page may have caused a request without Origin.
   * @param site its Sec-Fetch-Site: how the page's site relates to the listener's, or `none` if the user caused it
   * @param host the Host field of the same request, which `allowsHost` has passed
   */
  allowsSite(site: string, host: string): boolean {
    if (site === 'same-origin' || site === 'none' || this.#origins.has('*')) return true;
    return site === 'same-site' && LOOPBACK_ORIGIN.test(`http://${host}`);
  }
}

/** The name or bracketed address of a Host field, lower case, without port and final dot. */
function hostName(host: string): string | undefined {
  const name = HOST.exec(host)?.[1];
  return name === undefined ? undefined : name.toLowerCase().replace(/\.$/, '');
}

/** An address as written in a URL; names are returned in lower case. */
function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host.toLowerCase()}]` : host.toLowerCase();
}

function readHost(text: string): string {
  const name = isIP(text) === 0 ? hostName(text) : bracketed(text);
  if (name === undefined) {
    throw new EngineError('invalid-argument', `hosts: expected a host name or address, got ${JSON.stringify(text)}`);
  }
  return name;
}

function readOrigin(text: string): string {
  if (text === '*' || text === 'null') return text;
  const origin = text.toLowerCase().replace(/\/$/, '');
  if (!ORIGIN.test(origin) || (WEB_ORIGIN.test(origin) && !URL.canParse(origin))) {
    throw new EngineError(
      'invalid-argument',
      `cors: expected an origin such as https://wallet.example.org, or *, got ${JSON.stringify(text)}`,
    );
  }
  // Browsers omit a default port, but an option may have it.
  return WEB_ORIGIN.test(origin) ? new URL(origin).origin : origin;
}

/** The reason why the caller may not be served at all; undefined if it may. */
export function refuseCaller(
  guard: Guard,
  { connectionsMax }: Bounds,
  request: IncomingMessage,
  connection: Connection,
): Refusal | undefined {
  if (connection.excess) return overloaded('connections', connectionsMax);
  const { host, origin, 'sec-fetch-site': site } = request.headers;
  if (host === undefined || namesHostTwice(request)) return httpMalformed(400, 'one Host field');
  if (!guard.allowsHost(host, request.socket.localAddress)) return hostForbidden(host);
  if (origin !== undefined) return guard.allowsOrigin(origin, host) ? undefined : originForbidden(origin);
  const mayCause = site === undefined || guard.allowsSite(site, host) || isForPage(request);
  return mayCause ? undefined : siteForbidden(site);
}

/** The reason why the listener has no room for the request; undefined if it has. */
export function refuseExcess(
  { pipelinedRequestsMax }: Bounds,
  { connection, isAdmitted }: Exchange,
): Refusal | undefined {
  if (connection.requests > pipelinedRequestsMax) {
    return overloaded('requests in flight on one connection', pipelinedRequestsMax);
  }
  return isAdmitted ? undefined : tooMuchArriving(connection.requestBytes.budget);
}

/** Whether a request is for the web client, to which any site may link: it is the same for everyone. */
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
export function unreadableMessage(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return httpMalformed(408, 'the whole request within its time limit');
  if (code === 'HPE_HEADER_OVERFLOW') return httpMalformed(431, `headers of at most ${maxHeaderSize} bytes`);
  return httpMalformed(400, 'an HTTP/1.1 message');
}
