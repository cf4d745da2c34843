/**
 * What stands behind a command on the command line.
 * @module
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from '../bitcoin/network.ts';
import {
  CHAIN_ID_DEV,
  CHAIN_ID_LOCAL,
  CHAIN_ID_MAIN,
  CHAIN_ID_TEST,
  REORGANISATION_DEPTH_MAX,
  VIEW_MS_BOUND,
  VIEW_MS_MAX,
} from '../config.ts';
import type { EngineOptions } from '../engine-options.ts';
import { EngineError } from '../error.ts';
import type { LogEntry } from '../log.ts';

/** The command line was not understood; the message says how it should look. */
export class UsageError extends Error {}

export interface Option {
  readonly type: 'string' | 'boolean';
  /** May be given more than once. */
  readonly multiple?: boolean;
}

export interface Arguments {
  readonly positionals: readonly string[];
  /** The value of an option that was given once or not at all. */
  string(name: string): string | undefined;
  strings(name: string): readonly string[];
  flag(name: string): boolean;
}

/**
 * Reads arguments.
 * @throws {UsageError} for an unknown option, a missing value, or another number of positionals than `positionals` says.
 */
export function readArguments(
  args: readonly string[],
  options: Readonly<Record<string, Option>>,
  positionals: { readonly min: number; readonly max: number; readonly usage: string },
): Arguments {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...args], options: { ...options }, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new UsageError(`${reason.replace(/\.?( To specify.*)?$/, '')}; usage: movelet ${positionals.usage}`);
  }
  const count = parsed.positionals.length;
  if (count < positionals.min || count > positionals.max) throw new UsageError(`usage: movelet ${positionals.usage}`);
  const { values } = parsed;
  return {
    positionals: parsed.positionals,
    string: (name) => {
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    },
    strings: (name) => {
      const value = values[name];
      return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
    },
    flag: (name) => values[name] === true,
  };
}

/** Options that say which chain an engine opens. */
export const ENGINE_OPTIONS: Readonly<Record<string, Option>> = {
  data: { type: 'string' },
  genesis: { type: 'string' },
  chain: { type: 'string' },
  durability: { type: 'string' },
  'bitcoin-network': { type: 'string' },
  'reorganisation-depth': { type: 'string' },
  'headers-only': { type: 'boolean' },
  'view-ms-max': { type: 'string' },
};

export const ENGINE_HELP: string = `  --data DIR              keep the chain in this directory (default: in memory)
  --genesis FILE          a released genesis file of the reference network
  --chain NAME|ID         local (default), dev, test, main, or a number: the chain id of the default genesis
  --durability fsync|os   when a commit counts as written (default: fsync)
  --bitcoin-network NAME  bitcoin, testnet, signet or regtest (default), of the default genesis
  --reorganisation-depth N  blocks that must stand on one before it is processed (default: 0), of the default genesis
  --headers-only          keep the headers of Bitcoin blocks, and make no outputs and inscriptions of them
  --view-ms-max N         milliseconds that one view or dry run may take (default: ${VIEW_MS_MAX})
`;

const NETWORK_NAMES = Object.keys(BITCOIN_NETWORKS) as readonly BitcoinNetwork[];

const CHAINS: Readonly<Record<string, bigint>> = {
  local: CHAIN_ID_LOCAL,
  dev: CHAIN_ID_DEV,
  test: CHAIN_ID_TEST,
  main: CHAIN_ID_MAIN,
};

/**
 * The engine's options from the arguments.
 * @throws {UsageError} for a value that is none.
 */
export async function engineOptions(args: Arguments): Promise<EngineOptions> {
  const genesis = args.string('genesis');
  const durability = args.string('durability');
  if (durability !== undefined && durability !== 'fsync' && durability !== 'os') {
    throw new UsageError(`--durability: expected fsync or os, got ${durability}`);
  }
  return {
    store: args.string('data'),
    genesis: genesis === undefined ? undefined : await readFile(genesis),
    chainId: readChain(args.string('chain')),
    durability,
    bitcoinNetwork: readNetwork(args.string('bitcoin-network')),
    reorganisationDepth:
      args.string('reorganisation-depth') === undefined
        ? undefined
        : readNumber(args, 'reorganisation-depth', 0, REORGANISATION_DEPTH_MAX),
    viewMsMax: readNumber(args, 'view-ms-max', VIEW_MS_MAX, VIEW_MS_BOUND),
    ingest: { headersOnly: args.flag('headers-only') },
    log: logToStderr,
  };
}

function readNetwork(name: string | undefined): BitcoinNetwork | undefined {
  if (name === undefined) return undefined;
  const found = NETWORK_NAMES.find((candidate) => candidate === name);
  if (found !== undefined) return found;
  throw new UsageError(`--bitcoin-network: expected ${NETWORK_NAMES.join(', ')}, got ${name}`);
}

function readChain(chain: string | undefined): bigint | undefined {
  if (chain === undefined) return undefined;
  const known = CHAINS[chain];
  if (known !== undefined) return known;
  if (!/^\d{1,20}$/.test(chain))
    throw new UsageError(`--chain: expected local, dev, test, main or a number, got ${chain}`);
  return BigInt(chain);
}

/**
 * Runs a parser of what stands on the command line.
 * @param what names it, for the message
 * @throws {UsageError} for what the parser refuses
 */
export function understood<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    if (!(cause instanceof EngineError) || cause.code !== 'invalid-argument') throw cause;
    throw new UsageError(`${what}: ${cause.message}`, { cause });
  }
}

/** A whole number option within bounds. */
export function readNumber(args: Arguments, name: string, fallback: number, max: number): number {
  const text = args.string(name);
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max)
    throw new UsageError(`--${name}: expected a whole number up to ${max}, got ${text}`);
  return value;
}

/** @throws {EngineError} `not-found` for a directory without a database, which opening would make. */
export function assertChainDirectory(path: string): void {
  if (!existsSync(join(path, 'CURRENT'))) throw new EngineError('not-found', `${path} holds no chain; check the path`);
}

export function logToStderr({ level, message }: LogEntry): void {
  process.stderr.write(`${level}: ${message}\n`);
}
