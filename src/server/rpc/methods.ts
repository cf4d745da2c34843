/**
 * All methods, under each of their names.
 * @module
 */
import { type BalanceMethods, balanceMethods } from './balance.ts';
import { type BitcoinMethods, bitcoinMethods } from './bitcoin.ts';
import { type DevMethods, devMethods } from './dev.ts';
import { type EventMethods, eventMethods } from './event.ts';
import { type ExecuteMethods, executeMethods } from './execute.ts';
import { type FieldMethods, fieldMethods } from './field.ts';
import { type HistoryMethods, historyMethods } from './history.ts';
import type { Forms, JsonObject, Method, MethodRow } from './method.ts';
import { type ModuleMethods, moduleMethods } from './module.ts';
import { type ObjectMethods, objectMethods } from './object.ts';
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
    ExecuteMethods,
    EventMethods,
    ObjectMethods,
    FieldMethods,
    ModuleMethods,
    HistoryMethods,
    ProofMethods,
    ViewMethods {}

const CHAIN_METHODS: ChainMethods = {
  ...statusMethods,
  ...stateMethods,
  ...balanceMethods,
  ...transactionMethods,
  ...executeMethods,
  ...eventMethods,
  ...objectMethods,
  ...fieldMethods,
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

/** The prefix of the controls of a test node. */
const DEV_PREFIX = 'dev_';

/** The method that subscribes to a topic. */
export function subscribeMethod(topic: 'events' | 'transactions'): Pick<NamedMethod, 'name' | 'row'> {
  const name = topic === 'events' ? 'subscribeEvents' : 'subscribeTransactions';
  return { name, row: CHAIN_METHODS[name] };
}

/** The methods of these namespaces by name, including the controls of a test node if they are on. */
export function methodTable(namespaces: readonly Namespace[], isDev: boolean): ReadonlyMap<string, NamedMethod> {
  const named: NamedMethod[] = [];
  for (const namespace of namespaces) {
    const forms = namespace === 'chain' ? 'interface' : 'current';
    for (const [name, row] of Object.entries<MethodRow>({ ...CHAIN_METHODS })) {
      named.push({ name: `${namespace}_${name}`, row, forms });
    }
  }
  for (const [name, row] of Object.entries<MethodRow>({ ...bitcoinMethods })) {
    named.push({ name: `btc_${name}`, row, forms: undefined });
  }
  if (isDev) named.push(...devMethodList());
  return new Map(named.map((method) => [method.name, method]));
}

/** The controls of a test node. Their answers have the caller's forms, like those of `btc_` methods. */
function devMethodList(): NamedMethod[] {
  return Object.entries<MethodRow>({ ...devMethods }).map(([name, row]) => ({
    name: `${DEV_PREFIX}${name}`,
    row,
    forms: undefined,
  }));
}

/** Whether a name is that of a control of a test node, even if they are off. */
export function isDevMethod(name: string): boolean {
  return name.startsWith(DEV_PREFIX) && Object.hasOwn(devMethods, name.slice(DEV_PREFIX.length));
}

/** Every method by its full name, as the compiler sees it. */
type Methods = {
  readonly [N in keyof ChainMethods as `${Namespace}_${N}`]: ChainMethods[N];
} & {
  readonly [N in keyof BitcoinMethods as `btc_${N}`]: BitcoinMethods[N];
} & {
  readonly [N in keyof DevMethods as `dev_${N}`]: DevMethods[N];
} & { readonly 'rpc.discover': Method<[], JsonObject> };

/** The names that `request` knows. */
export type MethodName = keyof Methods;

/** The positional parameters of a method. */
export type MethodParams<N extends MethodName> = Methods[N] extends Method<infer P, infer _> ? Readonly<P> : never;

/** What a method answers. */
export type MethodResult<N extends MethodName> = Methods[N] extends Method<infer _, infer R> ? R : never;
