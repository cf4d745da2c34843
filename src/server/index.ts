/**
 * The entry point `movelet/rpc`: JSON-RPC over an engine, and the transports that serve it: HTTP, WebSocket, stdio and
 * MessagePorts.
 *
 * A transport takes a handler, usually that of `createRpc(engine)`, and returns a server with `close()`. The same request
 * yields the same bytes over all of them. The library prints nothing, and opens nothing unasked.
 * @module
 */
export type { Metric, MetricSample } from './metrics.ts';
export type { DevEngine, RpcEngine, RpcView } from './rpc/engine.ts';
export { RpcError } from './rpc/error.ts';
export type { Forward } from './rpc/forward.ts';
export { type ExactNumber, type JsonValue, stringifyJson } from './rpc/json.ts';
export type { Count, Forms, JsonObject, ListItem } from './rpc/method.ts';
export type { MethodName, MethodParams, MethodResult, Namespace } from './rpc/methods.ts';
export type { RpcOptions } from './rpc/options.ts';
export type { JsonInteger, JsonPage, JsonPosition } from './rpc/render.ts';
export type { Meter, NamedParams, RequestParams, Rpc, RpcContext } from './rpc/rpc.ts';
export { createRpc } from './rpc/server.ts';
export { forwardTo } from './transport/forward.ts';
export type { GuardOptions } from './transport/guard.ts';
export type { ResponderOptions, RpcHandler } from './transport/handler.ts';
export { type HttpOptions, type HttpServer, serveHttp } from './transport/http.ts';
export {
  type EmitterPort,
  type EventTargetPort,
  type PortOptions,
  type PortServer,
  servePort,
} from './transport/message-port.ts';
export type { ProbeOptions } from './transport/probes.ts';
export { type StdioEnd, type StdioOptions, type StdioServer, serveStdio } from './transport/stdio.ts';
export type { WebSocketOptions } from './transport/websocket.ts';
