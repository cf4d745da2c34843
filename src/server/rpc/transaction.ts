/**
 * Transactions: getTransactionsByHash, getTransactionsByOrder, queryTransactions, syncStates, checkChangeSets,
 * executeRawTransaction, sendRawTransaction, dryRunRawTransaction.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/transaction_view.rs and execute_tx_response.rs of the reference.
 * @module
 */

import { encode } from '../../base/bcs.ts';
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { knownHash } from '../../base/hash/unknown-hash.ts';
import { formatBitcoinHash } from '../../bitcoin/hash.ts';
import type { TransactionRecord } from '../../chain/ledger/transactions.ts';
import type { ChangedFields, ObjectChange, StateChangeSet, ValueChange } from '../../chain/object/change-set.ts';
import { equalObjectIds, type ObjectId } from '../../chain/object/object-id.ts';
import { type Action, type FunctionId, formatFunctionId } from '../../chain/transaction/action.ts';
import type { KeptStatus } from '../../chain/transaction/execution-info.ts';
import {
  BITCOIN_CHAIN_ID,
  type L1Block,
  type L1Transaction,
  l1Block,
  l1Transaction,
} from '../../chain/transaction/ledger.ts';
import { type SignedTransaction, signedTransaction } from '../../chain/transaction/signed.ts';
import { memberOrNull } from '../../chain/value/readable.ts';
import { formatAddress, SYSTEM_ADDRESS } from '../../move/address.ts';
import { displayType } from '../../move/type-tag.ts';
import type { Receipt } from '../../pipeline/receipt.ts';
import type { TransactionFilter } from '../../query/transaction.ts';
import { eachInPieces } from '../../store/piece.ts';
import { type RpcChain, readPinned } from './engine.ts';
import {
  type GivenSubscriptionOptions,
  handleEvent,
  subscriptionOptions,
  type UnsubscribeMethod,
  unsubscribe,
} from './event.ts';
import { type JsonValue, jsonInteger } from './json.ts';
import {
  type Count,
  immediate,
  type JsonObject,
  type Method,
  type MethodContext,
  method,
  type SubscribedItems,
} from './method.ts';
import * as param from './param.ts';
import {
  bitcoinAddressText,
  integer,
  type JsonInteger,
  type JsonPage,
  metadata,
  page,
  renderAccount,
  renderLocation,
} from './render.ts';
import { failureJson, NO_TRACE_PARTS, traceJson, valueJson } from './trace.ts';

/** Transactions whose change sets one request looks for; the reference's number. */
export const CHECKED_CHANGE_SETS_MAX = 2_000;

const TRANSACTION: param.Schema = { type: 'object', title: 'transaction with its infos' };
const ORDER_CURSOR: param.Schema = { title: 'transaction order' };

/** The interface's form has the full address without `0x`. */
function functionId(context: MethodContext, id: FunctionId): string {
  return context.forms === 'interface' ? formatFunctionId(id).slice(2) : formatFunctionId(id);
}

function action(context: MethodContext, value: Action): { action_type: string; action: JsonValue } {
  switch (value.kind) {
    case 'script':
      return {
        action_type: 'scriptcall',
        action: {
          script_call: {
            code: context.room.hex(value.code),
            ty_args: value.typeArguments.map(displayType),
            args: value.arguments.map((bytes) => context.room.hex(bytes)),
          },
        },
      };
    case 'function':
      return {
        action_type: 'functioncall',
        action: {
          function_call: {
            function_id: functionId(context, value.function),
            ty_args: value.typeArguments.map(displayType),
            args: value.arguments.map((bytes) => context.room.hex(bytes)),
          },
        },
      };
    case 'modules':
      return {
        action_type: 'modulebundle',
        action: { module_bundle: value.modules.map((bytes) => context.room.hex(bytes)) },
      };
  }
}

function l1BlockMembers(block: L1Block): Record<string, JsonValue> {
  return {
    chain_id: block.chainId.toString(),
    block_height: block.blockHeight.toString(),
    block_hash: toHexPrefixed(block.blockHash),
    bitcoin_block_hash: bitcoinHash(block.chainId, block.blockHash),
  };
}

function l1TransactionMembers(transaction: L1Transaction): Record<string, JsonValue> {
  return {
    chain_id: transaction.chainId.toString(),
    block_hash: toHexPrefixed(transaction.blockHash),
    bitcoin_block_hash: bitcoinHash(transaction.chainId, transaction.blockHash),
    txid: toHexPrefixed(transaction.txid),
    bitcoin_txid: bitcoinHash(transaction.chainId, transaction.txid),
  };
}

