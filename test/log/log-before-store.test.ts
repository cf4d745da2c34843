/** A commit is in the log before the store shows it, whatever its size, and not in the store if the log refuses it. */
import { describe, expect, it } from 'vitest';
import { COMMIT_SHARED_OPERATIONS_MAX } from '../../src/base/config.ts';
import { readHead } from '../../src/chain/ledger/head.ts';
import type { CommitLog, Engine } from '../../src/index.ts';
import { MemoryStore } from '../../src/store/index.ts';
import { collected } from '../collected.ts';
import { forge } from '../forge.ts';
import { executionOf } from '../journeys/edits.ts';
import { Cluster, logStatus } from './cluster.ts';
import { type Fault, FaultyLog } from './faulty-log.ts';

/** Commits a transaction that emits `count` events. */
function emit(engine: Engine, count: number): Promise<unknown> {
  const event = { type: '0x2::timestamp::Timestamp', data: new Uint8Array(8) };
  const block = { kind: 'l1-block', chainId: 0n, blockHeight: 0n, blockHash: new Uint8Array(32) } as const;
  return forge(engine, block, (state) => executionOf(state, { events: Array.from({ length: count }, () => event) }));
}

async function ordersIn(log: CommitLog): Promise<bigint[]> {
  return (await collected(log.read(1n))).map(({ order }) => order);
}

/** So many events that a commit shares no batch. */
const LARGE = COMMIT_SHARED_OPERATIONS_MAX / 4 + 1;

const SIZES = [
  ['small', 1],
  ['large', LARGE],
] as const;

describe.each(SIZES)('a %s commit', (_, count) => {
  it('is shown by no store while the log has not answered', async () => {
    await using cluster = new Cluster();
    let answer = (): void => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const store = new MemoryStore();
    const log = new FaultyLog(await cluster.log(), { hold: () => answered });
    const writer = await cluster.open({ commitLog: log, store });
    const before = await collected(store.scan({}));
    const made = emit(writer, count);
    while (log.appends === 0) await new Promise(setImmediate);
    const meanwhile = await collected(store.scan({}));
    answer();
    await made;
    expect(meanwhile).toEqual(before);
    expect(readHead(store)?.order).toBe(1n);
  });

  it('leaves the store as it was if the log refuses it', async () => {
    await using cluster = new Cluster();
    const store = new MemoryStore();
    const log = await cluster.log();
    const writer = await cluster.open({ commitLog: log, store });
    const before = await collected(store.scan({}));
    await cluster.writer();
    await expect(emit(writer, count)).rejects.toMatchObject({ code: 'fenced' });
    expect(await collected(store.scan({}))).toEqual(before);
    expect(writer.status()).toMatchObject({ service: 'maintenance', log: { state: 'fenced' } });
  });
});

it('a record that the log finds too long is refused alone, and the writer goes on', async () => {
  await using cluster = new Cluster();
  const faults: Fault[] = ['too long'];
  const log = new FaultyLog(await cluster.log(), { append: () => faults.shift() ?? 'none' });
  const writer = await cluster.open({ commitLog: log });
  await expect(emit(writer, LARGE)).rejects.toMatchObject({ code: 'limit-exceeded' });
  expect(writer.status()).toMatchObject({ service: 'active', log: { state: 'writing', problem: undefined } });
  await emit(writer, 1);
  expect(await ordersIn(log)).toEqual([1n]);
});

it('an append that arrives after its writer looked, and before it tried again, counts once', async () => {
  await using cluster = new Cluster();
  const faults: Fault[] = ['delayed'];
  const log = new FaultyLog(await cluster.log(), { append: () => faults.shift() ?? 'none' });
  const writer = await cluster.open({ commitLog: log });
  await emit(writer, 1);
  expect(await logStatus(writer, ({ state }) => state === 'writing')).toMatchObject({ applied: 1n });
  await emit(writer, 1);
  expect(await ordersIn(log)).toEqual([1n, 2n]);
  expect(writer.head.order).toBe(2n);
});
