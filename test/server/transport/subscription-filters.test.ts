/**
 * Every filter of subscriptions, over every transport that pushes: from the first order on, each gives what a query with
 * the same filter gives, in the order in which it came about.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../../../src/index.ts';
import { createRpc, serveHttp } from '../../../src/server/index.ts';
import { payment } from '../../payment.ts';
import { openLinks } from './links.ts';

/** Subscribes over a transport and gives what is pushed, until it has as many as are wanted. */
type Listen = (stream: 'events' | 'transactions', filter: unknown, count: number) => Promise<readonly unknown[]>;

let now = 1_700_000_000_000n;
const engine = await Engine.open({ clock: () => ++now });
const rpc = createRpc(engine);
const server = await serveHttp(rpc, { port: 0 });
const { links, close } = await openLinks(rpc, server.url);
const [alice, bob] = engine.accounts;
await engine.execute(alice!.signTransaction(payment(String(bob), 5n)));
await engine.execute(bob!.signTransaction(payment('0xbeef', 5n)));
await engine.dev.mint(bob!.address, 1n);

afterAll(async () => {
  await close();
  await server.close();
  await engine.close();
});

const TRANSPORTS: readonly (readonly [string, Listen])[] = [
  ...links
    .filter(({ isPushed }) => isPushed)
    .map((link): [string, Listen] => [
      link.name,
      async (stream, filter, count) => {
        const method = stream === 'events' ? 'rooch_subscribeEvents' : 'rooch_subscribeTransactions';
        const id = await link.ask(method, filter, { from_order: '0' });
        const pushed = () => link.pushed.filter(({ params }) => params.subscription === id);
        while (pushed().length < count) await new Promise((resolve) => setTimeout(resolve, 1));
        return pushed().map(({ params }) => params.result);
      },
    ]),
  [
    'server-sent events',
    async (stream, filter, count) => {
      const gone = new AbortController();
      const query = `filter=${encodeURIComponent(JSON.stringify(filter))}&from_order=0`;
      const response = await fetch(`${server.url}/subscribe/sse/${stream}?${query}`, { signal: gone.signal });
      let text = '';
      let items: unknown[] = [];
      for await (const chunk of response.body!) {
        text += Buffer.from(chunk).toString();
        items = [...text.matchAll(/^data: (.*)\n/gm)].map(([, data]) => JSON.parse(data!));
        if (items.length >= count) break;
      }
      gone.abort();
      return items;
    },
  ],
];

/** Where an item stands: its order, and its index where it is an event. */
const placeOf = (item: unknown): string => {
  const { indexer_event_id: id, transaction } = item as {
    indexer_event_id?: { tx_order: string; event_index: string };
    transaction?: { sequence_info: { tx_order: string } };
  };
  return id === undefined ? `${transaction?.sequence_info.tx_order}` : `${id.tx_order}.${id.event_index}`;
};

describe.each(TRANSPORTS)('over %s', (_name, listen) => {
  const filters = (): [stream: 'events' | 'transactions', filter: Record<string, unknown>][] => {
    const [alice, bob] = engine.accounts.map(String);
    const { events } = engine;
    const { hash } = engine.transactions.get(1n)!;
    const handle = String(events.ofTransaction(1n)[0]!.event.handle);
    const time = (order: bigint) => String(engine.transactions.get(order)!.transaction.sequenceInfo.txTimestamp);
    const time_range = { start_time: time(1n), end_time: time(3n) };
    const tx_order_range = { from_order: '2', to_order: '3' };
    const type = '0x3::coin_store::DepositEvent';
    return [
      ['events', { event_type: type }],
      ['events', { event_type_with_sender: { event_type: type, sender: bob } }],
      ['events', { event_handle: handle }],
      ['events', { event_handle_with_sender: { event_handle_id: handle, sender: alice } }],
      ['events', { sender: bob }],
      ['events', { tx_hash: String(hash) }],
      ['events', { time_range }],
      ['events', { tx_order_range }],
      ['transactions', { sender: alice }],
      ['transactions', { tx_hashes: [String(hash)] }],
      ['transactions', { time_range }],
      ['transactions', { tx_order_range }],
    ];
  };

  it('every filter gives what a query with it gives', async () => {
    for (const [stream, filter] of filters()) {
      const query = stream === 'events' ? 'rooch_queryEvents' : 'rooch_queryTransactions';
      const page = await rpc.request(query, [filter, null, '200', { descending: false, decode: false }] as never);
      const expected = (page as { data: unknown[] }).data.map(placeOf);
      expect(expected.length, JSON.stringify(filter)).toBeGreaterThan(0);
      const items = await listen(stream, filter, expected.length);
      expect(items.map(placeOf), JSON.stringify(filter)).toEqual(expected);
    }
  });

  it('"all" gives every transaction and every event', async () => {
    expect((await listen('transactions', 'all', 4)).map(placeOf)).toEqual(['0', '1', '2', '3']);
    const count = [0n, 1n, 2n, 3n].reduce((sum, order) => sum + engine.events.ofTransaction(order).length, 0);
    const places = (await listen('events', 'all', count)).map(placeOf);
    expect(new Set(places).size).toBe(count);
  });
});
