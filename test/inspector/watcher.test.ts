/** Watching the chain in the web client: nothing missed, nothing twice, nothing without a bound. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { createRpc, type HttpServer, type RpcContext, type RpcHandler, serveHttp } from '../../src/server/index.ts';
import { CHROMIUM, SKIPPED } from './chromium.ts';
import { OpenedPage } from './opened-page.ts';
import { Relay } from './relay.ts';

const EMPTY = { function: '0x3::empty::empty' };

/** What a browser reports about a connection that nobody answers. */
const CONNECTION_LOST = /ERR_(?:CONNECTION_\w+|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)|WebSocket connection/;

describe.skipIf(CHROMIUM === undefined)(`watching in the web client${SKIPPED}`, () => {
  let engine: Engine;
  let server: HttpServer;
  let opened: OpenedPage;
  let alice = '';
  /** Complaints that a test provokes: a browser reports each connection that it cannot make. */
  let expectedComplaints = /^$/;

  beforeAll(async () => {
    opened = await OpenedPage.launch();
  });

  beforeEach(async () => {
    expectedComplaints = /^$/;
    engine = await Engine.open();
    alice = String(engine.accounts[0]!.address);
    server = await serveHttp(createRpc(engine), { port: 0 });
  });

  afterEach(async () => {
    await opened.leave();
    await server.close();
    await engine.close();
    expect(opened.complaints.splice(0).filter((complaint) => !expectedComplaints.test(complaint))).toEqual([]);
  });

  afterAll(() => opened?.close());

  const send = () => engine.executeAs(alice, EMPTY);

  async function watch(
    kind: 'events' | 'transactions',
    from = '',
    filter = '',
    at: { readonly url: string } = server,
  ): Promise<void> {
    await opened.open(`${at.url}/#/watch`);
    await opened.page.selectOption('#watch-kind', kind);
    await opened.page.fill('#watch-from', from);
    await opened.page.fill('#watch-filter', filter);
    await opened.page.click('#watch-start');
  }

  const items = (): Promise<string[]> => opened.page.locator('#watch-list > li').allInnerTexts();

  /** Orders of the transactions that are shown, newest first. */
  const orders = async (): Promise<number[]> =>
    (await opened.page.locator('#watch-list .card').allInnerTexts()).map((text) =>
      Number(/order (\d+)/.exec(text)?.[1]),
    );

  it('shows transactions as they are committed, the newest first', async () => {
    await watch('transactions');
    await opened.shows('#watch-status', 'Watching from order 1 on.');
    for (let count = 0; count < 3; count++) await send();
    await expect.poll(orders).toEqual([3, 2, 1]);
    expect((await items())[0]).toMatch(/^empty::empty\s+Executed\s+by 0x12f107d8…f2488b\s+order 3/);
    expect(await opened.text('#watch-count')).toBe('3 received');
  });

  it('shows events, decoded, from an order of the past', async () => {
    await send();
    const expected = engine.events
      .ofTransaction(1n)
      .map(({ position }) => `1.${position.index}`)
      .reverse();
    await watch('events', '1');
    const positions = async (): Promise<(string | undefined)[]> =>
      (await items()).map((text) => /\b1\.\d+/.exec(text)?.[0]);
    await expect.poll(positions).toEqual(expected);
    await opened.page.locator('#watch-list summary').first().click();
    await opened.shows('#watch-list .json-key', 'decoded_event_data');
  });

  it('asks for what the filter names', async () => {
    await watch('events', '0', '0x3::coin_store::WithdrawEvent');
    await opened.shows('#watch-status', 'Watching');
    await send();
    const withdrawals = engine.events
      .ofTransaction(1n)
      .filter(({ event }) => String(event.eventType) === '0x3::coin_store::WithdrawEvent').length;
    await expect
      .poll(async () => (await items()).filter((text) => text.includes(' 1.') || text.includes('\n1.')).length)
      .toBe(withdrawals);
    expect((await items()).every((text) => text.startsWith('WithdrawEvent'))).toBe(true);
  });

  it.each([
    ['{"event_type"', 'The filter is no JSON'],
    ['{"nothing":1}', 'Invalid params'],
  ])('says what is wrong with the filter %s, and does not go on', async (filter, message) => {
    await watch('events', '', filter);
    await opened.shows('#watch-trouble .error', message);
    expect(await opened.text('#watch-status')).toBe('Not watching.');
    expect(await opened.page.isDisabled('#watch-stop')).toBe(true);
  });

  it('drops a connection that is not made yet when it is stopped', async () => {
    await using relay = await Relay.open();
    relay.lead(server.port);
    await opened.open(`${relay.url}/#/watch`);
    // A browser makes one connection of this kind to a host at a time: the view's own is over before.
    await opened.shows('#watch-status', 'Watching');
    await opened.page.click('#watch-stop');
    relay.hold();
    await opened.page.fill('#watch-from', '1');
    const [socket] = await Promise.all([opened.page.waitForEvent('websocket'), opened.page.click('#watch-start')]);
    await opened.shows('#watch-status', 'Connecting…');
    const closed = socket.waitForEvent('close');
    await opened.page.click('#watch-stop');
    await opened.shows('#watch-status', 'Stopped.');
    relay.lead(server.port);
    await closed;
    await send();
    expect(await items()).toEqual([]);
  });

  it.each(['transactions', 'events'] as const)(
    'misses none and repeats none of the %s when the connection is lost',
    async (kind) => {
      await using relay = await Relay.open();
      relay.lead(server.port);
      await watch(kind, '', '', relay);
      await opened.shows('#watch-status', 'Watching from order 1 on.');
      await send();
      const placesOf = (order: bigint): string[] =>
        kind === 'transactions'
          ? [`order ${order}`]
          : engine.events
              .ofTransaction(order)
              .map(({ position }) => `${order}.${position.index}`)
              .reverse();
      // In the middle of an order, the node would go on from that one.
      await expect.poll(async () => (await items()).length).toBe(placesOf(1n).length);
      expectedComplaints = CONNECTION_LOST;
      relay.lead(undefined);
      await server.close();
      await opened.shows('#watch-status', 'The connection was lost; trying again');
      await send();
      server = await serveHttp(createRpc(engine), { port: 0 });
      relay.lead(server.port);
      await opened.shows('#watch-status', 'Watching');
      await send();
      const reason = 'the node is shutting down; subscribe again from order 2';
      const note = `The node ended the subscription: ${reason}. This page goes on from order 2.`;
      const expected = [...placesOf(3n), ...placesOf(2n), note, ...placesOf(1n)];
      const form = kind === 'transactions' ? /^The node.*|order \d+/ : /^The node.*|\b[1-3]\.\d+/;
      await expect.poll(async () => (await items()).map((text) => form.exec(text)?.[0])).toEqual(expected);
    },
  );

  it('begins again with a node that was restarted and is not as far', async () => {
    for (let count = 0; count < 3; count++) await send();
    await using relay = await Relay.open();
    relay.lead(server.port);
    await watch('transactions', '1', '', relay);
    await expect.poll(orders).toEqual([3, 2, 1]);
    expectedComplaints = CONNECTION_LOST;
    relay.lead(undefined);
    await server.close();
    await using other = await Engine.open();
    server = await serveHttp(createRpc(other), { port: 0 });
    relay.lead(server.port);
    await opened.shows('#watch-list', 'The chain went back: orders from 1 on come again.');
    await other.executeAs(alice, EMPTY);
    await expect.poll(orders).toEqual([1, 3, 2, 1]);
  });

  it('tells that the chain went back, and shows the orders that come again', async () => {
    await watch('transactions');
    await opened.shows('#watch-status', 'Watching');
    const before = engine.snapshot();
    await send();
    await send();
    await expect.poll(orders).toEqual([2, 1]);
    await engine.revert(before);
    await opened.shows('#watch-list', 'The chain went back: orders from 1 on come again.');
    await send();
    await expect.poll(orders).toEqual([1, 2, 1]);
  });

  it('lists what was before, a page at a time, the newest first, and each once', async () => {
    for (let count = 0; count < 12; count++) await send();
    await opened.open(`${server.url}/#/watch?what=transactions&filter=${alice}`);
    const before = opened.page.locator('#watch-past .card .links a');
    await expect.poll(() => before.count()).toBe(10);
    await send();
    await expect.poll(orders).toEqual([13]);
    await opened.page.getByRole('button', { name: 'More' }).click();
    await expect.poll(() => before.count()).toBe(12);
    expect(await before.allInnerTexts()).toEqual(Array.from({ length: 12 }, (_, back) => `order ${12 - back}`));
  });

  it('shows two hundred at most, and counts the rest', async () => {
    const telling = new TellingNode((from, tell) => {
      for (let order = from; order < from + 230; order++) tell(transactionAt(order));
    });
    await using at = await serveHttp(telling, { port: 0 });
    await watch('transactions', '1', '', at);
    await expect.poll(() => opened.text('#watch-count')).toBe('230 received; the newest 200 are shown');
    expect(await orders()).toEqual(Array.from({ length: 200 }, (_, index) => 230 - index));
  });

  it('goes on where it left off when the node closes a subscription that lags, and says so', async () => {
    const error = { code: 1, message: 'it is not read fast enough', data: { code: 'closed', from_order: '7' } };
    const lagging = new TellingNode((from, tell) => {
      tell(transactionAt(from));
      if (from === 5) tell({ error });
    });
    await using at = await serveHttp(lagging, { port: 0 });
    await watch('transactions', '5', '', at);
    await opened.shows(
      '#watch-list',
      'The node ended the subscription: it is not read fast enough. This page goes on from order 7.',
    );
    await expect.poll(orders).toEqual([7, 5]);
    expect(lagging.asked).toEqual([5, 7]);
  });

  it('shows no event twice when the node ends a subscription in the middle of an order', async () => {
    const error = { code: 1, message: 'it is not read fast enough', data: { code: 'closed', from_order: '5' } };
    const lagging = new TellingNode((from, tell) => {
      for (let index = 0; index < 2 * lagging.asked.length; index++) tell(eventAt(from, index));
      if (lagging.asked.length === 1) tell({ error });
    });
    await using at = await serveHttp(lagging, { port: 0 });
    await watch('events', '5', '', at);
    const positions = async (): Promise<(string | undefined)[]> =>
      (await items()).map((text) => /\b5\.\d+|goes on/.exec(text)?.[0]);
    await expect.poll(async () => (await positions())[0]).toBe('5.3');
    expect(await positions()).toEqual(['5.3', '5.2', 'goes on', '5.1', '5.0']);
  });

  it('stops when it is told to, and begins again with the node that is chosen', async () => {
    await watch('transactions');
    await opened.shows('#watch-status', 'Watching');
    await opened.page.click('#watch-stop');
    expect(await opened.text('#watch-status')).toBe('Stopped.');
    await send();
    await opened.page.fill('#watch-from', '1');
    await opened.page.click('#watch-start');
    await expect.poll(orders).toEqual([1]);
    await opened.connect(server.url);
    await opened.shows('#watch-status', 'Watching from order 2 on.');
    await send();
    await expect.poll(orders).toEqual([2]);
  });

  it('holds back what comes while it is paused, and shows it afterwards', async () => {
    await watch('transactions');
    await opened.shows('#watch-status', 'Watching');
    await send();
    await expect.poll(orders).toEqual([1]);
    await opened.page.click('#watch-pause');
    await send();
    await send();
    expect(await orders()).toEqual([1]);
    await opened.page.click('#watch-pause');
    await expect.poll(orders).toEqual([3, 2, 1]);
  });

  it('moves from the start, without a click', async () => {
    await opened.open(`${server.url}/#/watch`);
    await opened.shows('#watch-status', 'Watching from order 1 on.');
    await send();
    await expect.poll(orders).toEqual([1]);
  });

  it('goes on while another view is shown', async () => {
    await watch('transactions');
    await opened.shows('#watch-status', 'Watching');
    await opened.visit('#/state/object');
    await send();
    await opened.visit('#/watch');
    await expect.poll(orders).toEqual([1]);
  });
});

