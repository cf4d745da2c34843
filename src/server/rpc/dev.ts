/**
 * The controls of a test node: unsigned calls, changes that no Move code could make, and operations on the chain as a
 * whole.
 *
 * They exist only if `createRpc` enables them, and serve only callers on this machine unless the transport is configured
 * otherwise. A method that changes the state answers once the change can be read. The reference has no such methods.
 * @module
 */
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { CHAIN_TIME_MS_MAX } from '../../base/config.ts';
import { EngineError, unlessRefused } from '../../base/error.ts';
import { type BitcoinTransaction, decodeTransaction } from '../../bitcoin/transaction.ts';
import { type ObjectId, parseObjectId } from '../../chain/object/object-id.ts';
import type { BlockReference } from '../../execution/bitcoin-move/known-block.ts';
import { addSources, type ModuleSource } from '../../execution/module-sources.ts';
import { formatAddressBech32, parseAddress } from '../../move/address.ts';
import type { Receipt } from '../../pipeline/receipt.ts';
import { BALANCE, type BalanceJson, balance, EXAMPLE_ACCOUNT } from './balance.ts';
import { readPinned } from './engine.ts';
import type { JsonValue } from './json.ts';
import { type Count, devOf, type JsonObject, type Method, type MethodContext, method } from './method.ts';
import * as param from './param.ts';
import { integer } from './render.ts';
import { decodedState, STATE } from './state.ts';
import { NO_TRACE_PARTS, traceJson } from './trace.ts';
import {
  dryRun,
  EXECUTED_SCHEMA,
  executed,
  OUTPUT_TEXT,
  type OutputOptions,
  outputMembers,
  SIMULATED,
  SUMMARY_TEXT,
} from './transaction.ts';
import { functionCallParser, type GivenCall, typedValue, typeTagParser } from './view.ts';

const moduleHex = param.hexOf('the bytes of a compiled module in hex (movelet build)');

/** Items of a list in one module's source: a request of 2 MiB cannot hold more. */
const SOURCE_ITEMS_MAX = 1_000_000;

const anyText: param.Parser<string> = param.text('text', {}, (value) => value);

/** An object whose members have any names. */
function named<T>(item: param.Parser<T>): param.Parser<Readonly<Record<string, T>>> {
  return {
    schema: { type: 'object', additionalProperties: item.schema },
    parse: (value) => {
      if (!param.isObject(value)) throw param.unexpected('an object', value);
      const entries = Object.entries(value).map(([name, each]) => [name, param.at(`.${name}`, () => item.parse(each))]);
      return Object.fromEntries(entries) as Record<string, T>;
    },
  };
}

const offsetAndLine: param.Parser<readonly [offset: number, line: number]> = {
  schema: { type: 'array', items: param.u32Param.schema, minItems: 2, maxItems: 2 },
  parse: (value) => {
    if (!Array.isArray(value) || value.length !== 2) throw param.unexpected('a code offset and a line', value);
    return [param.u32Param.parse(value[0]), param.u32Param.parse(value[1])];
  },
};

const sourceLines = param.object({
  path: param.member(anyText),
  functions: param.member(named(param.array(offsetAndLine, SOURCE_ITEMS_MAX))),
  parameters: param.memberOr(named(param.array(anyText, SOURCE_ITEMS_MAX))),
});

const moduleSource: param.Parser<ModuleSource, unknown> = param.object({
  bytes: param.member(param.hex),
  lines: param.memberOr(sourceLines),
  constants: param.memberOr(named(anyText)),
  abortConstants: param.memberOr(param.array(anyText, SOURCE_ITEMS_MAX)),
  constantDocs: param.memberOr(named(anyText)),
});

type AccountJson = {
  readonly address: string;
  readonly bech32: string;
  readonly bitcoin_address: string;
  readonly public_key: string;
  readonly private_key: string;
  readonly path: string;
};

/** Modules of one package over JSON-RPC: a request of 2 MiB cannot hold more. */
const DEV_PUBLISH_MODULES_MAX = 1_000;

const simulateMembers = {
  max_gas_amount: param.memberOr(param.u64Param),
  trace: param.memberOr(param.boolean, false),
  summary: outputMembers.summary,
};
const CALL_TEXT = 'max_gas_amount: gas units; trace: what it did call by call, as dev_trace';

