/**
 * The entry point `movelet/log`: a commit log in PostgreSQL, for writers and readers on any machines.
 *
 * The log creates its tables and views itself, in plain SQL: no trigger, no advisory lock, no sequence, so that other
 * databases with PostgreSQL's protocol can run it. `movelet_head` has one row for each chain, which every append
 * compares and sets; `movelet_log` has the records. While `next_order` is 0, the log is empty. The columns between the
 * epoch and the record, and the views, are for people who query the log; the append itself writes the columns.
 *
 * An append is one statement, so one transaction and one round trip: it updates the head row if that is still what the
 * writer expects, and inserts the records only if it was updated. If no row was updated, another writer has moved the
 * head. The server's settings `synchronous_commit` and `synchronous_standby_names` determine how durable an
 * acknowledged append is.
 *
 * A server that has lost its connection to a standby may answer without waiting for it: it says so in a warning, and
 * the outcome then counts as unknown. After an unknown outcome the head is read by a write, which waits until
 * everything before it is as durable as the settings demand.
 *
 * `NOTIFY` wakes readers; if it does not get through, they look again after LOG_POLL_MS. A connection pooler may sit in
 * between.
 * Source: "Synchronous Replication" and "Error Codes" of the PostgreSQL manual.
 * @module
 */

import type { ClientBase, Pool, PoolClient, QueryResult } from 'pg';
import { argumentError, assertOptions, type Expectation } from '../base/argument.ts';
import { EngineError, messageOf } from '../base/error.ts';
import { formatAddress } from '../move/address.ts';
import {
  assertAppend,
  assertPrune,
  assertRead,
  assertSignal,
  type CommitLog,
  emptyLogHead,
  failed,
  fenced,
  Hints,
  LOG_POLL_MS,
  LOG_READ_RECORDS,
  type LogHead,
  type LogRecord,
  missingRecord,
  prunedRecord,
  type ReadOptions,
} from './commit-log.ts';
import { eventTypesOf, headAfter, type RecordSummary, summariesAfter } from './record.ts';

/** The schema version written and read here. */
const SCHEMA_VERSION = 2;

/** Runs one or more statements, and returns the rows of the last. */
type RunSql = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

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

const UNDEFINED_TABLE = '42P01';

/**
 * Codes that arise when two processes create the tables at once: a duplicate, a serialization failure, a deadlock, and
 * an internal error if both replace a view.
 */
const MADE_BY_ANOTHER = ['23505', '42P07', '42710', '40001', '40P01', 'XX000'];

/** Attempts to create the tables: each may fail because another process is creating them. */
const ATTEMPTS_MAX = 20;

/**
 * Creates the tables if there are none.
 * @throws {EngineError} `format-unknown` for tables of another version. Errors of PostgreSQL.
 */
async function prepareSchema(run: RunSql): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const version = await storedVersion(run);
    if (version === SCHEMA_VERSION) return;
    if (version !== undefined) throw unknownVersion(version);
    try {
      await run(`BEGIN;${TABLES}${VIEWS}${SET_VERSION}COMMIT;`);
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
    `expected the tables of a commit log of version ${SCHEMA_VERSION}, got version ${version}: open them with the movelet that made them`,
    { details: { expected: SCHEMA_VERSION, received: version } },
  );
}

/** PostgreSQL's five-character error code; undefined for an error that did not come from the server. */
function sqlState(error: unknown): string | undefined {
  const { code, severity } = (error ?? {}) as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : undefined;
}

/** Milliseconds in which a server must accept a connection: a handshake around the world, and some seconds more. */
const LOG_CONNECT_MS_MAX = 10_000;

/** Milliseconds in which a server must answer; afterwards the outcome of an append counts as unknown. */
const LOG_ANSWER_MS_MAX = 30_000;

/** Records of one append: each takes ten of the 65,535 parameters that a statement of PostgreSQL may have. */
const LOG_APPEND_RECORDS_MAX = 4_096;

/** Connections of a log: one that appends, one that reads, one that wakes others. */
const LOG_CONNECTIONS_MAX = 3;

/** Records that one statement deletes when a log is pruned: a second or so, to keep appends from waiting behind it. */
const LOG_PRUNE_RECORDS = 10_000;

/** Bytes of records read from a log at a time, plus one record. A reader holds twice as much, since it reads ahead. */
const LOG_READ_BYTES: number = 32 * 2 ** 20;

/** How the `pg` package connects: a URL, or its options (host, user, password, ssl and so on). */
export type PostgresConnection = string | Readonly<Record<string, unknown>>;

/** A message the server sends alongside an answer. */
interface ServerNotice {
  readonly code: string | undefined;
  readonly message: string | undefined;
}

