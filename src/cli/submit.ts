/**
 * movelet run and movelet publish: the sender of an action, how it is sent, and its outcome in words.
 *
 * Transactions of the funded accounts and of the key in MOVELET_KEY are signed here, so any node accepts them. Other
 * accounts can only be impersonated, through a node with `dev_call`.
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
import type { FunctionAction } from '../chain/transaction/action.ts';
import { transactionData } from '../chain/transaction/signed.ts';
import type { CompiledPackage } from '../compile/index.ts';
import { DEV_ACCOUNTS } from '../execution/framework/accounts.ts';
import type { ModuleSource } from '../execution/module-sources.ts';
import { shortText } from '../execution/trace/short-text.ts';
import { type Address, formatAddress, parseAddressHex } from '../move/address.ts';
import { publishAction } from '../pipeline/publish.ts';
import {
  type BitcoinSigner,
  bitcoinSigner,
  buildTransaction,
  encodeTransaction,
  transactionHash,
} from '../query/transaction-builder.ts';
import { selfIdOf } from '../vm/binary/module.ts';
import { readModule } from '../vm/binary/read.ts';
import { accountNamed } from './account.ts';
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
  ARGUMENTS_HELP,
  ARGUMENTS_MAX,
  callParam,
  encodedCall,
  namedCall,
  TYPE_ARGUMENTS_OPTION,
} from './move-call.ts';
import {
  type AskedNode,
  assertLasting,
  hasControls,
  NODE_OPTIONS,
  NodeRefusal,
  OPENING_GROUP,
  onNode,
  printAnswer,
  readFrom,
  readResult,
  readView,
} from './node.ts';
import { COMPILE_OPTIONS, compiledBy, modulesAt } from './packages.ts';
import { workOnChanges } from './source-watch.ts';

export const SUBMIT_OPTIONS: Options = {
  'max-gas': {
    value: 'N',
    help: `gas units that the transaction may use (default: ${MAX_GAS_AMOUNT_DEFAULT})`,
  },
  'dry-run': { help: 'print what it would do, without writing anything' },
  json: { help: "print the node's answer" },
  ...NODE_OPTIONS,
  memory: { help: 'with --dry-run: on a new chain in memory instead' },
};

/** A function that an account calls. */
export interface Submission {
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
  const maxGasAmount = maxGasOf(args);
  return onNode(args, async (node) => {
    const submission = await prepare(node);
    const send = isDryRun ? simulateSubmission : executeSubmission;
    const { answer, outcome } = await send(node, submission, maxGasAmount);
    printAnswer(args, answer, outcome.text);
    if (outcome.isExecuted) return 0;
    if (outcome.order !== undefined && !args.flag('json') && (await hasControls(node))) {
      process.stdout.write(`movelet trace ${outcome.order}${placeOf(args)} shows what it did\n`);
    }
    return 1;
  }).catch(throwRefusal);
}

export function maxGasOf(args: Arguments): bigint {
  return BigInt(readNumber(args, 'max-gas', Number(MAX_GAS_AMOUNT_DEFAULT), Number.MAX_SAFE_INTEGER));
}

/**
 * For the refusal of a transaction, throws an error that says why.
 * @throws any other error as it is
 */
export function throwRefusal(error: unknown): never {
  if (!(error instanceof NodeRefusal) || error.word !== 'transaction-rejected') throw error;
  const reason = refusalText(error.reason);
  throw new EngineError('transaction-rejected', `refused, nothing was written: ${reason}`, { cause: error });
}

/** The status of a refusal, which says little beside the sentence before it. */
const REFUSED_STATUS = /(?<=.) \(status [A-Z_]+ of type [^():]*(?:, in the check of what it calls)?\)$/;

/** The option that names the same chain to another command. */
function placeOf(args: Arguments): string {
  const name = ['url', 'data'].find((each) => args.given.has(each));
  return name === undefined ? '' : ` --${name} ${args.string(name)}`;
}

/** Why a node refused a transaction, in the words of the command line. */
function refusalText(reason: string): string {
  const text = reason
    .replace(REFUSED_STATUS, '')
    .replace(/: maxGasAmount$/, ': --max-gas; movelet call dev_fund gives coins on a test node');
  return reason.includes('status OUT_OF_GAS of type ') ? `${text}: raise --max-gas` : text;
}

/**
 * The account that `--sender` names, by its address or its number in `movelet account list`.
 * @throws {UsageError} for any other text
 */
function senderOf(args: Arguments, fallback: Address): Address {
  const text = args.string('sender');
  return text === undefined ? fallback : accountNamed('--sender', text);
}

/** The account of the key in the environment, or else the first of the funded accounts. */
export function firstAccount(): Address {
  return parseAddressHex((keyOfEnvironment() ?? DEV_ACCOUNTS[0]!).address);
}

/** The environment variable with the user's own private key. */
const KEY = 'MOVELET_KEY';

