/**
 * Options of the commands that run a node: how it answers JSON-RPC, which Bitcoin node it follows, which commit log it shares,
 * and what it records.
 * @module
 */

import { closeSync, fstatSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fromHex } from '../base/bytes/bytes.ts';
import { WORKERS_MAX } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import type { Engine } from '../engine/engine.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import { record } from '../engine/recordings.ts';
import type { RemoteForkOptions } from '../engine/remote/open-remote.ts';
import type { CommitLog } from '../log/commit-log.ts';
import { BitcoinNode, cookieFile } from '../server/follower/bitcoin-node.ts';
import type { Forward } from '../server/rpc/forward.ts';
import type { Namespace } from '../server/rpc/methods.ts';
import type { RpcOptions } from '../server/rpc/options.ts';
import { forwardTo } from '../server/transport/forward.ts';
import {
  type Arguments,
  logToStderr,
  type Options,
  readInput,
  readNumber,
  UsageError,
  understood,
  wordOption,
} from './arguments.ts';

/** Whether the controls of a test node answer. */
export const DEV_OPTIONS: Options = {
  dev: { help: 'enable the controls of a test node: calls as any account, coins, time, snapshots, forks' },
  'no-dev': { help: 'disable the controls of a test node' },
};

/** What is answered, and in which form. */
export const ANSWER_OPTIONS: Options = {
  namespaces: {
    value: 'LIST',
    completes: ['chain', 'rooch', 'chain,rooch'],
    help: 'prefixes of the methods (default: chain,rooch)',
  },
  wire: {
    value: 'FORM',
    completes: ['chain', 'rooch'],
    help: 'answers of btc_ methods as those of chain (default) or of rooch methods',
  },
  'list-states': {
    value: 'ITEM',
    completes: ['object', 'keyed'],
    help: 'items of chain_listStates: object (default) or keyed',
  },
  'serve-nodes': {
    help: 'let other machines fork this chain (serve --fork URL): they read its rows one by one',
  },
  workers: {
    value: 'N|auto',
    completes: ['auto', '0', '1'],
    help: 'threads for views and dry runs, so that long ones do not delay other requests: auto starts one when it is needed, 0 none, for long transactions neither (default: auto when listening on a port, otherwise one for long transactions only)',
  },
};

/** The defaults of commands that listen on a port: the views of a stranger must not delay other requests. */
export const LISTENER: RpcDefaults = { dev: false, workers: 'auto' };

/** A command's defaults. */
interface RpcDefaults {
  readonly dev: boolean;
  readonly workers: RpcOptions['workers'];
}

/**
 * @throws {UsageError} for an invalid value
 */
export function rpcOptions(args: Arguments, defaults: RpcDefaults): RpcOptions {
  const wire = wordOption(args, 'wire', ['chain', 'rooch']);
  const listStates = wordOption(args, 'list-states', ['object', 'keyed']);
  if (args.flag('dev') && args.flag('no-dev')) throw new UsageError('give --dev or --no-dev, not both');
  const dev = !args.flag('no-dev') && (defaults.dev || args.flag('dev'));
  const workers = readWorkers(args) ?? defaults.workers;
  const namespaces = readNamespaces(args.string('namespaces'));
  const serveNodes = args.flag('serve-nodes');
  return { namespaces, wire, listStates, dev, workers, serveNodes, log: logToStderr };
}

function readWorkers(args: Arguments): RpcOptions['workers'] {
  const given = args.string('workers');
  return given === undefined || given === 'auto' ? given : readNumber(args, 'workers', 0, WORKERS_MAX);
}

function readNamespaces(text: string | undefined): Namespace[] | undefined {
  return text?.split(',').map((name) => {
    if (name !== 'chain' && name !== 'rooch')
      throw new UsageError(`--namespaces: expected chain, rooch or both, got ${name}`);
    return name;
  });
}

