/**
 * The tables of a log in PostgreSQL, created and versioned by the log itself.
 *
 * Plain SQL: no trigger, no advisory lock, no sequence, so that other databases that speak PostgreSQL's protocol can run it.
 * `movelet_head` has one row for each chain, which every append compares and sets; `movelet_log` has the records. While
 * `next_order` is 0, the log is empty. The columns between the epoch and the record are for people who query the table.
 * @module
 */
import { EngineError } from '../error.ts';

/** The form of the tables that this version writes and reads. */
export const SCHEMA_VERSION = 1;

/** Runs one or more statements without parameters and returns the rows of the last. */
export type RunSql = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const TABLES = `
BEGIN;
CREATE TABLE IF NOT EXISTS movelet_schema (version INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS movelet_head (
  chain TEXT PRIMARY KEY,
  epoch BIGINT NOT NULL,
  next_order BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  state_root BYTEA NOT NULL
);
CREATE TABLE IF NOT EXISTS movelet_log (
  chain TEXT NOT NULL,
  "order" BIGINT NOT NULL,
  epoch BIGINT NOT NULL,
  tx_hash BYTEA NOT NULL,
  sender TEXT NOT NULL,
  function TEXT NOT NULL,
  status TEXT NOT NULL,
  time BIGINT NOT NULL,
  record BYTEA NOT NULL,
  PRIMARY KEY (chain, "order")
);
INSERT INTO movelet_schema (version) VALUES (${SCHEMA_VERSION}) ON CONFLICT (version) DO NOTHING;
COMMIT;`;

/** No such table. */
const UNDEFINED_TABLE = '42P01';

/** Codes that arise when two processes create the tables at once: a duplicate, a serialization failure, a deadlock. */
const MADE_BY_ANOTHER = ['23505', '42P07', '42710', '40001', '40P01'];

/** Attempts to create the tables: each may fail because of another process that creates them. */
const ATTEMPTS_MAX = 20;

/**
 * Creates the tables if there are none.
 * @throws {EngineError} `format-unknown` for tables of another version. Errors of PostgreSQL.
 */
export async function prepareSchema(run: RunSql): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const version = await storedVersion(run);
    if (version === SCHEMA_VERSION) return;
    if (version !== undefined) throw unknownVersion(version);
    try {
      await run(TABLES);
    } catch (error) {
      await run('ROLLBACK');
      if (attempt === ATTEMPTS_MAX || !MADE_BY_ANOTHER.includes(String(sqlState(error)))) throw error;
    }
  }
}

async function storedVersion(run: RunSql): Promise<number | undefined> {
  try {
    const [row] = await run('SELECT max(version) AS version FROM movelet_schema');
    return typeof row?.['version'] === 'number' ? row['version'] : undefined;
  } catch (error) {
    if (sqlState(error) !== UNDEFINED_TABLE) throw error;
    return undefined;
  }
}

function unknownVersion(version: number): EngineError {
  return new EngineError(
    'format-unknown',
    `expected the tables of a commit log of version ${SCHEMA_VERSION}, got version ${version}: ${
      version > SCHEMA_VERSION
        ? 'open them with the movelet that made them, or a later one'
        : 'they were never released'
    }`,
    { details: { expected: SCHEMA_VERSION, received: version } },
  );
}

/** PostgreSQL's five-character error code; undefined for an error that did not come from the server. */
export function sqlState(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : undefined;
}
