/**
 * movelet run and movelet publish: who the sender is, how an action gets to the chain, and what became of it, in words.
 *
 * For the funded accounts the transaction is signed here, so any node accepts it. An account whose key is not known
 * here can only be impersonated, through a node with `dev_call`. Arguments of run are read according to the types of the
 * parameters:
 *
 * | Move type | text |
 * | --- | --- |
 * | `bool` | `true` or `false` |
 * | integers | decimal digits |
 * | `address` | `0x...`, `rooch1...` or a Bitcoin address |
 * | `vector<u8>` | `0x` and hexadecimal digits, or a JSON array of numbers |
 * | `vector<T>` | a JSON array: `'["0x1","0x2"]'` |
 * | `0x1::string::String`, `0x1::ascii::String` | the text itself |
 * | `0x1::option::Option<T>` | `null` for none, or what T takes |
 * | `0x2::object::ObjectID`, `Object<T>` and references to it | the id, or the type of a named object |
 *
 * Source of the answers' forms: crates/rooch-rpc-api/src/jsonrpc_types/execute_tx_response.rs of the reference.
 * @module
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from '../base/bcs.ts';
import { equalBytes, toHexPrefixed } from '../base/bytes/bytes.ts';
import { MAX_GAS_AMOUNT_DEFAULT } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import { METHOD_NOT_FOUND } from '../base/json-rpc.ts';
import { nearestName } from '../base/nearest-name.ts';
import { parseAccount } from '../bitcoin/address.ts';
import {
  type FunctionAction,
  type FunctionId,
  formatFunctionId,
  parseFunctionId,
} from '../chain/transaction/action.ts';
import { transactionData } from '../chain/transaction/signed.ts';
import type { CompiledPackage } from '../compile/index.ts';
import { abortCode } from '../execution/framework/abort-codes.ts';
import { DEV_ACCOUNTS } from '../execution/framework/accounts.ts';
import { type ArgumentType, argumentTypeText, isSigner, isStruct } from '../execution/runtime/call-arguments.ts';
import { type Address, formatAddress, formatAddressShort, MOVE_STD_ADDRESS, parseAddressHex } from '../move/address.ts';
import { displayType, parseTypeTag, type TypeTag } from '../move/type-tag.ts';
import { publishAction } from '../pipeline/publish.ts';
import { declaredType } from '../query/declared-type.ts';
import {
  bitcoinSigner,
  buildTransaction,
  callFunction,
  encodeTransaction,
  type ModuleAbi,
} from '../query/transaction-builder.ts';
import type { ViewArgument } from '../query/view-argument.ts';
import { ExactNumber, parseJson } from '../server/rpc/json.ts';
import { selfIdOf } from '../vm/binary/module.ts';
import { readModule } from '../vm/binary/read.ts';
import {
  type Arguments,
  type Command,
  command,
  type Options,
  readNumber,
  UsageError,
  understood,
} from './arguments.ts';
import {
  type AskedNode,
  assertLasting,
  NODE_OPTIONS,
  NodeRefusal,
  OPENING_GROUP,
  openNode,
  prettyJson,
  readResult,
} from './node.ts';
import { COMPILE_OPTIONS, compiledBy, modulesAt } from './packages.ts';
import { workOnChanges } from './source-watch.ts';

const SUBMIT_OPTIONS: Options = {
  'max-gas': {
    value: 'N',
    help: `gas units that the transaction may use (default: ${MAX_GAS_AMOUNT_DEFAULT})`,
  },
  'dry-run': { help: 'tell what it would do, and write nothing' },
  json: { help: "print the node's answer" },
  ...NODE_OPTIONS,
  memory: { help: 'with --dry-run: on a new chain in memory instead' },
};

/** A function that an account calls. */
interface Submission {
  readonly sender: Address;
  readonly action: FunctionAction;
}

/**
 * Sends or simulates what `prepare` returns, and prints the outcome.
 * @returns the exit code: 0 if it was executed, 1 if it failed
 * @throws {UsageError} without a chain that outlives the command. {EngineError} `transaction-rejected`, and the errors
 *   of asking a node.
 */
async function submit(args: Arguments, prepare: (node: AskedNode) => Promise<Submission>): Promise<number> {
  const isDryRun = args.flag('dry-run');
  if (!isDryRun) assertLasting(args);
  const maxGasAmount = BigInt(readNumber(args, 'max-gas', Number(MAX_GAS_AMOUNT_DEFAULT), Number.MAX_SAFE_INTEGER));
  const node = await openNode(args);
  try {
    const submission = await prepare(node);
    const send = isDryRun ? simulate : execute;
    const { answer, outcome } = await send(node, submission, maxGasAmount);
    process.stdout.write(args.flag('json') ? `${prettyJson(answer)}\n` : outcome.text);
    return outcome.isExecuted ? 0 : 1;
  } catch (error) {
    if (!(error instanceof NodeRefusal) || error.word !== 'transaction-rejected') throw error;
    throw new EngineError('transaction-rejected', `refused, nothing was written: ${error.reason}`, { cause: error });
  } finally {
    await node.close();
  }
}