/** Which chain is forked. */
export const REMOTE_FORK_OPTIONS: Options = {
  fork: {
    value: 'URL|FILE',
    completes: 'file',
    help: 'continue the chain of this node, which must serve with --serve-nodes, or of a file of movelet fork, in memory',
  },
  at: {
    value: 'ORDER',
    help: 'where the fork begins: an order, or a state root to verify against (default: the head)',
  },
  'fork-kind': {
    value: 'movelet|rooch',
    completes: ['movelet', 'rooch'],
    help: 'the kind of node (default: movelet); from a Rooch node only objects are read, so the fork has no roots and no proofs',
  },
  'fork-cache': {
    value: 'DIR',
    completes: 'directory',
    help: 'where rows of the node are cached, for other forks too (default: among the caches of this user)',
  },
  offline: { help: 'never ask the node: what was not read before is an error' },
};

/**
 * The fork that the arguments ask for; undefined if they ask for none.
 * @throws {UsageError}
 */
export function forkOptions(args: Arguments): RemoteForkOptions | undefined {
  const url = args.string('fork');
  const at = args.string('at');
  const cache = args.string('fork-cache');
  const offline = args.flag('offline');
  const kind = readForkKind(args);
  if (url !== undefined) {
    const from = /^https?:\/\//.test(url) ? { url, kind, cache, offline } : { file: url };
    return { ...from, at: at === undefined ? undefined : readForkPlace(at) };
  }
  if ((at ?? cache ?? kind) !== undefined || offline) {
    throw new UsageError('--at, --fork-kind, --fork-cache and --offline need --fork URL');
  }
  return undefined;
}

/** @throws {UsageError} */
export function readForkKind(args: Arguments): RemoteForkOptions['kind'] {
  return wordOption(args, 'fork-kind', ['movelet', 'rooch']);
}

/** @throws {UsageError} for anything but an order or a state root */
export function readForkPlace(text: string): bigint | string {
  if (/^\d{1,20}$/.test(text)) return BigInt(text);
  if (/^(?:0x)?[0-9a-fA-F]{64}$/.test(text)) return text;
  throw new UsageError(`--at: expected an order, or a state root of 64 hex digits, got ${text}`);
}

export const FOLLOWER_OPTIONS: Options = {
  'bitcoin-rpc': { value: 'URL', help: 'follow the Bitcoin Core node at http://[user:password@]host:port' },
  'bitcoin-from': { value: 'HEIGHT', help: 'where to begin on a chain without blocks (default: 0)' },
  'bitcoin-rpc-cookie': {
    value: 'FILE',
    completes: 'file',
    help: "the node's .cookie file, instead of user and password; it is read anew before each call",
  },
};

/**
 * The node to follow, if one is named.
 * @throws {UsageError} for options that need one; {EngineError} `invalid-argument` for an invalid address.
 */
export function bitcoinNode(args: Arguments): BitcoinNode | undefined {
  const url = args.string('bitcoin-rpc');
  const cookie = args.string('bitcoin-rpc-cookie');
  if (url === undefined) {
    for (const name of ['bitcoin-from', 'bitcoin-rpc-cookie']) {
      if (args.string(name) !== undefined) throw new UsageError(`--${name} needs --bitcoin-rpc URL`);
    }
    return undefined;
  }
  const credentials = cookie === undefined ? undefined : cookieFile(cookie);
  return understood('--bitcoin-rpc', () => new BitcoinNode({ url, credentials }));
}

/** Milliseconds between two probes of the writer by a standby node, and the time that the writer has to answer one. */
const WRITER_PROBE_MS = 1_000;

/** Probes in a row that a writer may leave unanswered: it may be busy for some seconds. */
const WRITER_PROBES_MISSED_MAX = 5;

