/**
 * Methods as data: a row has a name, parameters and a handler. Dispatch, documentation and types read the row.
 * @module
 */
import { assert, type ErrorCode } from '../error.ts';
import type { DevEngine, RpcChain, RpcEngine } from './engine.ts';
import type { JsonValue } from './json.ts';
import type { Param, Schema } from './param.ts';

/** Which of the two families of answers a caller gets: those of the interface, or those of the current reference network. */
export type Forms = 'interface' | 'current';

/** Item shape of listStates in the interface's forms. */
export type ListItem = 'A' | 'B';

/** What a handler works with. */
export interface MethodContext {
  /** What is read, and what renders it: the chain at the moment of the request. */
  readonly chain: RpcChain;
  /** For methods that write: what is read of it may be of a later moment. */
  readonly engine: RpcEngine;
  readonly forms: Forms;
  readonly listItem: ListItem;
  /** Items of one page at most. */
  readonly pageItemsMax: number;
  /** Whether others than programs of this machine may be asking. */
  readonly isExposed: boolean;
  /**
   * Subscribes the connection of the request from an order on; from the next transaction without. Gives the id.
   * @throws {RpcError} where nothing can be pushed, and for too many subscriptions
   */
  subscribe(from: bigint | undefined, collect: CollectItems): number;
  /** Ends a subscription of the connection; false when it has none of that id. */
  unsubscribe(id: number): boolean;
  /** Where the controls of a test node are on: nowhere else is a row of theirs called. */
  readonly dev: DevContext | undefined;
  /** Hands a Bitcoin transaction to the node that this one follows; undefined where it follows none. */
  readonly broadcast: Broadcast | undefined;
}

/** What the controls of a test node work on. */
export interface DevContext {
  readonly engine: DevEngine;
  readonly snapshots: { take(): string; revert(id: string): Promise<void> };
  readonly forks: DevForks;
}

/** What a control works on. Its method is there only where this is. */
export function devOf({ dev }: MethodContext): DevContext {
  assert(dev !== undefined, 'expected the controls of a test node to be on where one is called');
  return dev;
}

export interface DevForks {
  /** Makes a fork; gives its id, and its URL where the request came by one. */
  add(): { readonly id: string; readonly url: string | undefined };
  /** Ends a fork; false where there is none of that id. */
  drop(id: string): Promise<boolean>;
}

/** The items of a subscription that the transaction at an order gives. */
export type CollectItems = (context: MethodContext, order: bigint) => readonly JsonValue[];

/** Takes a transaction's consensus bytes, gives its txid as people write it. */
export type Broadcast = (transaction: Uint8Array) => Promise<string>;

export interface MethodRow {
  readonly description: string;
  readonly params: readonly Param<unknown>[];
  readonly result: Schema;
  /** Positional parameters that work on a fresh local chain. */
  readonly example: readonly JsonValue[];
  /** What it refuses with besides wrong parameters and what any method may answer. */
  readonly errors?: readonly ErrorCode[];
  readonly handle: (context: MethodContext, values: readonly unknown[]) => JsonValue | Promise<JsonValue>;
  /** Whether it waits for nothing: its answer is made without a promise. */
  readonly isImmediate?: boolean;
  /**
   * Whether it is answered by a worker thread where there are some: it may take long, waits for nothing, and needs of its
   * context only `chain`, read by keys, `simulate` of the engines, and `forms`.
   */
  readonly isAside?: boolean;
}

/**
 * A row that tells the compiler what callers give and get: `request` is typed by it. The compiler holds what a file
 * declares of its methods to what their parameters read and their handlers answer.
 */
export interface Method<P extends readonly unknown[], R> extends MethodRow {
  /** Never there: only its type is used. */
  readonly call?: (...params: P) => R;
}

/** A u64 or a page size as a client writes it. */
export type Count = number | bigint | string;

/** An object of an answer whose members are named by the interface's documents. */
export type JsonObject = { readonly [name: string]: JsonValue };

type Values<P extends readonly Param<unknown>[]> = {
  readonly [I in keyof P]: P[I] extends Param<infer T> ? T : never;
};
type Given<P extends readonly Param<unknown>[]> = {
  [I in keyof P]: P[I] extends Param<unknown, infer G> ? G : never;
};

/** What every method declares. */
interface Declaration<P extends readonly Param<unknown>[]> {
  readonly description: string;
  readonly params: P;
  readonly result: Schema;
  readonly example: readonly JsonValue[];
  readonly errors?: readonly ErrorCode[];
  readonly isAside?: boolean;
}

/** Declares a method; the handler's parameter types follow from the parameters. */
export function method<const P extends readonly Param<unknown>[], R extends JsonValue>(
  row: Declaration<P> & { readonly handle: (context: MethodContext, values: Values<P>) => R | Promise<R> },
): Method<Given<P>, R> {
  return { ...row, handle: row.handle as MethodRow['handle'] };
}

/** Declares a method that waits for nothing, as a read of the state does. */
export function immediate<const P extends readonly Param<unknown>[], R extends JsonValue>(
  row: Declaration<P> & {
    readonly handle: (context: MethodContext, values: Values<P>) => R;
  },
): Method<Given<P>, R> {
  return { ...row, handle: row.handle as MethodRow['handle'], isImmediate: true };
}
