/**
 * Clients that come, go and come back while a chain goes on, goes back and is opened again. Each has a copy of what it
 * was told, which grows in order, without a gap and without a repetition, goes back when that is told, once, and is the
 * chain whenever all is quiet.
 */
import { expect, it, vi } from 'vitest';
import { DEV_ACCOUNTS, Engine, type Snapshot } from '../../../src/index.ts';
import { createRpc, type Rpc } from '../../../src/server/index.ts';
import { type RandomNumber, randomNumbers, runs, seed } from '../../effort.ts';
import { temporaryDirectories } from '../../store/temporary.ts';

const directory = temporaryDirectories();

const ALICE = DEV_ACCOUNTS[0]!;
const [BOB] = DEV_ACCOUNTS.slice(1);

/** Milliseconds until a client must have been told: many times what any machine takes. */
const TOLD_MS_MAX = 60_000;

type Topic = 'transactions' | 'events';

interface Feed {
  readonly topic: Topic;
  readonly filter: unknown;
}

const FEEDS: readonly Feed[] = [
  { topic: 'transactions', filter: 'all' },
  { topic: 'events', filter: 'all' },
  { topic: 'transactions', filter: { sender: ALICE.address } },
  { topic: 'events', filter: { event_type: '0x3::coin_store::DepositEvent' } },
];

/** What a client was told, or what the chain has. */
interface Item {
  readonly order: bigint;
  readonly index: number;
  /** With the hash of the transaction, so that items of different branches differ. */
  readonly text: string;
}

// biome-ignore lint/suspicious/noExplicitAny: messages as clients get them
type Json = any;

function itemOf(topic: Topic, json: Json): Item {
  if (topic === 'transactions') {
    const order = BigInt(json.transaction.sequence_info.tx_order);
    return { order, index: 0, text: `${order} ${json.execution_info.tx_hash}` };
  }
  const { tx_order: order, event_index: index } = json.indexer_event_id;
  return { order: BigInt(order), index: Number(index), text: `${order} ${index} ${json.tx_hash} ${json.event_type}` };
}

/** What a chain has from an order on, as its queries say. */
async function itemsOf(rpc: Rpc, { topic, filter }: Feed, from: bigint, to: bigint): Promise<string[]> {
  const items: string[] = [];
  const own = filter as Record<string, string>;
  let cursor: Json = null;
  do {
    const range = { tx_order_range: { from_order: String(from), to_order: String(to) } };
    const method = topic === 'transactions' ? 'rooch_queryTransactions' : 'rooch_queryEvents';
    const { result, error } = await call(rpc, method, [range, cursor, '50', { descending: false }]);
    expect(error).toBeUndefined();
    for (const json of result.data) {
      const isOfFilter =
        filter === 'all' ||
        (topic === 'transactions'
          ? json.transaction.data.sender_bitcoin_address === ALICE.regtestAddress && own['sender'] !== undefined
          : json.event_type === own['event_type']);
      if (isOfFilter) items.push(itemOf(topic, json).text);
    }
    cursor = result.has_next_page ? result.next_cursor : undefined;
  } while (cursor !== undefined);
  return items;
}

async function call(rpc: Rpc, method: string, params: unknown[], context?: Json): Promise<Json> {
  return JSON.parse((await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), context))!);
}

abstract class Client {
  readonly feed: Feed;
  /** What it has, in order. */
  copy: Item[] = [];
  /** From which order on it has everything. */
  start = 0n;
  /** The same, at the latest. */
  startMax = 0n;
  /** Where it would go on. */
  next = 0n;
  /** How often it was told that the chain went back. */
  reverted = 0;
  isConnected = false;
  /** How many more messages it takes. */
  room = Number.POSITIVE_INFINITY;
  gone = new AbortController();

  constructor(feed: Feed) {
    this.feed = feed;
  }

  abstract connect(rpc: Rpc, from: bigint | undefined): Promise<void>;

  take(json: Json): void {
    const item = itemOf(this.feed.topic, json);
    const last = this.copy.at(-1);
    expect(item.order, `${last?.text} then ${item.text}`).toBeGreaterThanOrEqual(this.next);
    if (this.feed.filter === 'all' && this.feed.topic === 'transactions') expect(item.order).toBe(this.next);
    if (last?.order === item.order) expect(item.index).toBeGreaterThan(last.index);
    else if (last !== undefined) expect(item.order).toBeGreaterThan(last.order);
    this.copy.push(item);
  }

