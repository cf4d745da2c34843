/**
 * The JSON-RPC errors that a transport itself sends, because a request could not be read or passed on.
 *
 * Their `id` is null, as JSON-RPC 2.0 requires when the id is unknown; `error.data` is `{ code, expected?, received?,
 * hint? }` with the stable word of an EngineError.
 * Source: crates/rooch-types/src/error.rs of the reference for the numbers (-32007 is the request counterpart of -32008
 * in the reference's framework).
 * @module
 */
import { EngineError, type ErrorCode } from '../../base/error.ts';
import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  PARSE_ERROR,
  REQUEST_TOO_BIG,
  RESPONSE_TOO_BIG,
  SERVICE_UNAVAILABLE,
} from '../../base/json-rpc.ts';

/** Maximum length of foreign text that an error repeats. */
const RECEIVED_LENGTH_MAX = 120;

/** Why a transport did not pass a request on, or an answer back. */
export interface Refusal {
  /** HTTP status, for transports that have one. */
  readonly status: number;
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly data: Details & { readonly code: ErrorCode };
  };
}

interface Details {
  readonly expected?: string;
  readonly received?: string;
  readonly hint?: string;
}

function refusal(status: number, code: number, word: ErrorCode, message: string, details: Details = {}): Refusal {
  return { status, error: { code, message, data: { code: word, ...details } } };
}

/** The refusal as a JSON-RPC response. */
export function refusalText({ error }: Refusal): string {
  return `{"jsonrpc":"2.0","id":null,"error":${JSON.stringify(error)}}`;
}

/** Foreign text, cut short to be repeated in an error. */
function quote(text: string | undefined): string {
  if (text === undefined) return 'none';
  return text.length <= RECEIVED_LENGTH_MAX ? text : `${text.slice(0, RECEIVED_LENGTH_MAX)}...`;
}

export function hostForbidden(host: string): Refusal {
  return refusal(403, INVALID_REQUEST, 'forbidden', 'Host is not an address or name of this listener', {
    expected: 'the address that the node listens on, or a name given to it',
    received: quote(host),
    hint: 'call the node by its address, or allow this name: --allow-host, or hosts of serveHttp',
  });
}

export function originForbidden(origin: string): Refusal {
  return refusal(403, INVALID_REQUEST, 'forbidden', 'Origin may not call this node', {
    expected: 'an origin on this machine, or one that was allowed',
    received: quote(origin),
    hint: `to allow this origin: --cors ${quote(origin)}, or cors of serveHttp`,
  });
}

export function siteForbidden(site: string): Refusal {
  return refusal(403, INVALID_REQUEST, 'forbidden', 'Pages of another site may not call this node', {
    expected: 'a page of this node, or an allowed Origin',
    received: `no Origin, and Sec-Fetch-Site ${quote(site)}`,
    hint: "use fetch or EventSource, which send the page's origin",
  });
}

export function pathUnknown(path: string): Refusal {
  return refusal(404, INVALID_REQUEST, 'not-found', `No such path ${quote(path)}: POST JSON-RPC requests to /`, {
    expected: '/ or /rooch',
    received: quote(path),
    hint: 'POST JSON-RPC requests to /',
  });
}

export function methodNotAllowed(method: string | undefined, allow: string): Refusal {
  return refusal(405, INVALID_REQUEST, 'not-supported', 'HTTP method not allowed on this path', {
    expected: allow,
    received: quote(method),
  });
}

export function upgradeRequired(): Refusal {
  return refusal(426, INVALID_REQUEST, 'not-supported', 'This path speaks WebSocket only', {
    expected: 'Upgrade: websocket',
    hint: 'POST JSON-RPC requests to /',
  });
}

export function queryMissing(name: string): Refusal {
  return refusal(400, INVALID_REQUEST, 'invalid-argument', `The query lacks ${name}`, {
    expected: `?${name}=JSON, encoded for a URL`,
    hint: `?${name}=%22all%22 is everything`,
  });
}

/** Why a stream does not begin: the error of the RPC, which is an RpcError if the client caused it. */
export function streamRefused(thrown: unknown): Refusal {
  const { code, message, data } = thrown as { code?: unknown; message?: unknown; data?: unknown };
  if (typeof code !== 'number' || typeof message !== 'string' || code === INTERNAL_ERROR) {
    return refusal(500, INTERNAL_ERROR, 'invariant-violation', 'Internal error');
  }
  return { status: 400, error: { code, message, data: data as Refusal['error']['data'] } };
}

export function contentTypeUnsupported(received: string | undefined): Refusal {
  return refusal(415, INVALID_REQUEST, 'not-supported', 'Content-Type is not JSON', {
    expected: 'Content-Type: application/json, in UTF-8',
    received: quote(received),
  });
}

export function contentEncodingUnsupported(received: string): Refusal {
  return refusal(415, INVALID_REQUEST, 'not-supported', 'Content-Encoding is not supported', {
    expected: 'a body that is not compressed',
    received: quote(received),
  });
}

export function expectationUnsupported(received: string): Refusal {
  return refusal(417, INVALID_REQUEST, 'not-supported', 'Expect is not supported', {
    expected: '100-continue, or no Expect',
    received: quote(received),
  });
}

export function requestTooBig(bytesMax: number): Refusal {
  return refusal(413, REQUEST_TOO_BIG, 'limit-exceeded', 'Request is too big', {
    expected: `at most ${bytesMax} bytes`,
    hint: 'send less at once',
  });
}

export function responseTooBig(bytesMax: number): Refusal {
  return refusal(200, RESPONSE_TOO_BIG, 'limit-exceeded', 'Response is too big', {
    expected: `at most ${bytesMax} bytes`,
    hint: 'ask for a smaller page or batch',
  });
}

/** A concurrency limit was reached: connections, requests in flight, or their bytes. */
export function overloaded(what: string, max: number): Refusal {
  return refusal(503, SERVICE_UNAVAILABLE, 'limit-exceeded', 'Node is busy', {
    expected: `at most ${max} ${what}`,
    hint: 'wait for an answer, then try again',
  });
}

export function tooMuchArriving({ max }: { readonly max: number }): Refusal {
  return overloaded('bytes of requests in flight', max);
}

export function tooMuchUnread({ max }: { readonly max: number }): Refusal {
  return overloaded('bytes of unread answers', max);
}

export function shuttingDown(): Refusal {
  return refusal(503, SERVICE_UNAVAILABLE, 'closed', 'Node is shutting down');
}

/** The reason with which a transport aborts `closed` when the node shuts down: subscriptions send it to their clients. */
export function nodeShutsDown(): EngineError {
  return new EngineError('closed', 'the node is shutting down');
}

export function notUtf8(): Refusal {
  return refusal(200, PARSE_ERROR, 'malformed-bytes', 'Parse error', {
    expected: 'JSON in UTF-8',
    received: 'bytes that are not UTF-8',
  });
}

/** A message that is not text, or a frame that cannot be read. */
export function messageMalformed(expected: string, received: string): Refusal {
  return refusal(400, PARSE_ERROR, 'malformed-bytes', 'Parse error', { expected, received: quote(received) });
}

/** An HTTP message that breaks HTTP, or did not arrive in time. */
export function httpMalformed(status: 400 | 408 | 431, expected: string): Refusal {
  return refusal(status, INVALID_REQUEST, 'malformed-bytes', 'Malformed HTTP request', { expected });
}

/** The RPC broke its contract. The cause goes to the log, not over the wire. */
export function internalError(): Refusal {
  return refusal(200, INTERNAL_ERROR, 'invariant-violation', 'Internal error');
}
