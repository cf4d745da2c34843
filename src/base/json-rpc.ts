/**
 * JSON-RPC error codes of the adapter and the transports: the specification's and the reference's.
 * Source: https://www.jsonrpc.org/specification; crates/rooch-types/src/error.rs of the reference. -32007 is the
 * counterpart of -32008 for requests.
 * @module
 */

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const TOO_MANY_SUBSCRIPTIONS = -32006;
export const REQUEST_TOO_BIG = -32007;
export const RESPONSE_TOO_BIG = -32008;
export const SERVICE_UNAVAILABLE = -32009;
/** What the reference answers for nearly every failure inside a handler. */
export const HANDLER_ERROR = 2;
/** Bytes that are not a transaction. */
export const BCS_ERROR = 3;
