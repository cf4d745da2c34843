/**
 * movelet mcp: a chain for coding agents, as a server of the Model Context Protocol on standard input and output. Each tool
 * is one thing that the author of a contract does; answers are the same few lines that people read.
 * Source: https://modelcontextprotocol.io/specification/2026-07-28
 * @module
 */
import { PACKAGE_VERSION } from '../base/config.ts';
import { EngineError, messageOf } from '../base/error.ts';
import { plainJson } from '../chain/value/readable.ts';
import { compile } from '../compile/index.ts';
import { Engine } from '../engine/engine.ts';
import { shortText } from '../execution/trace/short-text.ts';
import { Receipt } from '../pipeline/receipt.ts';
import type { CallInput } from '../query/function-call.ts';
import type { TransactionValue } from '../query/values.ts';
import { createRpc } from '../server/rpc/server.ts';
import {
  type Arguments,
  CHAIN_OPTIONS,
  type Command,
  clockOption,
  command,
  DATA_OPTION,
  engineOptions,
  withFlagsNamed,
} from './arguments.ts';
import { onEndSignal } from './progress.ts';

/** Characters of an answer; more would fill the context of the agent. */
const ANSWER_CHARACTERS_MAX = 8_000;

/** Items of a list in an answer. */
const LISTED_MAX = 20;

type Given = Readonly<Record<string, unknown>>;

interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON schemas of its parameters, by name. */
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  /**
   * @param chain the one that the agent works on, the last of `chains`
   * @param chains the chain of the command, and the forks that were begun on top of it
   */
  run(chain: Engine, given: Given, chains: Engine[]): Promise<unknown> | unknown;
}

/** The sender of a call: an address, or a funded account by its number, also in the form `account 1`. */
function senderOf({ accounts }: Engine, { sender = 0 }: Given): string {
  const text = String(sender);
  const [, number] = /^(?:account )?(\d{1,9})$/.exec(text) ?? [];
  return (number === undefined ? undefined : accounts[Number(number)]?.address) ?? text;
}

const TEXT = { type: 'string' };
const SENDER = {
  type: ['string', 'integer'],
  description: 'an address, or the number of a funded account; the first by default',
};
const CALL = {
  function: { ...TEXT, description: 'address::module::function' },
  arguments: {
    type: 'array',
    description:
      'one for each parameter but signers: true, "12" or 12, "0x1", text, arrays, null for no value, an id or the type of a named object for an object',
  },
  typeArguments: { type: 'array', items: TEXT },
};

const callOf = ({ function: name, arguments: values = [], typeArguments = [] }: Given): CallInput =>
  ({ function: name, arguments: values, typeArguments }) as CallInput;