function bitcoinHash(chainId: bigint, bytes: Uint8Array): JsonValue {
  return chainId === BITCOIN_CHAIN_ID && bytes.length === 32 ? formatBitcoinHash(bytes) : null;
}

function l2Members(context: MethodContext, signed: SignedTransaction): Record<string, JsonValue> {
  const { data } = signed;
  return {
    sequence_number: integer(context, data.sequenceNumber),
    sender: renderAccount(context, data.sender),
    sender_bitcoin_address: bitcoinAddressText(context, data.sender),
    ...action(context, data.action),
    raw: context.room.hex(encode(signedTransaction, signed)),
    chain_id: data.chainId.toString(),
    max_gas_amount: data.maxGasAmount.toString(),
  };
}

/** The current form: every kind names itself in `type`. */
function currentData(context: MethodContext, { transaction: { data } }: TransactionRecord): JsonValue {
  switch (data.kind) {
    case 'l1-block':
      return { type: 'l1_block', ...l1BlockMembers(data) };
    case 'l1-transaction':
      return { type: 'l1_tx', ...l1TransactionMembers(data) };
    case 'l2-transaction':
      return { type: 'l2_tx', ...l2Members(context, data) };
  }
}

/** The interface's form: Bitcoin entries look like transactions sent by the system. */
function interfaceData(context: MethodContext, { transaction: { data } }: TransactionRecord): JsonValue {
  const system = { sequence_number: 0, sender: formatAddress(SYSTEM_ADDRESS) };
  switch (data.kind) {
    case 'l1-block':
      return {
        ...system,
        action_type: 'l1block',
        action: { l1_block: l1BlockMembers(data) },
        raw: toHexPrefixed(encode(l1Block, data)),
      };
    case 'l1-transaction':
      return {
        ...system,
        action_type: 'l1transaction',
        action: { l1_transaction: l1TransactionMembers(data) },
        raw: toHexPrefixed(encode(l1Transaction, data)),
      };
    case 'l2-transaction':
      return l2Members(context, data);
  }
}

/** The validator of the sequencer's signature in the interface's form: Bitcoin's. */
const ORDER_SIGNATURE_VALIDATOR = '1';

export function renderSequenceInfo(context: MethodContext, { transaction }: TransactionRecord): JsonValue {
  const info = transaction.sequenceInfo;
  const signature = toHexPrefixed(info.txOrderSignature);
  return {
    tx_order: info.txOrder.toString(),
    tx_order_signature:
      context.forms === 'interface' ? { auth_validator_id: ORDER_SIGNATURE_VALIDATOR, payload: signature } : signature,
    tx_accumulator_root: knownHash(info.txAccumulatorRoot),
    tx_timestamp: info.txTimestamp.toString(),
  };
}

function status(context: MethodContext, value: KeptStatus): JsonValue {
  switch (value.kind) {
    case 'executed':
      return { type: 'executed' };
    case 'out-of-gas':
      return { type: 'outofgas' };
    case 'miscellaneous-error':
      return { type: 'miscellaneouserror' };
    case 'move-abort':
      return {
        type: 'moveabort',
        location: renderLocation(context, value.location),
        abort_code: value.code.toString(),
      };
    case 'execution-failure':
      return {
        type: 'executionfailure',
        location: renderLocation(context, value.location),
        function: value.function,
        code_offset: value.codeOffset,
      };
  }
}

export function renderExecutionInfo(context: MethodContext, { executionInfo: info }: TransactionRecord): JsonValue {
  return {
    tx_hash: toHexPrefixed(info.txHash),
    state_root: knownHash(info.stateRoot),
    event_root: toHexPrefixed(info.eventRoot),
    gas_used: integer(context, info.gasUsed),
    status: status(context, info.status),
  };
}

function transaction(context: MethodContext, record: TransactionRecord): JsonObject {
  const sequence = renderSequenceInfo(context, record);
  const execution = renderExecutionInfo(context, record);
  return context.forms === 'interface'
    ? { transaction: interfaceData(context, record), sequence_info: sequence, execution_info: execution }
    : { transaction: { data: currentData(context, record), sequence_info: sequence }, execution_info: execution };
}

