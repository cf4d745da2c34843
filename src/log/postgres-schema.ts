/**
 * The tables and views of a log in PostgreSQL, created and versioned by the log itself.
 *
 * Plain SQL: no trigger, no advisory lock, no sequence, so that other databases with PostgreSQL's protocol can run it.
 * `movelet_head` has one row for each chain, which every append compares and sets; `movelet_log` has the records. While
 * `next_order` is 0, the log is empty. The columns between the epoch and the record, and the views, are for people who
 * query the log; the append itself writes the columns.
 *
 * Versions: 1 had neither the columns `gas` and `event_types` nor the views. Opening version 1 tables adds and fills
 * them.
 * @module
 */
import { EngineError } from '../base/error.ts';
import { eventTypesOf, summaryOf } from './record-summary.ts';

/** Rows that are filled at a time when the tables of a log get new columns. */
const LOG_MIGRATED_ROWS = 256;

/** The schema version written and read here. */
const SCHEMA_VERSION = 2;

/** Runs one or more statements, more than one only without parameters, and returns the rows of the last. */
export type RunSql = (
  sql: string,
  values?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

const TABLES = `
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
  gas NUMERIC,
  event_types TEXT[],
  time BIGINT NOT NULL,
  record BYTEA NOT NULL,
  PRIMARY KEY (chain, "order")
);`;

/** The function with its address in short form: 0x3, not 64 digits. */
const SHORT_FUNCTION = String.raw`regexp_replace(function, '^0x0*([0-9a-f]+::)', '0x\1') AS function`;

const VIEWS = `
CREATE OR REPLACE VIEW movelet_transactions AS
SELECT chain, "order", to_timestamp(time / 1000.0) AS time, '0x' || encode(tx_hash, 'hex') AS tx_hash, sender, ${SHORT_FUNCTION},
  status, gas, coalesce(array_length(event_types, 1), 0) AS events, octet_length(record) AS record_bytes, epoch
FROM movelet_log;
CREATE OR REPLACE VIEW movelet_events AS
SELECT chain, "order", event.place - 1 AS index, event.type AS type, sender, ${SHORT_FUNCTION},
  to_timestamp(time / 1000.0) AS time, '0x' || encode(tx_hash, 'hex') AS tx_hash
FROM movelet_log CROSS JOIN LATERAL unnest(event_types) WITH ORDINALITY AS event (type, place);
CREATE OR REPLACE VIEW movelet_gas AS
SELECT chain, ${SHORT_FUNCTION}, count(*) AS transactions, count(*) FILTER (WHERE status <> 'executed') AS failed,
  sum(gas) AS gas, max(gas) AS gas_max
FROM movelet_log GROUP BY chain, movelet_log.function;`;

const SET_VERSION = `INSERT INTO movelet_schema (version) VALUES (${SCHEMA_VERSION}) ON CONFLICT (version) DO NOTHING;`;

/** Columns that version 2 added. In older rows they are null until filled. */
const ADD_COLUMNS = `
ALTER TABLE movelet_log ADD COLUMN IF NOT EXISTS gas NUMERIC;
ALTER TABLE movelet_log ADD COLUMN IF NOT EXISTS event_types TEXT[];`;

const UNFILLED = `
SELECT chain, "order", record FROM movelet_log
WHERE (chain, "order") > ($1, $2) AND event_types IS NULL ORDER BY chain, "order" LIMIT ${LOG_MIGRATED_ROWS}`;

/** Fills the new columns of `count` rows. */
function fillStatement(count: number): string {
  const rows = Array.from({ length: count }, (_, row) => {
    const at = row * 4;
    return `($${at + 1}::TEXT, $${at + 2}::BIGINT, $${at + 3}::NUMERIC, $${at + 4}::TEXT[])`;
  });
  return `
UPDATE movelet_log SET gas = filled.gas, event_types = filled.event_types
FROM (VALUES ${rows.join(', ')}) AS filled (chain, "order", gas, event_types)
WHERE movelet_log.chain = filled.chain AND movelet_log."order" = filled."order"`;
}

/** No such table. */
const UNDEFINED_TABLE = '42P01';

/**
 * Codes that arise when two processes create the tables at once: a duplicate, a serialization failure, a deadlock, and
 * an internal error if both replace a view.
 */
const MADE_BY_ANOTHER = ['23505', '42P07', '42701', '42710', '40001', '40P01', 'XX000'];

/** Attempts to create the tables: each may fail because another process is creating them. */
const ATTEMPTS_MAX = 20;

/**
 * Creates the tables if there are none, and upgrades those of an earlier version.
 * @throws {EngineError} `format-unknown` for tables of a later version. Errors of PostgreSQL.
 */
export async function prepareSchema(run: RunSql): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const version = await storedVersion(run);
    if (version === SCHEMA_VERSION) return;
    if (version !== undefined && version > SCHEMA_VERSION) throw unknownVersion(version);
    try {
      if (version !== undefined) await migrate(run);
      await run(`BEGIN;${TABLES}${VIEWS}${SET_VERSION}COMMIT;`);
    } catch (error) {
      await run('ROLLBACK');
      if (attempt === ATTEMPTS_MAX || !MADE_BY_ANOTHER.includes(String(sqlState(error)))) throw error;
    }
  }
}

/**
 * Adds and fills the columns of version 2. If interrupted, it resumes where it stopped; the version is set when it is
 * done.
 */
async function migrate(run: RunSql): Promise<void> {
  await run(`BEGIN;${ADD_COLUMNS}COMMIT;`);
  let after: readonly [chain: string, order: string] = ['', '0'];
  for (;;) {
    const rows = await run(UNFILLED, after);
    if (rows.length === 0) return;
    const old = rows as readonly { readonly chain: string; readonly order: string; readonly record: Uint8Array }[];
    const values = old.flatMap(({ chain, order, record }) => [
      chain,
      order,
      String(summaryOf(record).gasUsed),
      eventTypesOf(record),
    ]);
    await run(fillStatement(old.length), values);
    const last = old.at(-1)!;
    after = [last.chain, last.order];
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
    `expected the tables of a commit log of version ${SCHEMA_VERSION}, got version ${version}: open them with the movelet that made them, or a later one`,
    { details: { expected: SCHEMA_VERSION, received: version } },
  );
}

/** PostgreSQL's five-character error code; undefined for an error that did not come from the server. */
export function sqlState(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : undefined;
}
