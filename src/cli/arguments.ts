/**
 * Commands, and their options and arguments.
 * @module
 */
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import {
  CHAIN_ID_DEV,
  CHAIN_ID_LOCAL,
  CHAIN_ID_MAIN,
  CHAIN_ID_TEST,
  REORGANISATION_DEPTH_MAX,
  VIEW_MS_BOUND,
  VIEW_MS_MAX,
} from '../base/config.ts';
import { EngineError, messageOf } from '../base/error.ts';
import type { LogEntry } from '../base/log.ts';
import { nearestName } from '../base/nearest-name.ts';
import { parseAccount } from '../bitcoin/address.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from '../bitcoin/network.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import type { Address } from '../move/address.ts';

/** The command line was not understood; the message says what was expected. */
export class UsageError extends Error {}

/** What a shell offers for completion. */
export type Completed = 'file' | 'directory' | readonly string[];

/** An option of a command. */
interface Option {
  /** What its value is called in the help: `DIR`. An option without one is a flag. */
  readonly value?: string;
  /** What it does, for the help. */
  readonly help: string;
  /** May be given more than once. */
  readonly multiple?: boolean;
  /** The letter that stands for it after one dash. */
  readonly short?: string;
  /** What its value is, for completion. */
  readonly completes?: Completed;
}

/** Options by name, without dashes. */
export type Options = Readonly<Record<string, Option>>;

/** Options that few need: the help lists them only with `--all`. */
export interface OptionGroup {
  readonly title: string;
  readonly options: Options;
}

export interface Arguments {
  readonly positionals: readonly string[];
  /** The value of an option given at most once. */
  string(name: string): string | undefined;
  strings(name: string): readonly string[];
  flag(name: string): boolean;
  /** The names of the options that were given. */
  readonly given: ReadonlySet<string>;
}

/** A command of the command line. */
export interface Command {
  readonly name: string;
  /** One line for the overview. */
  readonly summary: string;
  /** What `--help` prints, or `--help --all`. */
  readonly help: (all: boolean) => string;
  readonly options: Options;
  /** How its arguments are completed: paths, or words to choose from. */
  readonly completes?: Completed | undefined;
  /**
   * Runs with the arguments after its name; returns the exit code.
   * @throws {UsageError} for an unknown option, a missing value, or too many or too few arguments
   */
  readonly run: (args: readonly string[]) => Promise<number>;
}

interface Declaration extends Pick<Command, 'name' | 'summary' | 'options' | 'completes'> {
  /** Its arguments, as its help and errors show them. */
  readonly usage: string;
  /** A command line to copy, without `movelet` and the name. */
  readonly example: string;
  /** The least number of arguments beside options. Default: 0. */
  readonly min?: number;
  /** The largest number of them. Default: `min`. */
  readonly max?: number;
  /** The words they may be. */
  readonly words?: readonly string[];
  /** What it does, in paragraphs. */
  readonly help: string;
  readonly more?: readonly OptionGroup[];
  readonly run: (args: Arguments) => Promise<number>;
}

export function command(declared: Declaration): Command {
  const { name, summary, more = [], completes = declared.words } = declared;
  const usage = `movelet ${name} ${declared.usage}`;
  const options = Object.assign({}, declared.options, ...more.map((group) => group.options)) as Options;
  return {
    name,
    summary,
    help: (all) => helpText(declared, usage, all),
    options,
    completes,
    run: async (given) => declared.run(readArguments(given, { ...declared, options }, usage)),
  };
}

function helpText({ name, help, example, options, more = [] }: Declaration, usage: string, all: boolean): string {
  const parts = [`usage: ${usage}`, ...help.trim().split('\n\n').map(paragraph), `example: movelet ${name} ${example}`];
  if (Object.keys(options).length > 0) parts.push(optionLines(options));
  if (all) for (const group of more) parts.push(`${group.title}:\n${optionLines(group.options)}`);
  else if (more.length > 0) {
    const titles = more.map(({ title }) => `${title[0]!.toLowerCase()}${title.slice(1)}`).join('; ');
    parts.push(paragraph(`movelet help ${name} --all has more options: ${titles}.`));
  }
  return `${parts.join('\n\n')}\n`;
}

/** Columns of the help, and those before what an option does. */
const HELP_COLUMNS = 100;
const OPTION_COLUMNS = 26;

