/**
 * Methods as data: a row has a name, parameters and a handler. Dispatch, documentation and types read the row.
 * @module
 */
import { assert, type ErrorCode } from '../../base/error.ts';
import type { DevEngine, RpcChain, RpcEngine } from './engine.ts';
import type { HeldPoints } from './fork-origin.ts';
import type { JsonValue } from './json.ts';
import type { Param, Schema } from './param.ts';

/** Which of the two families of answers a caller gets: the interface's, or the current reference network's. */
export type Forms = 'interface' | 'current';

/** Item shape of listStates in the interface's forms. */
export type ListItem = 'A' | 'B';

/** How much an answer may still hold (answer.ts). Its methods throw an RpcError if there is no room. */
export interface Room {
  /** `0x` and the digits of bytes. */
  hex(bytes: Uint8Array): string;
  /** Counts characters that the answer will have at least. */
  takeCharacters(count: number): void;
  /** Counts parts of decoded values: each number, text, list or struct, at all levels. */
  takeParts(count: number): void;
}

/** What a handler works with. */
export interface MethodContext {
  /**
   * The chain as of the request, for reading and rendering. For methods that write, it is valid until they first wait;
   * their answers come from a later view.
   */
  readonly chain: RpcChain;
  /** For methods that write. What is read from it may be newer than `chain`. */
  readonly engine: RpcEngine;
  readonly forms: Forms;
  readonly listItem: ListItem;
  readonly room: Room;
  /** Maximum number of items per page. */
  readonly pageItemsMax: number;
  /** Whether the request may come from another machine. */
  readonly isExposed: boolean;
  /** Whether failures include their call stack: on a test node, for programs on this machine. */
  readonly findsCallStacks: boolean;
  /**
   * Subscribes the connection of the request to the items that match, starting at an order or at the next transaction.
   * Returns the id.
   * @throws {RpcError} if the connection cannot be pushed to, or for too many subscriptions
   */
  subscribe<T>(from: bigint | undefined, items: SubscribedItems<T>, matches: (value: T) => boolean): number;
  /** Ends a subscription of the connection. Returns false if it has none with that id. */
  unsubscribe(id: number): boolean;
  /** Present if the controls of a test node are on; their rows are called only then. */
  readonly dev: DevContext | undefined;
  /** The moments at which forks on other machines begin; present if their methods are. */
  readonly origin: HeldPoints | undefined;
  /** Passes a Bitcoin transaction to the node that this one follows; undefined if it follows none. */
  readonly broadcast: Broadcast | undefined;
}

/** What the controls of a test node work on. */
export interface DevContext {
  readonly engine: DevEngine;
  readonly snapshots: {
    /** Takes a snapshot and returns its id. Throws `not-supported` on a durable store. */
    take(): string;
    /** Goes back, or forward, to a snapshot. Rejects with `not-found` if the id is unknown or no longer kept. */
    revert(id: string): Promise<void>;
  };
  readonly forks: DevForks;
}

/** The context of a control, whose method exists only if it is set. */
export function devOf({ dev }: MethodContext): DevContext {
  assert(dev !== undefined, 'expected the controls of a test node to be on where one is called');
  return dev;
}

export interface DevForks {
  /** Makes a fork. Returns its id, and its URL if the request came through a listener. */
  add(): { readonly id: string; readonly url: string | undefined };
  /** Ends a fork. Returns false if there is none with that id. */
  drop(id: string): Promise<boolean>;
}

/** What subscriptions of a method choose from: the transactions of a chain, or their events. */
export interface SubscribedItems<T> {
  /** Those of the same name have the same items, in the same form for the same `forms`. */
  readonly name: string;
  /**
   * Items of the transaction at an order, which has them at the indexes from 0 on: up to SUBSCRIPTION_PAGE_ITEMS of them,
   * from an index on.
   */
  page(context: MethodContext, order: bigint, from: number): readonly SubscribedItem<T>[];
}

/** One item of a subscription: a transaction or an event. */
export interface SubscribedItem<T> {
  readonly value: T;
  /** About how many bytes `value` holds. */
  readonly bytes: number;
  /** Called once for all subscriptions that get the item. */
  json(context: MethodContext): JsonValue;
}

/** Takes a transaction's consensus bytes and returns its txid in display order. */
export type Broadcast = (transaction: Uint8Array) => Promise<string>;

export interface MethodRow {
  readonly description: string;
  readonly params: readonly Param<unknown>[];
  readonly result: Schema;
  /** Positional parameters that work on a fresh local chain. */
  readonly example: readonly JsonValue[];
  /** Its own errors, beyond those that any method may answer with. */
  readonly errors?: readonly ErrorCode[];
  readonly handle: (context: MethodContext, values: readonly unknown[]) => JsonValue | Promise<JsonValue>;
  /** Whether it is synchronous: no promise is made for its answer. */
  readonly isImmediate?: boolean;
  /**
   * Whether a worker thread answers it, if there are any: it may take long, is synchronous, and uses only `chain` (read
   * by key), `simulate` of the engines, and `forms` of its context.
   */
  readonly runsOnWorker?: boolean;
  /** Whether its page, by `cursor` and `limit`, equals shorter pages joined: nothing but `limit` ends it early. */
  readonly isDivisible?: boolean;
  /** Whether it writes to the chain, so that a reader of a commit log may forward it to the writer. */
  readonly isWrite?: boolean;
}

/**
 * A row that also tells the compiler what callers pass and get; `request` takes its types from this. The compiler
 * checks these declarations against the parameters' parsers and the handlers' results.
 */
export interface Method<P extends readonly unknown[], R> extends MethodRow {
  /** Never set; only its type is used. */
  readonly call?: (...params: P) => R;
}

/** A u64 or a page size as a client writes it. */
export type Count = number | bigint | string;

/** An object in an answer, whose members are described in the interface's documents. */
export type JsonObject = { readonly [name: string]: JsonValue };

type Values<P extends readonly Param<unknown>[]> = {
  readonly [I in keyof P]: P[I] extends Param<infer T> ? T : never;
};
type Given<P extends readonly Param<unknown>[]> = {
  [I in keyof P]: P[I] extends Param<unknown, infer G> ? G : never;
};

type Declaration<P extends readonly Param<unknown>[]> = Omit<MethodRow, 'params' | 'handle' | 'isImmediate'> & {
  readonly params: P;
};

/** Declares a method; the handler's parameter types follow from the parameters. */
export function method<const P extends readonly Param<unknown>[], R extends JsonValue>(
  row: Declaration<P> & { readonly handle: (context: MethodContext, values: Values<P>) => R | Promise<R> },
): Method<Given<P>, R> {
  return { ...row, handle: row.handle as MethodRow['handle'] };
}

/** Declares a synchronous method, such as a read of the state. */
export function immediate<const P extends readonly Param<unknown>[], R extends JsonValue>(
  row: Declaration<P> & { readonly handle: (context: MethodContext, values: Values<P>) => R },
): Method<Given<P>, R> {
  return { ...row, handle: row.handle as MethodRow['handle'], isImmediate: true };
}
