/** A commit log in PostgreSQL: the suite for logs, and what the server's failures are to a writer. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { ArchiveWriter } from '../../src/log/archive/archive-writer.ts';
import { headOf, sampleRecord, sampleRecords } from '../../src/log/compliance/case.ts';
import { type CommitLog, logCompliance, openPostgresLog, summaryOf } from '../../src/log/index.ts';
import { collected } from '../collected.ts';
import { payment } from '../payment.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { transfer } from './archive/archived-chain.ts';
import { reached } from './cluster.ts';
import { type Cut, CuttingProxy } from './cutting-proxy.ts';
import { NO_POSTGRES, PostgresServer, postgresNote } from './postgres-server.ts';

const directory = temporaryDirectories();
const [alice, bob] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];
let server: PostgresServer;
let chains = 0;
const opened: CommitLog[] = [];

async function open(chain: string): Promise<CommitLog> {
  const log = await openPostgresLog(server.url, { chain });
  opened.push(log);
  return log;
}

/** The answer as psql prints it, aligned and without a row count. */
async function shown(sql: string): Promise<string> {
  const rows = await query(sql);
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => text(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join(' | ')
        .trimEnd(),
    )
    .join('\n');
}

function text(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return value === null ? '' : String(value);
}

async function query(sql: string, at: PostgresServer = server): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(at.url);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

