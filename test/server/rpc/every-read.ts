/** Every method that reads, and what there is to ask about in a chain that the mixed run made. */
import { expect } from 'vitest';
import { DEV_ACCOUNTS } from '../../../src/index.ts';
import type { MethodName, Rpc } from '../../../src/server/index.ts';
import { methodTable, type NamedMethod } from '../../../src/server/rpc/methods.ts';

const GAS = '0x3::gas_coin::RGas';
const [alice, bob] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];

const RANGE = { tx_order_range: { from_order: 0, to_order: 1000 } };

/** Methods that write, make something local, or belong to a connection. */
const LEFT_OUT = /subscribe|^dev_(snapshot|revert|reset|fork|dropFork)$|broadcastTX/i;
/** Methods that read, by their names. */
export const reads: readonly NamedMethod[] = [...methodTable(['chain', 'rooch'], true).values()].filter(
  ({ name, row }) => row.isWrite !== true && !LEFT_OUT.test(name),
);

type Item = Readonly<Record<string, unknown>>;
type Asked = readonly (readonly unknown[])[];

/** Parameters to ask for, by the name of a method without its prefix. */
export async function questions(rpc: Rpc, last: string): Promise<Readonly<Record<string, Asked>>> {
  const list = async (method: MethodName, params: readonly unknown[]): Promise<readonly Item[]> =>
    ((await rpc.request(method, params as never)) as { readonly data: readonly Item[] }).data;
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
    listFieldStates: ids.slice(0, 8).map((id) => [id, null, '50', { decode: true }]),
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
    getHistory: ids.slice(0, 8).map((id) => [id]),
    getBlame: ids.slice(0, 8).map((id) => [id]),
    getDiff: [[0, last, null, '200']],
    getProof: ids.slice(0, 8).map((id) => [{ object_id: id }]),
    trace: hashes.slice(-8).map((hash) => [hash]),
    executeViewFunction: [[{ function_id: '0x3::gas_coin::balance', ty_args: [], args: [alice] }]],
  };
}
