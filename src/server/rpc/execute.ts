/**
 * executeRawTransaction, sendRawTransaction, dryRunRawTransaction.
 * Source: crates/rooch-rpc-api/src/jsonrpc_types/execute_tx_response.rs of the reference.
 * @module
 */
import type { Receipt } from '../../pipeline/receipt.ts';
import { type RpcChain, readPinned } from './engine.ts';
import { handleEvent } from './event.ts';
import { failureJson } from './failure.ts';
import type { JsonValue } from './json.ts';
import { type JsonObject, type Method, type MethodContext, method } from './method.ts';
import { boolean, hex, memberOr, optional, readOptions, required, type Schema } from './param.ts';
import { integer } from './render.ts';
import { traceJson, valueJson } from './trace.ts';
import { changeSet, executionInfo, sequenceInfo, status } from './transaction.ts';

/** A transfer of one unit from the first of the known accounts to the second, as the first transaction of a local chain. */
const EXAMPLE_DATA =
  '0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b0000000000000000040000000000000000ca9a3b00000000010000000000000000000000000000000000000000000000000000000000000003087472616e736665720d7472616e736665725f636f696e01070000000000000000000000000000000000000000000000000000000000000003086761735f636f696e04524761730002205b330762ed2091043f7040fe01ac4fa4dad2c9e0f182e65c2f4041aa07576bae200100000000000000000000000000000000000000000000000000000000000000';
const EXAMPLE_SIGNED =
  '0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b0000000000000000040000000000000000ca9a3b00000000010000000000000000000000000000000000000000000000000000000000000003087472616e736665720d7472616e736665725f636f696e01070000000000000000000000000000000000000000000000000000000000000003086761735f636f696e04524761730002205b330762ed2091043f7040fe01ac4fa4dad2c9e0f182e65c2f4041aa07576bae2001000000000000000000000000000000000000000000000000000000000000000100000000000000d101405c2b33f8fd454184f672804b58913504834d9a84109ebe2ed11e742900ae242d29c3cb884cf9d4797f3bd8357eacd3dfb40989cd352758167669e776ca5aea5718426974636f696e205369676e6564204d6573736167653a0a13526f6f6368205472616e73616374696f6e3a0a21029af195de20862520997c4afb467bb2063b32a6af93021eee5d42575cd59b33f640626372743170306c6b733335643073707173767a32743374306b717573333877726c706d636a74767675706b666b7764727a6668367a6a7970736c6a73793465';

/** The answer for an executed transaction. */
export const EXECUTED: Schema = { type: 'object', title: 'sequence_info, execution_info, output, error_info' };

/** The answer for a simulated one. */
export const SIMULATED: Schema = { type: 'object', title: 'raw_output, vm_error_info' };

const transactionOptions = optional(
  'tx_option',
  readOptions<{ withOutput: boolean; decode: boolean }>({
    withOutput: memberOr(boolean, false),
    decode: memberOr(boolean, false),
  }),
  { withOutput: false, decode: false },
  'withOutput: changes and events too; decode: decode the event data',
);

export interface ExecuteMethods {
  readonly executeRawTransaction: Method<
    [tx_bcs_hex: string, tx_option?: { readonly withOutput?: boolean; readonly decode?: boolean } | null],
    JsonObject
  >;
  readonly sendRawTransaction: Method<[tx_bcs_hex: string], string>;
  readonly dryRunRawTransaction: Method<[tx_bcs_hex: string], JsonObject>;
}

export const executeMethods: ExecuteMethods = {
  executeRawTransaction: method({
    description:
      'Executes a signed transaction and waits until its effects can be read. One that aborts is kept too; error_info says why.',
    params: [required('tx_bcs_hex', hex, 'BCS of the signed transaction'), transactionOptions],
    result: EXECUTED,
    errors: ['malformed-bytes', 'transaction-rejected'],
    example: [EXAMPLE_SIGNED, { withOutput: true }],
    isWrite: true,
    handle: async (context, [signed, { withOutput, decode }]) => {
      const receipt = await context.engine.execute(signed);
      return executed(context, receipt, withOutput ? { decode } : undefined);
    },
  }),
  sendRawTransaction: method({
    description: 'As executeRawTransaction, but returns only the hash.',
    params: [required('tx_bcs_hex', hex, 'BCS of the signed transaction')],
    result: { type: 'string', title: 'transaction hash' },
    errors: ['malformed-bytes', 'transaction-rejected'],
    example: [EXAMPLE_SIGNED],
    isWrite: true,
    handle: async ({ engine }, [signed]) => (await engine.execute(signed)).hash,
  }),
  dryRunRawTransaction: method({
    description: 'What an unsigned transaction would do if it were valid; nothing is written.',
    params: [required('tx_bcs_hex', hex, 'BCS of the data of the transaction, without its authenticator')],
    result: SIMULATED,
    errors: ['malformed-bytes', 'transaction-rejected'],
    example: [EXAMPLE_DATA],
    runsOnWorker: true,
    handle: (context, [data]) => dryRun(context, context.engine.simulate(data)),
  }),
};

/**
 * The answer for an executed transaction, read from the chain that has it. If it failed, `error_info` says why, in the
 * form that the reference's clients expect there; its server leaves that member empty.
 */
export function executed(
  context: MethodContext,
  receipt: Receipt,
  output: { readonly decode: boolean } | undefined,
): Promise<JsonObject> {
  const reason = receipt.failure === undefined ? null : dryRun(context, receipt);
  return readPinned(context.engine, (chain) => {
    const later: MethodContext = { ...context, chain };
    // A chain that was reverted in the meantime no longer has it.
    const record = chain.transactions.at(receipt.order);
    if (record === undefined) return { sequence_info: null, execution_info: null, output: null, error_info: null };
    return {
      sequence_info: sequenceInfo(later, record),
      execution_info: executionInfo(later, record),
      output: output === undefined ? null : outputOf(later, chain, receipt, output.decode),
      error_info: reason,
      ...printsJson(receipt),
    };
  });
}

function outputOf(
  context: MethodContext,
  chain: RpcChain,
  { order, isUpgrade }: Pick<Receipt, 'order' | 'isUpgrade'>,
  decode: boolean,
): JsonValue {
  const { executionInfo: info } = chain.transactions.at(order)!;
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

/** The answer for a simulated transaction. */
export function dryRun(context: MethodContext, receipt: Receipt): JsonObject {
  const { hash, stateRoot, gasUsed, isUpgrade, failure, trace } = receipt;
  return {
    raw_output: {
      tx_hash: hash,
      state_root: stateRoot,
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
    ...(trace && { trace: traceJson(trace, { calls: false, profile: false }) }),
  };
}

/** What Move code printed, if it did. */
function printsJson({ prints }: Receipt): JsonObject {
  return prints.length === 0 ? {} : { prints: prints.map(valueJson) };
}

function stateLines({ module, function: name, codeOffset }: NonNullable<Receipt['failure']>): string[] {
  return module === undefined ? [] : [`${module}::${name ?? '?'} at offset ${codeOffset ?? 0}`];
}
