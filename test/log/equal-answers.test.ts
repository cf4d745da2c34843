/** A reader answers what its writer answers, to the byte, to every method that reads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS, type Engine } from '../../src/index.ts';
import { createRpc, type Rpc } from '../../src/server/rpc/index.ts';
import { type MethodName, methodTable } from '../../src/server/rpc/methods.ts';
import { seed } from '../effort.ts';
import { Cluster } from './cluster.ts';
import { MIXED_OPTIONS, playMixedRun } from './recording/mixed-run.ts';

const GAS = '0x3::gas_coin::RGas';
const [alice, bob] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];

const RANGE = { tx_order_range: { from_order: 0, to_order: 1000 } };

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
  await playMixedRun(writer, { seed, orders: 150 });
  const reader = await cluster.reader(MIXED_OPTIONS);
  await reader.waitFor(writer.head.order);
  there = createRpc(writer, { dev: true });
  here = createRpc(reader, { dev: true });
}, 60_000);

afterAll(async () => {
  await there?.close();
  await here?.close();
  await cluster[Symbol.asyncDispose]();
});

/** Methods that write, make something local, or belong to a connection. */
const LEFT_OUT = /subscribe|^dev_(snapshot|revert|reset|fork|dropFork)$|broadcastTX/i;
const reads = [...methodTable(['chain', 'rooch'], true).values()].filter(
  ({ name, row }) => row.isWrite !== true && !LEFT_OUT.test(name),
);

type Item = Readonly<Record<string, unknown>>;
type Asked = readonly (readonly unknown[])[];

/** What there is to ask about in this very chain. */
async function questions(): Promise<Readonly<Record<string, Asked>>> {
  const list = async (method: MethodName, params: readonly unknown[]): Promise<readonly Item[]> =>
    ((await there!.request(method, params as never)) as { readonly data: readonly Item[] }).data;
  const transactions = await list('chain_getTransactionsByOrder', [null, '200', false]);
  const hashes = transactions.map(({ execution_info: info }) => (info as { tx_hash: string }).tx_hash);
  const objects = await list('chain_queryObjectStates', [{ owner: alice }, null, '100', { decode: true }]);
  const outputs = await list('btc_queryUTXOs', [null, null, '100', true]);
  const ids = [...objects, ...outputs].map(({ id }) => id as string);
  const events = await list('chain_queryEvents', [RANGE, null, '100', { decode: true }]);
  const handles = [...new Set(events.map((event) => JSON.stringify(event['event_type'])))];
  expect(hashes.length, 'transactions').toBeGreaterThan(100);
  expect(ids.length, 'objects').toBeGreaterThan(2);
  expect(events.length, 'events').toBeGreaterThan(20);
  expect(handles.length, 'types of events').toBeGreaterThan(2);
  const last = String(writer.head.order);
  return {
    getTransactionsByHash: [[hashes]],
    getTransactionsByOrder: [
      [null, '200', false],
      [null, '200', true],
      [last, '200', true],
    ],
    queryTransactions: [
      [RANGE, null, '200', { descending: true }],
      [{ sender: alice }, null, '200', { decode: true }],
    ],
    syncStates: [['all', null, '100', { decode: true }]],
    checkChangeSets: [[null, '100', null]],
    getStates: [
      [
        ids
          .slice(0, 50)
          .map((id) => `/object/${id}`)
          .join(','),
        { decode: true },
      ],
    ],
    getObjectStates: [[ids.slice(0, 100).join(','), { decode: true, showDisplay: true }]],
    queryObjectStates: [[{ owner: alice }, null, '100', { decode: true }]],
    listFieldStates: ids.slice(0, 20).map((id) => [id, null, '50', { decode: true }]),
    getBalances: [
      [alice, null, '50'],
      [bob, null, '50'],
    ],
    getBalance: [
      [alice, GAS],
      [bob, GAS],
    ],
    queryEvents: [
      [RANGE, null, '200', { decode: true }],
      [RANGE, null, '200', { descending: true }],
    ],
    getEventsByEventHandle: handles.map((handle) => [JSON.parse(handle), null, '100', false, { decode: true }]),
    queryUTXOs: [[null, null, '100', { decode: true }]],
    queryInscriptions: [[null, null, '100', { decode: true }]],
    getHistory: ids.slice(0, 20).map((id) => [id]),
    getBlame: ids.slice(0, 20).map((id) => [id]),
    getDiff: [[0, last, null, '200']],
    getProof: ids.slice(0, 20).map((id) => [{ object_id: id }]),
    trace: hashes.slice(-20).map((hash) => [hash]),
    executeViewFunction: [[{ function_id: '0x3::gas_coin::balance', ty_args: [], args: [alice] }]],
  };
}

describe('the answers of a reader', () => {
  it('are those of its writer, to the byte, for every method that reads', async () => {
    const asked = await questions();
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