describe.skipIf(NO_POSTGRES !== undefined)(`a log in PostgreSQL${postgresNote}`, () => {
  beforeAll(async () => {
    server = await PostgresServer.create();
  });
  afterAll(() => server?.remove());
  afterEach(async () => {
    for (const log of opened.splice(0)) await log.close();
  });

  it('is archived and pruned, and a reader begins with the archive', async () => {
    const path = directory();
    await using writer = await Engine.open({ commitLog: await open('archived') });
    const genesis = await Engine.open();
    const archive = await ArchiveWriter.open(path);
    await archive.addDump(genesis.dump());
    await genesis.close();
    for (const amount of [1n, 2n, 3n]) await transfer(writer, amount);
    const log = await open('archived');
    expect(await archive.addRecords(log)).toBe(3);
    await archive.pruneLog(log);
    archive.close();
    expect(await query(`SELECT "order" FROM movelet_log WHERE chain = 'archived'`)).toEqual([{ order: '3' }]);
    await transfer(writer, 4n);
    const commitLog = await open('archived');
    await using reader = await Engine.open({ commitLog, role: 'reader', bootstrap: path });
    await reached(reader, 4n);
    expect(reader.head).toEqual(writer.head);
  });

  it('makes its tables when many open it at once', async () => {
    const logs = await Promise.all(Array.from({ length: 8 }, () => open('first')));
    expect(await logs[0]!.head()).toMatchObject({ order: 0n, epoch: 0n });
    expect(await query('SELECT version FROM movelet_schema')).toEqual([{ version: 2 }]);
  });

  logCompliance({
    test: it,
    create: async () => {
      const chain = `suite-${chains++}`;
      return () => openPostgresLog(server.url, { chain });
    },
  });

  it('is read on when a record is appended between reading the rows and reading the head', async () => {
    const [writer, reader] = [await open('between'), await open('between')];
    const begun = await writer.takeOver();
    const records = sampleRecords(begun, 'a', 2);
    const head = await writer.append(begun, records.slice(0, 1));
    const ask = pg.Client.prototype.query as (this: pg.Client, ...given: unknown[]) => unknown;
    let isAppended = false;
    const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(async function (
      this: pg.Client,
      ...given: unknown[]
    ) {
      if (!isAppended && /^SELECT .* FROM movelet_head/.test(String(given[0]))) {
        isAppended = true;
        await writer.append(head, records.slice(1));
      }
      return ask.apply(this, given);
    } as never);
    const orders: bigint[] = [];
    try {
      for await (const { order } of reader.read(1n)) orders.push(order);
    } finally {
      spy.mockRestore();
    }
    expect([isAppended, orders]).toEqual([true, [1n, 2n]]);
  });

  it('names a record that is missing among the rows', async () => {
    const log = await open('gone');
    const begun = await log.takeOver();
    await log.append(begun, sampleRecords(begun, 'a', 2));
    await query(`DELETE FROM movelet_log WHERE chain = 'gone' AND "order" = 2`);
    const read = async (): Promise<void> => {
      for await (const _ of log.read(1n));
    };
    await expect(read()).rejects.toThrow('the log should hold a record of order 2');
  });

  it('keeps the logs of several chains apart', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const begun = await one.takeOver();
    await one.append(begun, sampleRecords(begun, 'one', 2));
    expect(await other.head()).toMatchObject({ order: 0n, epoch: 0n });
  });

  it('shows in columns what people look for', async () => {
    const log = await open('columns');
    const begun = await log.takeOver();
    await log.append(begun, sampleRecords(begun, 'shown', 1));
    const [row] = await query(
      `SELECT "order", epoch, sender, function, status, time FROM movelet_log WHERE chain = 'columns'`,
    );
    expect(row).toEqual({
      order: '1',
      epoch: '1',
      sender: `0x${'0'.repeat(64)}`,
      function: 'l1-block',
      status: 'executed',
      time: '1000',
    });
  });

  it('answers the questions of docs/cluster.md', async () => {
    const page = readFileSync(new URL('../../docs/cluster.md', import.meta.url), 'utf8');
    // A statement, and its answer in the same block.
    const asked = [...page.matchAll(/^ {4}(SELECT [^;]*;)\n\n((?: {4}.*\n)+)/gm)].map(([, sql, answer]) => [
      sql!,
      answer!.replace(/^ {4}/gm, '').trimEnd(),
    ]);
    expect(asked.length).toBeGreaterThan(3);
    const writer = await Engine.open({ commitLog: await openPostgresLog(server.url) });
    await writer.executeAs(alice, payment(bob, 5n));
    await writer.executeAs(alice, payment(bob, 10n ** 30n));
    await writer.dev.mint(bob, 7n);
    await writer.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
    await writer.close();
    for (const [sql, answer] of asked) expect(await shown(sql!), sql).toBe(answer);
  });

  it('when the connection of an append is cut, asks what became of it and appends it again', async () => {
    const log = await open('cut');
    const begun = await log.takeOver();
    const first = sampleRecords(begun, 'first', 2);
    const head = await log.append(begun, first);
    // A lock on the row of the head holds the append where it is until its connection is cut.
    const holder = new pg.Client(server.url);
    await holder.connect();
    await holder.query(`BEGIN; UPDATE movelet_head SET epoch = epoch WHERE chain = 'cut'`);
    const second = sampleRecords(head, 'second', 2);
    const appending = log.append(head, second).catch((error: unknown) => error);
    const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%moved%'`;
    let rows = await query(waiting);
    while (rows.length === 0) rows = await query(waiting);
    await query(`SELECT pg_terminate_backend(${rows[0]!['pid']})`);
    expect(await appending).toMatchObject({ code: 'log-unknown' });
    await holder.query('ROLLBACK');
    await holder.end();
    expect(await log.head()).toEqual(head);
    expect(await log.append(head, second)).toEqual(headOf(second));
  });

  it('trusts nothing that the server answers without waiting for its standby', async () => {
    const primary = await PostgresServer.create();
    const standbys = async (names: string): Promise<void> => {
      await query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, primary);
      await query('SELECT pg_reload_conf()', primary);
      // The server reads its settings again after it has answered.
      const read = JSON.stringify([{ synchronous_standby_names: names }]);
      while (JSON.stringify(await query('SHOW synchronous_standby_names', primary)) !== read);
    };
    /** Another of the server's processes reads them too, before any commit waits. */
    const untilCommitsWait = async (): Promise<void> => {
      for (let hasWaited = false; !hasWaited; ) {
        let isDone = false;
        const committed = query(`COMMENT ON DATABASE postgres IS 'tried'`, primary).then(() => {
          isDone = true;
        });
        while (!isDone && !hasWaited) hasWaited = await canceled('COMMENT ON DATABASE');
        await committed;
      }
    };
    /** Cancels a statement that waits for the standby, as an administrator does. */
    const cancel = async (what: string): Promise<void> => {
      while (!(await canceled(what)));
    };
    const canceled = async (what: string): Promise<boolean> => {
      const waits = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%${what}%'`;
      return (await query(waits, primary)).length > 0;
    };
    const log = await openPostgresLog(primary.url);
    try {
      const begun = await log.takeOver();
      await standbys('nobody');
      await untilCommitsWait();
      const records = sampleRecords(begun, 'alone', 2);
      const appending = log.append(begun, records).catch((error: unknown) => error);
      await cancel('moved');
      expect(await appending).toMatchObject({ code: 'log-unknown' });
      for (let times = 0; times < 2; times++) {
        const asking = log.head().catch((error: unknown) => error);
        await cancel('SET epoch = epoch WHERE');
        expect(await asking).toMatchObject({ code: 'log-failed', message: expect.stringContaining('synchronous') });
      }
      const taking = log.takeOver().catch((error: unknown) => error);
      await cancel('INSERT INTO movelet_head');
      expect(await taking).toMatchObject({ code: 'log-failed' });
      const asking = log.head();
      await standbys('');
      expect(await asking).toEqual({ ...headOf(records), epoch: 2n });
    } finally {
      await log.close();
      await primary.remove();
    }
  });

  it('says that nothing was appended when the server refuses', async () => {
    const log = await open('refused');
    const begun = await log.takeOver();
    await query(`ALTER TABLE movelet_log ADD CONSTRAINT refuse CHECK (chain <> 'refused')`);
    const records = sampleRecords(begun, 'refused', 1);
    try {
      await expect(log.append(begun, records)).rejects.toMatchObject({ code: 'log-failed' });
    } finally {
      await query('ALTER TABLE movelet_log DROP CONSTRAINT refuse');
    }
    expect(await log.head()).toEqual(begun);
    await log.append(begun, records);
  });

  it('counts serialization failures as unknown outcomes', async () => {
    const url = `${server.url}?options=-c%20default_transaction_isolation%3Dserializable`;
    const log = await openPostgresLog(url, { chain: 'serializable' });
    opened.push(log);
    const begun = await log.takeOver();
    const holder = new pg.Client(server.url);
    await holder.connect();
    await holder.query(`BEGIN; UPDATE movelet_head SET epoch = epoch WHERE chain = 'serializable'`);
    const records = [sampleRecord(begun, 'a')];
    const appending = log.append(begun, records).catch((error: unknown) => error);
    const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%moved%'`;
    while ((await query(waiting)).length === 0);
    await holder.query('COMMIT');
    await holder.end();
    expect(await appending).toMatchObject({ code: 'log-unknown' });
    expect(await log.head()).toEqual(begun);
    expect(await log.append(begun, records)).toEqual(headOf(records));
  });

  it('names a record that is missing', async () => {
    const log = await open('gap');
    const begun = await log.takeOver();
    await log.append(begun, sampleRecords(begun, 'gap', 3));
    await query(`DELETE FROM movelet_log WHERE chain = 'gap' AND "order" = 2`);
    const found: bigint[] = [];
    const reading = (async () => {
      for await (const { order } of log.read(1n)) found.push(order);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'corrupt', details: { order: '2' } });
    expect(found).toEqual([1n]);
  });

  it.each([1, 9])('refuses tables of version %i', async (version) => {
    await query(`UPDATE movelet_schema SET version = ${version}`);
    try {
      await expect(openPostgresLog(server.url)).rejects.toMatchObject({
        code: 'format-unknown',
        details: { expected: 2, received: version },
      });
    } finally {
      await query('UPDATE movelet_schema SET version = 2');
    }
  });

  it('says why it cannot be reached', async () => {
    const nowhere = 'postgres://movelet@127.0.0.1:1/postgres';
    await expect(openPostgresLog(nowhere)).rejects.toMatchObject({
      code: 'log-failed',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('loses nothing of a writer whose connection is cut before, in and after an append', async () => {
    const cuts: Cut[] = ['none', 'before', 'answer', 'on its way', 'answer', 'before', 'none', 'on its way', 'answer'];
    const used: Cut[] = [];
    await using proxy = await CuttingProxy.to(server.port, () => {
      const cut = cuts.shift() ?? 'none';
      used.push(cut);
      return cut;
    });
    const writer = await Engine.open({ commitLog: await openPostgresLog(proxy.url, { chain: 'cuts' }) });
    const told: string[] = [];
    for (let sent = 0; sent < 12; sent++) {
      const { order, hash } = await writer.executeAs(alice, payment(bob));
      told.push(`${order} ${hash}`);
    }
    expect(cuts).toEqual([]);
    const found = await collected((await open('cuts')).read(1n));
    expect(found.map(({ order, bytes }) => `${order} ${toHexPrefixed(summaryOf(bytes).txHash)}`)).toEqual(told);
    expect(used.length).toBeGreaterThan(told.length);
    const { state, epoch } = writer.status().log!;
    expect([state, epoch]).toEqual(['writing', 1n]);
    await writer.close();
  });
});
