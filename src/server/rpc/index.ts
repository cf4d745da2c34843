/**
 * The entry point `movelet/rpc`.
 * @module
 */

export type { DevEngine, RpcEngine, RpcView } from './engine.ts';
export { RpcError } from './error.ts';
export type { Forward } from './forward.ts';
export { type ExactNumber, type JsonValue, stringifyJson } from './json.ts';
export type { Count, Forms, JsonObject, ListItem } from './method.ts';
export type { MethodName, MethodParams, MethodResult, Namespace } from './methods.ts';
export type { RpcOptions } from './options.ts';
export type { JsonInteger, JsonPage, JsonPosition } from './render.ts';
export type { NamedParams, RequestParams, Rpc, RpcContext } from './rpc.ts';
export { createRpc } from './server.ts';
