/**
 * The chain that a command talks to, always through JSON-RPC: a running node, or one opened in this process; and its
 * answers, as commands read and print them. What answers at `--url` need not be a node, and may send control
 * characters.
 * @module
 */
import { FORWARD_MS_MAX } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import { basicCredentials, fetchFailure, type HttpAddress, readHttpAddress } from '../base/http-address.ts';
import { Engine } from '../engine/engine.ts';
import { createRpc } from '../server/rpc/server.ts';
import { readAnswer } from '../server/transport/forward.ts';
import { openForReading } from '../store/directory.ts';
import {
  type Arguments,
  assertChainDirectory,
  CHAIN_OPTIONS,
  clockOption,
  engineOptions,
  type OptionGroup,
  type Options,
  UsageError,
  withFlagsNamed,
} from './arguments.ts';

/** Milliseconds that the node at a command's `--url` has for an answer: time for one that a reader forwards, twice. */
const NODE_ANSWER_MS_MAX = 2 * FORWARD_MS_MAX;

export interface AskedNode {
  /** For people: the address, the directory, or that it is in memory. */
  readonly where: string;
  /**
   * The result as JSON text that can be printed, with every digit as received.
   * @param params JSON text
   * @param fork the id of a fork of the chain, which answers in its place
   * @throws {NodeRefusal} if the answer is an error
   */
  ask(method: string, params: string, fork?: string): Promise<string>;
  close(): Promise<void>;
}

/** What a node answered instead of a result. */
export class NodeRefusal extends EngineError {
  /** `data.code`: a word of ERROR_CODES from a movelet node, anything or nothing from others. */
  readonly word: string | undefined;
  /** The number of the JSON-RPC error. */
  readonly number: number;
  /** The message alone. */
  readonly reason: string;

  constructor({ code, message, data }: JsonRpcError) {
    super('not-supported', `${message} (code ${code})`);
    this.number = code;
    this.reason = message;
    this.word = typeof data?.code === 'string' ? data.code : undefined;
  }
}

interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly code?: unknown } | null;
}

/** Where a command finds the node that it asks. */
export const NODE_URL_DEFAULT = 'http://127.0.0.1:6767';

/** The chain that a command asks. */
export const NODE_OPTIONS: Options = {
  url: { value: 'URL', help: `the node to ask (default: MOVELET_URL of the environment, or ${NODE_URL_DEFAULT})` },
  data: {
    value: 'DIR',
    completes: 'directory',
    help: 'ask the chain in this directory instead, which no node has open',
  },
  memory: { help: 'ask a new chain in memory instead' },
};

const { memory: _memory, ...lasting } = NODE_OPTIONS;

/** The same for commands about the past, which a new chain in memory lacks. */
export const PAST_OPTIONS: Options = lasting;

const { watch: _watch, 'headers-only': _headersOnly, ...opening } = CHAIN_OPTIONS;

/** How a command opens the chain that it asks, without the options for Bitcoin blocks. */
const OPENING_OPTIONS: Options = { ...opening, ...clockOption('fixed') };

export const OPENING_GROUP: OptionGroup = { title: 'The chain of --data or --memory', options: OPENING_OPTIONS };

/**
 * Does work on the chain that the options name: by default the node of MOVELET_URL, or one on this machine.
 * @throws {UsageError} for several of them, or for an invalid address. {EngineError} as `Engine.open`; `not-found` for a
 *   directory without a chain; what `work` throws
 * @param isReading whether the command only reads, so that a read-only directory will do
 */
export async function onNode<T>(args: Arguments, work: (node: AskedNode) => Promise<T>, isReading = false): Promise<T> {
  const node = await openNode(args, isReading);
  try {
    return await work(node);
  } finally {
    await node.close();
  }
}

async function openNode(args: Arguments, isReading: boolean): Promise<AskedNode> {
  const places = Object.keys(NODE_OPTIONS).filter((name) => args.given.has(name));
  if (places.length > 1)
    throw new UsageError(`give one of ${places.map((name) => `--${name}`).join(' and ')}, not both`);
  const data = args.string('data');
  if (data === undefined && !args.flag('memory')) {
    const opening = Object.keys(OPENING_OPTIONS).find((name) => args.given.has(name));
    if (opening === undefined) return namedNode(args.string('url'));
    throw new UsageError(
      `--${opening} is for a chain that this command opens: give --data DIR or --memory, and no --url`,
    );
  }
  if (data !== undefined) assertChainDirectory(data);
  const engine = await openEngine(args, isReading && data !== undefined);
  // Anyone who can open the chain may do anything with it.
  const rpc = createRpc(engine, { dev: true });
  return {
    where: data === undefined ? 'a new chain in memory' : `the directory ${data}`,
    ask: async (...asked) => resultOf((await rpc.handle(request(...asked))) ?? ''),
    close: async () => {
      await rpc.close();
      await engine.close();
    },
  };
}

