/**
 * The entry point `movelet/rpc` of pages: of the transports, those that need no sockets. Its types are those of index.ts.
 * @module
 */
export { RpcError } from './rpc/error.ts';
export { stringifyJson } from './rpc/json.ts';
export { createRpc } from './rpc/server.ts';
export { forwardTo } from './transport/forward.ts';
export { servePort } from './transport/message-port.ts';
