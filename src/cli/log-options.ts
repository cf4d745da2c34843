/**
 * The options of a node that writes or follows a commit log.
 * @module
 */
import { setTimeout as wait } from 'node:timers/promises';
import { fromHex } from '../base/bytes/hex.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import type { CommitLog } from '../log/commit-log.ts';
import type { Forward } from '../server/rpc/forward.ts';
import { forwardTo } from '../server/transport/forward.ts';
import { type Arguments, logToStderr, type Option, readInput, UsageError, understood } from './arguments.ts';

/** Milliseconds between two probes of the writer by a standby node, and the time that the writer has to answer one. */
const WRITER_PROBE_MS = 1_000;

/** Probes in a row that a writer may leave unanswered: it may be busy for some seconds. */
const WRITER_PROBES_MISSED_MAX = 5;

export const LOG_OPTIONS: Readonly<Record<string, Option>> = {
  log: { type: 'string' },
  'log-chain': { type: 'string' },
  role: { type: 'string' },
  'writer-url': { type: 'string' },
  forward: { type: 'boolean' },
  reexecute: { type: 'string' },
  'writer-key': { type: 'string', multiple: true },
  'sequencer-key': { type: 'string', completes: 'file' },
  'wait-for-turn': { type: 'boolean' },
  bootstrap: { type: 'string', completes: 'file' },
};

export const LOG_HELP = `
  --log DIR|URL           share a commit log: a directory on this machine, or postgres://... (needs the package pg)
  --log-chain NAME        which log of a PostgreSQL database (default: main)
  --role writer|reader    write the chain, or follow it and answer reads (default: writer)
  --writer-url URL        where the writer answers: readers name it to whoever sends them a transaction
  --forward               with --role reader and --writer-url: pass transactions on to the writer
  --sequencer-key FILE    the secret key that this writer signs with, in hex (default: the public one of test chains)
  --writer-key HEX        the public key that signs the log; may be repeated (default: the first that was seen)
  --reexecute all|N       with --role reader: execute every commit, or one in N, and compare what it does
  --wait-for-turn         with --writer-url: stand by until that writer is gone, then write
  --bootstrap PATH|URL    begin an empty store with this dump or archive instead of genesis; a URL gives a dump
`;

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
  const [role, writerUrl] = [args.string('role'), args.string('writer-url')];
  if (log === undefined) {
    const alone = Object.keys(LOG_OPTIONS).find(
      (name) => args.string(name) !== undefined || args.strings(name).length > 0 || args.flag(name),
    );
    if (alone !== undefined) throw new UsageError(`--${alone} belongs to --log: name a directory or a postgres:// URL`);
    return {};
  }
  if (role !== undefined && role !== 'writer' && role !== 'reader') {
    throw new UsageError(`--role: expected writer or reader, got ${role}`);
  }
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
 * Resolves once a writer has several times in a row not answered, or said that it cannot write. Being wrong about that
 * does no harm: whoever takes the log over fences the other. A writer that is fenced has a successor by now, which is
 * left alone.
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
    // If its store failed, its log is well, and nothing more is written.
    return !['failed', 'waiting'].includes(state) && result?.service_status !== 'maintenance';
  } catch {
    return false;
  }
}
