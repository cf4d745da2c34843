/**
 * Subscriptions over the adapter: what is pushed, from where, to whom, and when they end. That nothing is missing or comes
 * twice while clients come and go and the chain goes back: resumption.test.ts.
 */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  CONNECTION_SUBSCRIPTIONS_MAX,
  SUBSCRIPTION_ITEMS_AT_ONCE,
  SUBSCRIPTION_LAG_ORDERS_MAX,
  SUBSCRIPTION_PAGE_ITEMS,
  WRITER_GROUP_COMMITS_MAX,
} from '../../../src/base/config.ts';
import type { EngineOptions } from '../../../src/engine/engine-options.ts';
import { createRpc, type Rpc } from '../../../src/server/index.ts';
import type { HandOutput } from '../../journeys/edits.ts';
import { HandEngine } from '../../journeys/hand.ts';
import { temporaryDirectories } from '../../store/temporary.ts';

const directory = temporaryDirectories();

interface Pushed {
  readonly method: string;
  readonly params: {
    readonly subscription: number;
    readonly result?: Record<string, unknown>;
    readonly reverted?: { readonly next_order: string };
    readonly error?: { readonly message: string; readonly data: { readonly from_order: string } };
  };
}

/** A connection that notes what is pushed to it. */
class Connection {
  readonly pushed: Pushed[] = [];
  readonly gone = new AbortController();
  isOpen = true;
  isWritable = true;
  /** After how many more items it takes no more until it is told to. */
  room = Number.POSITIVE_INFINITY;
  readonly #rpc: Rpc;
  readonly #context = {
    notify: (text: string) => {
      if (this.isOpen) this.pushed.push(JSON.parse(text) as Pushed);
      this.room--;
      return this.isOpen;
    },
    isWritable: () => this.isWritable && this.room > 0,
    closed: this.gone.signal,
  };

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
    onTestFinished(() => this.gone.abort());
  }

  call(method: string, ...params: unknown[]): Promise<{ result?: unknown; error?: { code: number } }> {
    return this.send({ method, params });
  }

  /** `members`: those of the request besides `jsonrpc` and `id`. */
  async send(members: Record<string, unknown>): Promise<{ result?: unknown; error?: { code: number } }> {
    return JSON.parse((await this.#rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, ...members }), this.#context))!);
  }

  /** What one subscription was sent, as orders of transactions. */
  orders(subscription: unknown): (string | undefined)[] {
    return this.pushed
      .filter(({ params }) => params.subscription === subscription)
      .map(({ params: { result } }) => (result as { transaction: { sequence_info: { tx_order: string } } }).transaction)
      .map(({ sequence_info: info }) => info.tx_order);
  }
}

/** Only a failure waits this long. */
const PATIENCE = { timeout: 200_000, interval: 5 };

const settled = async (): Promise<void> => {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setTimeout(resolve, 5));
};

async function world(options: EngineOptions = {}): Promise<{ hand: HandEngine; connection: Connection; rpc: Rpc }> {
  const hand = await HandEngine.open(options);
  onTestFinished(() => hand.engine.close());
  const rpc = createRpc(hand.engine);
  return { hand, rpc, connection: new Connection(rpc) };
}

describe('a subscription to transactions', () => {
  it('gives every one from the next on, in order, in the form of its prefix', async () => {
    const { hand, connection } = await world();
    await hand.commit();
    const { result: id } = await connection.call('rooch_subscribeTransactions', 'all');
    for (let count = 0; count < 3; count++) await hand.commit();
    await vi.waitFor(() => expect(connection.orders(id)).toEqual(['2', '3', '4']), PATIENCE);
    expect(connection.pushed[0]).toMatchObject({
      method: 'rooch_subscribeTransactions',
      params: { subscription: id, result: { execution_info: { status: { type: 'executed' } } } },
    });
  });

  it('gives what was committed before its submitter is told, also when many share a batch', async () => {
    const { hand, connection } = await world({ store: directory() });
    const { result: id } = await connection.call('rooch_subscribeTransactions', 'all');
    await new Promise(setImmediate);
    const submitted = Array.from({ length: WRITER_GROUP_COMMITS_MAX + 10 }, async () => {
      const { record } = await hand.commit();
      expect(connection.orders(id)).toContain(String(record.order));
    });
    await Promise.all(submitted);
  });

  it('gives only those of a filter', async () => {
    const { hand, connection } = await world();
    const { result: mine } = await connection.call('rooch_subscribeTransactions', { sender: '0x42' });
    const { result: none } = await connection.call('rooch_subscribeTransactions', { sender: '0x43' });
    const { result: range } = await connection.call('rooch_subscribeTransactions', {
      tx_order_range: { from_order: 2, to_order: 3 },
    });
    for (let count = 0; count < 3; count++) await hand.commit();
    await vi.waitFor(() => expect(connection.orders(mine)).toEqual(['1', '2', '3']), PATIENCE);
    await settled();
    expect(connection.orders(none)).toEqual([]);
    expect(connection.orders(range)).toEqual(['2']);
  });
});

