/**
 * Calls that must be refused, and the arguments that many functions have in common.
 * @module
 */
import type { RegtestChain } from '../../src/bitcoin/index.ts';
import type { Engine, ViewCall } from '../../src/index.ts';
import type { DirectoryLog } from '../../src/log/index.ts';
import type { TransactionData } from '../../src/query/transaction-builder.ts';
import type * as store from '../../src/store/index.ts';
import { payment } from '../payment.ts';
import {
  ANYTHING_ELSE,
  NO_ADDRESS,
  NO_BYTES,
  NO_FLAG,
  NO_HASH,
  NO_LIMIT,
  NO_LIST,
  NO_OBJECT,
  NO_OBJECT_ID,
  NO_OPTIONS,
  NO_ORDER,
  NO_STRUCT,
  NO_TEXT,
  NO_TYPE,
} from './values.ts';

/** A call that must throw an error whose message begins with `name`. */
export interface WrongCall {
  readonly name: string;
  readonly given: unknown;
  readonly call: () => unknown;
}

/** By the name of the function. */
export type Table = Readonly<Record<string, readonly WrongCall[]>>;

/** A call with each value where something else is expected; the error must begin with `name`. */
export function tries(name: string, values: readonly unknown[], call: (given: never) => unknown): WrongCall[] {
  return values.map((given) => ({ name, given, call: () => call(given as never) }));
}

/** The same for each member of an object, which `call` puts among those that are as they should be. */
export function members(
  values: Readonly<Record<string, readonly unknown[]>>,
  call: (given: Record<string, never>) => unknown,
): WrongCall[] {
  return Object.entries(values).flatMap(([name, wrong]) =>
    tries(name, wrong, (value) => call({ [name]: value as never })),
  );
}

export function pages(call: (page: never) => unknown, cursors: readonly unknown[] = ['x', 5, null, {}]): WrongCall[] {
  return [
    ...tries('page', NO_OPTIONS, call),
    ...members({ limit: NO_LIMIT, descending: NO_FLAG, cursor: cursors, limt: [5] }, (page) => call(page as never)),
  ];
}

/** The same for a page that has one direction. */
export function keyPages(call: (page: never) => unknown): WrongCall[] {
  return pages(call, ['x', 5, null, {}, new Uint8Array(5)]).filter(({ name }) => name !== 'descending');
}

export function ranges(call: (filter: never) => unknown): WrongCall[] {
  return [
    ...tries('filter.from', NO_ORDER, (from) => call({ kind: 'order', from, to: 5n } as never)),
    ...tries('filter.to', NO_ORDER, (to) => call({ kind: 'order', from: 0n, to } as never)),
    ...tries('filter.start', NO_ORDER, (start) => call({ kind: 'time', start, end: 5n } as never)),
    ...tries('filter.end', NO_ORDER, (end) => call({ kind: 'time', start: 0n, end } as never)),
  ];
}

export const NO_FILTER: readonly unknown[] = [...ANYTHING_ELSE, {}, [], 'text', { kind: 'onwer' }, { kind: undefined }];

export function eventFilters(call: (filter: never) => unknown): WrongCall[] {
  return [
    ...tries('filter', NO_FILTER, call),
    ...tries('filter.type', NO_STRUCT, (type) => call({ kind: 'type', type } as never)),
    ...tries('filter.handle', NO_OBJECT_ID, (handle) => call({ kind: 'handle', handle } as never)),
    ...tries('filter.sender', NO_ADDRESS, (sender) => call({ kind: 'sender', sender } as never)),
    ...tries('filter.hash', [undefined, ...NO_HASH], (hash) => call({ kind: 'transaction', hash } as never)),
    ...tries('filter.sendr', ['0x3'], (sendr) => call({ kind: 'type', type: '0x3::a::B', sendr } as never)),
    ...ranges(call),
  ];
}

export function transactionFilters(call: (filter: never) => unknown): WrongCall[] {
  return [
    ...tries('filter', NO_FILTER, call),
    ...tries('filter.sender', NO_ADDRESS, (sender) => call({ kind: 'sender', sender } as never)),
    ...tries('filter.hashes', [undefined, ...NO_LIST], (hashes) => call({ kind: 'hashes', hashes } as never)),
    ...tries('filter.hashes[0]', NO_HASH, (hash) => call({ kind: 'hashes', hashes: [hash] } as never)),
    ...tries('filter.form', [1n], (form) => call({ kind: 'order', from: 0n, to: 1n, form } as never)),
    ...ranges(call),
  ];
}

export function bitcoinFilters(call: (filter: never) => unknown, noId: readonly unknown[]): WrongCall[] {
  return [
    ...tries('filter', NO_FILTER, call),
    ...tries('filter.owner', NO_ADDRESS, (owner) => call({ kind: 'owner', owner } as never)),
    ...tries('filter.id', noId, (id) => call({ kind: 'id', id } as never)),
    ...tries('filter.ids', [undefined, ...NO_LIST], (ids) => call({ kind: 'object-ids', ids } as never)),
    ...tries('filter.ids[0]', NO_OBJECT_ID, (id) => call({ kind: 'object-ids', ids: [id] } as never)),
    ...tries('filter.ownr', ['0x3'], (ownr) => call({ kind: 'all', ownr } as never)),
  ];
}

export const CALL: ViewCall = { function: '0x3::gas_coin::balance', arguments: ['0x3'] };