/** A dry run answers neither changes nor events, so the options of output are not among these. */
const simulateOptions = param.options('option', param.object(simulateMembers), `${CALL_TEXT}; ${SUMMARY_TEXT}`);
const callOptions = param.options(
  'option',
  param.object({ ...simulateMembers, ...outputMembers }),
  `${CALL_TEXT}; ${OUTPUT_TEXT}`,
);

const sender = param.required('sender', param.unitedAddress, 'the account on whose behalf to act');
const call = param.required('function_call', functionCallParser, 'function_id, ty_args, and args or arguments');

interface GivenCallOptions {
  readonly max_gas_amount?: Count | null;
  readonly trace?: boolean | null;
  readonly withOutput?: boolean | null;
  readonly decode?: boolean | null;
  readonly summary?: boolean | null;
}

/** A module of that account with one function, `answer`, which gives 42. */
const EXAMPLE_MODULE =
  '0xa11ceb0b0600000006010002030205050703070a0f0819200c391000000001000100000103076578616d706c6506616e7377657212f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b000100000002062a000000000000000200';

/** Transfers one unit to the second account. */
const TRANSFER = [
  EXAMPLE_ACCOUNT,
  {
    function_id: '0x3::transfer::transfer_coin',
    ty_args: ['0x3::gas_coin::RGas'],
    arguments: ['0x5b330762ed2091043f7040fe01ac4fa4dad2c9e0f182e65c2f4041aa07576bae', '1'],
  },
] as const;

/** As executeRawTransaction, with a trace if requested. */
async function answer(
  context: MethodContext,
  receipt: Receipt,
  { trace, ...output }: OutputOptions & { readonly trace: boolean },
): Promise<JsonObject> {
  const result = await executed(context, receipt, output);
  if (!trace) return result;
  return { ...result, trace: tracedJson(context, receipt) };
}

/** Null if the state before the call is not kept; the call itself was made. */
function tracedJson(context: MethodContext, { order }: Receipt): JsonValue {
  return unlessRefused(() => traceJson(devOf(context).engine.trace(order), NO_TRACE_PARTS), 'pruned') ?? null;
}

/** Transactions of a block mined over JSON-RPC: a request of 2 MiB cannot hold more. */
const MINED_TRANSACTIONS_MAX = 20_000;

/** Ids are decimal text; numbers are accepted too. */
const id: param.Parser<string, string | number> = {
  schema: { type: 'string', title: 'id' },
  parse: (value) => `${param.u32Param.parse(value)}`,
};

const parsedTransaction: param.Parser<BitcoinTransaction> = param.text(
  'a Bitcoin transaction in hex',
  { title: 'consensus bytes' },
  (value) => decodeTransaction(param.hex.parse(value)),
);

const blockReference: param.Parser<BlockReference> = {
  schema: { oneOf: [{ type: 'string', pattern: '^[0-9a-fA-F]{64}$' }, param.u32Param.schema] },
  parse: (value) =>
    typeof value === 'string' && /^[0-9a-fA-F]{64}$/.test(value) ? value : param.u32Param.parse(value),
};

const mineOptions = param.object({
  to: param.memberOr(param.text('a Bitcoin address', { title: 'Bitcoin address' }, (value) => value)),
  transactions: param.memberOr(param.array(parsedTransaction, MINED_TRANSACTIONS_MAX), []),
  on: param.memberOr(blockReference),
});

const TRUE: param.Schema = { type: 'boolean' };

/** A fork. `url` is for clients of a listener; requests over any transport may name its id: `"fork": id`. */
type ForkJson = { readonly id: string; readonly url: string | null };

function payee(context: MethodContext): string {
  const [first] = devOf(context).engine.accounts;
  if (first !== undefined) return first.bitcoin;
  throw new EngineError('invalid-argument', 'to: expected a Bitcoin address, since this chain began without accounts');
}

const objectEdit = param.object({
  owner: param.memberOr(param.unitedAddress),
  flag: param.memberOr(param.u32Param),
  object_type: param.memberOr(param.structTagParser),
  value: param.memberOr(typedValue),
});

const fieldEdit = param.object({
  key_type: param.member(typeTagParser),
  key: param.member(typedValue),
  value_type: param.member(typeTagParser),
  value: param.member(typedValue),
});

