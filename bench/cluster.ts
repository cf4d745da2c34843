/**
 * A shared log: its cost to the writer compared with local fsync alone, in a directory and in PostgreSQL with and
 * without a synchronous standby; how fast a reader applies a writer's commits; what a reader's reads cost.
 *
 * Everything is fsynced, including the stores. Processor time is this process's, without PostgreSQL's. PostgreSQL is
 * Debian's package; without it, its lines are left out.
 */
import { join } from 'node:path';
import { Engine } from '../src/engine/engine.ts';
import type { EngineOptions } from '../src/engine/engine-options.ts';
import { openDirectoryLog } from '../src/log/directory-log.ts';
import { openPostgresLog } from '../src/log/postgres.ts';
import { createRpc } from '../src/server/rpc/server.ts';
import { NO_POSTGRES, PostgresServer } from '../test/log/postgres-server.ts';
import { type Baseline, type BenchLine, line } from './line.ts';
import { elapsed, inDirectory, processorTime } from './measure.ts';
import { BALANCE } from './requests.ts';
import { Transfers } from './transfers.ts';

/** Transfers in flight at a time, like that many connections waiting for receipts. */
const AT_ONCE = 256;

/** Commits a reader applies as warm-up before another one is measured. */
const WARM_COMMITS = 2_048n;

/** A writer being measured, and its best times so far. */
interface Measured {
  readonly name: string;
  readonly transfers: Transfers;
  /** The minimum over the rounds. */
  ms: number;
  us: number;
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const servers: PostgresServer[] = [];
  try {
    return await inDirectory(async (root) => [
      ...(await writers(root, servers, short ? 3 : 8, short ? 1_024 : 4_096)),
      ...(await readers(root, short ? 4_096 : 100_352)),
    ]);
  } finally {
    for (const server of servers.toReversed()) await server.remove();
  }
}

async function writers(root: string, servers: PostgresServer[], rounds: number, count: number): Promise<BenchLine[]> {
  const all: Measured[] = [];
  const add = async (name: string, options: EngineOptions): Promise<void> => {
    const store = join(root, `store-${all.length}`);
    const transfers = await Transfers.open('nobody', { store, ...options });
    all.push({ name, transfers, ms: Number.POSITIVE_INFINITY, us: Number.POSITIVE_INFINITY });
  };
  await add('no log', {});
  await add('log in a directory', { commitLog: await openDirectoryLog(join(root, 'log')) });
  if (NO_POSTGRES === undefined) {
    const alone = await PostgresServer.create();
    servers.push(alone);
    await add('log in PostgreSQL', { commitLog: await openPostgresLog(alone.url) });
    const primary = await PostgresServer.create();
    servers.push(primary);
    servers.push(await PostgresServer.standby(primary, 'second'));
    await primary.kill();
    await primary.start(['synchronous_standby_names=second']);
    await add('log in PostgreSQL, synchronous standby', { commitLog: await openPostgresLog(primary.url) });
  }
  // In turn, so that other load on the machine affects all alike; the first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const measured of all) {
      const { ms, us } = await send(measured.transfers, count);
      if (round > 0) [measured.ms, measured.us] = [Math.min(measured.ms, ms), Math.min(measured.us, us)];
    }
  }
  const lines: BenchLine[] = [];
  const [alone] = all as [Measured];
  for (const { name, transfers, ms, us } of all) {
    const rate = line(`transfers, ${name}`, (count / ms) * 1_000, '/s');
    const time = line(`processor time of a transfer, ${name}`, us / count, 'us');
    const { appends } = transfers.engine.status().log ?? {};
    if (appends === undefined) lines.push(rate, time);
    else {
      lines.push(
        { ...rate, baseline: { name: alone.name, value: (count / alone.ms) * 1_000 }, target: '0.6x' },
        { ...time, baseline: { name: alone.name, value: alone.us / count } },
        line(`commits of a group, ${name}`, appends.commits / appends.count, ''),
        line(`round trip of a group, ${name}`, appends.ms / appends.count, 'ms'),
      );
    }
    await transfers.engine.close();
  }
  return lines;
}

/** Milliseconds that something took, and microseconds of processor time. */
interface Cost {
  readonly ms: number;
  readonly us: number;
}

async function timed(call: () => Promise<unknown>): Promise<Cost> {
  let us = 0;
  const ms = await elapsed(async () => {
    us = await processorTime(call);
  });
  return { ms, us };
}

function send(transfers: Transfers, count: number): Promise<Cost> {
  return timed(() => transfers.prepare(count, AT_ONCE)());
}

async function readers(root: string, count: number): Promise<BenchLine[]> {
  const log = join(root, 'followed');
  const transfers = await Transfers.open('nobody', {
    store: join(root, 'writer'),
    commitLog: await openDirectoryLog(log),
  });
  const written = await send(transfers, count);
  const { order } = transfers.engine.head;
  // The writer's code was warm, so warm the reader's too.
  await using warm = await Engine.open({ commitLog: await openDirectoryLog(log), role: 'reader' });
  while (warm.head.order < WARM_COMMITS) await warm.waitFor(WARM_COMMITS).catch(() => {});
  const before = process.memoryUsage().rss;
  let reader!: Engine;
  const caughtUp = await timed(async () => {
    reader = await Engine.open({
      store: join(root, 'reader'),
      commitLog: await openDirectoryLog(log),
      role: 'reader',
    });
    while (reader.head.order < order) await reader.waitFor(order).catch(() => {});
  });
  const rss = process.memoryUsage().rss - before;
  const [byReader = 0, byOther = 0] = await readsOf(reader, transfers.engine);
  await reader.close();
  await transfers.engine.close();
  const writer = (value: number): Baseline => ({ name: 'its writer', value });
  const perSecond = ({ ms }: Cost): number => (count / ms) * 1_000;
  return [
    line(`catching up ${count} commits`, perSecond(caughtUp), '/s', writer(perSecond(written)), '1x'),
    line('processor time of a commit, reader', caughtUp.us / count, 'us', writer(written.us / count)),
    line('balances over JSON-RPC, reader', byReader, '/s', writer(byOther), '0.9x'),
    line(`memory that catching up took, ${count} commits`, rss / 2 ** 20, 'MB'),
  ];
}

/** Balances each engine answers per second of processor time; the maximum of several rounds in turn. */
async function readsOf(...engines: readonly Engine[]): Promise<number[]> {
  const READS = 20_000;
  const best = engines.map(() => 0);
  const text = JSON.stringify(BALANCE);
  for (let round = 0; round < 7; round++) {
    for (const [index, engine] of engines.entries()) {
      const rpc = createRpc(engine);
      const us = await processorTime(async () => {
        for (let read = 0; read < READS; read++) await rpc.handle(text);
      });
      best[index] = Math.max(best[index]!, (READS / us) * 1e6);
    }
  }
  return best;
}