/**
 * The account that `--sender` names, by its address or its number in `movelet account list`.
 * @throws {UsageError} for any other text
 */
function senderOf(args: Arguments, fallback: Address): Address {
  const text = args.string('sender');
  if (text === undefined) return fallback;
  const last = DEV_ACCOUNTS.length - 1;
  const known = /^\d{1,9}$/.test(text) ? DEV_ACCOUNTS[Number(text)] : undefined;
  if (known !== undefined) return parseAddressHex(known.address);
  try {
    return parseAccount(text);
  } catch (cause) {
    throw new UsageError(
      `--sender: expected an address, or a number from 0 to ${last} of movelet account list, got ${text}`,
      {
        cause,
      },
    );
  }
}

/** The first of the funded accounts. */
function firstAccount(): Address {
  return parseAddressHex(DEV_ACCOUNTS[0]!.address);
}

interface Answered {
  /** JSON text. */
  readonly answer: string;
  readonly outcome: Outcome;
}

async function execute(node: AskedNode, submission: Submission, maxGasAmount: bigint): Promise<Answered> {
  const sender = formatAddress(submission.sender);
  const known = DEV_ACCOUNTS.find(({ address }) => address === sender);
  const answer =
    known === undefined
      ? await impersonate(node, submission, maxGasAmount)
      : await sign(node, submission, maxGasAmount, known.privateKey);
  return { answer, outcome: executedText(answer) };
}

async function sign(
  node: AskedNode,
  submission: Submission,
  maxGasAmount: bigint,
  privateKey: string,
): Promise<string> {
  const data = await transaction(node, submission, maxGasAmount);
  const signed = encodeTransaction(bitcoinSigner(privateKey).sign(data));
  const params = [toHexPrefixed(signed), { withOutput: true, decode: true }];
  return node.ask('rooch_executeRawTransaction', JSON.stringify(params));
}

async function impersonate(node: AskedNode, { sender, action }: Submission, maxGasAmount: bigint): Promise<string> {
  const call = {
    function_id: formatFunctionId(action.function),
    ty_args: action.typeArguments.map(displayType),
    args: action.arguments.map(toHexPrefixed),
  };
  try {
    const params = [
      formatAddress(sender),
      call,
      { max_gas_amount: maxGasAmount.toString(), withOutput: true, decode: true },
    ];
    return await node.ask('dev_call', JSON.stringify(params));
  } catch (error) {
    if (!(error instanceof NodeRefusal) || error.number !== METHOD_NOT_FOUND) throw error;
    throw new EngineError(
      'not-supported',
      `the key of ${formatAddress(sender)} is not known here: transactions can be signed for the accounts of movelet account list, and for others only be sent through a node that was started with --dev`,
      { cause: error },
    );
  }
}

async function simulate(node: AskedNode, submission: Submission, maxGasAmount: bigint): Promise<Answered> {
  const data = await transaction(node, submission, maxGasAmount);
  const params = [toHexPrefixed(encode(transactionData, data))];
  const answer = await node.ask('rooch_dryRunRawTransaction', JSON.stringify(params));
  return { answer, outcome: simulatedText(answer) };
}

interface SequenceJson {
  readonly return_values: readonly { readonly decoded_value: string }[];
}

/** The next transaction of the sender. */
async function transaction(node: AskedNode, { sender, action }: Submission, maxGasAmount: bigint) {
  const chainId = readResult('rooch_getChainID', await node.ask('rooch_getChainID', '[]'), (id: string) => BigInt(id));
  const call = { function_id: '0x2::account::sequence_number', ty_args: [], args: [formatAddress(sender)] };
  const method = 'rooch_executeViewFunction';
  const answer = await node.ask(method, JSON.stringify([call]));
  const sequenceNumber = readResult(method, answer, ({ return_values: [value] }: SequenceJson) => {
    return BigInt(value!.decoded_value);
  });
  return buildTransaction({ sender, sequenceNumber, chainId, maxGasAmount, action });
}

interface Outcome {
  readonly isExecuted: boolean;
  /** Lines for people. */
  readonly text: string;
}

