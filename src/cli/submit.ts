/**
 * What commands that send transactions share: who the sender is, and how an action gets to the chain.
 *
 * For the funded accounts the transaction is signed here, so any node accepts it. An account whose key is not known
 * here can only be impersonated, through a node with `dev_call`.
 * @module
 */
import { encode } from '../base/bcs/codec.ts';
import { toHexPrefixed } from '../base/bytes/hex.ts';
import { MAX_GAS_AMOUNT_DEFAULT } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import { METHOD_NOT_FOUND } from '../base/json-rpc.ts';
import { type FunctionAction, formatFunctionId } from '../chain/transaction/action.ts';
import { transactionData } from '../chain/transaction/signed.ts';
import { parseAccount } from '../chain/value/address.ts';
import { DEV_ACCOUNTS } from '../execution/framework/accounts.ts';
import { type Address, formatAddress, parseAddressHex } from '../move/address.ts';
import { displayType } from '../move/type-tag.ts';
import { bitcoinSigner, buildTransaction, encodeTransaction } from '../query/transaction-builder.ts';
import { type Arguments, type Option, readNumber, UsageError } from './arguments.ts';
import { type AskedNode, assertLasting, NODE_OPTIONS, NodeRefusal, openNode } from './node.ts';
import { readResult } from './node-answer.ts';
import { executedText, type Outcome, simulatedText } from './outcome.ts';
import { prettyJson } from './pretty-json.ts';

export const SUBMIT_OPTIONS: Readonly<Record<string, Option>> = {
  ...NODE_OPTIONS,
  sender: { type: 'string' },
  'max-gas': { type: 'string' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
};

export const SUBMIT_HELP: string = `  --url URL               send to the node at this address
  --max-gas N             gas units that the transaction may use (default: ${MAX_GAS_AMOUNT_DEFAULT})
  --dry-run               tell what it would do, and write nothing
  --json                  print the node's answer
`;

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
export async function submit(args: Arguments, prepare: (node: AskedNode) => Promise<Submission>): Promise<number> {
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
export function senderOf(args: Arguments, fallback: Address): Address {
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
export function firstAccount(): Address {
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