/** Wraps a paragraph anew, unless its lines are indented. */
function paragraph(text: string): string {
  return text.startsWith(' ') ? text : wrapped(text, HELP_COLUMNS).join('\n');
}

function optionLines(options: Options): string {
  const lines = Object.entries(options).flatMap(([name, { value, help, multiple }]) => {
    const shown = `  --${name}${value === undefined ? '' : ` ${value}`}`;
    const text = wrapped(`${help}${multiple ? '; may be repeated' : ''}`, HELP_COLUMNS - OPTION_COLUMNS);
    const rest = text.map((line) => `${' '.repeat(OPTION_COLUMNS)}${line}`);
    if (shown.length + 2 > OPTION_COLUMNS) return [shown, ...rest];
    return [`${shown.padEnd(OPTION_COLUMNS)}${text[0]}`, ...rest.slice(1)];
  });
  return lines.join('\n');
}

function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export function readArguments(
  given: readonly string[],
  { options, min = 0, max = min, words }: Pick<Declaration, 'options' | 'min' | 'max' | 'words'>,
  usage: string,
): Arguments {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...given], options: parsedOptions(options), allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(`${misread(error, options)}; usage: ${usage}`);
  }
  const { positionals, values } = parsed;
  // What an unset variable of a shell gives; no option has a meaning for it.
  const empty = Object.entries(values).find(([, value]) => [value].flat().includes(''))?.[0];
  if (empty !== undefined) throw new UsageError(`--${empty}: expected a value, got an empty text; usage: ${usage}`);
  if (positionals.length < min) throw new UsageError(`an argument is missing; usage: ${usage}`);
  if (positionals.length > max) {
    throw new UsageError(`expected no argument ${JSON.stringify(positionals[max])}; usage: ${usage}`);
  }
  const other = words && positionals.find((word) => !words.includes(word));
  if (other !== undefined) throw new UsageError(`expected ${words?.join(', ')}, got ${other}`);
  return {
    positionals,
    string: (name) => {
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    },
    strings: (name) => {
      const value = values[name];
      return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
    },
    flag: (name) => values[name] === true,
    given: new Set(Object.keys(values)),
  };
}

/** The options in the form of Node's parser. */
function parsedOptions(options: Options): NonNullable<ParseArgsConfig['options']> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { value, multiple = false, short }]) => {
      return [name, { type: value === undefined ? 'boolean' : 'string', multiple, ...(short && { short }) }];
    }),
  );
}

/** Why the options could not be read, naming the one at fault. */
function misread(error: unknown, options: Options): string {
  const [reason = ''] = messageOf(error).split('\n');
  const unknown = /^Unknown option '(-[^']*)'/.exec(reason)?.[1];
  if (unknown !== undefined) {
    if (/^-\d/.test(unknown)) return `there is no option ${unknown}; arguments that begin with a dash go after --`;
    const nearest = nearestName(unknown.replace(/^-+/, ''), Object.keys(options));
    return `there is no option ${unknown}${nearest === undefined ? '' : `; did you mean --${nearest}?`}`;
  }
  const missing = /^Option '(?:-\w, )?(--[\w-]+) <value>' argument/.exec(reason)?.[1];
  if (missing !== undefined)
    return `${missing}: a value is missing; write --option=VALUE for one that begins with a dash`;
  const given = /^Option '(?:-\w, )?(--[\w-]+)' does not take/.exec(reason)?.[1];
  return given === undefined ? reason.replace(/\.$/, '') : `${given}: it takes no value`;
}

/** Where the chain is kept. */
export const DATA_OPTION: Options = {
  data: { value: 'DIR', completes: 'directory', help: 'keep the chain in this directory (default: in memory)' },
};

/** How the chain's time moves; commands differ in the default. */
export function clockOption(fallback: 'fixed' | 'system'): Options {
  const help = `the source of the chain's time: the clock of this machine, or none, so that it stands still until it is set (default: ${fallback})`;
  return { clock: { value: 'system|fixed', completes: ['system', 'fixed'], help } };
}

