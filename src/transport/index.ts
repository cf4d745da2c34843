/**
 * The transports: ways by which JSON-RPC text reaches an `RpcHandler` and its answers come back.
 *
 * Each takes a handler, usually that of `createRpc(engine)`, and gives a server with `close()`. The same request gives
 * the same bytes over all of them. The library prints nothing and opens nothing that was not asked for.
 * @module
 */

export type { RpcContext } from '../rpc/context.ts';
export type { Metric, MetricSample } from '../rpc/metric.ts';
export type { GuardOptions } from './guard.ts';
export type { Meter, RpcHandler } from './handler.ts';
export { type HttpOptions, type HttpServer, serveHttp } from './http.ts';
export {
  type EmitterPort,
  type EventTargetPort,
  type PortOptions,
  type PortServer,
  servePort,
} from './message-port.ts';
export type { ProbeOptions } from './probes.ts';
export type { ResponderOptions } from './responder.ts';
export { type StdioEnd, type StdioOptions, type StdioServer, serveStdio } from './stdio.ts';
export type { WebSocketOptions } from './websocket.ts';