const TOOLS: readonly Tool[] = [
  {
    name: 'publish',
    description:
      'Compiles the Move package in a directory and publishes it, or upgrades it. Diagnostics are the answer if it does not compile.',
    properties: { directory: { ...TEXT, description: 'holds a Move.toml' }, sender: SENDER },
    required: ['directory'],
    run: async (chain, given) => {
      const built = await compile(String(given['directory']));
      const receipt = await chain.publish(senderOf(chain, given), built);
      const names = built.modules.map(({ address, name }) => `${address}::${name}`).join(', ');
      const warnings = built.warnings.map(({ text }) => text);
      return [receiptText(receipt), `modules: ${names}`, ...warnings].join('\n');
    },
  },
  {
    name: 'call',
    description: 'Sends a transaction that calls an entry function, and tells what it did or why it failed.',
    properties: { ...CALL, sender: SENDER },
    required: ['function'],
    run: (chain, given) => chain.executeAs(senderOf(chain, given), callOf(given)),
  },
  {
    name: 'simulate',
    description: 'What a call would do, without writing anything.',
    properties: { ...CALL, sender: SENDER },
    required: ['function'],
    run: (chain, given) => chain.simulate({ sender: senderOf(chain, given), action: callOf(given) }),
  },
  {
    name: 'view',
    description: 'Calls a function that only reads, and returns its values.',
    properties: CALL,
    required: ['function'],
    run: (chain, given) => chain.view(callOf(given)),
  },
  {
    name: 'trace',
    description: 'Every call that a transaction made, with arguments, results and gas.',
    properties: { transaction: { type: ['string', 'integer'], description: 'its hash, or its order' } },
    required: ['transaction'],
    run: (chain, { transaction }) => String(chain.trace(transactionInput(String(transaction)))),
  },
  {
    name: 'find',
    description:
      'What is known of an id: an account with its coins and objects, an object with its value, a module with its functions, a transaction. Without an id: the accounts, and how far the chain is.',
    properties: {
      id: {
        ...TEXT,
        description: 'an address, an object id or the type of a named object, address::module, a hash or an order',
      },
    },
    run: (chain, { id }) => (id === undefined ? overview(chain) : find(chain, String(id))),
  },
  {
    name: 'time',
    description: 'The time of the chain in milliseconds, after moving it forward.',
    properties: { advanceMs: { type: ['string', 'integer'], description: 'by how many milliseconds; 0 by default' } },
    run: async (chain, { advanceMs = '0' }) => {
      const ms = BigInt(String(advanceMs));
      return String(ms === 0n ? chain.dev.time.now() : await chain.dev.time.advance(ms));
    },
  },
  {
    name: 'fork',
    description:
      'begin: what follows happens on a fork, to try something. end: that fork is dropped, and the chain is as it was before.',
    properties: { do: { enum: ['begin', 'end'] } },
    required: ['do'],
    run: async (chain, given, chains) => {
      if (given['do'] === 'begin') chains.push(chain.fork());
      else if (chains.length === 1) throw new EngineError('not-found', 'there is no fork to end: begin one first');
      else await chains.pop()!.close();
      const depth = chains.length - 1;
      return `order ${chains[depth]!.head.order}, ${depth === 0 ? 'the chain itself' : `fork ${depth}`}`;
    },
  },
];

const HASH = /^0x[0-9a-f]{64}$/;
const ORDER = /^\d{1,20}$/;

const transactionInput = (text: string): string | bigint => (ORDER.test(text) ? BigInt(text) : text);

const overview = (chain: Engine): string =>
  [
    `chain ${chain.chainId}, time ${chain.dev.time.now()}, the last transaction has the order ${chain.head.order}`,
    ...chain.accounts.map(({ address }, number) => `account ${number}: ${address}`),
  ].join('\n');

/** A description of whatever has this id. */
async function find(chain: Engine, id: string): Promise<string> {
  if (/^[^:]+::[^:]+$/.test(id)) return moduleText(chain, id);
  const transaction = ORDER.test(id) || HASH.test(id) ? chain.transactions.get(transactionInput(id)) : undefined;
  if (transaction !== undefined) return transactionText(transaction);
  const object = chain.objects.get(id);
  if (object !== undefined && object.meta.objectType !== ACCOUNT_TYPE) return objectText(object);
  const coins = await chain.balances.list(id, { limit: LISTED_MAX });
  const objects = await chain.objects.list({ kind: 'owner', owner: id }, { limit: LISTED_MAX });
  if (object === undefined && coins.data.length + objects.data.length === 0) {
    throw new EngineError('not-found', `${id}: there is no module, transaction, object or account of this name`);
  }
  return [
    ...coins.data.map(({ coinType, balance }) => `balance ${balance} of ${coinType}`),
    ...objects.data.map((found) => objectText(found.object)),
    ...(objects.hasNextPage ? [`more than ${LISTED_MAX} objects`] : []),
  ].join('\n');
}

const ACCOUNT_TYPE = '0x2::account::Account';

function objectText(object: NonNullable<ReturnType<Engine['objects']['get']>>): string {
  const { id, objectType, owner } = object.meta;
  return `${shortText(objectType)} ${id} of ${owner}: ${JSON.stringify(plainJson(object.decoded))}`;
}

/** Modules are large, and say nothing to a reader. */
function transactionText(transaction: TransactionValue): string {
  const text = JSON.stringify(plainJson(transaction), (name, value) => (name === 'modules' ? '...' : value));
  return `transaction ${text}\ntrace ${transaction.order} shows what it did`;
}