/** Number of changes listed; publishing and first transfers have dozens. */
const CHANGES_SHOWN = 20;

interface StatusJson {
  readonly type: string;
  readonly location?: string;
  readonly abort_code?: string;
  readonly function?: number;
  readonly code_offset?: number;
}

interface ChangeJson {
  readonly metadata: { readonly id: string; readonly object_type: string };
  readonly value: Readonly<Record<string, unknown>> | null;
  readonly fields: readonly ChangeJson[];
}

interface ExecutedJson {
  readonly sequence_info: { readonly tx_order: string } | null;
  readonly execution_info: { readonly tx_hash: string; readonly gas_used: string; readonly status: StatusJson } | null;
  /** Where it failed. A reference node leaves this empty. */
  readonly error_info: SimulatedJson | null;
  readonly output: {
    readonly changeset: { readonly changes: readonly ChangeJson[] } | null;
    readonly events: readonly {
      readonly event_type: string;
      readonly event_data: string;
      readonly decoded_event_data: unknown;
    }[];
  } | null;
}

/** Why it failed, as far as the node says; the reference network gives only the message. */
interface FailureJson {
  readonly error_message: string;
  readonly failure?: {
    readonly abort_meaning: string | null;
    readonly call_stack:
      | readonly {
          readonly module: string;
          readonly function: string;
          readonly code_offset: number;
          readonly instruction: string | null;
          /** Present if the node knows the sources. */
          readonly source?: string;
        }[]
      | null;
  };
}

interface SimulatedJson {
  readonly raw_output: { readonly gas_used: string | number; readonly status: StatusJson };
  readonly vm_error_info: FailureJson;
}

/** @param answer to executeRawTransaction, JSON text */
function executedText(answer: string): Outcome {
  return readResult('rooch_executeRawTransaction', answer, executed);
}

function executed(answer: ExecutedJson): Outcome {
  const { sequence_info: sequence, execution_info: info, error_info: error, output } = answer;
  if (sequence === null || info === null) {
    throw new EngineError('not-found', 'the chain went back before the transaction could be read');
  }
  const changes = linesOf(output?.changeset?.changes ?? []);
  const events = (output?.events ?? []).map(
    ({ event_type, event_data, decoded_event_data }) =>
      `${event_type} ${decoded_event_data === null ? event_data : shortTypes(JSON.stringify(plain(decoded_event_data)))}`,
  );
  const lines = [
    `${error?.vm_error_info.error_message ?? statusText(info.status)}; order ${sequence.tx_order}`,
    ...failureLines(error?.vm_error_info),
    `hash  ${info.tx_hash}`,
    `gas   ${info.gas_used}`,
    ...section('events', events, events.length),
    ...section('changes', changes, CHANGES_SHOWN),
  ];
  return { isExecuted: info.status.type === 'executed', text: `${lines.join('\n')}\n` };
}

/** @param answer to dryRunRawTransaction, JSON text */
function simulatedText(answer: string): Outcome {
  return readResult('rooch_dryRunRawTransaction', answer, simulated);
}

function simulated({ raw_output: output, vm_error_info: failure }: SimulatedJson): Outcome {
  const isExecuted = output.status.type === 'executed';
  const what = isExecuted ? 'would be executed' : `would fail: ${failure.error_message || statusText(output.status)}`;
  return { isExecuted, text: `${[what, ...failureLines(failure), `gas   ${output.gas_used}`].join('\n')}\n` };
}

/** What an abort code means, and the calls that led there, the innermost first. */
function failureLines(info: FailureJson | undefined): string[] {
  const { abort_meaning: meaning, call_stack: stack } = info?.failure ?? {};
  const frames = (stack ?? []).map(({ module, function: name, code_offset: offset, instruction, source }) => {
    return `  at ${module}::${name}${source === undefined ? '' : `, ${source}`}, offset ${offset}${instruction === null ? '' : `: ${instruction}`}`;
  });
  return [...(meaning ? [meaning] : []), ...frames.reverse()];
}

function statusText(status: StatusJson): string {
  const { type, location = '', abort_code: code } = status;
  // Some forms write the whole address, without 0x.
  const place = location.replace(/^(?:0x)?0*([0-9a-f]+::)/, '0x$1');
  switch (type) {
    case 'executed':
      return 'executed';
    case 'outofgas':
      return 'out of gas';
    case 'moveabort': {
      const [name] = abortCode(place, Number(code));
      return `aborted with code ${code}${name === undefined ? '' : ` (${name})`} in ${place}`;
    }
    case 'executionfailure':
      return `failed in ${place} at offset ${status.code_offset} of function ${status.function}`;
    default:
      return `failed (${type})`;
  }
}

