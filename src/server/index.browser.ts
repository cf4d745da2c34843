/**
 * The entry point `movelet/rpc` of pages: of the transports, those that need no sockets. Its types are those of index.ts.
 * @module
 */
export { createRpc, RpcError, stringifyJson } from './rpc/index.ts';
export { forwardTo } from './transport/forward.ts';
export { servePort } from './transport/message-port.ts';