/** `"all"` is a filter of subscriptions; a query is refused with it, as in the reference. */
const transactionFilter: param.Parser<TransactionFilter | 'all', unknown> = param.filter<TransactionFilter | 'all'>(
  [
    param.form('sender', param.unitedAddress, (sender) => ({ kind: 'sender', sender })),
    param.form('tx_hashes', param.hashes, (list) => ({ kind: 'hashes', hashes: list })),
    ...param.rangeForms,
  ],
  'all',
);

/** Not the limit of a page: only orders are returned. */
const checkedLimit = param.optional(
  'limit',
  { ...param.limit, schema: { ...param.limit.schema, description: `cut to ${CHECKED_CHANGE_SETS_MAX}` } },
  CHECKED_CHANGE_SETS_MAX,
  'transactions to look at, as a number or decimal string',
);

/** `"all"`, or the changes of one top-level object. The reference spells the key with the underscore. */
const syncFilter: param.Parser<ObjectId | undefined, unknown> = param.filter<ObjectId | undefined>(
  [
    param.form('object_i_d', param.objectIdParser, (id) => id),
    param.form('object_id', param.objectIdParser, (id) => id),
  ],
  undefined,
);

function valueChange({ room }: MethodContext, change: ValueChange | undefined): JsonValue {
  if (change === undefined) return null;
  return change.kind === 'delete' ? 'delete' : { [change.kind]: room.hex(change.value) };
}

function fieldChanges(context: MethodContext, changes: ChangedFields): JsonValue {
  return Array.from(changes, ([, change]) => objectChange(context, change));
}

function objectChange(context: MethodContext, change: ObjectChange): JsonValue {
  return {
    metadata: metadata(context, change.meta, null),
    value: valueChange(context, change.value),
    fields: fieldChanges(context, change.fields),
  };
}

function changeSet(context: MethodContext, value: StateChangeSet): JsonValue {
  return {
    state_root: knownHash(value.stateRoot),
    global_size: value.globalSize.toString(),
    changes: fieldChanges(context, value.changes),
  };
}

type GivenFilter = { readonly sender: string } | { readonly tx_hashes: readonly string[] } | param.GivenRange | 'all';
type GivenSyncFilter = { readonly object_i_d: string } | { readonly object_id: string } | 'all';

const SUBSCRIBED: SubscribedItems<TransactionRecord> = {
  name: 'transactions',
  page: ({ chain }, order) => {
    const record = chain.transactions.get(order)!;
    return [{ value: record, bytes: bytesOf(record), json: (later) => transaction(later, record) }];
  },
};

/** Bytes of the parts whose length the sender chooses. */
function bytesOf({ transaction: { data } }: TransactionRecord): number {
  if (data.kind !== 'l2-transaction') return 0;
  const { action: called } = data.data;
  const parts = called.kind === 'modules' ? called.modules : called.arguments;
  return parts.reduce((sum, { length }) => sum + length, called.kind === 'script' ? called.code.length : 0);
}

/** The first `limit` orders after the cursor. */
function checkedOrders(head: bigint, cursor: bigint | undefined, limit: number, descending: boolean): bigint[] {
  const orders: bigint[] = [];
  const step = descending ? -1n : 1n;
  let order = cursor === undefined ? (descending ? head : 0n) : cursor + step;
  if (descending && order > head) order = head;
  for (; orders.length < limit && order >= 0n && order <= head; order += step) orders.push(order);
  return orders;
}

/** The changes to one top-level object, or undefined if there are none; without a filter, all changes. */
function keep(changes: StateChangeSet, only: ObjectId | undefined): StateChangeSet | undefined {
  if (only === undefined) return changes;
  const kept = changes.changes.filter(([, { meta }]) => equalObjectIds(meta.id, only));
  return kept.length === 0 ? undefined : { ...changes, changes: kept };
}

/** A transfer of one unit from the first of the known accounts to the second, as the first transaction of a local chain. */
const EXAMPLE_DATA =
  '0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b0000000000000000040000000000000000ca9a3b00000000010000000000000000000000000000000000000000000000000000000000000003087472616e736665720d7472616e736665725f636f696e01070000000000000000000000000000000000000000000000000000000000000003086761735f636f696e04524761730002205b330762ed2091043f7040fe01ac4fa4dad2c9e0f182e65c2f4041aa07576bae200100000000000000000000000000000000000000000000000000000000000000';