describe('a subscription to events', () => {
  it('gives those of a filter, decoded if asked for', async () => {
    const { hand, connection } = await world();
    const { result: id } = await connection.call('chain_subscribeEvents', { event_type: '0x42::game::Moved' });
    const data = Uint8Array.of(7);
    await hand.commit({ events: ['Moved', 'Other', 'Moved'].map((name) => ({ type: `0x42::game::${name}`, data })) });
    await vi.waitFor(() => expect(connection.pushed).toHaveLength(2), PATIENCE);
    expect(connection.pushed.map(({ params }) => [params.subscription, params.result])).toEqual([
      [id, expect.objectContaining({ event_type: '0x42::game::Moved', event_data: '0x07', decoded_event_data: null })],
      [id, expect.objectContaining({ indexer_event_id: { tx_order: 1, event_index: 2 } })],
    ]);
  });
});

describe('a subscription to some events of a transaction with many', () => {
  const data = Uint8Array.of(7);
  const [size, count] = [SUBSCRIPTION_PAGE_ITEMS, 3 * SUBSCRIPTION_PAGE_ITEMS];
  /** At these places among others. */
  const among = (places: readonly number[]): HandOutput => ({
    events: Array.from({ length: count }, (_, index) => ({
      type: places.includes(index) ? '0x42::game::Moved' : '0x42::game::Other',
      data,
    })),
  });
  const filter = JSON.stringify({ event_type: '0x42::game::Moved' });

  it.each([
    ['around the end of what is read at once', [0, size - 1, size, 2 * size - 1]],
    ['at the end', [count - 1]],
    ['far apart', [1, count - 2]],
  ])('gives each of them, and says which is the last: %s', async (_, places) => {
    const { hand, rpc } = await world();
    const sent: unknown[] = [];
    await rpc.stream!(
      { topic: 'events', filter, fromOrder: '0', forms: 'interface' },
      {
        // The last one says that the engine is closed.
        send: (event, text, id) => event === 'error' || sent.push([JSON.parse(text).indexer_event_id, id]),
        isWritable: () => true,
        end: () => {},
        closed: new AbortController().signal,
      },
    );
    await hand.commit(among(places));
    await hand.commit(among([5]));
    await vi.waitFor(() => expect(sent).toHaveLength(places.length + 1), PATIENCE);
    expect(sent).toEqual([
      ...places.map((place) => [{ tx_order: 1, event_index: place }, place === places.at(-1) ? '1' : undefined]),
      [{ tx_order: 2, event_index: 5 }, '2'],
    ]);
  });

  it('starts over when the chain goes back to before it, whatever it has seen of it', async () => {
    const { hand, connection } = await world();
    const snapshot = hand.engine.snapshot();
    await connection.call('chain_subscribeEvents', JSON.parse(filter));
    await settled();
    connection.room = 0;
    // Not sent yet, and gone before it could be.
    await hand.commit(among([1, 3]));
    await settled();
    await hand.engine.revert(snapshot);
    await hand.commit(among([2]));
    connection.room = 10;
    await vi.waitFor(() => expect(connection.pushed).toHaveLength(1), PATIENCE);
    await settled();
    expect(connection.pushed.map(({ params }) => params.result)).toEqual([
      expect.objectContaining({ indexer_event_id: { tx_order: 1, event_index: 2 } }),
    ]);
  });
});