/** @throws {UsageError} for text that is no key, which is not repeated */
function keyOfEnvironment(): BitcoinSigner | undefined {
  const text = process.env[KEY];
  if (!text) return undefined;
  try {
    return bitcoinSigner(text);
  } catch (cause) {
    throw new UsageError(`${KEY}: expected a private key of secp256k1 as 64 hexadecimal digits`, { cause });
  }
}

/** Signs for the key of the environment and for the funded accounts. */
export function signerFor(sender: Address): BitcoinSigner | undefined {
  const address = formatAddress(sender);
  const own = keyOfEnvironment();
  if (own?.address === address) return own;
  const known = DEV_ACCOUNTS.find((account) => account.address === address);
  return known && bitcoinSigner(known.privateKey);
}

export interface Answered {
  /** JSON text. */
  readonly answer: string;
  readonly outcome: Outcome;
}

export async function executeSubmission(
  node: AskedNode,
  submission: Submission,
  maxGasAmount: bigint,
): Promise<Answered> {
  const signed = await signedSubmission(node, submission, maxGasAmount);
  if (signed !== undefined) return sendSigned(node, signed);
  const answer = await impersonate(node, submission, maxGasAmount);
  return { answer, outcome: readResult('dev_call', answer, executed) };
}

/** Everything that a node can tell: for --json, and in words. */
const OUTPUT = { withOutput: true, decode: true, summary: true };