const EXAMPLE_SIGNED =
  '0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b0000000000000000040000000000000000ca9a3b00000000010000000000000000000000000000000000000000000000000000000000000003087472616e736665720d7472616e736665725f636f696e01070000000000000000000000000000000000000000000000000000000000000003086761735f636f696e04524761730002205b330762ed2091043f7040fe01ac4fa4dad2c9e0f182e65c2f4041aa07576bae2001000000000000000000000000000000000000000000000000000000000000000100000000000000d101405c2b33f8fd454184f672804b58913504834d9a84109ebe2ed11e742900ae242d29c3cb884cf9d4797f3bd8357eacd3dfb40989cd352758167669e776ca5aea5718426974636f696e205369676e6564204d6573736167653a0a13526f6f6368205472616e73616374696f6e3a0a21029af195de20862520997c4afb467bb2063b32a6af93021eee5d42575cd59b33f640626372743170306c6b733335643073707173767a32743374306b717573333877726c706d636a74767675706b666b7764727a6668367a6a7970736c6a73793465';

export const EXECUTED_SCHEMA: param.Schema = {
  type: 'object',
  title: 'sequence_info, execution_info, output, error_info',
};

export const SIMULATED: param.Schema = { type: 'object', title: 'raw_output, vm_error_info' };

export interface OutputOptions {
  readonly withOutput: boolean;
  readonly decode: boolean;
  readonly summary: boolean;
}

const flag: param.Member<boolean> = param.memberOr(param.boolean, false);
export const outputMembers: { readonly [Name in keyof OutputOptions]: param.Member<boolean> } = {
  withOutput: flag,
  decode: flag,
  summary: flag,
};
export const SUMMARY_TEXT = 'summary: what happened, in lines for people, and the objects that were created';
export const OUTPUT_TEXT: string = `withOutput: changes and events too; decode: decode the event data; ${SUMMARY_TEXT}`;

const transactionOptions = param.options('tx_option', param.readOptions(outputMembers), OUTPUT_TEXT);
const dryRunOptions = param.options('tx_option', param.readOptions({ summary: flag }), SUMMARY_TEXT);

/**
 * The answer for an executed transaction, read back from the chain. If it failed, `error_info` says why, in the form that
 * the reference's clients expect; the reference's server leaves that member empty.
 */
export function executed(
  context: MethodContext,
  receipt: Receipt,
  { withOutput, decode, summary }: OutputOptions,
): Promise<JsonObject> {
  const reason = receipt.failure === undefined ? null : dryRun(context, receipt);
  return readPinned(context.engine, (chain) => {
    const later: MethodContext = { ...context, chain };
    // A chain that was reverted in the meantime no longer has it.
    const record = chain.transactions.get(receipt.order);
    if (record === undefined) return { sequence_info: null, execution_info: null, output: null, error_info: null };
    return {
      sequence_info: renderSequenceInfo(later, record),
      execution_info: renderExecutionInfo(later, record),
      output: withOutput ? outputOf(later, chain, receipt, decode) : null,
      error_info: reason,
      ...printsJson(receipt),
      ...(summary && summaryJson(receipt)),
    };
  });
}

function outputOf(
  context: MethodContext,
  chain: RpcChain,
  { order, isUpgrade }: Pick<Receipt, 'order' | 'isUpgrade'>,
  decode: boolean,
): JsonValue {
  const { executionInfo: info } = chain.transactions.get(order)!;
  const layouts = decode ? chain.layouts(info.stateRoot) : undefined;
  const changes = chain.transactions.changeSet(order);
  return {
    status: status(context, info.status),
    changeset: changes === undefined ? null : changeSet(context, changes),
    events: chain.events.ofTransaction(order).map(({ event }) => handleEvent(context, layouts, event)),
    gas_used: info.gasUsed.toString(),
    is_upgrade: isUpgrade,
  };
}

export function dryRun(context: MethodContext, receipt: Receipt, summary = false): JsonObject {
  const { hash, gasUsed, isUpgrade, failure, trace } = receipt;
  return {
    raw_output: {
      tx_hash: hash,
      state_root: memberOrNull(receipt, 'stateRoot'),
      status: status(context, receipt.inside.record.executionInfo.status),
      gas_used: integer(context, gasUsed),
      is_upgrade: isUpgrade,
    },
    vm_error_info: {
      error_message: failure?.message ?? '',
      execution_state: failure === undefined ? [] : stateLines(failure),
      ...(failure && { failure: failureJson(failure, context) }),
    },
    ...printsJson(receipt),
    ...(summary && summaryJson(receipt)),
    ...(trace && { trace: traceJson(trace, NO_TRACE_PARTS) }),
  };
}