/** A row of movelet_head, as the package returns it. */
interface HeadRow {
  readonly epoch: string;
  readonly next_order: string;
  readonly digest: Uint8Array;
  readonly state_root: Uint8Array;
}

const HEAD_COLUMNS = 'epoch, next_order, digest, state_root';
const SELECT_HEAD = `SELECT ${HEAD_COLUMNS} FROM movelet_head WHERE chain = $1`;
/** Changes nothing, but waits as every write does: for row locks, for the disk and for standbys. */
const SETTLE_HEAD = `UPDATE movelet_head SET epoch = epoch WHERE chain = $1 RETURNING ${HEAD_COLUMNS}`;
const TAKE_OVER = `
INSERT INTO movelet_head (chain, epoch, next_order, digest, state_root) VALUES ($1, 1, 0, $2, $2)
ON CONFLICT (chain) DO UPDATE SET epoch = movelet_head.epoch + 1 RETURNING ${HEAD_COLUMNS}`;
const READ = `
SELECT "order", epoch, record FROM (
  SELECT "order", epoch, record, sum(octet_length(record)) OVER (ORDER BY "order") AS bytes
  FROM movelet_log WHERE chain = $1 AND "order" >= $2 AND "order" < $3
) AS rows WHERE bytes - octet_length(record) < $4 ORDER BY "order"`;

const OLDEST = 'SELECT min("order") AS oldest FROM movelet_log WHERE chain = $1';
/** Runs for the oldest records first, so that interrupted pruning leaves no gap. */
const PRUNE = 'DELETE FROM movelet_log WHERE chain = $1 AND "order" < $2';

const CHANNEL = 'movelet_log';

/** Codes after which a retry may succeed: a serialization failure, a deadlock, an unknown completion. */
const TRY_AGAIN = ['40001', '40P01', '40003'];
/** The code of unspecific warnings, such as that the server gave up waiting for a standby. */
const WARNING = '01000';

/** What `openPostgresLog` opens. */
class PostgresLog implements CommitLog {
  readonly #pool: Pool;
  readonly #listener: () => ClientBase;
  readonly #chain: string;
  /** The epoch this log writes in. */
  #epoch: bigint | undefined;
  /** Whether the outcome of the last append is unknown. */
  #isDoubtful = false;
  #canNotify = true;
  #isClosed = false;

  private constructor(pool: Pool, listener: () => ClientBase, chain: string) {
    this.#pool = pool;
    this.#listener = listener;
    this.#chain = chain;
  }

  /** @internal */
  static async open(connection: PostgresConnection, chain: string): Promise<PostgresLog> {
    const { Client, Pool } = await postgresPackage();
    const given = typeof connection === 'string' ? { connectionString: connection } : connection;
    const options = {
      connectionTimeoutMillis: LOG_CONNECT_MS_MAX,
      query_timeout: LOG_ANSWER_MS_MAX,
      keepAlive: true,
      max: LOG_CONNECTIONS_MAX,
      ...given,
    };
    const pool = new Pool(options);
    // A failed connection in use is reported through its query; a failed idle connection is replaced.
    pool.on('connect', (client) => client.on('error', () => {}));
    pool.on('error', () => {});
    const log = new PostgresLog(pool, () => new Client(options), chain);
    try {
      await log.#with((client) => prepareSchema(async (sql) => rowsOf(await client.query(sql))));
    } catch (error) {
      await pool.end();
      throw error;
    }
    return log;
  }

  async takeOver(): Promise<LogHead> {
    const head = await this.#head(TAKE_OVER, [this.#chain, emptyLogHead().digest], whole);
    this.#epoch = head.epoch;
    this.#isDoubtful = false;
    return head;
  }