/** A transaction to be sent. */
interface SignedSubmission {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

/** The next transaction of the sender; undefined if its key is not known here. */
export async function signedSubmission(
  node: AskedNode,
  submission: Submission,
  maxGasAmount: bigint,
): Promise<SignedSubmission | undefined> {
  const signer = signerFor(submission.sender);
  if (signer === undefined) return undefined;
  const data = await transaction(node, submission, maxGasAmount);
  return { hash: toHexPrefixed(transactionHash(data)), bytes: encodeTransaction(signer.sign(data)) };
}

export async function sendSigned(node: AskedNode, { bytes }: SignedSubmission): Promise<Answered> {
  const params = [toHexPrefixed(bytes), OUTPUT];
  const method = 'rooch_executeRawTransaction';
  const answer = await node.ask(method, JSON.stringify(params));
  return { answer, outcome: readResult(method, answer, executed) };
}

async function impersonate(node: AskedNode, { sender, action }: Submission, maxGasAmount: bigint): Promise<string> {
  try {
    const params = [formatAddress(sender), callParam(action), { max_gas_amount: maxGasAmount.toString(), ...OUTPUT }];
    return await node.ask('dev_call', JSON.stringify(params));
  } catch (error) {
    if (!(error instanceof NodeRefusal) || error.number !== METHOD_NOT_FOUND) throw error;
    throw new EngineError(
      'not-supported',
      `the key of ${formatAddress(sender)} is not known here: transactions can be signed for the accounts of movelet account list and that of MOVELET_KEY, and for others only be sent through a node that was started with --dev`,
      { cause: error },
    );
  }
}

export async function simulateSubmission(
  node: AskedNode,
  submission: Submission,
  maxGasAmount: bigint,
): Promise<Answered> {
  const data = await transaction(node, submission, maxGasAmount);
  const params = [toHexPrefixed(encode(transactionData, data)), { summary: true }];
  const answer = await node.ask('rooch_dryRunRawTransaction', JSON.stringify(params));
  return { answer, outcome: readResult('rooch_dryRunRawTransaction', answer, simulated) };
}

/** The next transaction of the sender. */
async function transaction(node: AskedNode, { sender, action }: Submission, maxGasAmount: bigint) {
  const chainId = await readFrom(node, 'rooch_getChainID', [], (id: string) => BigInt(id));
  const sequenceNumber = await readView(
    node,
    '0x2::account::sequence_number',
    [formatAddress(sender)],
    (number?: string) => BigInt(number!),
  );
  return buildTransaction({ sender, sequenceNumber, chainId, maxGasAmount, action });
}

interface Outcome {
  readonly isExecuted: boolean;
  /** Lines for people. */
  readonly text: string;
  /** Where it is in the chain; undefined for a dry run. */
  readonly order?: string;
}

interface StatusJson {
  readonly type: string;
}

/** Members that only movelet nodes add. */
interface SummaryJson {
  readonly summary?: string;
  readonly created?: readonly { readonly object_id: string; readonly object_type: string }[];
}

interface ExecutedJson extends SummaryJson {
  readonly sequence_info: { readonly tx_order: string } | null;
  readonly execution_info: { readonly tx_hash: string; readonly gas_used: string; readonly status: StatusJson } | null;
}

interface SimulatedJson extends SummaryJson {
  readonly raw_output: { readonly gas_used: string | number; readonly status: StatusJson };
  readonly vm_error_info: { readonly error_message: string };
}

function executed({ sequence_info: sequence, execution_info: info, ...rest }: ExecutedJson): Outcome {
  if (sequence === null || info === null) {
    throw new EngineError('not-found', 'the chain was reverted before the transaction could be read');
  }
  const { tx_hash: hash, status, gas_used: gas } = info;
  const lines = summaryLines(rest) ?? [`transaction ${sequence.tx_order}: ${statusText(status)}, gas ${gas}`];
  const text = `${[...lines, `hash ${hash}`].join('\n')}\n`;
  return { isExecuted: status.type === 'executed', text, order: sequence.tx_order };
}

function simulated({ raw_output: { status, gas_used: gas }, vm_error_info: failure, ...rest }: SimulatedJson): Outcome {
  const lines = summaryLines(rest) ?? [`${failure.error_message || statusText(status)}, gas ${gas}`];
  const text = lines.join('\n').replace(/^transaction \d+ /, '');
  return { isExecuted: status.type === 'executed', text: `dry run, nothing is written: ${text}\n` };
}

function summaryLines({ summary, created = [] }: SummaryJson): readonly string[] | undefined {
  if (summary === undefined) return undefined;
  // The summary shortens ids, but the next command may need these.
  const own = created.filter(({ object_type: type }) => !SYSTEM_TYPE.test(type));
  const ids = own.map(({ object_id: id, object_type: type }) => `created ${shortText(type)} ${id}`);
  return [summary.replace('(receipt.framework)', '(--json)'), ...ids];
}

/** A type of the framework, whose objects are seldom named. */
export const SYSTEM_TYPE: RegExp = /^0x[0-9a-f]{1,4}::/;

function statusText(status: StatusJson): string {
  return status.type === 'executed' ? 'executed' : `failed: ${JSON.stringify(status)}`;
}

async function runFunction(args: Arguments): Promise<number> {
  const call = namedCall(args);
  const sender = senderOf(args, firstAccount());
  return submit(args, async (node) => ({ sender, action: await encodedCall(node, call) }));
}

export const runCommand: Command = command({
  name: 'run',
  summary: 'call a function in a transaction',
  usage: 'ADDRESS::MODULE::FUNCTION [ARGUMENT...] [--sender WHO] [--type-args TYPE] ...',
  example: '0x3::transfer::transfer_coin 0x42 1000 --type-args 0x3::gas_coin::RGas',
  min: 1,
  max: 1 + ARGUMENTS_MAX,
  help: `${ARGUMENTS_HELP} A signer is not an argument: it is the sender.

Exit codes: 0 executed, 1 refused or failed, 2 wrong usage.`,
  options: {
    sender: {
      value: 'WHO',
      help: 'an address, or a number of movelet account list (default: that of MOVELET_KEY, or 0)',
    },
    ...TYPE_ARGUMENTS_OPTION,
    ...SUBMIT_OPTIONS,
  },
  more: [OPENING_GROUP],
  run: runFunction,
});

const FILES_MAX = 1_000;

async function runPublish(args: Arguments): Promise<number> {
  const { positionals } = args;
  const sources: ModuleSource[] = [];
  const build = async (folder: string): Promise<CompiledPackage> => {
    const built = await compiledBy(args, folder);
    sources.push(...built.modules);
    return built;
  };
  if (!args.flag('watch')) {
    const codes = (await Promise.all(positionals.map((path) => modulesAt(path, build)))).flat();
    return submitModules(args, codes, sources);
  }
  const other = positionals.find((path) => !existsSync(join(path, 'Move.toml')));
  if (other !== undefined) throw new UsageError(`--watch: expected folders with a Move.toml, got ${other}`);
  let published: readonly Uint8Array[] = [];
  return workOnChanges(positionals, async () => {
    sources.length = 0;
    const modules = (await Promise.all(positionals.map(build))).flatMap((built) => built.modules);
    const codes = modules.map(({ bytes }) => bytes);
    const isSame = codes.length === published.length && codes.every((code, at) => equalBytes(code, published[at]!));
    if (isSame) process.stdout.write('the bytecode is the same: nothing to publish\n');
    else if ((await submitModules(args, codes, sources)) === 0 && !args.flag('dry-run')) published = codes;
  });
}

/** @param sources of those that were compiled here */
function submitModules(
  args: Arguments,
  modules: readonly Uint8Array[],
  sources: readonly ModuleSource[],
): Promise<number> {
  const action = understood('FILE', () => publishAction(modules));
  const sender = senderOf(args, selfIdOf(readModule(modules[0]!)).address);
  return submit(args, async (node) => {
    await tellSources(node, sources);
    return { sender, action };
  });
}

/** Tells a test node the sources of modules, so that its failures and traces name lines and constants. */
export async function tellSources(node: AskedNode, sources: readonly ModuleSource[]): Promise<void> {
  for (const { bytes, lines, constants, abortConstants, constantDocs } of sources) {
    const source = { bytes: toHexPrefixed(bytes), lines, constants, abortConstants, constantDocs };
    try {
      await node.ask('dev_addSources', JSON.stringify([[source]]));
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error;
      if (error.number === METHOD_NOT_FOUND) return;
      process.stderr.write(`warning: failures will name no source lines: ${error.message}\n`);
    }
  }
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
order. Existing modules are upgraded. A test node (--dev) gets the sources of what is compiled, and names their lines and
constants until it ends. Exit codes: 0 executed, 1 refused or failed, 2 wrong usage.`,
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
