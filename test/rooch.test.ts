/** The transport of the official SDK in process: what its client cannot show. */
import { existsSync } from 'node:fs';
import { JsonRpcError } from '@roochnetwork/rooch-sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DEV_ACCOUNTS, Engine } from '../src/index.ts';
import { RoochRpcError, type RoochTransport, roochTransport } from '../src/server/rooch.ts';

const isBuilt = existsSync(new URL('../dist/worker.js', import.meta.url));
const [alice] = DEV_ACCOUNTS;
const UNKNOWN = { method: 'rooch_getBalance', params: ['0x3', '0x3::no::COIN'] };

let engine: Engine;
let transport: RoochTransport;

beforeAll(async () => {
  engine = await Engine.open();
  await engine.dev.mine({ to: alice!.regtestAddress });
  transport = roochTransport(engine);
});

afterAll(async () => {
  transport.destroy();
  await engine.close();
});

/** An item of a subscription to transactions. */
interface Item {
  readonly transaction: { readonly sequence_info: { readonly tx_order: string } };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

describe('requests', () => {
  it('give values that are shared with nobody', async () => {
    const ask = (): Promise<Record<string, unknown>> =>
      transport.request({ method: 'rooch_getBalance', params: [alice!.address, '0x3::gas_coin::RGas'] });
    const first = await ask();
    Object.assign(first, { fixedBalance: 1, balance: '0' });
    expect(await ask()).not.toEqual(first);
  });

  it("fail as over a port: with the SDK's own error", async () => {
    const answer = transport.request(UNKNOWN);
    await expect(answer).rejects.toBeInstanceOf(JsonRpcError);
    const theirs = new JsonRpcError('Can not find CoinInfo with coin_type: 0x3::no::COIN', 2);
    const { code, type } = theirs;
    await expect(answer).rejects.toMatchObject({ message: theirs.message, code, type });
  });

  it.each([
    'status ABORTED of type Execution with sub status 66537',
    'status ABORTED of type Execution with sub status 1012',
    'status ABORTED of type Execution with sub status 65536',
    'status ABORTED of type Execution with sub status 0',
    'sub status',
    'something else',
  ])('number and name errors as the SDK does: %s', (message) => {
    const { code, type } = new JsonRpcError(message, 2);
    expect(new RoochRpcError(message, 2)).toMatchObject({ message, code, type });
  });

  it('fail with another class where it is given', async () => {
    const own = roochTransport(engine, { JsonRpcError: RoochRpcError });
    await expect(own.request(UNKNOWN)).rejects.toBeInstanceOf(RoochRpcError);
    own.destroy();
  });
});

describe('subscriptions', () => {
  const orders = (items: readonly Item[]): string[] =>
    items.map(({ transaction }) => transaction.sequence_info.tx_order);

  it('from a past order on miss nothing, not even what comes before the id does', async () => {
    const items: Item[] = [];
    const params = ['all', { from_order: '0' }];
    const end = await transport.subscribe<Item>({
      method: 'rooch_subscribeTransactions',
      params,
      onMessage: (item) => items.push(item),
    });
    await expect.poll(() => orders(items)).toEqual(['0', '1', '2']);
    expect(await end()).toBe(true);
    expect(await end()).toBe(false);
  });

  it('end by a signal, before or after they began', async () => {
    const items: Item[] = [];
    const abort = new AbortController();
    const input = {
      method: 'rooch_subscribeTransactions',
      params: ['all'],
      onMessage: (item: Item) => items.push(item),
      signal: abort.signal,
    };
    const end = await transport.subscribe(input);
    abort.abort();
    expect(await end()).toBe(false);
    await expect(transport.subscribe(input)).rejects.toThrow();
    await engine.dev.mine({ to: alice!.regtestAddress });
    await settled();
    expect(items).toEqual([]);
  });

  it('give no item after they were ended, not even one that was on its way', async () => {
    const given = { signal: 0, unsubscribe: 0, destroy: 0 };
    const request = { method: 'rooch_subscribeTransactions', params: ['all', { from_order: '0' }] };
    const gone = new AbortController();
    const bySignal = (): void => {
      given.signal++;
      gone.abort();
    };
    await transport.subscribe({ ...request, signal: gone.signal, onMessage: bySignal });
    let unsubscribe: (() => Promise<boolean>) | undefined;
    const byCall = (): void => {
      given.unsubscribe++;
      void unsubscribe?.();
    };
    unsubscribe = await transport.subscribe({ ...request, onMessage: byCall });
    const other = roochTransport(engine);
    const byDestroying = (): void => {
      given.destroy++;
      other.destroy();
    };
    await other.subscribe({ ...request, onMessage: byDestroying });
    expect(engine.head.order).toBeGreaterThan(0n);
    await vi.waitFor(() => expect(Object.values(given)).not.toContain(0), { timeout: 200_000 });
    await settled();
    expect(given).toEqual({ signal: 1, unsubscribe: 1, destroy: 1 });
  });

  it('end by a signal after the engine is closed, too', async () => {
    const closed = await Engine.open();
    const own = roochTransport(closed);
    const abort = new AbortController();
    const params = ['all'];
    const onMessage = (): void => {};
    await own.subscribe({ method: 'rooch_subscribeTransactions', params, onMessage, signal: abort.signal });
    await closed.close();
    const rejected: unknown[] = [];
    const note = (reason: unknown): number => rejected.push(reason);
    process.on('unhandledRejection', note);
    abort.abort();
    await settled();
    process.off('unhandledRejection', note);
    expect(rejected).toEqual([]);
  });

  it('learn that the engine was closed', async () => {
    const closed = await Engine.open();
    const own = roochTransport(closed);
    const errors: string[] = [];
    await own.subscribeWithSSE({
      method: '/subscribe/sse/transactions',
      params: 'all',
      onMessage: () => {},
      onError: ({ message }) => errors.push(message),
    });
    await closed.close();
    await expect.poll(() => errors).toEqual(['the engine was closed; subscribe again from order 1']);
  });

  it('end with the transport, which then takes no request', async () => {
    const items: Item[] = [];
    const own = roochTransport(engine);
    const end = await own.subscribe<Item>({
      method: 'rooch_subscribeTransactions',
      params: ['all'],
      onMessage: (item) => items.push(item),
    });
    own.destroy();
    await engine.dev.mine({ to: alice!.regtestAddress });
    await settled();
    expect(items).toEqual([]);
    expect(await end()).toBe(false);
    await expect(own.request(UNKNOWN)).rejects.toMatchObject({ code: 'closed' });
    expect(await transport.request({ method: 'rooch_getChainID', params: [] })).toBe('4');
  });

  it.skipIf(!isBuilt)(
    `end with the transport, which gives back the thread that it lent${isBuilt ? '' : ' (skipped: not built, and the program of the thread is in the build)'}`,
    async () => {
      const back = vi.fn();
      const lend = vi.spyOn(engine.inside.core.longWork, 'lend').mockReturnValue(back);
      const own = roochTransport(engine);
      lend.mockRestore();
      expect(back).not.toHaveBeenCalled();
      own.destroy();
      own.destroy();
      expect(back).toHaveBeenCalledTimes(1);
    },
  );

  it('refuse a wrong filter and an unknown stream', async () => {
    const onMessage = (): void => {};
    const filter = transport.subscribe({ method: 'rooch_subscribeEvents', params: ['some'], onMessage });
    await expect(filter).rejects.toMatchObject({ code: -32602 });
    const stream = transport.subscribeWithSSE({ method: '/subscribe/sse/blocks', params: 'all', onMessage });
    await expect(stream).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});
