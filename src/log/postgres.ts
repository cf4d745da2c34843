/**
 * The entry point `movelet/postgres`: a commit log in PostgreSQL.
 * @module
 */
import { argumentError, assertOptions, type Expectation } from '../base/argument.ts';
import type { CommitLog } from './commit-log.ts';
import { type PostgresConnection, PostgresLog } from './postgres-log.ts';

export type { PostgresConnection } from './postgres-log.ts';

/** Which log of a database to open. */
export interface PostgresLogOptions {
  /** The name of the log, if a database holds the logs of several chains. Default: 'main'. */
  readonly chain?: string | undefined;
}

const CHAIN: Expectation = [
  'a name of 1 to 63 characters',
  (value) => typeof value === 'string' && value.length > 0 && value.length < 64,
];

/**
 * Opens a log in PostgreSQL, and creates its tables if there are none. Needs the package `pg`, and takes its connection
 * options, including those for TLS.
 *
 * ```ts
 * const commitLog = await openPostgresLog('postgres://movelet@db.example:5432/movelet');
 * ```
 * @throws {EngineError} `invalid-argument`, `log-failed`, `not-supported` without the package, `format-unknown`.
 */
export async function openPostgresLog(
  connection: PostgresConnection,
  options: PostgresLogOptions = {},
): Promise<CommitLog> {
  const isObject = typeof connection === 'object' && connection !== null && !Array.isArray(connection);
  if (!isObject && typeof connection !== 'string') {
    throw argumentError('connection', 'a URL, or the options of the package pg', connection);
  }
  assertOptions(options, { chain: CHAIN });
  return PostgresLog.open(connection, options.chain ?? 'main');
}