/** Options for the chain that an engine opens. */
export const CHAIN_OPTIONS: Options = {
  genesis: { value: 'FILE', completes: 'file', help: 'a released genesis file of the reference network' },
  chain: {
    value: 'NAME|ID',
    completes: ['local', 'dev', 'test', 'main'],
    help: 'local (default), dev, test, main, or a number: the chain id of the default genesis',
  },
  durability: {
    value: 'fsync|os',
    completes: ['fsync', 'os'],
    help: 'when a commit counts as written (default: fsync)',
  },
  history: {
    value: 'N|all',
    completes: ['all'],
    help: 'keep the states of at least the last N orders, or all; the directory remembers it (default: all)',
  },
  'view-ms-max': {
    value: 'N',
    help: `milliseconds that one view or dry run may take (default: ${VIEW_MS_MAX})`,
  },
  'bitcoin-network': {
    value: 'NAME',
    completes: Object.keys(BITCOIN_NETWORKS),
    help: 'bitcoin, testnet, signet or regtest (default); for the default genesis',
  },
  'reorganisation-depth': {
    value: 'N',
    help: 'blocks that must be on top of one before it is processed (default: 0); for the default genesis',
  },
  'gas-gift': { help: "give 10,000 RGAS to a sender without any, as the reference's local network does" },
  'headers-only': { help: 'keep only the headers of Bitcoin blocks, without outputs and inscriptions' },
  watch: {
    value: 'ADDRESS',
    multiple: true,
    help: 'keep only outputs and inscriptions of this account',
  },
};

const NETWORK_NAMES = Object.keys(BITCOIN_NETWORKS) as readonly BitcoinNetwork[];

const CHAINS: Readonly<Record<string, bigint>> = {
  local: CHAIN_ID_LOCAL,
  dev: CHAIN_ID_DEV,
  test: CHAIN_ID_TEST,
  main: CHAIN_ID_MAIN,
};

/**
 * The engine's options from the arguments.
 * @param clock what the chain's time follows by default
 * @throws {UsageError} for an invalid value
 */
export async function engineOptions(args: Arguments, clock: 'fixed' | 'system' = 'fixed'): Promise<EngineOptions> {
  const genesis = args.string('genesis');
  const data = args.string('data');
  if (data !== undefined && statSync(data, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new UsageError(`--data: expected a directory, or a place for one, and ${data} is a file`);
  }
  const watched = args.strings('watch').map(readWatched);
  if (watched.length > 0 && args.flag('headers-only'))
    throw new UsageError('give --headers-only or --watch, not both: without outputs there are none to watch');
  return {
    store: data,
    genesis: genesis === undefined ? undefined : await readInput('--genesis', genesis),
    chainId: readChain(args.string('chain')),
    durability: wordOption(args, 'durability', ['fsync', 'os']),
    bitcoinNetwork: wordOption(args, 'bitcoin-network', NETWORK_NAMES),
    reorganisationDepth: readNumber(args, 'reorganisation-depth', undefined, REORGANISATION_DEPTH_MAX),
    history: readHistoryBound(args.string('history')),
    gasGift: args.flag('gas-gift'),
    viewMsMax: readNumber(args, 'view-ms-max', VIEW_MS_MAX, VIEW_MS_BOUND, 1),
    clock: clockOf(args) ?? clock,
    ingest: { headersOnly: args.flag('headers-only'), ...(watched.length > 0 && { owners: watched }) },
    log: logToStderr,
  };
}

/**
 * The bytes of a file named on the command line.
 * @param what its name in messages
 * @throws {EngineError} `not-found` for a file that cannot be read
 */
export async function readInput(what: string, path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw unreadableFile(what, path, cause);
  }
}

/**
 * An option whose value is one of some words.
 * @throws {UsageError}
 */
export function wordOption<Word extends string>(
  args: Arguments,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = args.string(name);
  const found = words.find((word) => word === text);
  if (found !== undefined || text === undefined) return found;
  throw new UsageError(`--${name}: expected ${words.join(words.length === 2 ? ' or ' : ', ')}, got ${text}`);
}

/** @throws {UsageError} */
export const clockOf = (args: Arguments): 'system' | 'fixed' | undefined =>
  wordOption(args, 'clock', ['system', 'fixed']);

/** @throws {UsageError} */
export function readHistoryBound(text: string | undefined): 'all' | number | undefined {
  if (text === undefined || text === 'all') return text;
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`--history: expected all or a whole number of at least 1, got ${text}`);
}