function section(title: string, lines: readonly string[], shown: number): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > shown ? [`  ${lines.length - shown} more; --json shows them`] : [];
  return [`${title} (${lines.length})`, ...lines.slice(0, shown).map((line) => `  ${line}`), ...more];
}

const CHANGE_WORDS: Readonly<Record<string, string>> = { new: 'created', modify: 'modified', delete: 'removed' };

function linesOf(changes: readonly ChangeJson[]): string[] {
  return changes.flatMap(({ metadata, value, fields }) => {
    // If there is no value, its metadata or fields changed.
    const kind = value === null ? 'touched' : CHANGE_WORDS[Object.keys(value)[0] ?? ''];
    return [`${(kind ?? 'changed').padEnd(8)}  ${metadata.object_type}  ${metadata.id}`, ...linesOf(fields)];
  });
}

/** Shortens type names by the leading zeros of package addresses. */
function shortTypes(text: string): string {
  return text.replace(/0x0+([0-9a-f]+)::/g, '0x$1::');
}

/** A decoded value without the types of its structs. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const { type, abilities, field, value: inner } = value as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string' || typeof abilities !== 'number') {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
  }
  if (!Array.isArray(field) || !Array.isArray(inner)) return plain(inner);
  return inner.map((row: readonly unknown[]) => Object.fromEntries(field.map((name, at) => [name, plain(row[at])])));
}

const ARGUMENTS_MAX = 255;

async function runFunction(args: Arguments): Promise<number> {
  const [name = '', ...texts] = args.positionals;
  const id = understood('FUNCTION', () => parseFunctionId(name));
  const typeArguments = args.strings('type-args').map((text) => understood('--type-args', () => parseTypeTag(text)));
  const sender = senderOf(args, firstAccount());
  return submit(args, async (node) => ({ sender, action: await callOf(node, id, typeArguments, texts) }));
}

/** The parts of a module's ABI that a call needs. */
interface Abi extends ModuleAbi {
  readonly functions: readonly (ModuleAbi['functions'][number] & { readonly type_params: readonly unknown[] })[];
}

/** The call, with its arguments encoded by the module's ABI. */
async function callOf(
  node: AskedNode,
  id: FunctionId,
  typeArguments: readonly TypeTag[],
  texts: readonly string[],
): Promise<FunctionAction> {
  const name = `${formatAddressShort(id.address)}::${id.module}::${id.name}`;
  const abi = await abiOf(node, id);
  const { params, type_params } = functionOf(abi, id);
  if (type_params.length !== typeArguments.length) {
    const expected = `type arguments: expected ${type_params.length}, one --type-args each`;
    throw new UsageError(`${name}: ${expected}, got ${typeArguments.length}`);
  }
  return understood(name, () => {
    const types = params.map((text) => declaredType(text, typeArguments)).filter((type) => !isSigner(type));
    const values = texts.map((text, index) => {
      const type = types[index];
      return type === undefined ? text : argumentOf(type, text, `argument ${index}`);
    });
    return callFunction({ function: id, typeArguments, arguments: values }, abi);
  });
}

async function abiOf(node: AskedNode, { address, module }: FunctionId): Promise<Abi> {
  const owner = formatAddressShort(address);
  const method = 'rooch_getModuleABI';
  const answer = await node.ask(method, JSON.stringify([owner, module]));
  const abi = readResult(
    method,
    answer,
    (result: Abi | null) => result && { functions: result.functions.map(declared) },
  );
  if (abi === null) throw new EngineError('not-found', `there is no module ${owner}::${module} on this chain`);
  return abi;
}

/** The parts of a declaration, which only a node gives. */
function declared({ name, params, type_params }: Abi['functions'][number]): Abi['functions'][number] {
  return { name: `${name}`, params: params.map((type) => `${type}`), type_params: [...type_params] };
}

function functionOf({ functions }: Abi, { module, name }: FunctionId): Abi['functions'][number] {
  const found = functions.find((each) => each.name === name);
  if (found !== undefined) return found;
  const nearest = nearestName(
    name,
    functions.map((each) => each.name),
  );
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new EngineError('not-found', `module ${module} has no public or entry function ${name}${hint}`);
}