  goBack(next: bigint): void {
    this.reverted++;
    // A stream with a filter may have gone past orders of which it sends nothing.
    if (this.feed.filter === 'all') expect(next).toBeLessThanOrEqual(this.next + 1n);
    this.forgetFrom(next);
    this.next = next;
    if (next < this.start) this.start = next;
    if (next < this.startMax) this.startMax = next;
  }

  forgetFrom(order: bigint): void {
    this.copy = this.copy.filter((item) => item.order < order);
  }

  leave(): void {
    this.isConnected = false;
    this.gone.abort();
  }
}

/** Over a connection that pushes; it goes on from the order after the last whole one. */
class Pushed extends Client {
  async connect(rpc: Rpc, from: bigint | undefined): Promise<void> {
    this.gone = new AbortController();
    this.isConnected = true;
    const { signal } = this.gone;
    const context = {
      notify: (text: string): boolean => {
        if (signal.aborted) return false;
        this.room--;
        this.#hear(JSON.parse(text).params);
        return true;
      },
      isWritable: () => this.room > 0,
      closed: signal,
    };
    const method = this.feed.topic === 'transactions' ? 'rooch_subscribeTransactions' : 'rooch_subscribeEvents';
    const option = from === undefined ? null : { from_order: String(from) };
    const { error } = await call(rpc, method, [this.feed.filter, option], context);
    expect(error).toBeUndefined();
  }

  #hear({ result, reverted, error }: Json): void {
    if (error !== undefined) {
      this.isConnected = false;
      this.forgetFrom(BigInt(error.data.from_order));
      this.next = BigInt(error.data.from_order);
    } else if (reverted !== undefined) this.goBack(BigInt(reverted.next_order));
    else {
      this.take(result);
      this.next = this.copy.at(-1)!.order;
      // Without the next item, nobody knows whether an order has more of them.
      if (this.feed.topic === 'transactions') this.next++;
    }
  }
}

/** Over server-sent events, as a browser does: it goes on after the last `id`. */
class Streamed extends Client {
  #id: bigint | undefined;

  async connect(rpc: Rpc, from: bigint | undefined): Promise<void> {
    this.gone = new AbortController();
    this.isConnected = true;
    const { signal } = this.gone;
    const sink = {
      send: (event: string, data: string, id?: string): boolean => {
        if (signal.aborted) return false;
        this.room--;
        if (event === 'message') this.take(JSON.parse(data));
        else if (event === 'reverted') this.goBack(BigInt(JSON.parse(data).next_order));
        else this.isConnected = false;
        if (id !== undefined) this.#seen(BigInt(id));
        else if (event === 'message') this.next = this.copy.at(-1)!.order;
        return true;
      },
      begin: (id: string) => {
        this.#seen(BigInt(id));
        this.start = this.next;
        this.startMax = this.next;
      },
      isWritable: () => this.room > 0,
      end: () => {
        this.isConnected = false;
      },
      closed: signal,
    };
    const request = { topic: this.feed.topic, filter: JSON.stringify(this.feed.filter), forms: 'current' } as const;
    const lastOrder = this.#id === undefined ? undefined : String(this.#id);
    const fromOrder = lastOrder === undefined && from !== undefined ? String(from) : undefined;
    await rpc.stream({ ...request, fromOrder, lastOrder }, sink);
  }

  #seen(id: bigint): void {
    this.#id = id;
    this.next = id + 1n;
  }

  /** Where it goes on: items of an order without an `id` come again. */
  get resume(): bigint | undefined {
    return this.#id === undefined ? undefined : this.#id + 1n;
  }
}

class World {
  engine!: Engine;
  rpc!: Rpc;
  readonly clients: Client[] = [];
  readonly #next: RandomNumber;
  readonly #store: string | undefined;
  readonly #depth: number;
  snapshots: Snapshot[] = [];
  readonly #blocks: string[] = [];
  log: string[] = [];