/** What happened, as text for people, and the objects that the action created. */
function summaryJson(receipt: Receipt): JsonObject {
  const created = receipt.changes.filter(({ kind, isField }) => kind === 'created' && !isField);
  return { summary: `${receipt}`, created: created.map(({ id, type }) => ({ object_id: id, object_type: type })) };
}

function printsJson({ prints }: Receipt): JsonObject {
  return prints.length === 0 ? {} : { prints: prints.map(valueJson) };
}

function stateLines({ module, function: name, codeOffset }: NonNullable<Receipt['failure']>): string[] {
  return module === undefined ? [] : [`${module}::${name ?? '?'} at offset ${codeOffset ?? 0}`];
}

export interface TransactionMethods {
  readonly getTransactionsByHash: Method<[tx_hashes: readonly string[]], readonly (JsonObject | null)[]>;
  readonly getTransactionsByOrder: Method<
    [cursor?: Count | null, limit?: Count | null, descending_order?: boolean | null],
    JsonPage<JsonObject, JsonInteger>
  >;
  readonly queryTransactions: Method<
    [filter: GivenFilter, cursor?: Count | null, limit?: Count | null, query_option?: param.GivenQueryOptions | null],
    JsonPage<JsonObject, JsonInteger>
  >;
  readonly syncStates: Method<
    [
      filter?: GivenSyncFilter | null,
      cursor?: Count | null,
      limit?: Count | null,
      query_option?: param.GivenQueryOptions | null,
    ],
    JsonPage<JsonObject, JsonInteger>
  >;
  readonly checkChangeSets: Method<
    [cursor?: Count | null, limit?: Count | null, query_option?: param.GivenQueryOptions | null],
    readonly JsonInteger[]
  >;
  readonly subscribeTransactions: Method<
    [filter: GivenFilter, subscription_option?: GivenSubscriptionOptions | null],
    JsonInteger
  >;
  readonly unsubscribeTransactions: UnsubscribeMethod;
  readonly executeRawTransaction: Method<[tx_bcs_hex: string, tx_option?: Partial<OutputOptions> | null], JsonObject>;
  readonly sendRawTransaction: Method<[tx_bcs_hex: string], string>;
  readonly dryRunRawTransaction: Method<
    [tx_bcs_hex: string, tx_option?: { readonly summary?: boolean } | null],
    JsonObject
  >;
}

