/**
 * Every method, under every name that it answers to.
 * @module
 */
import { balanceMethods } from './balance.ts';
import { bitcoinMethods } from './bitcoin.ts';
import { eventMethods } from './event.ts';
import { fieldMethods } from './field.ts';
import type { Forms, MethodRow } from './method.ts';
import { moduleMethods } from './module.ts';
import { objectMethods } from './object.ts';
import { stateMethods } from './state.ts';
import { statusMethods } from './status.ts';
import { transactionMethods } from './transaction.ts';
import { viewMethods } from './view.ts';

/** The prefixes under which a chain's methods answer. */
export type Namespace = 'chain' | 'rooch';

const CHAIN_METHODS: readonly MethodRow[] = [
  ...statusMethods,
  ...stateMethods,
  ...balanceMethods,
  ...transactionMethods,
  ...eventMethods,
  ...objectMethods,
  ...fieldMethods,
  ...moduleMethods,
  ...viewMethods,
];

/** A method under one of its names. */
export interface NamedMethod {
  readonly name: string;
  readonly row: MethodRow;
  /** The form that the name stands for; undefined where the caller's setting decides (`btc_`). */
  readonly forms: Forms | undefined;
}

/** The method that subscribes to a topic. */
export function subscribeRow(topic: 'events' | 'transactions'): MethodRow {
  const name = topic === 'events' ? 'subscribeEvents' : 'subscribeTransactions';
  return CHAIN_METHODS.find((row) => row.name === name)!;
}

/** The methods of these namespaces, by name. */
export function methodTable(namespaces: readonly Namespace[]): ReadonlyMap<string, NamedMethod> {
  const named: NamedMethod[] = [];
  for (const namespace of namespaces) {
    const forms = namespace === 'chain' ? 'interface' : 'current';
    for (const row of CHAIN_METHODS) named.push({ name: `${namespace}_${row.name}`, row, forms });
  }
  for (const row of bitcoinMethods) named.push({ name: `btc_${row.name}`, row, forms: undefined });
  return new Map(named.map((method) => [method.name, method]));
}

type ChainMethodName =
  | 'getChainID'
  | 'status'
  | 'getStates'
  | 'listStates'
  | 'getObjectStates'
  | 'getFieldStates'
  | 'listFieldStates'
  | 'getBalance'
  | 'getBalances'
  | 'getTransactionsByHash'
  | 'getTransactionsByOrder'
  | 'queryTransactions'
  | 'subscribeTransactions'
  | 'unsubscribeTransactions'
  | 'syncStates'
  | 'getEventsByEventHandle'
  | 'queryEvents'
  | 'subscribeEvents'
  | 'unsubscribeEvents'
  | 'queryObjectStates'
  | 'queryFields'
  | 'getModuleABI'
  | 'executeViewFunction';

/** The names that `request` knows; a test holds them to the table. */
export type MethodName =
  | `${Namespace}_${ChainMethodName}`
  | 'btc_queryUTXOs'
  | 'btc_queryInscriptions'
  | 'btc_broadcastTX'
  | 'rpc.discover';