const transactionAt = (order: number): object => ({
  result: {
    transaction: {},
    sequence_info: { tx_order: String(order) },
    execution_info: { status: { type: 'executed' } },
  },
});

const eventAt = (order: number, index: number): object => ({
  result: {
    indexer_event_id: { tx_order: String(order), event_index: String(index) },
    event_type: '0x42::game::Moved',
  },
});

/** A node that answers subscriptions, and tells what it is given. */
class TellingNode implements RpcHandler {
  /** The orders that subscriptions began with. */
  readonly asked: number[] = [];
  readonly #story: (from: number, tell: (members: object) => void) => void;

  constructor(story: (from: number, tell: (members: object) => void) => void) {
    this.#story = story;
  }

  async handle(text: string, context?: RpcContext): Promise<string> {
    const { id, method, params } = JSON.parse(text);
    const answer = (result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result });
    const methods = [{ name: 'chain_subscribeTransactions' }, { name: 'chain_subscribeEvents' }];
    if (!methods.some(({ name }) => name === method)) return answer({ methods });
    const from = Number(params[1].from_order);
    this.asked.push(from);
    setTimeout(() =>
      this.#story(from, (members) => {
        context?.notify?.(JSON.stringify({ jsonrpc: '2.0', method, params: { subscription: 1, ...members } }));
      }),
    );
    return answer(1);
  }
}