async function moduleText(chain: Engine, id: string): Promise<string> {
  const [address = '', name = ''] = id.split('::');
  const abi = await createRpc(chain).request('rooch_getModuleABI', [address, name]);
  if (abi === null) throw new EngineError('not-found', `Module does not exist: ${id}`);
  return abi.functions
    .map(({ name: called, is_entry, params, return: results }) => {
      const given = `${is_entry ? 'entry ' : ''}${called}(${params.join(', ')})`;
      return results.length === 0 ? given : `${given}: ${results.join(', ')}`;
    })
    .join('\n');
}

/** What a transaction did, with whole ids, which an agent needs for its next call. */
function receiptText(receipt: Receipt): string {
  const created = receipt.changes.filter(({ kind, isField }) => kind === 'created' && !isField);
  return [
    String(receipt).replace(/ \(receipt\.framework\)/, ''),
    ...created.map(({ type, id }) => `created ${shortText(type)} ${id}`),
    `hash ${receipt.hash}`,
  ].join('\n');
}

/** An answer as text, cut where it would be too much to read. */
function answerText(value: unknown): string {
  const text =
    value instanceof Receipt
      ? receiptText(value)
      : typeof value === 'string'
        ? value
        : JSON.stringify(plainJson(value));
  if (text.length <= ANSWER_CHARACTERS_MAX) return text;
  return `${text.slice(0, ANSWER_CHARACTERS_MAX)}\n... ${text.length - ANSWER_CHARACTERS_MAX} more characters: ask for less`;
}

/** @throws {EngineError} `invalid-argument` for a parameter that the tool does not have */
function assertKnown(given: Given, { properties }: Tool): void {
  const names = Object.keys(properties);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new EngineError('invalid-argument', `there is no parameter ${unknown}; the parameters are ${names.join(', ')}`);
}

async function runMcp(args: Arguments): Promise<number> {
  const { McpServer, fromJsonSchema, serveStdio } = await sdk();
  const options = await engineOptions(args);
  const chains = [await withFlagsNamed(() => Engine.open(options))];
  try {
    const ended = new Promise<void>((resolve) => {
      serveStdio(() => {
        const server = new McpServer({ name: 'movelet', version: PACKAGE_VERSION }, { capabilities: { tools: {} } });
        for (const tool of TOOLS) {
          const { name, description, properties, required = [] } = tool;
          const inputSchema = fromJsonSchema<Given>({ type: 'object', properties, required });
          server.registerTool(name, { description, inputSchema }, async (given) => {
            try {
              assertKnown(given, tool);
              const text = answerText(await tool.run(chains.at(-1)!, given, chains));
              return { content: [{ type: 'text', text }] };
            } catch (error) {
              return { content: [{ type: 'text', text: messageOf(error) }], isError: true };
            }
          });
        }
        return server;
      });
      process.stdin.once('close', resolve);
      onEndSignal(resolve);
    });
    await ended;
  } finally {
    for (const chain of chains.reverse()) await chain.close();
  }
  return 0;
}

/** @throws {EngineError} `not-supported` if the package is not installed */
async function sdk() {
  try {
    const server = await import('@modelcontextprotocol/server');
    return { ...server, ...(await import('@modelcontextprotocol/server/stdio')) };
  } catch (cause) {
    const message = 'movelet mcp needs the SDK of the protocol: npm install @modelcontextprotocol/server';
    throw new EngineError('not-supported', message, { cause });
  }
}

export const mcpCommand: Command = command({
  name: 'mcp',
  summary: 'a chain for coding agents, over the Model Context Protocol',
  usage: '[--data DIR]',
  example: '--data ./chain',
  help: `A server on standard input and output, with tools to publish, call, simulate, view, trace, find, move time and fork. It needs
the protocol's SDK: npm install @modelcontextprotocol/server`,
  options: { ...DATA_OPTION, ...clockOption('fixed') },
  more: [{ title: 'The chain', options: CHAIN_OPTIONS }],
  run: runMcp,
});