function readWatched(text: string): Address {
  try {
    return parseAccount(text);
  } catch (cause) {
    const expected = 'an address (0x and up to 64 hex digits, rooch1... or a Bitcoin address)';
    throw new UsageError(`--watch: expected ${expected}, got ${text}`, { cause });
  }
}

function readChain(chain: string | undefined): bigint | undefined {
  if (chain === undefined) return undefined;
  const known = CHAINS[chain];
  if (known !== undefined) return known;
  if (/^\d{1,20}$/.test(chain) && BigInt(chain) < 2n ** 64n) return BigInt(chain);
  throw new UsageError(`--chain: expected local, dev, test, main or a number below 2^64, got ${chain}`);
}

/** The name of a chain id in parentheses; empty for a custom one. */
export function chainName(id: string): string {
  const name = Object.keys(CHAINS).find((each) => CHAINS[each]!.toString() === id);
  return name === undefined ? '' : ` (${name})`;
}

/** The command-line names of options that the engine and the transports name in their errors. */
const FLAGS: Readonly<Record<string, string>> = {
  genesis: '--genesis',
  chainId: '--chain',
  bitcoinNetwork: '--bitcoin-network',
  reorganisationDepth: '--reorganisation-depth',
  to: '--to',
  store: '--data',
  cors: '--cors',
  hosts: '--allow-host',
  addresses: '--address',
  compiler: '--compiler',
};

/** Flags whose refused values are wrong in themselves, whatever files contain. */
const USAGE: readonly string[] = ['--cors', '--allow-host'];

/**
 * Runs work that takes options from the command line; errors that name one of them then name its flag.
 * @throws {UsageError} for a value that can never be valid
 * @throws what `work` throws
 */
export async function withFlagsNamed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    const message = cause.message
      .replace(/^(\w+): /, (whole, option: string) => (FLAGS[option] === undefined ? whole : `${FLAGS[option]}: `))
      .replace(/the option (\w+) out$/, (whole, option: string) => (FLAGS[option] ? `${FLAGS[option]} out` : whole));
    if (message === cause.message) throw cause;
    if (USAGE.some((flag) => message.startsWith(`${flag}: `))) throw new UsageError(message, { cause });
    throw new EngineError(cause.code, message, { cause, details: cause.details });
  }
}

/**
 * Runs a parser on text from the command line.
 * @param what its name in messages
 * @throws {UsageError} for text that the parser refuses
 */
export function understood<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    if (!(cause instanceof EngineError) || cause.code !== 'invalid-argument') throw cause;
    // The name of an API option means nothing on the command line.
    throw new UsageError(`${what}: ${cause.message.replace(/^\w+: /, '')}`, { cause });
  }
}

/**
 * A whole number option within bounds.
 * @throws {UsageError}
 */
export function readNumber<Fallback extends number | undefined>(
  args: Arguments,
  name: string,
  fallback: Fallback,
  max: number,
  min = 0,
): number | Fallback {
  const text = args.string(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  const range = min === 0 ? `up to ${max}` : `from ${min} to ${max}`;
  throw new UsageError(`--${name}: expected a whole number ${range}, got ${text}`);
}

/**
 * An option that names an order.
 * @throws {UsageError}
 */
export function orderOption(args: Arguments, name: string): bigint | undefined {
  const text = args.string(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,20}$/.test(text)) throw new UsageError(`--${name}: expected an order, got ${text}`);
  return BigInt(text);
}

/** @throws {EngineError} `not-found` for a directory without a database, which opening it would create */
export function assertChainDirectory(path: string): void {
  if (existsSync(join(path, 'CURRENT'))) return;
  const advice = `check the path, or make one: movelet serve --data ${path}`;
  throw new EngineError('not-found', `${path} holds no chain; ${advice}`);
}

export function logToStderr({ level, message }: LogEntry): void {
  process.stderr.write(`${level}: ${message}\n`);
}

/**
 * The error for a file or folder that could not be read.
 * @param what its name in messages: `FILE`, `--genesis`
 * @param cause what Node threw
 */
export function unreadableFile(what: string, path: string, cause: unknown): EngineError {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new EngineError('not-found', `${what}: there is no file or folder ${path}`, { cause });
  const reason = messageOf(cause);
  return new EngineError('not-found', `${what}: ${path} cannot be read: ${reason}`, { cause });
}