function namedNode(url: string | undefined): AskedNode {
  const named = process.env['MOVELET_URL'];
  if (url !== undefined) return nodeAt(url);
  // A variable that is set to nothing is how shells unset one for a single command.
  return named ? nodeAt(named, undefined, 'MOVELET_URL') : nodeAt(NODE_URL_DEFAULT);
}

/** Whether the node has the controls of a test node. */
export async function hasControls(node: AskedNode): Promise<boolean> {
  try {
    await node.ask('dev_time', '[]');
    return true;
  } catch (error) {
    if (error instanceof NodeRefusal) return false;
    throw error;
  }
}

/** @throws {UsageError} without a chain that outlives the command; a new one in memory has no history. */
export function assertLasting(args: Arguments): void {
  if (!args.flag('memory')) return;
  throw new UsageError(
    '--memory: expected a chain that outlives this command: a node (--url URL) or a directory (--data DIR)',
  );
}

async function openEngine(args: Arguments, isReading: boolean): Promise<Engine> {
  try {
    const options = await engineOptions(args);
    if (!isReading) return await withFlagsNamed(() => Engine.open(options));
    const store = await openForReading(args.string('data') ?? '');
    return await withFlagsNamed(() => Engine.open({ ...options, store }));
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'store-locked') throw error;
    const message = `${error.message}, or, if it is a node, give its address: --url URL`;
    throw new EngineError('store-locked', message, { details: error.details, cause: error });
  }
}

/**
 * @param answerMs milliseconds that the node has for an answer
 * @param what where the address comes from, for messages
 * @throws {UsageError} for an address that is not valid
 */
export function nodeAt(url: string, answerMs: number = NODE_ANSWER_MS_MAX, what = '--url'): AskedNode {
  const address = /^https?:\/\//.test(url) ? readHttpAddress(url) : undefined;
  if (address === undefined) {
    // It may hold a password.
    const got = url.includes('@') ? 'one that is not valid' : url;
    throw new UsageError(`${what}: expected http://HOST:PORT, got ${got}`);
  }
  return {
    where: address.origin,
    ask: async (...asked) => post(address, request(...asked), answerMs),
    close: async () => {},
  };
}

function request(method: string, params: string, fork?: string): string {
  const place = fork === undefined ? '' : `,"fork":${JSON.stringify(fork)}`;
  return `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}${place}}`;
}

async function post({ href, origin, credentials }: HttpAddress, body: string, answerMs: number): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    ...(credentials !== undefined && { authorization: `Basic ${basicCredentials(credentials)}` }),
  };
  const signal = AbortSignal.timeout(answerMs);
  const overdue = (cause: unknown): EngineError =>
    new EngineError(
      'transport-failed',
      `${origin} gave no complete answer within ${answerMs / 1_000} s; it may or may not have executed the request`,
      { cause },
    );
  let response: Response;
  try {
    response = await fetch(href, { method: 'POST', headers, body, signal });
  } catch (error) {
    if (signal.aborted) throw overdue(error);
    const advice =
      'start a node with movelet serve --dev, or name another one: --url URL, or MOVELET_URL in the environment';
    const message = `nothing answers at ${origin}: ${fetchFailure(error)}; ${advice}`;
    throw new EngineError('not-found', message, { cause: error });
  }
  let text: string;
  try {
    text = await readAnswer(response, origin);
  } catch (error) {
    if (error instanceof EngineError) throw error;
    if (signal.aborted) throw overdue(error);
    const message = `the answer of ${origin} broke off: ${fetchFailure(error)}; it may or may not have executed the request`;
    throw new EngineError('transport-failed', message, { cause: error });
  }
  return resultOf(text, ` of ${origin}, got HTTP ${response.status} with `);
}

const RESULT = /"result"\s*:\s*/;
/** Some nodes put members of the request after the result. */
const AFTER_RESULT = /(?:\s*,\s*"(?:id"\s*:\s*1|jsonrpc"\s*:\s*"2\.0"|error"\s*:\s*null))*\s*\}\s*$/;