const milliseconds: param.Parser<bigint, number | bigint | string> = param.integerTo(CHAIN_TIME_MS_MAX);
const TIME: param.Schema = { type: 'object', properties: { now: { type: 'string', title: 'milliseconds' } } };

/** The chain's time: milliseconds since 1970-01-01 UTC, in decimal. */
type TimeJson = { readonly now: string };

function time(now: bigint): TimeJson {
  return { now: now.toString() };
}

/** The object that is now stored under an id. */
function stateOf(context: MethodContext, id: ObjectId): Promise<JsonObject> {
  return readPinned(devOf(context).engine, (chain) => {
    const found = chain.objects.get(id);
    if (found === undefined) throw new EngineError('not-found', 'the chain went back before the answer was read');
    return decodedState({ ...context, chain }, found);
  });
}

const parts = param.options(
  'option',
  param.object({
    all: param.memberOr(param.boolean, false),
    calls: param.memberOr(param.boolean, false),
    profile: param.memberOr(param.boolean, false),
  }),
  'all: the text with the inner calls of the framework and whole addresses; calls: the tree of calls too; profile: a gas profile for speedscope too',
);

const TRACED: param.Schema = {
  type: 'object',
  title:
    'text, gas_used, gas_before, is_truncated, omitted_calls, failure, functions, accesses, events, prints, calls, profile',
};

export interface DevMethods {
  readonly accounts: Method<[], readonly AccountJson[]>;
  readonly call: Method<[sender: string, function_call: GivenCall, option?: GivenCallOptions | null], JsonObject>;
  readonly simulate: Method<
    [sender: string, function_call: GivenCall, option?: Pick<GivenCallOptions, 'max_gas_amount' | 'trace'> | null],
    JsonObject
  >;
  readonly publish: Method<[sender: string, modules: readonly string[], option?: GivenCallOptions | null], JsonObject>;
  readonly fund: Method<[account: string, coin_type: string, amount: Count], BalanceJson>;
  readonly addSources: Method<[modules: readonly unknown[]], boolean>;
  readonly setObject: Method<
    [
      object_id: string,
      object: {
        readonly owner?: string | null;
        readonly flag?: Count | null;
        readonly object_type?: string | null;
        readonly value?: unknown;
      },
    ],
    JsonObject
  >;
  readonly setField: Method<
    [
      object_id: string,
      field: { readonly key_type: string; readonly key: unknown; readonly value_type: string; readonly value: unknown },
    ],
    JsonObject
  >;
  readonly time: Method<[], TimeJson>;
  readonly setTime: Method<[milliseconds: Count], TimeJson>;
  readonly advanceTime: Method<[milliseconds: Count], TimeJson>;
  readonly snapshot: Method<[], string>;
  readonly revert: Method<[id: string | number], boolean>;
  readonly reset: Method<[], boolean>;
  readonly fork: Method<[], ForkJson>;
  readonly dropFork: Method<[id: string | number], boolean>;
  readonly mine: Method<
    [
      option?: {
        readonly to?: string | null;
        readonly transactions?: readonly string[] | null;
        readonly on?: Count | null;
      } | null,
    ],
    JsonObject
  >;
  readonly trace: Method<
    [
      transaction: Count | string,
      option?: {
        readonly all?: boolean | null;
        readonly calls?: boolean | null;
        readonly profile?: boolean | null;
      } | null,
    ],
    JsonObject
  >;
}