  async head(): Promise<LogHead> {
    if (!this.#isDoubtful) return this.#head(SELECT_HEAD, [this.#chain]);
    const head = await this.#head(SETTLE_HEAD, [this.#chain], whole);
    this.#isDoubtful = false;
    return head;
  }

  async append(after: LogHead, records: readonly Uint8Array[]): Promise<LogHead> {
    this.#assertOpen();
    assertAppend(after, records);
    if (this.#epoch === undefined) throw new EngineError('invalid-argument', 'append: expected takeOver before it');
    if (after.epoch !== this.#epoch) throw fenced(after);
    if (records.length > LOG_APPEND_RECORDS_MAX) throw tooMany(records.length);
    const summaries = summariesAfter(after, records);
    const last = headAfter(summaries.at(-1)!);
    const values = appendValues(this.#chain, after, last, summaries, records);
    const statement = appendStatement(records.length);
    const { rowCount } = await this.#with(
      (client) => whole(client, statement, values),
      (cause) => this.#appendFailed(cause),
    );
    if ((rowCount ?? 0) === 0) throw fenced(after);
    this.#notify();
    return last;
  }

  async *read(fromOrder: bigint, options: ReadOptions = {}): AsyncGenerator<LogRecord, void, undefined> {
    this.#assertOpen();
    assertRead(fromOrder, options);
    const { max = Number.POSITIVE_INFINITY, signal } = options;
    let next = fromOrder;
    let isHeadAhead = false;
    for (let left = max; left > 0; ) {
      const count = Math.min(left, LOG_READ_RECORDS);
      const values = [this.#chain, String(next), String(next + BigInt(count)), String(LOG_READ_BYTES)];
      const rows = await this.#with(async (client) => rowsOf(await client.query(READ, values)));
      if (rows.length === 0) {
        const { order } = await this.#head(SELECT_HEAD, [this.#chain]);
        if (order < next) return;
        // Records appended between the two statements show up the next time; a missing record does not.
        if (isHeadAhead) throw await this.#absent(next);
        isHeadAhead = true;
        continue;
      }
      isHeadAhead = false;
      for (const { order, epoch, record } of rows as readonly { order: string; epoch: string; record: Uint8Array }[]) {
        if (signal?.aborted === true) return;
        this.#assertOpen();
        if (BigInt(order) !== next) throw await this.#absent(next);
        yield { order: next, epoch: BigInt(epoch), bytes: new Uint8Array(record) };
        next++;
        left--;
      }
    }
  }

  async *changed(signal: AbortSignal): AsyncGenerator<void, void, undefined> {
    assertSignal(signal);
    const hints = new Hints();
    const listener = this.#listener();
    listener.on('notification', hints.hint);
    // Without notifications, records are found a little later.
    listener.on('error', hints.hint);
    const listening = listener
      .connect()
      .then(() => listener.query(`LISTEN ${CHANNEL}`))
      .catch(hints.hint);
    try {
      yield* hints.until(signal, LOG_POLL_MS);
    } finally {
      await listening;
      await (listener as ClientBase & { end(): Promise<void> }).end().catch(hints.hint);
    }
  }

  async prune(beforeOrder: bigint): Promise<void> {
    this.#assertOpen();
    assertPrune(beforeOrder);
    const { order: newest } = await this.#head(SELECT_HEAD, [this.#chain]);
    const before = beforeOrder < newest ? beforeOrder : newest;
    let oldest = await this.#oldest();
    while (oldest !== undefined && oldest < before) {
      const next = oldest + BigInt(LOG_PRUNE_RECORDS);
      oldest = next < before ? next : before;
      const values = [this.#chain, String(oldest)];
      await this.#with((client) => client.query(PRUNE, values));
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }

  /** Runs a statement that returns the head row. */
  async #head(sql: string, values: unknown[], run = plain): Promise<LogHead> {
    const rows = await this.#with(async (client) => rowsOf(await run(client, sql, values)));
    const row = rows[0] as HeadRow | undefined;
    if (row === undefined) return emptyLogHead();
    const next = BigInt(row.next_order);
    const order = next === 0n ? 0n : next - 1n;
    const [digest, stateRoot] = [new Uint8Array(row.digest), new Uint8Array(row.state_root)];
    return { epoch: BigInt(row.epoch), order, digest, stateRoot };
  }

  /** The first order that the log holds; undefined for an empty log. */
  async #oldest(): Promise<bigint | undefined> {
    const [row] = await this.#with(async (client) => rowsOf(await client.query(OLDEST, [this.#chain])));
    return typeof row?.['oldest'] === 'string' ? BigInt(row['oldest']) : undefined;
  }

  /** Why a requested record is missing. */
  async #absent(order: bigint): Promise<EngineError> {
    const oldest = await this.#oldest();
    return oldest !== undefined && oldest > order ? prunedRecord(order, oldest) : missingRecord(order);
  }

  #appendFailed(cause: unknown): EngineError {
    if (isRefused(cause)) return failed(cause);
    this.#isDoubtful = true;
    return new EngineError('log-unknown', `the log may or may not hold the records: ${messageOf(cause)}`, { cause });
  }

  /** @param asError the error for one of a statement */
  async #with<T>(use: (client: PoolClient) => Promise<T>, asError = failed): Promise<T> {
    const client = await this.#connect();
    let failure: unknown;
    try {
      return await use(client);
    } catch (error) {
      failure = error;
      throw asError(error);
    } finally {
      client.release(failure !== undefined);
    }
  }

  async #connect(): Promise<PoolClient> {
    this.#assertOpen();
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw failed(error);
    }
  }

  /** Wakes readers, in a separate statement: transactions that notify wait for each other to commit. */
  #notify(): void {
    if (!this.#canNotify) return;
    this.#with((client) => client.query(`NOTIFY ${CHANNEL}`)).catch((error: unknown) => {
      // A server without this statement is not asked again.
      if (sqlState((error as EngineError).cause) !== undefined) this.#canNotify = false;
    });
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new EngineError('closed', 'the log is closed');
  }
}

