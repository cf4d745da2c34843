/**
 * The transports: they carry JSON-RPC text to an `RpcHandler` and its answers back.
 *
 * Each takes a handler, usually that of `createRpc(engine)`, and returns a server with `close()`. The same request
 * yields the same bytes over all of them. The library prints nothing, and opens nothing unasked.
 * @module
 */

export type { Metric, MetricSample } from '../metrics.ts';
export type { Forward } from '../rpc/forward.ts';
export type { RpcContext } from '../rpc/rpc.ts';
export { forwardTo } from './forward.ts';
export type { GuardOptions } from './guard.ts';
export type { Meter, ResponderOptions, RpcHandler } from './handler.ts';
export { type HttpOptions, type HttpServer, serveHttp } from './http.ts';
export {
  type EmitterPort,
  type EventTargetPort,
  type PortOptions,
  type PortServer,
  servePort,
} from './message-port.ts';
export type { ProbeOptions } from './probes.ts';
export { type StdioEnd, type StdioOptions, type StdioServer, serveStdio } from './stdio.ts';
export type { WebSocketOptions } from './websocket.ts';