export const devMethods: DevMethods = {
  accounts: method({
    description: 'The funded accounts of a local chain, with their publicly known keys; none on other chains.',
    params: [],
    result: { type: 'array', items: { type: 'object', title: 'account with its key' } },
    example: [],
    handle: (context) =>
      devOf(context).engine.accounts.map(({ address, bitcoin, publicKey, privateKey, path }) => ({
        address,
        bech32: formatAddressBech32(parseAddress(address)),
        bitcoin_address: bitcoin,
        public_key: toHexPrefixed(publicKey),
        private_key: privateKey,
        path,
      })),
  }),
  call: method({
    description:
      'Calls an entry function on behalf of an account, without its signature, and answers as executeRawTransaction.',
    params: [sender, call, callOptions],
    result: EXECUTED_SCHEMA,
    errors: ['invalid-argument', 'not-found', 'transaction-rejected'],
    example: TRANSFER,
    isWrite: true,
    handle: async (context, [account, action, { max_gas_amount: maxGasAmount, ...output }]) => {
      const receipt = await devOf(context).engine.executeAs(account, action, { maxGasAmount });
      return answer(context, receipt, output);
    },
  }),
  simulate: method({
    description: 'What a call on behalf of an account would do, as dryRunRawTransaction; nothing is written.',
    params: [sender, call, simulateOptions],
    result: SIMULATED,
    runsOnWorker: true,
    errors: ['invalid-argument', 'not-found', 'transaction-rejected'],
    example: TRANSFER,
    handle: (context, [account, action, { max_gas_amount: maxGasAmount, trace, summary }]) =>
      dryRun(context, devOf(context).engine.simulate({ sender: account, action, maxGasAmount }, { trace }), summary),
  }),
  publish: method({
    description: 'Publishes or upgrades a package on behalf of an account, and answers as executeRawTransaction.',
    params: [
      sender,
      param.required('modules', param.array(moduleHex, DEV_PUBLISH_MODULES_MAX), 'compiled modules'),
      callOptions,
    ],
    result: EXECUTED_SCHEMA,
    errors: ['invalid-argument', 'malformed-module', 'transaction-rejected'],
    example: [EXAMPLE_ACCOUNT, [EXAMPLE_MODULE]],
    isWrite: true,
    handle: async (context, [account, modules, { max_gas_amount: maxGasAmount, ...output }]) => {
      const receipt = await devOf(context).engine.publish(account, modules, { maxGasAmount });
      return answer(context, receipt, output);
    },
  }),
  fund: method({
    description: 'Mints coins for an account, increasing the supply by that amount; returns what getBalance does.',
    params: [
      param.required('account', param.unitedAddress, 'the account that receives them'),
      param.required('coin_type', param.structTagParser, 'for example 0x3::gas_coin::RGas'),
      param.required('amount', param.u256Param, 'in the smallest unit'),
    ],
    result: BALANCE,
    errors: ['invalid-argument', 'transaction-rejected'],
    example: [EXAMPLE_ACCOUNT, '0x3::gas_coin::RGas', '100000000'],
    isWrite: true,
    handle: async (context, [account, coin, amount]) => {
      const { engine } = devOf(context);
      await engine.dev.mint(account, amount, coin);
      return readPinned(engine, (chain) => balance(chain.balances.get(account, coin)));
    },
  }),
  addSources: method({
    description:
      'Registers the sources of modules, so that failures and traces name constants and source lines; nothing is stored.',
    params: [
      param.required(
        'modules',
        param.array(moduleSource, DEV_PUBLISH_MODULES_MAX),
        'each with its code, bytes, and members of what compile returns for it: lines, constants, abortConstants, constantDocs',
      ),
    ],
    result: TRUE,
    errors: ['limit-exceeded'],
    example: [[{ bytes: EXAMPLE_MODULE, lines: { path: 'sources/example.move', functions: { 0: [[0, 3]] } } }]],
    handle: (_context, [modules]) => {
      addSources(modules);
      return true;
    },
  }),
  setObject: method({
    description:
      'Writes an object, or creates one; members that are left out stay as they are. A value is BCS in hexadecimal, or an object by its Move type.',
    params: [
      param.required('object_id', param.objectIdParser, 'which object'),
      param.required('object', objectEdit, 'owner, flag (1 shared, 2 frozen), object_type and value, or any of them'),
    ],
    result: STATE,
    errors: ['invalid-argument'],
    example: [
      `0x${'77'.repeat(32)}`,
      { owner: EXAMPLE_ACCOUNT, object_type: '0x2::timestamp::Timestamp', value: { milliseconds: '7' } },
    ],
    isWrite: true,
    handle: async (context, [id, { owner, flag, object_type: type, value }]) => {
      await devOf(context).engine.dev.setObject(id, { owner, flag, type, value });
      return stateOf(context, id);
    },
  }),
  setField: method({
    description:
      'Writes a dynamic field of an object, or adds it. Key and value are BCS in hexadecimal, or values by their Move types.',
    params: [
      param.required('object_id', param.objectIdParser, 'the object that has the field'),
      param.required('field', fieldEdit, 'key_type, key, value_type and value'),
    ],
    result: STATE,
    errors: ['invalid-argument'],
    example: [EXAMPLE_ACCOUNT, { key_type: 'u8', key: 1, value_type: 'vector<u8>', value: '0x0107' }],
    isWrite: true,
    handle: async (context, [id, { key_type: keyType, key, value_type: valueType, value }]) => {
      const { engine } = devOf(context);
      const { changes } = await engine.dev.setField(id, { keyType, key, valueType, value });
      return stateOf(context, parseObjectId(changes[changes.length - 1]!.id));
    },
  }),
  time: method({
    description: "The chain's time: what a transaction sent now would see.",
    params: [],
    result: TIME,
    example: [],
    handle: (context) => time(devOf(context).engine.dev.time.now()),
  }),
  setTime: method({
    description:
      "Sets the chain's time, which never goes back; a running clock continues from there, even after a restart.",
    params: [param.required('milliseconds', milliseconds, 'since 1970-01-01 UTC')],
    result: TIME,
    errors: ['invalid-argument'],
    example: ['4102444800000'],
    isWrite: true,
    handle: async (context, [value]) => time(await devOf(context).engine.dev.time.set(value)),
  }),
  advanceTime: method({
    description: "Moves the chain's time forward from where it is.",
    params: [param.required('milliseconds', milliseconds, 'how far')],
    result: TIME,
    errors: ['invalid-argument'],
    example: ['86400000'],
    isWrite: true,
    handle: async (context, [value]) => time(await devOf(context).engine.dev.time.advance(value)),
  }),
  snapshot: method({
    description: 'Takes a snapshot of the chain, which dev_revert can use any number of times.',
    params: [],
    result: { type: 'string', title: 'id' },
    errors: ['not-supported'],
    example: [],
    handle: (context) => devOf(context).snapshots.take(),
  }),
  revert: method({
    description: 'Goes back or forward to a snapshot, which can be used again.',
    params: [param.required('id', id, 'the id that dev_snapshot returned')],
    result: TRUE,
    errors: ['not-found'],
    example: ['1'],
    handle: async (context, [given]) => {
      await devOf(context).snapshots.revert(given);
      return true;
    },
  }),
  reset: method({
    description: 'Goes back to what the chain began with: its genesis, or, for a fork, the moment it was created.',
    params: [],
    result: TRUE,
    errors: ['not-supported'],
    example: [],
    handle: async (context) => {
      await devOf(context).engine.reset();
      return true;
    },
  }),
  fork: method({
    description:
      'Creates a separate chain that starts from the current state: over HTTP, WebSocket and server-sent events it answers at its URL, over any transport to requests with the member "fork".',
    params: [],
    result: { type: 'object', properties: { id: { type: 'string' }, url: { type: ['string', 'null'] } } },
    errors: ['limit-exceeded'],
    example: [],
    handle: (context) => {
      const made = devOf(context).forks.add();
      return { id: made.id, url: made.url ?? null };
    },
  }),
  dropFork: method({
    description: 'Ends a fork; false if there is none with that id.',
    params: [param.required('id', id, 'the id that dev_fork returned')],
    result: TRUE,
    example: ['1'],
    handle: (context, [given]) => devOf(context).forks.drop(given),
  }),
  mine: method({
    description: 'Mines a Bitcoin block for a test and ingests it.',
    params: [
      param.options(
        'option',
        mineOptions,
        'to: the recipient of the coinbase, by default the first funded account; transactions: consensus bytes in hex; on: height or hash of the parent, for a competing branch',
      ),
    ],
    result: { type: 'object', title: 'height, hash, transactions' },
    errors: ['invalid-argument', 'not-found', 'not-supported'],
    example: [null],
    isWrite: true,
    handle: async (context, [{ to = payee(context), transactions, on }]) => {
      const planned = { to, transactions, ...(on !== undefined && { on }) };
      const block = await devOf(context).engine.dev.mine(planned);
      return {
        height: integer(context, block.height),
        hash: block.hash,
        transactions: block.transactions.map(({ txid }) => txid),
      };
    },
  }),
  trace: method({
    description:
      'Runs a transaction of this chain again on the state before it and reports what it did: calls, reads, writes, events, prints, gas by function. The outcome must be the same as before.',
    params: [param.required('transaction', param.hashOrOrder, 'its hash, or its order'), parts],
    result: TRACED,
    runsOnWorker: true,
    errors: ['not-found', 'not-supported', 'pruned'],
    example: ['1'],
    handle: (context, [given, option]) => traceJson(devOf(context).engine.trace(given), option),
  }),
};
