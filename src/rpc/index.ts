/**
 * The door `movelet/rpc`.
 * @module
 */
export type { RpcChain, RpcEngine } from './engine.ts';
export { RpcError } from './error.ts';
export { type ExactNumber, type JsonValue, stringifyJson } from './json.ts';
export type { Forms, ListItem } from './method.ts';
export type { MethodName, Namespace } from './methods.ts';
export { type CallContext, createRpc, type RequestParams, type Rpc, type RpcOptions } from './server.ts';
