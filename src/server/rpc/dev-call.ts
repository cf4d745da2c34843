/**
 * dev_call, dev_simulate, dev_publish: calls on behalf of accounts, without their signatures.
 * @module
 */

import { EngineError } from '../../base/error.ts';
import type { Receipt } from '../../pipeline/receipt.ts';
import { EXAMPLE_ACCOUNT } from './balance.ts';
import type { RpcCall } from './engine.ts';
import { dryRun, EXECUTED, executed, SIMULATED } from './execute.ts';
import { functionCall, type GivenCall } from './function-call.ts';
import type { JsonValue } from './json.ts';
import { type Count, devOf, type JsonObject, type Method, type MethodContext, method } from './method.ts';
import { array, boolean, hex, memberOr, object, optional, type Param, type Parser, required, u64 } from './param.ts';
import { unitedAddress } from './render.ts';
import { traceJson } from './trace.ts';

/** Modules of one package over JSON-RPC: a request of 2 MiB cannot hold more. */
const DEV_PUBLISH_MODULES_MAX = 1_000;

interface SimulateOptions extends Pick<RpcCall, 'maxGasAmount'> {
  readonly trace: boolean;
}

interface CallOptions extends SimulateOptions {
  readonly withOutput: boolean;
  readonly decode: boolean;
}

type Members<T extends SimulateOptions> = Omit<T, 'maxGasAmount'> & { max_gas_amount: bigint | undefined };

const gas: Parser<bigint | undefined> = u64;
const simulateMembers = { max_gas_amount: memberOr(gas, undefined), trace: memberOr(boolean, false) };
const SIMULATE_TEXT = 'max_gas_amount: gas units; trace: what it did call by call, as dev_trace';

/** Reads options whose limit of gas is written in snake case. */
function gasOptions<T extends SimulateOptions>({ schema, parse }: Parser<Members<T>, unknown>): Parser<T, unknown> {
  return {
    schema,
    parse: (value) => {
      const { max_gas_amount: maxGasAmount, ...others } = parse(value);
      return { maxGasAmount, ...others } as unknown as T;
    },
  };
}

/** A dry run answers neither changes nor events, so the options of output are not among these. */
const simulateOptions: Param<SimulateOptions, unknown> = optional(
  'option',
  gasOptions<SimulateOptions>(object<Members<SimulateOptions>>(simulateMembers)),
  { maxGasAmount: undefined, trace: false },
  SIMULATE_TEXT,
);

const callOptions: Param<CallOptions, unknown> = optional(
  'option',
  gasOptions<CallOptions>(
    object<Members<CallOptions>>({
      ...simulateMembers,
      withOutput: memberOr(boolean, false),
      decode: memberOr(boolean, false),
    }),
  ),
  { maxGasAmount: undefined, trace: false, withOutput: false, decode: false },
  `${SIMULATE_TEXT}; withOutput: changes and events too; decode: decode the event data`,
);

const sender = required('sender', unitedAddress, 'the account on whose behalf it is done');
const call = required('function_call', functionCall, 'function_id, ty_args, and args or arguments');

/** Options of a call as a client writes them. */
export interface GivenCallOptions {
  readonly max_gas_amount?: Count | null;
  readonly trace?: boolean | null;
  readonly withOutput?: boolean | null;
  readonly decode?: boolean | null;
}

export interface DevCallMethods {
  readonly call: Method<[sender: string, function_call: GivenCall, option?: GivenCallOptions | null], JsonObject>;
  readonly simulate: Method<
    [sender: string, function_call: GivenCall, option?: Pick<GivenCallOptions, 'max_gas_amount' | 'trace'> | null],
    JsonObject
  >;
  readonly publish: Method<[sender: string, modules: readonly string[], option?: GivenCallOptions | null], JsonObject>;
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
  { trace, withOutput, decode }: Omit<CallOptions, 'maxGasAmount'>,
): Promise<JsonObject> {
  const result = await executed(context, receipt, withOutput ? { decode } : undefined);
  if (!trace) return result;
  return { ...result, trace: tracedJson(context, receipt) };
}

/** Null where the chain does not keep the state before: the call was made all the same. */
function tracedJson(context: MethodContext, { order }: Receipt): JsonValue {
  try {
    return traceJson(devOf(context).engine.trace(order), { calls: false, profile: false });
  } catch (error) {
    if (error instanceof EngineError && error.code === 'pruned') return null;
    throw error;
  }
}

export const devCallMethods: DevCallMethods = {
  call: method({
    description:
      'Calls an entry function in the name of an account, without its signature, and answers as executeRawTransaction.',
    params: [sender, call, callOptions],
    result: EXECUTED,
    errors: ['invalid-argument', 'not-found', 'transaction-rejected'],
    example: TRANSFER,
    isWrite: true,
    handle: async (context, [account, action, { maxGasAmount, ...options }]) => {
      const receipt = await devOf(context).engine.executeAs(account, action, { maxGasAmount });
      return answer(context, receipt, options);
    },
  }),
  simulate: method({
    description: 'What a call in the name of an account would do, as dryRunRawTransaction; nothing is written.',
    params: [sender, call, simulateOptions],
    result: SIMULATED,
    runsOnWorker: true,
    errors: ['invalid-argument', 'not-found', 'transaction-rejected'],
    example: TRANSFER,
    handle: (context, [account, action, { maxGasAmount, trace }]) =>
      dryRun(context, devOf(context).engine.simulate({ sender: account, action, maxGasAmount }, { trace })),
  }),
  publish: method({
    description: 'Publishes or upgrades a package in the name of an account, and answers as executeRawTransaction.',
    params: [sender, required('modules', array(hex, DEV_PUBLISH_MODULES_MAX), 'compiled modules'), callOptions],
    result: EXECUTED,
    errors: ['invalid-argument', 'malformed-module', 'transaction-rejected'],
    example: [EXAMPLE_ACCOUNT, [EXAMPLE_MODULE]],
    isWrite: true,
    handle: async (context, [account, modules, { maxGasAmount, ...options }]) => {
      const receipt = await devOf(context).engine.publish(account, modules, { maxGasAmount });
      return answer(context, receipt, options);
    },
  }),
};