  constructor(next: RandomNumber, store: string | undefined, depth: number) {
    this.#next = next;
    this.#store = store;
    this.#depth = depth;
  }

  async open(engine?: Engine): Promise<void> {
    this.engine =
      engine ??
      (await Engine.open({ reorganisationDepth: 3, ...(this.#store !== undefined && { store: this.#store }) }));
    this.rpc = createRpc(this.engine, { dev: true });
    // Before all subscriptions, so that it sees what each client had when the chain went back.
    this.engine.on('head', ({ isReverted, sharedOrder }) => {
      if (isReverted) for (const client of this.clients) this.#expectTold(client, sharedOrder);
    });
  }

  /** How often each client must have been told by now that the chain went back. */
  readonly #due = new Map<Client, { atLeast: number; atMost: number }>();
  /** Up to which order the chain is what each client knew when it left. */
  readonly #stale = new Map<Client, bigint>();

  #expectTold(client: Client, shared: bigint): void {
    if (!client.isConnected) {
      const stale = this.#stale.get(client);
      this.#stale.set(client, stale === undefined || shared < stale ? shared : stale);
      return;
    }
    const due = this.#due.get(client) ?? { atLeast: client.reverted, atMost: client.reverted };
    const had = client.copy.some(({ order }) => order > shared);
    this.#due.set(client, { atLeast: due.atLeast + (had ? 1 : 0), atMost: due.atMost + 1 });
  }

  async play(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await this.#step();
      if (this.#next(4) === 0) await this.check();
      else if (this.#next(2) === 0) await new Promise(setImmediate);
    }
    await this.check();
  }

  async #write(): Promise<void> {
    const { engine } = this;
    switch (this.#next(5)) {
      case 0: {
        // Now and then a branch, on a block that may be gone when its turn comes.
        const on = this.#next(3) === 0 ? this.#blocks.at(-2) : undefined;
        const mined = engine.dev.mine({ to: ALICE.regtestAddress, ...(on !== undefined && { on }) });
        const outcome = await mined.catch(({ code }) => String(code));
        if (typeof outcome !== 'string') this.#blocks.push(outcome.hash);
        else if (on === undefined || !['invalid-argument', 'not-found', 'not-supported'].includes(outcome)) await mined;
        return;
      }
      case 1:
        await engine.dev.mint(BOB!.address, BigInt(1 + this.#next(9)));
        return;
      default:
        await (this.#next(2) === 0 ? this.#transfer(ALICE, BOB!) : this.#transfer(BOB!, ALICE));
    }
  }

  async #transfer(from: typeof ALICE, to: typeof ALICE): Promise<void> {
    const call = { function: '0x3::transfer::transfer_coin', typeArguments: ['0x3::gas_coin::RGas'] };
    await this.engine.executeAs(from.address, { ...call, arguments: [to.address, BigInt(1 + this.#next(99))] });
  }

  async #step(): Promise<void> {
    const { engine } = this;
    const kind = this.#next(14);
    this.log.push(`${kind}@${engine.head.order}`);
    if (kind < 4) {
      const writes = Array.from({ length: 1 + this.#next(3) }, () => this.#write());
      if (this.#next(2) === 0) await Promise.all(writes);
      else {
        await this.#comeOrGo();
        await Promise.all(writes);
      }
    } else if (kind < 8) await this.#comeOrGo();
    else if (kind === 8) {
      const client = this.clients[this.#next(this.clients.length + 1)];
      if (client !== undefined) client.room = this.#next(4);
    } else if (kind === 9) {
      for (const client of this.clients) client.room = Number.POSITIVE_INFINITY;
    } else if (kind === 10 && this.#depth > 0) {
      const fork = new World(this.#next, undefined, this.#depth - 1);
      await fork.open(engine.fork());
      await fork.play(6);
      await fork.end();
    } else if (kind === 11) {
      if (this.#store === undefined) this.snapshots.push(engine.snapshot());
    } else if (kind === 12) {
      const snapshot = this.snapshots[this.#next(this.snapshots.length + 1)];
      if (snapshot !== undefined) {
        const writes = this.#next(2) === 0 ? [this.#write()] : [];
        await Promise.all([...writes, engine.revert(snapshot), ...(this.#next(2) === 0 ? [this.#write()] : [])]);
      } else if (this.#store === undefined && this.#next(3) === 0) await engine.reset();
    } else if (kind === 13 && this.#store !== undefined) {
      await this.#reopen();
    }
  }

  async #reopen(): Promise<void> {
    await this.rpc.close();
    await this.engine.close();
    for (const client of this.clients) client.leave();
    await this.open();
  }

  async #comeOrGo(): Promise<void> {
    const at = this.#next(this.clients.length + 1);
    const client = this.clients[at];
    if (client === undefined) {
      if (this.clients.length > 6) return;
      const feed = FEEDS[this.#next(FEEDS.length)]!;
      const made = this.#next(2) === 0 ? new Pushed(feed) : new Streamed(feed);
      this.clients.push(made);
      const from = this.#next(2) === 0 ? undefined : BigInt(this.#next(Number(this.engine.head.order) + 3));
      await this.#connect(made, from, true);
    } else if (client.isConnected) {
      client.leave();
      this.#due.delete(client);
    } else await this.#connect(client, client.next, false);
  }

  async #connect(client: Client, from: bigint | undefined, isNew: boolean): Promise<void> {
    const head = this.engine.head.order;
    const resumed = client instanceof Streamed ? (client.resume ?? from) : from;
    const first = resumed ?? head + 1n;
    const wasReverted = client.reverted;
    if (isNew || first > head + 1n) {
      client.start = first;
      client.copy = [];
    }
    // What was replaced while it was away, and is before where it goes on, it cannot know of.
    const stale = this.#stale.get(client);
    if (stale !== undefined && stale + 1n < first) {
      client.start = first;
      client.copy = [];
    }
    this.#stale.delete(client);
    client.forgetFrom(first);
    client.startMax = client.start;
    client.next = first;
    this.#due.delete(client);
    await client.connect(this.rpc, first === head + 1n && from === undefined ? undefined : first);
    // It began between what was the head and what is.
    if (resumed === undefined && client instanceof Pushed) client.startMax = this.engine.head.order + 1n;
    if (client instanceof Streamed && client.reverted > wasReverted)
      client.start = client.next < client.start ? client.next : client.start;
  }

  /** Once every client has been told of a last transaction, each has what the chain has. */
  async check(): Promise<void> {
    for (const client of this.clients) client.room = Number.POSITIVE_INFINITY;
    // One that all of the filters take.
    await this.#transfer(ALICE, BOB!);
    const { order } = this.engine.head;
    for (const client of this.clients) {
      const last = (await itemsOf(this.rpc, client.feed, order, order + 1n)).at(-1);
      const isTold = (): boolean => order < client.start || client.copy.at(-1)?.text === last;
      await vi.waitUntil(() => !client.isConnected || isTold(), { timeout: TOLD_MS_MAX, interval: 2 });
      if (client.isConnected) await this.#compare(client);
    }
  }

  async #compare(client: Client): Promise<void> {
    const { feed, copy, startMax } = client;
    const name = `${client.constructor.name} ${JSON.stringify(feed)} from ${client.start}, ${this.log.join(' ')}`;
    const begun = copy[0]?.order ?? startMax;
    const latest = begun < startMax ? begun : startMax;
    if (latest > client.start) client.start = latest;
    const has = await itemsOf(this.rpc, feed, client.start, this.engine.head.order + 1n);
    expect(
      copy.map(({ text }) => text),
      name,
    ).toEqual(has);
    const due = this.#due.get(client);
    if (due !== undefined) {
      expect(client.reverted, name).toBeGreaterThanOrEqual(due.atLeast);
      expect(client.reverted, name).toBeLessThanOrEqual(due.atMost);
    }
  }

  async end(): Promise<void> {
    for (const client of this.clients) client.leave();
    await this.rpc.close();
    await this.engine.close();
  }
}

it.each(['memory', 'a directory'])('clients of a chain in %s', { timeout: 3_600_000 }, async (where) => {
  const random = randomNumbers(seed);
  for (let run = 0; run < runs(4, 400); run++) {
    const world = new World(random, where === 'memory' ? undefined : directory(), 1);
    await world.open();
    try {
      await world.play(30);
    } finally {
      await world.end();
    }
  }
});