export const LOG_OPTIONS: Options = {
  log: {
    value: 'DIR|URL',
    help: 'share a commit log: a directory on this machine, or postgres://... (needs the package pg)',
  },
  'log-chain': { value: 'NAME', help: 'which log of a PostgreSQL database (default: main)' },
  role: {
    value: 'ROLE',
    completes: ['writer', 'reader'],
    help: 'writer: write the chain (default); reader: follow it and answer reads',
  },
  'writer-url': {
    value: 'URL',
    help: 'where the writer answers: readers name it when they refuse a transaction',
  },
  forward: { help: 'with --role reader and --writer-url: pass transactions on to the writer' },
  'sequencer-key': {
    value: 'FILE',
    completes: 'file',
    help: 'the secret key that this writer signs with, in hex (default: the well-known key of test chains)',
  },
  'writer-key': {
    value: 'HEX',
    multiple: true,
    help: 'the public key that signs the log (default: the first one seen)',
  },
  reexecute: {
    value: 'all|N',
    help: 'with --role reader: execute every commit, or one in N, and compare the results',
  },
  'wait-for-turn': { help: 'with --writer-url: stand by until that writer is gone, then write' },
  bootstrap: {
    value: 'PATH|URL',
    completes: 'file',
    help: 'begin an empty store with this dump or archive instead of genesis; a URL must be that of a dump',
  },
};

/**
 * The options for a log from the arguments; nothing without --log.
 * @throws {UsageError}; what opening the log throws
 */
export async function logOptions(
  args: Arguments,
): Promise<
  Pick<EngineOptions, 'commitLog' | 'role' | 'writerUrl' | 'reexecute' | 'sequencerKey' | 'writerKey' | 'bootstrap'>
> {
  const log = args.string('log');
  const writerUrl = args.string('writer-url');
  if (log === undefined) {
    const alone = Object.keys(LOG_OPTIONS).find((name) => args.given.has(name));
    if (alone !== undefined) throw new UsageError(`--${alone} belongs to --log: name a directory or a postgres:// URL`);
    return {};
  }
  const role = wordOption(args, 'role', ['writer', 'reader']);
  if (args.flag('forward') && (writerUrl === undefined || role !== 'reader')) {
    throw new UsageError('--forward: expected --role reader, and --writer-url, where the writer answers');
  }
  const reexecute = readShare(args.string('reexecute'));
  if (reexecute !== undefined && role !== 'reader') throw new UsageError('--reexecute: expected --role reader');
  const waits = args.flag('wait-for-turn');
  if (waits && (writerUrl === undefined || role === 'reader')) {
    throw new UsageError(
      '--wait-for-turn: expected --writer-url, where the present writer answers, and no --role reader',
    );
  }
  if (waits) await writerGone(writerUrl!);
  const writerKey = readKeys(args.strings('writer-key'));
  const sequencerKey = await readSecret(args.string('sequencer-key'));
  const ofReader = { writerUrl, reexecute };
  return {
    commitLog: await openLog(log, args.string('log-chain')),
    role,
    writerKey,
    sequencerKey,
    bootstrap: args.string('bootstrap'),
    ...(role === 'reader' && ofReader),
  };
}

/** Where write requests are forwarded; undefined without --forward. */
export function forwardOption(args: Arguments): Forward | undefined {
  const url = args.string('writer-url');
  return args.flag('forward') && url !== undefined ? understood('--writer-url', () => forwardTo(url)) : undefined;
}

async function readSecret(path: string | undefined): Promise<Uint8Array | undefined> {
  if (path === undefined) return undefined;
  const digits = new TextDecoder()
    .decode(await readInput('--sequencer-key', path))
    .trim()
    .replace(/^0x/, '');
  // The message does not repeat what may be a secret.
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) throw new UsageError('--sequencer-key: expected a file with 64 hex digits');
  return fromHex(digits.toLowerCase());
}

