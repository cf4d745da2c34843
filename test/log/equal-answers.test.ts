/** A reader answers what its writer answers, to the byte, to every method that reads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/index.ts';
import { createRpc, type Rpc } from '../../src/server/index.ts';
import { methodTable } from '../../src/server/rpc/methods.ts';
import { seed } from '../effort.ts';
import { questions, reads } from '../server/rpc/every-read.ts';
import { Cluster, reached } from './cluster.ts';
import { MIXED_OPTIONS, playMixedRun } from './recording/mixed-run.ts';

/** Members of a status that say who answers. */
const OWN = /"service_status":"[^"]*"|,"log_status":\{[^}]*\}/g;

let cluster: Cluster;
let writer: Engine;
let [there, here]: Rpc[] = [];

beforeAll(async () => {
  cluster = new Cluster();
  // Both by the chain's own time: dry runs and dev_time give that of the node's clock where it has one.
  writer = await cluster.writer(MIXED_OPTIONS);
  // One that followed from the beginning would do as well; this one reads all of it at once, in large groups.
  await playMixedRun(writer, { seed, orders: 110 });
  const reader = await cluster.reader(MIXED_OPTIONS);
  await reached(reader, writer.head.order);
  there = createRpc(writer, { dev: true });
  here = createRpc(reader, { dev: true });
});

afterAll(async () => {
  await there?.close();
  await here?.close();
  await cluster[Symbol.asyncDispose]();
});

describe('the answers of a reader', () => {
  it('are those of its writer, to the byte, for every method that reads', async () => {
    const asked = await questions(there!, String(writer.head.order));
    let answered = 0;
    for (const { name, row } of reads) {
      const more = asked[name.slice(name.indexOf('_') + 1)] ?? [];
      for (const params of [row.example, ...more]) {
        for (const path of ['/', '/rooch']) {
          const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params });
          const [wanted, answer] = [await there!.handle(text, { path }), await here!.handle(text, { path })];
          if (name.endsWith('_status')) {
            expect(answer!.match(OWN)).toHaveLength(2);
            expect(answer!.replace(OWN, ''), name).toBe(wanted!.replace(OWN, ''));
          } else expect(answer, text.slice(0, 200)).toBe(wanted);
          if (JSON.parse(wanted!).error === undefined) answered++;
        }
      }
    }
    expect(reads.length).toBeGreaterThan(50);
    // Most of what is asked has an answer that is not an error.
    expect(answered).toBeGreaterThan(2 * reads.length);
  });

  it('cover every method except those that write or belong to one connection', () => {
    const all = [...methodTable(['chain'], true).values()];
    const others = all.filter((method) => !reads.some(({ name }) => name === method.name)).map(({ name }) => name);
    expect(others.sort()).toEqual([
      'btc_broadcastTX',
      'chain_executeRawTransaction',
      'chain_sendRawTransaction',
      'chain_subscribeEvents',
      'chain_subscribeTransactions',
      'chain_unsubscribeEvents',
      'chain_unsubscribeTransactions',
      'dev_advanceTime',
      'dev_call',
      'dev_dropFork',
      'dev_fork',
      'dev_fund',
      'dev_mine',
      'dev_publish',
      'dev_reset',
      'dev_revert',
      'dev_setField',
      'dev_setObject',
      'dev_setTime',
      'dev_snapshot',
    ]);
  });
});