export const transactionMethods: TransactionMethods = {
  getTransactionsByHash: immediate({
    description: 'Transactions by their hashes, null for unknown ones.',
    params: [param.required('tx_hashes', param.hashes, 'transaction hashes')],
    result: { type: 'array', items: { oneOf: [TRANSACTION, { type: 'null' }] } },
    example: [['0x0000000000000000000000000000000000000000000000000000000000000000']],
    // One by one, so that no more are read than fit into the answer.
    handle: (context, [list]) =>
      list.map((hash) => {
        const record = context.chain.transactions.get(hash);
        return record === undefined ? null : transaction(context, record);
      }),
  }),
  getTransactionsByOrder: method({
    description: 'Transactions in the order in which they were sequenced, newest first unless asked otherwise.',
    params: [param.numberCursor, param.limitParam, param.descendingOrder],
    result: param.pageSchema(TRANSACTION, ORDER_CURSOR),
    isDivisible: true,
    example: [null, '10', true],
    handle: async (context, [cursor, asked, descending]) => {
      const found = await context.chain.transactions.list(undefined, {
        cursor,
        limit: param.pageLimit(context, asked),
        descending,
      });
      return page(
        found,
        (record) => transaction(context, record),
        (cursor) => integer(context, cursor),
      );
    },
  }),
  queryTransactions: method({
    description: 'Transactions by sender, hashes, time (milliseconds, end exclusive) or order (end exclusive).',
    params: [
      param.required('filter', transactionFilter, 'one of sender, tx_hashes, time_range, tx_order_range'),
      param.numberCursor,
      param.limitParam,
      param.queryOptions(true),
    ],
    result: param.pageSchema(TRANSACTION, ORDER_CURSOR),
    errors: ['not-supported'],
    isDivisible: true,
    example: [{ tx_order_range: { from_order: 0, to_order: 10 } }, null, '10', true],
    handle: async (context, [by, cursor, asked, { descending }]) => {
      if (by === 'all') throw param.notForQueries('transactions');
      const request = { cursor, limit: param.pageLimit(context, asked), descending };
      return page(
        await context.chain.transactions.list(by, request),
        (record) => transaction(context, record),
        (cursor) => integer(context, cursor),
      );
    },
  }),
  subscribeTransactions: method({
    description:
      'Pushes transactions by a filter of queryTransactions, or "all"; from the next one on, or from from_order.',
    params: [
      param.required('filter', transactionFilter, '"all", or a filter of queryTransactions'),
      subscriptionOptions,
    ],
    result: { type: 'integer', title: 'id of the subscription' },
    errors: ['not-supported', 'limit-exceeded'],
    example: ['all', null],
    handle: (context, [by, { from_order: from }]) => {
      const matches = context.chain.transactions.matcher(by === 'all' ? undefined : by);
      return context.subscribe(from, SUBSCRIBED, matches);
    },
  }),
  unsubscribeTransactions: unsubscribe,
  syncStates: method({
    description: 'Change sets in the order of their transactions, oldest first unless asked otherwise.',
    params: [
      param.optional(
        'filter',
        syncFilter,
        undefined,
        '"all", or {"object_i_d": ID} for the changes of one top-level object',
      ),
      param.numberCursor,
      param.limitParam,
      param.queryOptions(false),
    ],
    result: param.pageSchema({ type: 'object', title: 'change set' }, ORDER_CURSOR),
    example: ['all', null, '2', null],
    errors: ['pruned'],
    handle: async (context, [only, cursor, asked, { descending }]) => {
      const request = { cursor, limit: param.pageLimit(context, asked), descending };
      return page(
        await context.chain.transactions.changeSets(request, (changes) => keep(changes, only)),
        ({ order, changeSet: changes }) => ({
          tx_order: integer(context, order),
          state_change_set: changeSet(context, changes),
        }),
        (cursor) => integer(context, cursor),
      );
    },
  }),
  checkChangeSets: method({
    description:
      'The orders of transactions whose change set is missing, among those after the cursor, oldest first unless asked otherwise. None on a sound chain.',
    params: [param.numberCursor, checkedLimit, param.queryOptions(false)],
    result: { type: 'array', items: { type: 'integer' } },
    example: [null, '10', null],
    handle: async ({ chain }, [cursor, asked, { descending }]) => {
      const orders = checkedOrders(chain.head.order, cursor, Math.min(asked, CHECKED_CHANGE_SETS_MAX), descending);
      // One by one: each reads a row of up to CHANGE_SET_PART_BYTES.
      const missing = await eachInPieces(orders, (order) => {
        const before = order === 0n ? undefined : order - 1n;
        return chain.transactions.missingChangeSets({ cursor: before, limit: 1, descending: false });
      });
      return missing.flat().map(jsonInteger);
    },
  }),
  executeRawTransaction: method({
    description:
      'Executes a signed transaction and waits until its effects can be read. One that aborts is recorded too; error_info says why.',
    params: [param.required('tx_bcs_hex', param.hex, 'BCS of the signed transaction'), transactionOptions],
    result: EXECUTED_SCHEMA,
    errors: ['malformed-bytes', 'transaction-rejected'],
    example: [EXAMPLE_SIGNED, { withOutput: true }],
    isWrite: true,
    handle: async (context, [signed, output]) => executed(context, await context.engine.execute(signed), output),
  }),
  sendRawTransaction: method({
    description: 'As executeRawTransaction, but returns only the hash.',
    params: [param.required('tx_bcs_hex', param.hex, 'BCS of the signed transaction')],
    result: { type: 'string', title: 'transaction hash' },
    errors: ['malformed-bytes', 'transaction-rejected'],
    example: [EXAMPLE_SIGNED],
    isWrite: true,
    handle: async ({ engine }, [signed]) => (await engine.execute(signed)).hash,
  }),
  dryRunRawTransaction: method({
    description: 'What an unsigned transaction would do if it were valid; nothing is written.',
    params: [
      param.required('tx_bcs_hex', param.hex, 'BCS of the data of the transaction, without its authenticator'),
      dryRunOptions,
    ],
    result: SIMULATED,
    errors: ['malformed-bytes', 'transaction-rejected'],
    example: [EXAMPLE_DATA],
    runsOnWorker: true,
    handle: (context, [data, { summary }]) => dryRun(context, context.engine.simulate(data), summary),
  }),
};
