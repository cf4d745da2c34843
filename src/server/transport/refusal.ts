/**
 * The JSON-RPC errors that a transport itself sends because a request could not be read or passed on.
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
  /** The JSON-RPC error object. */
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly data: {
      readonly code: ErrorCode;
      readonly expected?: string;
      readonly received?: string;
      readonly hint?: string;
    };
  };
}

/** The refusal as a JSON-RPC response. */
export function refusalText(refusal: Refusal): string {
  return `{"jsonrpc":"2.0","id":null,"error":${JSON.stringify(refusal.error)}}`;
}

/** Foreign text, cut short to be repeated in an error. */
function quote(text: string | undefined): string {
  if (text === undefined) return 'none';
  return text.length <= RECEIVED_LENGTH_MAX ? text : `${text.slice(0, RECEIVED_LENGTH_MAX)}...`;
}

export function hostForbidden(host: string): Refusal {
  return {
    status: 403,
    error: {
      code: INVALID_REQUEST,
      message: 'Host is not an address or name of this listener',
      data: {
        code: 'forbidden',
        expected: 'the address that the node listens on, or a name given to it',
        received: quote(host),
        hint: 'call the node by its address, or allow this name: --allow-host, or hosts of serveHttp',
      },
    },
  };
}

export function originForbidden(origin: string): Refusal {
  return {
    status: 403,
    error: {
      code: INVALID_REQUEST,
      message: 'Origin may not call this node',
      data: {
        code: 'forbidden',
        expected: 'an origin on this machine, or one that was allowed',
        received: quote(origin),
        hint: `to allow this origin: --cors ${quote(origin)}, or cors of serveHttp`,
      },
    },
  };
}

export function siteForbidden(site: string): Refusal {
  return {
    status: 403,
    error: {
      code: INVALID_REQUEST,
      message: 'Pages of another site may not call this node',
      data: {
        code: 'forbidden',
        expected: 'a page of this node, or an allowed Origin',
        received: `no Origin, and Sec-Fetch-Site ${quote(site)}`,
        hint: "use fetch or EventSource, which send the page's origin",
      },
    },
  };
}

export function pathUnknown(path: string): Refusal {
  return {
    status: 404,
    error: {
      code: INVALID_REQUEST,
      message: `No such path ${quote(path)}: POST JSON-RPC requests to /`,
      data: { code: 'not-found', expected: '/ or /rooch', received: quote(path), hint: 'POST JSON-RPC requests to /' },
    },
  };
}

export function methodNotAllowed(method: string | undefined, allow: string): Refusal {
  return {
    status: 405,
    error: {
      code: INVALID_REQUEST,
      message: 'HTTP method not allowed on this path',
      data: { code: 'not-supported', expected: allow, received: quote(method) },
    },
  };
}

export function upgradeRequired(): Refusal {
  return {
    status: 426,
    error: {
      code: INVALID_REQUEST,
      message: 'This path speaks WebSocket only',
      data: { code: 'not-supported', expected: 'Upgrade: websocket', hint: 'POST JSON-RPC requests to /' },
    },
  };
}

export function queryMissing(name: string): Refusal {
  return {
    status: 400,
    error: {
      code: INVALID_REQUEST,
      message: `The query lacks ${name}`,
      data: {
        code: 'invalid-argument',
        expected: `?${name}=JSON, encoded for a URL`,
        hint: `?${name}=%22all%22 is everything`,
      },
    },
  };
}

export function contentTypeUnsupported(received: string | undefined): Refusal {
  return {
    status: 415,
    error: {
      code: INVALID_REQUEST,
      message: 'Content-Type is not JSON',
      data: { code: 'not-supported', expected: 'Content-Type: application/json, in UTF-8', received: quote(received) },
    },
  };
}

export function contentEncodingUnsupported(received: string): Refusal {
  return {
    status: 415,
    error: {
      code: INVALID_REQUEST,
      message: 'Content-Encoding is not supported',
      data: { code: 'not-supported', expected: 'a body that is not compressed', received: quote(received) },
    },
  };
}

export function expectationUnsupported(received: string): Refusal {
  return {
    status: 417,
    error: {
      code: INVALID_REQUEST,
      message: 'Expect is not supported',
      data: { code: 'not-supported', expected: '100-continue, or no Expect', received: quote(received) },
    },
  };
}

export function requestTooBig(bytesMax: number): Refusal {
  return {
    status: 413,
    error: {
      code: REQUEST_TOO_BIG,
      message: 'Request is too big',
      data: { code: 'limit-exceeded', expected: `at most ${bytesMax} bytes`, hint: 'send less at once' },
    },
  };
}

export function responseTooBig(bytesMax: number): Refusal {
  return {
    status: 200,
    error: {
      code: RESPONSE_TOO_BIG,
      message: 'Response is too big',
      data: { code: 'limit-exceeded', expected: `at most ${bytesMax} bytes`, hint: 'ask for a smaller page or batch' },
    },
  };
}

/** A concurrency limit was reached: connections, requests in flight, or their bytes. */
export function overloaded(what: string, max: number): Refusal {
  return {
    status: 503,
    error: {
      code: SERVICE_UNAVAILABLE,
      message: 'Node is busy',
      data: { code: 'limit-exceeded', expected: `at most ${max} ${what}`, hint: 'wait for an answer, then try again' },
    },
  };
}

export function shuttingDown(): Refusal {
  return {
    status: 503,
    error: { code: SERVICE_UNAVAILABLE, message: 'Node is shutting down', data: { code: 'closed' } },
  };
}

/**
 * The reason with which a transport aborts `closed` if the node ends a conversation: subscriptions pass it on, since the
 * other side may still listen.
 */
export function nodeShutsDown(): EngineError {
  return new EngineError('closed', 'the node is shutting down');
}

export function notUtf8(): Refusal {
  return {
    status: 200,
    error: {
      code: PARSE_ERROR,
      message: 'Parse error',
      data: { code: 'malformed-bytes', expected: 'JSON in UTF-8', received: 'bytes that are not UTF-8' },
    },
  };
}

/** A message that is not text, or a frame that cannot be read. */
export function messageMalformed(expected: string, received: string): Refusal {
  return {
    status: 400,
    error: {
      code: PARSE_ERROR,
      message: 'Parse error',
      data: { code: 'malformed-bytes', expected, received: quote(received) },
    },
  };
}

/** An HTTP message that breaks HTTP, or did not arrive in time. */
export function httpMalformed(status: 400 | 408 | 431, expected: string): Refusal {
  return {
    status,
    error: { code: INVALID_REQUEST, message: 'Malformed HTTP request', data: { code: 'malformed-bytes', expected } },
  };
}

/** The RPC broke its contract. The cause goes to the log, not over the wire. */
export function internalError(): Refusal {
  return {
    status: 200,
    error: { code: INTERNAL_ERROR, message: 'Internal error', data: { code: 'invariant-violation' } },
  };
}
