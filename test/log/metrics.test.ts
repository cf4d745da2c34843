/** What a node that shares a log tells its monitoring. */
import { describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS, type Engine } from '../../src/index.ts';
import { createRpc, serveHttp } from '../../src/server/index.ts';
import { payment } from '../payment.ts';
import { readOpenMetrics } from '../server/transport/open-metrics.ts';
import { Cluster, logStatus } from './cluster.ts';
import { type Fault, FaultyLog } from './faulty-log.ts';

const [alice, bob] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];

/** All that /metrics says of the log, by name. */
async function logMetrics(engine: Engine): Promise<Readonly<Record<string, number>>> {
  const rpc = createRpc(engine);
  const server = await serveHttp(rpc, { port: 0, metrics: true });
  try {
    const families = readOpenMetrics(await (await fetch(`${server.url}/metrics`)).text());
    const samples = families.flatMap(({ samples }) => samples).filter(({ name }) => name.startsWith('movelet_log_'));
    return Object.fromEntries(
      samples.map(({ name, labels, value }) => [`${name}${Object.values(labels).map((label) => ` ${label}`)}`, value]),
    );
  } finally {
    await server.close();
    await rpc.close();
  }
}

describe('the metrics of a shared log', () => {
  it('count the groups, commits and failures of a writer', async () => {
    await using cluster = new Cluster();
    const faults: Fault[] = ['none', 'refused', 'lost after'];
    const log = new FaultyLog(await cluster.log(), { append: () => faults.shift() ?? 'none' });
    const writer = await cluster.open({ commitLog: log });
    await writer.executeAs(alice, payment(bob));
    await Promise.all([1, 2, 3].map(() => writer.executeAs(alice, payment(bob))));
    const metrics = await logMetrics(writer);
    expect(metrics).toMatchObject({
      'movelet_log_info writer': 1,
      movelet_log_active: 1,
      movelet_log_epoch: 1,
      movelet_log_applied_order: 4,
      movelet_log_head_order: 4,
      movelet_log_behind_commits: 0,
      movelet_log_appended_commits_total: 4,
      movelet_log_append_failures_total: 2,
    });
    // A busy machine splits a group.
    expect([2, 3, 4]).toContain(metrics['movelet_log_appends_total']);
    expect(metrics['movelet_log_append_seconds_total']).toBeGreaterThan(0);
    const successor = await cluster.writer();
    await expect(writer.executeAs(alice, payment(bob))).rejects.toMatchObject({ code: 'fenced' });
    expect(await logMetrics(writer)).toMatchObject({ movelet_log_active: 0 });
    expect(await logMetrics(successor)).toMatchObject({ movelet_log_active: 1, movelet_log_epoch: 2 });
  });

  it('say how far a reader is, and how long it has been behind', async () => {
    await using cluster = new Cluster();
    const writer = await cluster.writer();
    const log = new FaultyLog(await cluster.log(), {
      read: (record) => (record.order === 2n ? { ...record, bytes: new Uint8Array(200) } : record),
    });
    const reader = await cluster.open({ commitLog: log, role: 'reader' });
    for (let count = 0; count < 3; count++) await writer.executeAs(alice, payment(bob));
    await logStatus(reader, ({ state, head }) => state === 'stopped' && head > 0n);
    const metrics = await logMetrics(reader);
    const head = Number(reader.status().log!.head);
    expect(metrics).toMatchObject({
      'movelet_log_info reader': 1,
      movelet_log_active: 0,
      movelet_log_epoch: 1,
      movelet_log_applied_order: 1,
      movelet_log_head_order: head,
      movelet_log_behind_commits: head - 1,
    });
    expect(metrics['movelet_log_age_seconds']).toBeGreaterThan(0);
    expect(Object.keys(metrics).filter((name) => name.includes('append'))).toEqual([]);
  });

  it('are absent without a log', async () => {
    await using cluster = new Cluster();
    expect(await logMetrics(await cluster.open({}))).toEqual({});
  });
});