export function calls(name: string, call: (action: never) => unknown): WrongCall[] {
  return [
    ...tries(name, [...NO_OBJECT, []], call),
    ...tries('function', [...NO_TEXT, 'text', '0x3::gas_coin'], (id) => call({ ...CALL, function: id } as never)),
    ...tries('typeArguments', NO_LIST, (typeArguments) => call({ ...CALL, typeArguments } as never)),
    ...tries('type argument 0', NO_TYPE, (type) => call({ ...CALL, typeArguments: [type] } as never)),
    ...tries('arguments', NO_LIST, (given) => call({ ...CALL, arguments: given } as never)),
    ...tries('argument 0', NO_ADDRESS, (given) => call({ ...CALL, arguments: [given] } as never)),
    ...tries('args', [['0x3']], (args) => call({ ...CALL, args } as never)),
  ];
}

export const TRANSFER: ViewCall = payment('0x42');

export const DATA: TransactionData = {
  sender: new Uint8Array(32),
  sequenceNumber: 0n,
  chainId: 4n,
  maxGasAmount: 100_000_000n,
  action: { kind: 'modules', modules: [] },
};

export const OUTPUT: { readonly to: string; readonly value: bigint } = {
  to: 'bcrt1pfzhx49qe6s5exppe5hqljg3n6587xk0w75xqr70pgdt7ygnfkssqu3wy22',
  value: 5n,
};
export const OUTPOINT: string = `${'a'.repeat(64)}:0`;
export const TXID: string = 'a'.repeat(64);

/** For what mines: the options of a block. */
export function mining(call: (options: never) => unknown): WrongCall[] {
  const { to } = OUTPUT;
  return [
    ...tries('options', [...NO_OBJECT, []], call),
    ...tries('to', [undefined, ...NO_ADDRESS, new Uint8Array(5)], (payee) => call({ to: payee } as never)),
    ...tries('transactions', NO_LIST, (transactions) => call({ to, transactions } as never)),
    ...tries('transactions[0]', [...NO_OBJECT, {}], (one) => call({ to, transactions: [one] } as never)),
    ...tries('coinbaseOutputs', NO_LIST, (coinbaseOutputs) => call({ to, coinbaseOutputs } as never)),
    ...tries('coinbaseOutputs[0]', [...NO_OBJECT, {}], (one) => call({ to, coinbaseOutputs: [one] } as never)),
    ...tries('time', [null, 5n, -1, 0.5, Number.NaN, 2 ** 32, 'now'], (time) => call({ to, time } as never)),
    ...tries('transaction', [{}], (one) => call({ to, transaction: one } as never)),
  ];
}

export function outputs(call: (outputs: never) => unknown): WrongCall[] {
  return [
    ...tries('outputs', [undefined, ...NO_LIST], call),
    ...tries('outputs[0]', [...NO_OBJECT, {}, { value: 5n }], (one) => call([one] as never)),
    ...tries('outputs[0].to', NO_ADDRESS.slice(1), (to) => call([{ ...OUTPUT, to }] as never)),
    ...tries('outputs[0].scriptPubkey', NO_BYTES, (scriptPubkey) => call([{ scriptPubkey, value: 5n }] as never)),
    ...tries('outputs[0].value', [undefined, null, 5, '5', -1n, 1n << 64n, Number.NaN], (value) =>
      call([{ ...OUTPUT, value }] as never),
    ),
  ];
}

export const NO_OPERATIONS: readonly unknown[] = [undefined, ...NO_LIST];

export function operations(call: (operations: never) => unknown): WrongCall[] {
  const key = Uint8Array.of(1);
  return [
    ...tries('operations', NO_OPERATIONS, call),
    ...tries('operations[0]', [...NO_OBJECT, {}, { type: 'set', key }], (one) => call([one] as never)),
    ...tries('operations[0].key', [...NO_BYTES, new Uint8Array(0)], (k) => call([{ type: 'delete', key: k }] as never)),
    ...tries('operations[0].value', NO_BYTES, (value) => call([{ type: 'put', key, value }] as never)),
  ];
}

export function rangesOfKeys(call: (range: never) => unknown, hasLimit: boolean): WrongCall[] {
  return [
    ...tries('range', [...NO_OBJECT, []], call),
    ...tries('range.gte', NO_BYTES.slice(1), (gte) => call({ gte, limit: 1 } as never)),
    ...tries('range.lt', NO_BYTES.slice(1), (lt) => call({ lt, limit: 1 } as never)),
    ...tries('range.limit', [...(hasLimit ? [undefined] : []), null, -1, 0.5, Number.NaN, '5', 5n], (limit) =>
      call({ limit } as never),
    ),
    ...tries('range.reverse', NO_FLAG, (reverse) => call({ reverse, limit: 1 } as never)),
    ...tries('range.from', [new Uint8Array(1)], (from) => call({ from, limit: 1 } as never)),
  ];
}

/** What every test of the table calls. */
export interface World {
  readonly engine: Engine;
  readonly chain: RegtestChain;
  readonly batches: readonly store.LargeBatch[];
  readonly level: store.LevelStore;
  readonly mirror: store.MirrorStore;
  readonly log: DirectoryLog;
  /** A directory that may be written. */
  readonly directory: string;
}

/** Iterates what a function gives, so that a generator begins. */
export async function drained(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values) return;
}

/** Iterates what a function gives, so that a generator begins. */
export function signing(sign: (data: never) => unknown, sender: Uint8Array): WrongCall[] {
  const data = { ...DATA, sender };
  return [
    ...tries('data', [...NO_OBJECT, {}, new Uint8Array(5)], sign),
    ...tries('data', [DATA], sign),
    ...tries(
      'data',
      [
        { ...data, chainId: 4 },
        { ...data, action: {} },
        { ...data, sequenceNumber: -1n },
      ],
      sign,
    ),
  ];
}