/**
 * The result member as sent: parsing it into numbers would lose digits.
 * @param where the words of the message between what was expected and what came
 */
function resultOf(text: string, where = ', got '): string {
  const answer = parsed(text);
  if (isError(answer?.error)) throw new NodeRefusal(answer.error);
  const start = RESULT.exec(text);
  if (answer?.result === undefined || (answer.error ?? undefined) !== undefined || start === null) {
    throw new EngineError('malformed-bytes', `expected a JSON-RPC answer${where}${quotedAnswer(text)}`);
  }
  return printableJson(text.slice(start.index + start[0].length).replace(AFTER_RESULT, ''));
}

function parsed(text: string): { readonly result?: unknown; readonly error?: unknown } | undefined {
  try {
    const answer = parsePrintable(text);
    return typeof answer === 'object' && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}

function isError(given: unknown): given is JsonRpcError {
  const { code, message } = (given ?? {}) as Partial<JsonRpcError>;
  return typeof code === 'number' && typeof message === 'string';
}

/** Characters of an answer that a message shows. */
const ANSWER_SHOWN = 80;

/** The control characters that JSON text may have as they are. */
const CONTROLS = /[\x7f-\x9f]/g;

/** The same JSON, in which every control character is escaped. */
function printableJson(text: string): string {
  return text.replace(CONTROLS, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

/** The beginning of an answer, quoted for a message. */
function quotedAnswer(text: string): string {
  return printableJson(JSON.stringify(text.slice(0, ANSWER_SHOWN)));
}

const ESCAPE = /\\(?:u[0-9a-fA-F]{4}|.)/gs;
const CONTROL_ESCAPE = /^\\(?:[bfr]|u00(?:0[0-8b-f]|1.|7f|[89].))$/i;

/**
 * Parses JSON; control characters in its texts, line breaks and tabs excepted, become the escapes that stand for them.
 * @throws {SyntaxError}
 */
function parsePrintable(text: string): unknown {
  const kept = (sequence: string): string => (CONTROL_ESCAPE.test(sequence) ? `\\${sequence}` : sequence);
  return JSON.parse(printableJson(text).replace(ESCAPE, kept));
}

/**
 * What `read` makes of a result. The texts that it gets can be printed.
 * @param method that was asked, for the message
 * @throws {EngineError} `malformed-bytes` if `read` cannot, since it is not the result of a node
 */
export function readResult<T, U>(method: string, text: string, read: (result: T) => U): U {
  try {
    return read(parsePrintable(text) as T);
  } catch (error) {
    if (error instanceof EngineError) throw error;
    const message = `${method}: expected the result that a node gives, got ${quotedAnswer(text)}; is it a node that answers?`;
    throw new EngineError('malformed-bytes', message, { cause: error });
  }
}

/** As `readResult`, of the answer to a request. */
export async function readFrom<T, U>(
  node: AskedNode,
  method: string,
  params: readonly unknown[],
  read: (result: T) => U,
): Promise<U> {
  return readResult(method, await node.ask(method, JSON.stringify(params)), read);
}

/** As `readFrom`, of the first value that a function without type parameters returns; undefined if it fails. */
export function readView<T, U>(
  node: AskedNode,
  name: string,
  args: readonly string[],
  read: (value: T | undefined) => U,
  method = 'rooch_executeViewFunction',
): Promise<U> {
  const call = { function_id: name, ty_args: [], args };
  return readFrom(node, method, [call], ({ return_values: values }: ViewJson<T>) => read(values?.[0]?.decoded_value));
}

interface ViewJson<T> {
  readonly return_values: readonly { readonly decoded_value: T }[] | null;
}

/** Prints the answer itself with `--json`, otherwise the text. */
export function printAnswer(args: Arguments, answer: string, text: string): void {
  process.stdout.write(args.flag('json') ? `${prettyJson(answer)}\n` : text);
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** Indents valid JSON by two spaces per level. */
export function prettyJson(text: string): string {
  let result = '';
  let depth = 0;
  let previous = '';
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  for (const [token] of text.matchAll(TOKEN)) {
    const isClosing = token === '}' || token === ']';
    if (isClosing) depth--;
    if (isClosing && previous !== '{' && previous !== '[') result += newLine();
    else if (!isClosing && (previous === '{' || previous === '[' || previous === ',')) result += newLine();
    result += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    previous = token;
  }
  return result;
}