const plain = (client: PoolClient, sql: string, values: unknown[]): Promise<QueryResult> => client.query(sql, values);

/**
 * Runs a statement that writes.
 * @throws if the server warns, since it may have answered before what was written is as durable as the settings demand
 */
async function whole(client: PoolClient, sql: string, values: unknown[]): Promise<QueryResult> {
  let warning: string | undefined;
  const onNotice = ({ code, message }: ServerNotice): void => {
    if (code === WARNING) warning = message;
  };
  client.on('notice', onNotice);
  try {
    const result = await client.query(sql, values);
    if (warning !== undefined) throw new Error(warning);
    return result;
  } finally {
    client.removeListener('notice', onNotice);
  }
}

/**
 * The package that connects to PostgreSQL, loaded only when used.
 * @throws {EngineError} `not-supported` if it is not installed, or a bundle cannot load it
 */
async function postgresPackage(): Promise<Pick<typeof import('pg'), 'Client' | 'Pool'>> {
  try {
    return (await import('pg')).default;
  } catch (cause) {
    const reason = messageOf(cause);
    const message = `a log in PostgreSQL needs the package pg, which cannot be loaded (${reason}): npm install pg; leave it outside of bundles of ES modules`;
    throw new EngineError('not-supported', message, { cause });
  }
}

function rowsOf(result: QueryResult | readonly QueryResult[]): readonly Readonly<Record<string, unknown>>[] {
  const last = Array.isArray(result) ? (result as readonly QueryResult[]).at(-1) : (result as QueryResult);
  return last?.rows ?? [];
}

/** Whether the server refused the statement, did nothing, and would refuse it again. */
function isRefused(error: unknown): boolean {
  const state = sqlState(error);
  const { severity } = error as { readonly severity?: unknown };
  return state !== undefined && severity === 'ERROR' && !TRY_AGAIN.includes(state);
}

function tooMany(count: number): EngineError {
  return new EngineError(
    'limit-exceeded',
    `records: expected at most ${LOG_APPEND_RECORDS_MAX} at a time (LOG_APPEND_RECORDS_MAX), got ${count}`,
  );
}

const COLUMNS = ['"order"', 'epoch', 'tx_hash', 'sender', 'function', 'status', 'gas', 'event_types', 'time', 'record'];
const TYPES = ['BIGINT', 'BIGINT', 'BYTEA', 'TEXT', 'TEXT', 'TEXT', 'NUMERIC', 'TEXT[]', 'BIGINT', 'BYTEA'];
const HEAD_VALUES = 7;

/** Moves the head if it is where the writer expects it, and if so inserts `count` records. */
function appendStatement(count: number): string {
  const rows = Array.from({ length: count }, (_, row) => {
    const values = TYPES.map((type, column) => `$${HEAD_VALUES + row * TYPES.length + column + 1}::${type}`);
    return `(${values.join(', ')})`;
  });
  return `
WITH moved AS (
  UPDATE movelet_head SET next_order = $5, digest = $6, state_root = $7
  WHERE chain = $1 AND epoch = $2 AND ((next_order = $3 AND digest = $4) OR next_order = 0) RETURNING chain
)
INSERT INTO movelet_log (chain, ${COLUMNS.join(', ')})
SELECT moved.chain, added.* FROM moved CROSS JOIN (VALUES ${rows.join(', ')}) AS added (${COLUMNS.join(', ')})`;
}

function appendValues(
  chain: string,
  after: LogHead,
  last: LogHead,
  summaries: readonly RecordSummary[],
  records: readonly Uint8Array[],
): unknown[] {
  const head = [chain, after.epoch, after.order + 1n, after.digest, last.order + 1n, last.digest, last.stateRoot];
  const rows = summaries.flatMap((summary, index) => [
    summary.order,
    summary.epoch,
    summary.txHash,
    formatAddress(summary.sender),
    summary.function,
    summary.status,
    summary.gasUsed,
    eventTypesOf(records[index]!),
    summary.time,
    records[index],
  ]);
  return [...head, ...rows].map((value) => (typeof value === 'bigint' ? String(value) : value));
}

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