export const runCommand: Command = command({
  name: 'run',
  summary: 'call a function in a transaction',
  usage: 'ADDRESS::MODULE::FUNCTION [ARGUMENT...] [--sender WHO] [--type-args TYPE] ...',
  example: '0x3::transfer::transfer_coin 0x42 1000 --type-args 0x3::gas_coin::RGas',
  min: 1,
  max: 1 + ARGUMENTS_MAX,
  help: `Each ARGUMENT is text, depending on its parameter's Move type: digits, true or false, an address, the id of an object or
the type of a named one, text for strings, 0x and hexadecimal digits for vector<u8>, a JSON array in quotes for other
vectors, null or a value for Option<T>. A signer is not an argument: it is the sender. Put arguments that begin with a
dash after --. Exit codes: 0 executed, 1 refused or failed, 2 wrong usage.`,
  options: {
    sender: { value: 'WHO', help: 'an address, or a number of movelet account list (default: 0)' },
    'type-args': { value: 'TYPE', multiple: true, help: 'a type argument' },
    ...SUBMIT_OPTIONS,
  },
  more: [OPENING_GROUP],
  run: runFunction,
});

const JSON_DEPTH_MAX = 32;

/**
 * The JavaScript value of a text. Encoding it later checks that the type accepts it.
 * @param name of the argument, for messages
 * @throws {UsageError} for text that should be JSON but is not
 */
export function argumentOf(type: ArgumentType, text: string, name: string): ViewArgument {
  const target = type.isReference ? type.item : type;
  if (target.kind === 'struct' && isStruct(target, MOVE_STD_ADDRESS, 'option', 'Option')) {
    return text === 'null' ? null : argumentOf(target.struct.typeArguments[0]!, text, name);
  }
  switch (target.kind) {
    case 'bool':
      return text === 'true' || text === 'false' ? text === 'true' : text;
    case 'vector':
      return target.item.kind === 'u8' && text.startsWith('0x') ? text : jsonArgument(target, text, name);
    default:
      return text;
  }
}

function jsonArgument(type: ArgumentType, text: string, name: string): ViewArgument {
  try {
    return withoutExactNumbers(parseJson(text, JSON_DEPTH_MAX));
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new UsageError(
      `${name} (${argumentTypeText(type)}): expected a JSON array in quotes, got ${text}: ${error.message}`,
    );
  }
}

function withoutExactNumbers(value: unknown): ViewArgument {
  if (value instanceof ExactNumber) return value.source;
  return Array.isArray(value) ? value.map(withoutExactNumbers) : (value as ViewArgument);
}

const FILES_MAX = 1_000;
async function runPublish(args: Arguments): Promise<number> {
  const { positionals } = args;
  const build = (folder: string): Promise<CompiledPackage> => compiledBy(args, folder);
  if (!args.flag('watch')) {
    return submitModules(args, (await Promise.all(positionals.map((path) => modulesAt(path, build)))).flat());
  }
  const other = positionals.find((path) => !existsSync(join(path, 'Move.toml')));
  if (other !== undefined) throw new UsageError(`--watch: expected folders with a Move.toml, got ${other}`);
  let published: readonly Uint8Array[] = [];
  return workOnChanges(positionals, async () => {
    const modules = (await Promise.all(positionals.map(build))).flatMap((built) => built.modules);
    const codes = modules.map(({ bytes }) => bytes);
    const isSame = codes.length === published.length && codes.every((code, at) => equalBytes(code, published[at]!));
    if (isSame) process.stdout.write('the bytecode is the same: nothing to publish\n');
    else if ((await submitModules(args, codes)) === 0 && !args.flag('dry-run')) published = codes;
  });
}

function submitModules(args: Arguments, modules: readonly Uint8Array[]): Promise<number> {
  const action = understood('FILE', () => publishAction(modules));
  const sender = senderOf(args, selfIdOf(readModule(modules[0]!)).address);
  return submit(args, async () => ({ sender, action }));
}

export const publishCommand: Command = command({
  name: 'publish',
  summary: 'publish or upgrade compiled Move modules',
  usage: 'FILE|DIRECTORY... [--sender WHO] [--address NAME=ADDRESS] ...',
  example: 'examples/counter',
  min: 1,
  max: FILES_MAX,
  help: `FILE is a compiled module (.mv), or a package (.rpd) as the reference's build writes it; DIRECTORY stands for the .mv files
in it or, where there are none, for the Move package in it, which is compiled. Together they are one package, in any
order. Modules that exist already are upgraded. Exit codes: 0 executed, 1 refused or failed, 2 wrong usage.`,
  options: {
    sender: {
      value: 'WHO',
      help: 'an address, or a number of movelet account list (default: the address of the modules)',
    },
    ...COMPILE_OPTIONS,
    watch: { help: 'compile the packages, and publish an upgrade whenever a change of a source changes their modules' },
    ...SUBMIT_OPTIONS,
  },
  more: [OPENING_GROUP],
  completes: 'file',
  run: runPublish,
});