/** @throws {UsageError} */
export function readKeys(texts: readonly string[]): readonly Uint8Array[] | undefined {
  if (texts.length === 0) return undefined;
  return texts.map((text) => {
    const digits = text.replace(/^0x/, '');
    if (!/^0[23][0-9a-fA-F]{64}$/.test(digits)) {
      throw new UsageError(`--writer-key: expected a compressed public key of 66 hex digits, got ${text}`);
    }
    return fromHex(digits.toLowerCase());
  });
}

function readShare(text: string | undefined): 'all' | number | undefined {
  if (text === undefined || text === 'all') return text;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`--reexecute: expected all, or a whole number of at least 1, got ${text}`);
  return Number(text);
}

/** @throws {UsageError}; what opening the log throws */
export async function openLog(target: string, chain: string | undefined): Promise<CommitLog> {
  if (/^postgres(?:ql)?:\/\//.test(target)) {
    const { openPostgresLog } = await import('../log/postgres.ts');
    return openPostgresLog(target, { chain });
  }
  if (chain !== undefined) throw new UsageError('--log-chain is of a log in PostgreSQL: a directory holds one log');
  const { openDirectoryLog } = await import('../log/directory-log.ts');
  return openDirectoryLog(target);
}

/**
 * Resolves once a writer has several times in a row not answered, or reported that it cannot write. A wrong guess does
 * no harm: the node that takes over the log fences the other. A fenced writer already has a successor, which is left
 * alone.
 */
async function writerGone(url: string): Promise<void> {
  logToStderr({ level: 'info', message: `standing by for the writer at ${url}` });
  for (let missed = 0; missed < WRITER_PROBES_MISSED_MAX; ) {
    missed = (await isWriting(url)) ? 0 : missed + 1;
    if (missed < WRITER_PROBES_MISSED_MAX) await wait(WRITER_PROBE_MS);
  }
  logToStderr({ level: 'warning', message: `the writer at ${url} is gone: this node takes over` });
}

async function isWriting(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'chain_status', params: [] }),
      signal: AbortSignal.timeout(WRITER_PROBE_MS),
    });
    const { result } = (await response.json()) as {
      readonly result?: { readonly service_status?: string; readonly log_status?: { readonly state?: string } };
    };
    const state = result?.log_status?.state ?? '';
    if (state === 'fenced') return true;
    // If its store failed, its log is intact, but nothing more is written.
    return !['failed', 'waiting'].includes(state) && result?.service_status !== 'maintenance';
  } catch {
    return false;
  }
}

export const RECORD_OPTIONS: Options = {
  record: {
    value: 'FILE',
    completes: 'file',
    help: 'record what is done to the chain in this file, for movelet replay; forks are not recorded',
  },
};

/** The open file of `--record`. It is created before anything listens, so that a bad name is refused at once. */
export class RecordFile {
  readonly #name: string;
  readonly #file: number;

  private constructor(name: string, file: number) {
    this.#name = name;
    this.#file = file;
  }

  /**
   * The file that the arguments ask for; undefined if they ask for none.
   * @throws {UsageError} for a file that exists. {EngineError} `store-failed` for one that cannot be written.
   */
  static open(args: Arguments): RecordFile | undefined {
    const name = args.string('record');
    if (name === undefined) return undefined;
    try {
      return new RecordFile(name, openSync(name, 'wx'));
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new UsageError(`--record: ${name} exists; give another name`);
      const reason = code === 'ENOENT' ? `the folder ${dirname(name)} does not exist` : message;
      throw new EngineError('store-failed', `--record: ${reason}`, { cause });
    }
  }

  /** Starts recording. Each piece is with the operating system before the sender of its transaction gets the answer. */
  take(engine: Engine): void {
    record(engine, { write: (piece) => writeFileSync(this.#file, piece) });
  }

  /** Call it once the engine is closed. If no chain was opened, no file is left. */
  close(): void {
    const { size } = fstatSync(this.#file);
    closeSync(this.#file);
    if (size === 0) rmSync(this.#name, { force: true });
  }
}
