/**
 * The options of a node that shares a commit log.
 * @module
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { CommitLog } from '../commit-log/commit-log.ts';
import { WRITER_PROBE_MS, WRITER_PROBES_MISSED_MAX } from '../config.ts';
import type { EngineOptions } from '../engine-options.ts';
import type { Forward } from '../rpc/forward.ts';
import { forwardTo } from '../transport/forward.ts';
import { type Arguments, logToStderr, type Option, UsageError, understood } from './arguments.ts';

export const LOG_OPTIONS: Readonly<Record<string, Option>> = {
  log: { type: 'string' },
  'log-chain': { type: 'string' },
  role: { type: 'string' },
  'writer-url': { type: 'string' },
  forward: { type: 'boolean' },
  'wait-for-turn': { type: 'boolean' },
};

export const LOG_HELP = `
  --log DIR|URL           share a commit log: a directory on this machine, or postgres://... (needs the package pg)
  --log-chain NAME        which log of a PostgreSQL database (default: main)
  --role writer|reader    write the chain, or follow it and answer reads (default: writer)
  --writer-url URL        where the writer answers: readers name it to whoever sends them a transaction
  --forward               with --role reader and --writer-url: pass transactions on to the writer
  --wait-for-turn         with --writer-url: stand by until that writer is gone, then write
`;

/**
 * What the arguments say of a log; nothing without --log.
 * @throws {UsageError}; what opening the log throws
 */
export async function logOptions(args: Arguments): Promise<Pick<EngineOptions, 'commitLog' | 'role' | 'writerUrl'>> {
  const log = args.string('log');
  const [role, writerUrl] = [args.string('role'), args.string('writer-url')];
  if (log === undefined) {
    const alone = Object.keys(LOG_OPTIONS).find((name) => args.string(name) !== undefined || args.flag(name));
    if (alone !== undefined) throw new UsageError(`--${alone} belongs to --log: name a directory or a postgres:// URL`);
    return {};
  }
  if (role !== undefined && role !== 'writer' && role !== 'reader') {
    throw new UsageError(`--role: expected writer or reader, got ${role}`);
  }
  if (args.flag('forward') && (writerUrl === undefined || role !== 'reader')) {
    throw new UsageError('--forward: expected --role reader, and --writer-url, where the writer answers');
  }
  const waits = args.flag('wait-for-turn');
  if (waits && (writerUrl === undefined || role === 'reader')) {
    throw new UsageError(
      '--wait-for-turn: expected --writer-url, where the present writer answers, and no --role reader',
    );
  }
  if (waits) await writerGone(writerUrl!);
  return { commitLog: await openLog(log, args.string('log-chain')), role, ...(role === 'reader' && { writerUrl }) };
}

/** Where requests that write are forwarded; undefined without --forward. */
export function forwardOption(args: Arguments): Forward | undefined {
  const url = args.string('writer-url');
  return args.flag('forward') && url !== undefined ? understood('--writer-url', () => forwardTo(url)) : undefined;
}

async function openLog(target: string, chain: string | undefined): Promise<CommitLog> {
  if (/^postgres(?:ql)?:\/\//.test(target)) {
    const { openPostgresLog } = await import('../commit-log/postgres.ts');
    return openPostgresLog(target, { chain });
  }
  if (chain !== undefined) throw new UsageError('--log-chain is of a log in PostgreSQL: a directory holds one log');
  const { openDirectoryLog } = await import('../commit-log/directory-log.ts');
  return openDirectoryLog(target);
}

/**
 * Resolves when a writer has not answered several times in a row, or says that its log has failed. Who is wrong about
 * that does no harm: whoever takes the log over fences the other.
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
      readonly result?: { readonly log_status?: { readonly state?: string } };
    };
    return result?.log_status?.state !== 'failed';
  } catch {
    return false;
  }
}