describe('many subscriptions', () => {
  const [CONNECTIONS, EACH, ORDERS] = [4, 25, 200];

  /** Subscribes all connections to the whole chain; returns a function that counts what they were pushed. */
  async function subscribeAll(rpc: Rpc, from?: string): Promise<() => number> {
    const connections = Array.from({ length: CONNECTIONS }, () => new Connection(rpc));
    for (const connection of connections) {
      for (let count = 0; count < EACH; count++) {
        await connection.call(
          'rooch_subscribeTransactions',
          'all',
          ...(from === undefined ? [] : [{ from_order: from }]),
        );
      }
    }
    return () => connections.reduce((sum, { pushed }) => sum + pushed.length, 0);
  }

  it('that catch up leave the thread to others after a small part of it', async () => {
    const { hand, rpc } = await world();
    await Promise.all(Array.from({ length: ORDERS }, () => hand.commit()));
    const pushed = await subscribeAll(rpc, '1');
    const rounds: number[] = [];
    const all = CONNECTIONS * EACH * ORDERS;
    for (let before = pushed(); before < all; before = pushed()) {
      await new Promise(setImmediate);
      rounds.push(pushed() - before);
    }
    expect(Math.max(...rounds)).toBeLessThan(all / 4);
  });

  it('of which one catches up with a long chain leave the thread to others as well', async () => {
    const { hand, connection } = await world();
    const count = 1_000;
    await Promise.all(Array.from({ length: count }, () => hand.commit()));
    await connection.call('rooch_subscribeTransactions', 'all', { from_order: '1' });
    let most = 0;
    for (let before = 0; before < count; before = connection.pushed.length) {
      await new Promise(setImmediate);
      most = Math.max(most, connection.pushed.length - before);
    }
    expect(most).toBeLessThan(count / 2);
  });

  it('that catch up let others take their turn', async () => {
    const { hand, rpc } = await world();
    await Promise.all(Array.from({ length: ORDERS }, () => hand.commit()));
    const pushed = await subscribeAll(rpc, '1');
    while (pushed() === 0) await new Promise(setImmediate);
    const other = new Connection(rpc);
    for (let count = 0; count < 3; count++) {
      await new Promise(setImmediate);
      expect(await other.call('chain_getChainID')).toMatchObject({ result: '4' });
    }
    expect(pushed()).toBeLessThan(CONNECTIONS * EACH * ORDERS);
  });

  it('read what they catch up on once for all', async () => {
    const { hand } = await world();
    await Promise.all(Array.from({ length: ORDERS }, () => hand.commit()));
    const read = new Map<bigint, number>();
    const rpc = createRpc(noting(hand.engine, read));
    const pushed = await subscribeAll(rpc, '1');
    await vi.waitFor(() => expect(pushed()).toBe(CONNECTIONS * EACH * ORDERS), PATIENCE);
    expect([...read]).toEqual(Array.from({ length: ORDERS }, (_, index) => [BigInt(index + 1), 1]));
  });

  it('that have caught up do not keep a submitter waiting for all of them', async () => {
    const { hand, rpc } = await world();
    const pushed = await subscribeAll(rpc);
    await settled();
    const commits = Math.ceil(SUBSCRIPTION_ITEMS_AT_ONCE / (CONNECTIONS * EACH)) + 1;
    await Promise.all(Array.from({ length: commits }, () => hand.commit()));
    expect(pushed()).toBeLessThan(commits * CONNECTIONS * EACH);
    await vi.waitFor(() => expect(pushed()).toBe(commits * CONNECTIONS * EACH), PATIENCE);
  });
});

/** An engine that notes how often each transaction is read from it. */
function noting(engine: HandEngine['engine'], read: Map<bigint, number>): HandEngine['engine'] {
  const at = (): ReturnType<typeof engine.at> => {
    const view = engine.at();
    const chain = view.inside;
    const { transactions } = chain;
    const noted = Object.create(transactions, {
      get: {
        value: (order: bigint) => {
          read.set(order, (read.get(order) ?? 0) + 1);
          return transactions.get(order);
        },
      },
    });
    const inside = new Proxy(chain, {
      get: (_, name) => (name === 'transactions' ? noted : own(chain, name)),
    });
    return new Proxy(view, { get: (_, name) => (name === 'inside' ? inside : own(view, name)) });
  };
  const own = (of: object, name: string | symbol): unknown => {
    const member = Reflect.get(of, name, of);
    return typeof member === 'function' ? member.bind(of) : member;
  };
  return new Proxy(engine, { get: (_, name) => (name === 'at' ? at : own(engine, name)) });
}

