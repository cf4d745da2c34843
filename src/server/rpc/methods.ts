/**
 * All methods, under each of their names, and the OpenRPC document of `rpc.discover`, which is generated from the method
 * rows.
 * Source of the document's form: https://spec.open-rpc.org version 1.3.2.
 * @module
 */

import { PACKAGE_VERSION } from '../../base/config.ts';
import { ERROR_CODES, type ErrorCode } from '../../base/error.ts';
import { BCS_ERROR, HANDLER_ERROR, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from '../../base/json-rpc.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { type BalanceMethods, balanceMethods } from './balance.ts';
import { type BitcoinMethods, bitcoinMethods } from './bitcoin.ts';
import { type DevMethods, devMethods } from './dev.ts';
import { type RpcError, rpcError } from './error.ts';
import { type EventMethods, eventMethods } from './event.ts';
import { type ForkOriginMethods, forkOriginMethods } from './fork-origin.ts';
import { type HistoryMethods, historyMethods } from './history.ts';
import type { JsonValue } from './json.ts';
import type { Forms, JsonObject, Method, MethodRow } from './method.ts';
import { type ModuleMethods, moduleMethods } from './module.ts';
import type { RpcLimits } from './options.ts';
import type { Param } from './param.ts';
import { type ProofMethods, proofMethods } from './proof.ts';
import { type StateMethods, stateMethods } from './state.ts';
import { type StatusMethods, statusMethods } from './status.ts';
import { type TransactionMethods, transactionMethods } from './transaction.ts';
import { type ViewMethods, viewMethods } from './view.ts';

/** The prefixes under which a chain's methods answer. */
export type Namespace = 'chain' | 'rooch';

interface ChainMethods
  extends StatusMethods,
    StateMethods,
    BalanceMethods,
    TransactionMethods,
    EventMethods,
    ModuleMethods,
    HistoryMethods,
    ProofMethods,
    ViewMethods {}

const CHAIN_METHODS: ChainMethods = {
  ...statusMethods,
  ...stateMethods,
  ...balanceMethods,
  ...transactionMethods,
  ...eventMethods,
  ...moduleMethods,
  ...historyMethods,
  ...proofMethods,
  ...viewMethods,
};

/** A method under one of its names. */
export interface NamedMethod {
  readonly name: string;
  readonly row: MethodRow;
  /** The forms that the name implies; undefined if the caller's setting decides (`btc_`). */
  readonly forms: Forms | undefined;
}

/** Methods that share a prefix. */
interface Family {
  readonly prefix: string;
  readonly rows: object;
  readonly forms: Forms | undefined;
}

const BITCOIN: Family = { prefix: 'btc_', rows: bitcoinMethods, forms: undefined };

/** The controls of a test node. Their answers have the caller's forms, like those of `btc_` methods. */
const DEV: Family = { prefix: 'dev_', rows: devMethods, forms: undefined };

/** Methods for forks on other machines. */
const FORKS: Family = { prefix: 'movelet_', rows: forkOriginMethods, forms: 'interface' };

function isOf({ prefix, rows }: Family, name: string): boolean {
  return name.startsWith(prefix) && Object.hasOwn(rows, name.slice(prefix.length));
}

/** The method that subscribes to a topic. */
export function subscribeMethod(topic: 'events' | 'transactions'): Pick<NamedMethod, 'name' | 'row'> {
  const name = topic === 'events' ? 'subscribeEvents' : 'subscribeTransactions';
  return { name, row: CHAIN_METHODS[name] };
}

/**
 * The methods of these namespaces by name, including the controls of a test node if they are on, and what forks on other
 * machines read if that is served.
 */
export function methodTable(namespaces: readonly Namespace[], isDev: boolean, servesNodes = false): MethodTable {
  const chain = namespaces.map((namespace): Family => {
    const forms = namespace === 'chain' ? 'interface' : 'current';
    return { prefix: `${namespace}_`, rows: CHAIN_METHODS, forms };
  });
  const families = [...chain, BITCOIN, ...(isDev ? [DEV] : []), ...(servesNodes ? [FORKS] : [])];
  const named = families.flatMap(({ prefix, rows, forms }) =>
    Object.entries<MethodRow>({ ...rows }).map(([name, row]): NamedMethod => ({ name: prefix + name, row, forms })),
  );
  return new Map(named.map((method) => [method.name, method]));
}

/** Whether a name is that of a control of a test node, even if they are off. */
export function isDevMethod(name: string): boolean {
  return isOf(DEV, name);
}

/** Every method by its full name, as the compiler sees it. */
type Methods = {
  readonly [N in keyof ChainMethods as `${Namespace}_${N}`]: ChainMethods[N];
} & {
  readonly [N in keyof BitcoinMethods as `btc_${N}`]: BitcoinMethods[N];
} & {
  readonly [N in keyof DevMethods as `dev_${N}`]: DevMethods[N];
} & {
  readonly [N in keyof ForkOriginMethods as `movelet_${N}`]: ForkOriginMethods[N];
} & { readonly 'rpc.discover': Method<[], JsonObject> };

/** The names that `request` knows. */
export type MethodName = keyof Methods;

/** The positional parameters of a method. */
export type MethodParams<N extends MethodName> = Methods[N] extends Method<infer P, infer _> ? Readonly<P> : never;

/** What a method answers. */
export type MethodResult<N extends MethodName> = Methods[N] extends Method<infer _, infer R> ? R : never;

/** The method that describes all others. */
export const DISCOVER = 'rpc.discover';

const DEV_HINT = 'start the node with --dev, or make the adapter by createRpc(engine, { dev: true })';

const FORK_HINT = 'start the node with --serve-nodes, or make the adapter by createRpc(engine, { serveNodes: true })';

/** The methods of an adapter by name, without `rpc.discover`. */
export type MethodTable = ReadonlyMap<string, NamedMethod>;

/** The error for an unknown name; undefined if the method exists. */
export function unknownMethod(methods: MethodTable, name: string): RpcError | undefined {
  if (name === DISCOVER || methods.has(name)) return undefined;
  const off = isDevMethod(name) ? DEV_HINT : isOf(FORKS, name) ? FORK_HINT : undefined;
  if (off !== undefined) return rpcError(METHOD_NOT_FOUND, `${name} is off: ${off}`, 'method-not-found', { hint: off });
  const names = [...methods.keys(), DISCOVER];
  const nearest = names.find((one) => one.endsWith(`_${name}`)) ?? nearestName(name, names);
  const hint = nearest === undefined ? 'rpc.discover lists the methods' : `did you mean ${nearest}?`;
  const shown = name.length <= 80 ? name : `${name.slice(0, 80)}...`;
  return rpcError(METHOD_NOT_FOUND, `Method not found: ${shown}; ${hint}`, 'method-not-found', { hint });
}

/** The OpenRPC document of `rpc.discover`. */
export function openRpcDocument(methods: MethodTable, limits: RpcLimits): JsonValue {
  const sorted = [...methods.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  return {
    openrpc: '1.3.2',
    info: {
      title: 'movelet JSON-RPC',
      version: INTERFACE_VERSION,
      'x-package-version': PACKAGE_VERSION,
      description: 'A Move and Bitcoin chain node. chain_ and rooch_ methods share handlers and differ in their forms.',
      license: { name: 'Apache-2.0' },
      'x-limits': { ...limits },
      'x-error-codes': ERROR_CODES,
    },
    methods: sorted.map(methodDocument),
  };
}

/**
 * Version of the interface, by which clients decide what a node can do: that of the reference whose `rooch_` forms are
 * served (the workspace version in its Cargo.toml).
 */
const INTERFACE_VERSION = '0.13.0';

/** Errors that any method may answer with. */
const COMMON_ERRORS: JsonValue = [
  { code: INVALID_PARAMS, message: 'Invalid params' },
  { code: HANDLER_ERROR, message: 'The text tells what failed; error.data.code is a stable word' },
  { code: BCS_ERROR, message: 'Bytes do not decode' },
  { code: INTERNAL_ERROR, message: 'Internal error' },
];

/** Errors of methods that run Move code without a transaction. */
const DEADLINE_ERRORS: readonly ErrorCode[] = ['deadline-exceeded', 'limit-exceeded'];

function paramDocument(param: Param<unknown>): JsonValue {
  return {
    name: param.name,
    description: param.description,
    ...(param.required ? { required: true } : {}),
    schema: param.parser.schema as JsonValue,
  };
}

function methodDocument({ name, row }: NamedMethod): JsonValue {
  return {
    name,
    description: row.description,
    paramStructure: 'either',
    params: row.params.map(paramDocument),
    result: { name: 'result', schema: row.result as JsonValue },
    errors: COMMON_ERRORS,
    'x-error-codes': [...(row.errors ?? []), ...(row.runsOnWorker === true ? DEADLINE_ERRORS : [])],
    examples: [
      {
        name: `${name} on a local chain`,
        params: row.example.map((value, index) => ({ name: row.params[index]?.name ?? `${index}`, value })),
      },
    ],
  };
}
