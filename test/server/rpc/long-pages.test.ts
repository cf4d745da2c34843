/**
 * Long pages at once. Before they waited for each other, 250 connections that asked for a thousand transactions each made a
 * node hold 1.2 GB after 30 s, and more each second.
 */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PAGE_ITEMS_DEFAULT } from '../../../src/base/config.ts';
import { Engine } from '../../../src/index.ts';
import { StateQueries } from '../../../src/query/state.ts';
import { createRpc, type RpcEngine } from '../../../src/server/index.ts';
import { LONG_PAGES_AT_ONCE } from '../../../src/server/rpc/fair-queue.ts';
import { payment } from '../../payment.ts';

describe('a flood of pages', () => {
  const all = { tx_order_range: { from_order: '0', to_order: '1000000' } };
  const page = (limit: string | null): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'chain_queryTransactions', params: [all, null, limit, true] });

  it('holds few at a time until they are text, and other requests do not wait with them', async () => {
    await using engine = await Engine.open();
    for (let block = 0; block < 60; block++) await engine.dev.mine({ to: engine.accounts[0]!.bitcoin });
    // However long this machine takes, none is a slow one, which would make room for another.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let [making, most, short, open] = [0, 0, 0, 0];
    const counted = {
      at: () => {
        const view = engine.at();
        const chain = view.inside;
        most = Math.max(most, ++making);
        const list = async (...given: Parameters<typeof chain.transactions.list>): Promise<unknown> => {
          const found = await chain.transactions.list(...given);
          // It is held until others have been served, and as many are being made as there can be.
          for (let round = 0; round < 5 || making < Math.min(LONG_PAGES_AT_ONCE, open); round++)
            await new Promise((resolve) => setImmediate(resolve));
          return found;
        };
        const dispose = (): void => {
          making--;
          view[Symbol.dispose]();
        };
        const inside = new Proxy(chain, {
          get: (target, name) => (name === 'transactions' ? { list } : Reflect.get(target, name, target)),
        });
        return { inside, [Symbol.dispose]: dispose };
      },
    } as Partial<RpcEngine> as RpcEngine;
    const rpc = createRpc(counted);
    const ask = async (limit: string): Promise<string | undefined> => {
      open++;
      const answer = await rpc.handle(page(limit), { connection: {} });
      open--;
      return answer;
    };
    const right = await createRpc(engine).handle(page('1000'));
    const pages = Array.from({ length: 30 }, async () => {
      expect(await ask('1000')).toBe(right);
      return short;
    });
    const others = Array.from({ length: 30 }, async () => {
      await ask('1');
      short++;
    });
    await Promise.all(others);
    expect(most).toBeGreaterThan(LONG_PAGES_AT_ONCE);
    expect(Math.max(...(await Promise.all(pages)))).toBe(30);
    [making, most] = [0, 0];
    await Promise.all(Array.from({ length: 30 }, () => ask('51')));
    expect(most).toBe(LONG_PAGES_AT_ONCE);
  });

  it('is not produced for clients that are gone', async () => {
    await using engine = await Engine.open();
    let isGone = false;
    let views = 0;
    const counted = {
      at: () => {
        views++;
        isGone = true;
        return engine.at();
      },
    } as Partial<RpcEngine> as RpcEngine;
    const rpc = createRpc(counted);
    const asked = Array.from({ length: 5 }, () => rpc.handle(page('1000'), { isGone: () => isGone }));
    await Promise.all(asked);
    expect(views).toBe(1);
  });
});

describe('a long page that is put together from short ones', () => {
  it('is the page that a program gets, with any limit, cursor and order', async () => {
    await using engine = await Engine.open();
    const [sender, receiver] = engine.accounts;
    for (let sent = 0; sent < 170; sent++) await engine.executeAs(sender!.address, payment(receiver!.address, 1n));
    const rpc = createRpc(engine);
    const handle = '0x3::coin_store::DepositEvent';
    const range = { tx_order_range: { from_order: 3, to_order: 168 } };
    for (const limit of ['51', '100', '101', '150', '1000']) {
      for (const [method, ...params] of [
        ['chain_getTransactionsByOrder', null, limit, true],
        ['chain_getTransactionsByOrder', '40', limit, false],
        ['rooch_getTransactionsByOrder', '160', limit, true],
        ['chain_getTransactionsByOrder', '170', limit, false],
        ['chain_queryTransactions', range, '5', limit, { descending: false }],
        ['rooch_queryTransactions', { sender: `${sender}` }, null, limit],
        ['chain_getEventsByEventHandle', handle, '20', limit, false],
        ['rooch_getEventsByEventHandle', handle, null, limit, true, { decode: true }],
        ['chain_queryEvents', { event_type: handle }, { tx_order: '9', event_index: '1' }, limit],
      ] as const) {
        const { result, error } = JSON.parse(
          (await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))!,
        );
        expect(error, method).toBeUndefined();
        const whole = await rpc.request(method as 'chain_getTransactionsByOrder', params as never);
        expect(result, `${method} ${limit}`).toEqual(JSON.parse(JSON.stringify(whole)));
      }
    }
  });
});

describe('a long page of states', () => {
  it('is put together from short ones as if it had been read at once, also where they end', async () => {
    await using engine = await Engine.open();
    for (let account = 0; account < 130; account++) {
      await engine.executeAs(engine.accounts[0]!.address, payment(`0x${(0x1000 + account).toString(16)}`, 1n));
    }
    const rpc = createRpc(engine);
    const lengths = new Set<number>();
    const compare = async (method: 'chain_listStates' | 'rooch_listFieldStates', of: string): Promise<void> => {
      for (const limit of ['51', '100', '101', '150', '200']) {
        for (let cursor: string | null = null, pages = 0; pages < 3; pages++) {
          const params: [string, string | null, string, { decode: boolean }] = [of, cursor, limit, { decode: true }];
          const listed = vi.spyOn(StateQueries.prototype, 'list');
          const written = await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
          for (const [, asked] of listed.mock.calls) expect(asked?.limit).toBeLessThanOrEqual(PAGE_ITEMS_DEFAULT);
          expect(listed).toHaveBeenCalled();
          listed.mockRestore();
          // Programs get values, which are read at once.
          const page = await rpc.request(method, params);
          expect(JSON.parse(written!).result).toEqual(JSON.parse(JSON.stringify(page)));
          lengths.add(page.data.length);
          cursor = page.next_cursor;
          if (!page.has_next_page) break;
        }
      }
    };
    await compare('chain_listStates', '/object');
    await compare('rooch_listFieldStates', '0x2');
    // Full pages, and last ones.
    expect(lengths.has(100)).toBe(true);
    expect(lengths.size).toBeGreaterThan(5);
  });
});