describe('a subscription', () => {
  it('ends on request, of its own connection only', async () => {
    const { hand, rpc, connection } = await world();
    const { result: id } = await connection.call('rooch_subscribeTransactions', 'all');
    expect(await new Connection(rpc).call('rooch_unsubscribeTransactions', id)).toMatchObject({ result: false });
    expect(await connection.call('rooch_unsubscribeTransactions', 'nothing')).toMatchObject({ result: false });
    expect(await connection.call('rooch_unsubscribeTransactions', id)).toMatchObject({ result: true });
    expect(await connection.call('rooch_unsubscribeTransactions', id)).toMatchObject({ result: false });
    await hand.commit();
    await settled();
    expect(connection.pushed).toEqual([]);
  });

  it('ends with its connection, and with a connection that takes nothing', async () => {
    const { hand, rpc, connection } = await world();
    const deaf = new Connection(rpc);
    await connection.call('rooch_subscribeTransactions', 'all');
    const { result: id } = await deaf.call('rooch_subscribeTransactions', 'all');
    connection.gone.abort();
    deaf.isOpen = false;
    await hand.commit();
    await settled();
    expect(connection.pushed).toEqual([]);
    expect(await deaf.call('rooch_unsubscribeTransactions', id)).toMatchObject({ result: false });
  });

  it('waits within a transaction of many events, and repeats none of them', async () => {
    const { hand, connection } = await world();
    const { result: id } = await connection.call('rooch_subscribeEvents', 'all');
    const data = Uint8Array.of(7);
    const events = (count: number): HandOutput => ({
      events: Array.from({ length: count }, () => ({ type: '0x42::game::Moved', data })),
    });
    const sent = (): string[] =>
      connection.pushed.map(({ params: { result, reverted } }) => {
        if (reverted !== undefined) return `reverted ${reverted.next_order}`;
        const at = result!['indexer_event_id'] as { tx_order: string; event_index: string };
        return `${at.tx_order}.${at.event_index}`;
      });
    const snapshot = hand.engine.snapshot();
    connection.room = 2;
    await hand.commit(events(3));
    await settled();
    expect(sent()).toEqual(['1.0', '1.1']);
    connection.room = 2;
    await vi.waitFor(() => expect(sent()).toEqual(['1.0', '1.1', '1.2']), PATIENCE);
    connection.room = 1;
    await hand.commit(events(2));
    await vi.waitFor(() => expect(sent().at(-1)).toBe('2.0'), PATIENCE);
    // Of the order that is gone, one item was sent.
    await hand.engine.revert(snapshot);
    await hand.commit(events(1));
    connection.room = 10;
    await vi.waitFor(() => expect(sent().slice(4)).toEqual(['reverted 1', '1.0']), PATIENCE);
    const later = hand.engine.snapshot();
    connection.room = 1;
    await hand.commit(events(2));
    await vi.waitFor(() => expect(sent().at(-1)).toBe('2.0'), PATIENCE);
    await hand.engine.revert(later);
    connection.room = 10;
    await hand.commit(events(1));
    await vi.waitFor(() => expect(sent().slice(6)).toEqual(['2.0', 'reverted 2', '2.0']), PATIENCE);
    expect(id).toEqual(expect.any(Number));
  });

  it('is closed when it falls too far behind, with the order to go on from', async () => {
    const { hand, connection } = await world();
    const { result: id } = await connection.call('rooch_subscribeTransactions', 'all');
    await settled();
    await hand.commit();
    await vi.waitFor(() => expect(connection.orders(id)).toEqual(['1']), PATIENCE);
    connection.isWritable = false;
    await Promise.all(Array.from({ length: Number(SUBSCRIPTION_LAG_ORDERS_MAX) + 1 }, () => hand.commit()));
    const closed = { subscription: id, error: { data: { from_order: '2' } } };
    await vi.waitFor(() => expect(connection.pushed.at(-1)!.params).toMatchObject(closed), PATIENCE);
    expect(connection.pushed.at(-1)!.params.error?.message).toContain('subscribe again from order 2');
    expect(await connection.call('rooch_unsubscribeTransactions', id)).toMatchObject({ result: false });
  });

  it('is told when the chain goes forth to another branch, from where the two part', async () => {
    const { hand, connection } = await world();
    await hand.commit();
    const fork = hand.engine.snapshot();
    const { result: id } = await connection.call('rooch_subscribeTransactions', 'all');
    for (let count = 0; count < 3; count++) await hand.commit();
    const branch = hand.engine.snapshot();
    await vi.waitFor(() => expect(connection.pushed).toHaveLength(3), PATIENCE);
    await hand.engine.revert(fork);
    for (let count = 0; count < 3; count++) await hand.commit();
    await vi.waitFor(() => expect(connection.pushed).toHaveLength(7), PATIENCE);
    connection.pushed.length = 0;
    // The same length, but none of its transactions after the first are those that were told.
    await hand.engine.revert(branch);
    await vi.waitFor(() => expect(connection.pushed).toHaveLength(4), PATIENCE);
    expect(connection.pushed.shift()!.params.reverted).toEqual({ next_order: '2' });
    expect(connection.orders(id)).toEqual(['2', '3', '4']);
    // Where it is already: nothing comes again.
    await hand.engine.revert(branch);
    await settled();
    expect(connection.pushed).toHaveLength(3);
  });

  it('that begins at an order of the future begins there, also when the chain goes back before', async () => {
    const { hand, connection } = await world();
    const snapshot = hand.engine.snapshot();
    await hand.commit();
    const { result: id } = await connection.call('rooch_subscribeTransactions', 'all', { from_order: '3' });
    await settled();
    await hand.engine.revert(snapshot);
    for (let count = 0; count < 3; count++) await hand.commit();
    await vi.waitFor(() => expect(connection.pushed).toHaveLength(1), PATIENCE);
    await settled();
    expect(connection.orders(id)).toEqual(['3']);
    // From then on it is as any other.
    await hand.engine.revert(snapshot);
    await vi.waitFor(() => expect(connection.pushed).toHaveLength(2), PATIENCE);
    expect(connection.pushed[1]!.params.reverted).toEqual({ next_order: '1' });
  });

  it('is told that the engine was closed, after all that was committed', async () => {
    const { hand, connection } = await world();
    const id = (await connection.call('rooch_subscribeTransactions', 'all')).result;
    const { result: ahead } = await connection.call('rooch_subscribeTransactions', 'all', { from_order: '9' });
    await settled();
    const committed = hand.commit();
    await Promise.all([hand.engine.close(), hand.engine.close()]);
    await committed;
    await settled();
    const told = connection.pushed.map(({ params: { subscription, result, error } }) => [
      subscription,
      error?.message ?? (result as { transaction?: object }).transaction !== undefined,
      error?.data.from_order,
    ]);
    expect(told).toEqual([
      [id, true, undefined],
      [id, 'the engine was closed; subscribe again from order 2', '2'],
      [ahead, 'the engine was closed; subscribe again from order 9', '9'],
    ]);
    expect(await connection.call('rooch_unsubscribe', id)).toMatchObject({ error: expect.anything() });
  });

  it('is one of a bounded number on a connection', async () => {
    const { connection } = await world();
    for (let count = 0; count < CONNECTION_SUBSCRIPTIONS_MAX; count++) {
      expect(await connection.call('rooch_subscribeEvents', 'all')).toMatchObject({ result: expect.any(Number) });
    }
    expect(await connection.call('rooch_subscribeEvents', 'all')).toMatchObject({ error: { code: -32006 } });
  });

  it('belongs to its connection, whatever else its request says', async () => {
    const { connection } = await world();
    const forwarded = { method: 'rooch_subscribeEvents', params: ['all'], forwarded: true };
    const { result: id } = await connection.send(forwarded);
    expect(await connection.call('rooch_unsubscribeEvents', id)).toMatchObject({ result: true });
    for (let count = 0; count < CONNECTION_SUBSCRIPTIONS_MAX; count++) await connection.send(forwarded);
    expect(await connection.send(forwarded)).toMatchObject({ error: { code: -32006 } });
  });

  it('is refused for a wrong filter, and when nothing can be pushed', async () => {
    const { rpc, connection } = await world();
    expect(await connection.call('rooch_subscribeEvents', { colour: 'red' })).toMatchObject({
      error: { code: -32602 },
    });
    const answer = await rpc.handle('{"jsonrpc":"2.0","id":1,"method":"rooch_subscribeEvents","params":["all"]}');
    expect(JSON.parse(answer!)).toMatchObject({ error: { code: -32603, data: { code: 'not-supported' } } });
  });
});
