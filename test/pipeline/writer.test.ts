/** The writer's turns: their order, what shares a batch, what a failure leaves. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { COMMIT_SHARED_OPERATIONS_MAX, WRITER_GROUP_COMMITS_MAX } from '../../src/base/config.ts';
import { type Head, headOperation } from '../../src/chain/ledger/head.ts';
import { Engine, EngineError } from '../../src/index.ts';
import { addressOf, MOVEOS_STD_ADDRESS } from '../../src/move/address.ts';
import { structTag } from '../../src/move/type-tag.ts';
import {
  WRITER_BESIDE_COMMITS_MAX,
  WRITER_GROUP_MS_MAX,
  WRITER_MEMORY_GROUP_COMMITS_MAX,
} from '../../src/pipeline/group-filler.ts';
import { sequence } from '../../src/pipeline/sequence.ts';
import type { Step } from '../../src/pipeline/step.ts';
import type { Turn } from '../../src/pipeline/turn.ts';
import { WRITER_EVENT_LOOP_MS_MAX } from '../../src/pipeline/writer.ts';
import { ledgerTransactionHash, namedObjectId, type TransactionEvent } from '../../src/query/transaction-builder.ts';
import type { Operation, Store } from '../../src/store/index.ts';
import { STORE_VALUE_BYTES_MAX } from '../../src/store/limits.ts';
import type { ScriptStep } from '../arbitraries/chain.ts';
import { blockAt, emitted, forge } from '../forge.ts';
import { ChainPlayer, genesisModel, PlayerClock } from '../journeys/chain-player.ts';
import { executionOf } from '../journeys/edits.ts';
import { PlainStore } from '../store/plain-store.ts';

const EVENT: TransactionEvent = {
  eventType: structTag(MOVEOS_STD_ADDRESS, 'test', 'Event'),
  eventData: new Uint8Array(0),
  eventIndex: 0n,
  handle: [new Uint8Array(32)],
};

/** A step that creates one object and emits one event. */
const STEP: ScriptStep = {
  kind: 'l2-transaction',
  sender: 0,
  advance: 1,
  actions: [{ kind: 'create', pick: 0, owner: 0, type: 1, value: Uint8Array.of(1, 2) }],
  events: [{ type: 0, handle: 0, data: Uint8Array.of(3) }],
  isQueued: false,
};

/** Only a failure waits this long. */
const PATIENCE = { timeout: 200_000, interval: 1 };

/** A store of one's own, with batches that can be held back and made to fail. */
class TestStore extends PlainStore {
  /** Batches that were begun. */
  begun = 0;
  fault: unknown;
  gate: Promise<void> | undefined;

  override async batch(operations: readonly Operation[]): Promise<void> {
    this.begun++;
    await this.gate;
    if (this.fault !== undefined) throw this.fault;
    await super.batch(operations);
  }
}

/** The heads that listeners are told of from now on: one for each group of commits. */
function headsOf(engine: Engine): number[] {
  const heads: number[] = [];
  engine.on('head', ({ head }) => heads.push(Number(head.order)));
  return heads;
}

async function playerOn(store: Store): Promise<ChainPlayer> {
  const clock = new PlayerClock();
  const engine = await Engine.open({ store, clock: clock.read });
  const { model, size } = await genesisModel();
  return new ChainPlayer(engine, clock, model, size);
}

const PLACES: readonly (readonly [where: string, open: () => Promise<ChainPlayer>])[] = [
  ['in memory', () => ChainPlayer.open()],
  ['elsewhere', () => playerOn(new TestStore())],
];

/** What groups take: nothing, unless a test says otherwise, so that none is cut on a busy machine. */
let time = 0;
beforeEach(() => {
  time = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => time);
});
afterEach(() => vi.restoreAllMocks());

describe('turns', () => {
  it('that are asked for together are a group, each on the result of the one before', async () => {
    await using player = await playerOn(new TestStore());
    const heads = headsOf(player.engine);
    const commits = await Promise.all([1, 2, 3, 4].map(() => player.submit(STEP)));
    expect(commits.map(({ head }) => head.order)).toEqual([1n, 2n, 3n, 4n]);
    expect(heads).toEqual([4]);
    expect(toHexPrefixed(commits[3]!.head.stateRoot)).toBe(player.engine.head.stateRoot);
  });

  it('that take long are written before the others: reads have turns in between', async () => {
    await using player = await playerOn(new TestStore());
    const heads = headsOf(player.engine);
    vi.mocked(performance.now).mockImplementation(() => {
      time += 0.4 * WRITER_GROUP_MS_MAX;
      return time;
    });
    const rounds: bigint[] = [];
    const watch = (): void => {
      rounds.push(player.engine.head.order);
      if (player.engine.head.order < 7n) setImmediate(watch);
    };
    setImmediate(watch);
    const commits = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(() => player.submit(STEP)));
    expect(commits.map(({ head }) => head.order)).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n]);
    // The clock is read as a group begins, and before each turn but its first; the third is past the end.
    const sizes = heads.map((order, index) => order - (heads[index - 1] ?? 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3);
    // Whoever reads between two groups sees what the first one did.
    expect(new Set(rounds).size).toBeGreaterThan(2);
  });

  it('that follow one another leave the event loop its turns', async () => {
    await using player = await ChainPlayer.open();
    let turns = 0;
    const watch = setInterval(() => turns++, 0);
    vi.mocked(performance.now).mockImplementation(() => {
      time += 0.4 * WRITER_EVENT_LOOP_MS_MAX;
      return time;
    });
    for (let sent = 0; sent < 30; sent++) await player.submit(STEP);
    clearInterval(watch);
    expect(turns).toBeGreaterThan(0);
  });

  it('do not wait for the event loop while it has just had its turn', async () => {
    await using player = await ChainPlayer.open();
    let turned = false;
    const watch = setImmediate(() => {
      turned = true;
    });
    for (let sent = 0; sent < 5; sent++) await player.submit(STEP);
    expect(turned).toBe(false);
    time = WRITER_EVENT_LOOP_MS_MAX;
    await player.submit(STEP);
    expect(turned).toBe(true);
    clearImmediate(watch);
  });

  it('that wait for one another do so under fake timers, too', async () => {
    await using player = await ChainPlayer.open();
    vi.useFakeTimers({ toFake: ['setImmediate', 'setTimeout'] });
    try {
      const count = 2 * WRITER_MEMORY_GROUP_COMMITS_MAX;
      const commits = await Promise.all(Array.from({ length: count }, () => player.submit(STEP)));
      expect(commits.at(-1)!.head.order).toBe(BigInt(count));
    } finally {
      vi.useRealTimers();
    }
  });

  it('that are asked for while a group is written are the next one', async () => {
    const store = new TestStore();
    await using player = await playerOn(store);
    const heads = headsOf(player.engine);
    const open = holdBatches(store);
    const { begun } = store;
    const first = player.submit(STEP);
    await vi.waitUntil(() => store.begun > begun, PATIENCE);
    const later = [player.submit(STEP), player.submit(STEP)];
    open();
    store.gate = undefined;
    await Promise.all([first, ...later]);
    expect(heads).toEqual([1, 3]);
  });

  it('resolve only when what they wrote can be read', async () => {
    await using player = await ChainPlayer.open();
    for (let round = 0; round < 5; round++) {
      const { head } = await player.submit(STEP);
      expect(player.engine.inside.core.writer.head).toEqual(head);
      expect(player.engine.transactions.get(head.order)).toBeDefined();
    }
  });

  it('that throw leave nothing, and the others of their group stand', async () => {
    await using player = await ChainPlayer.open();
    const first = player.submit(STEP);
    const { engine } = player;
    const broken = forge(engine, blockAt(1), () => {
      throw new EngineError('transaction-rejected', 'no');
    });
    const last = player.submit(STEP);
    await expect(broken).rejects.toMatchObject({ code: 'transaction-rejected' });
    expect([(await first).head.order, (await last).head.order]).toEqual([1n, 2n]);
  });

  it('are counted and told of as commits; one that is refused is no news', async () => {
    await using player = await ChainPlayer.open();
    const { core } = player.engine.inside;
    const told: unknown[] = [];
    core.feed.listen((message) => told.push(message.kind === 'commits' ? message.commits.length : message.kind));
    await Promise.all([player.submit(STEP), player.submit(STEP)]);
    const refused = forge(player.engine, blockAt(1), () => {
      throw new EngineError('transaction-rejected', 'no');
    });
    await expect(refused).rejects.toMatchObject({ code: 'transaction-rejected' });
    expect([told, core.writer.commits]).toEqual([[2], 2]);
  });

  it('refuse a transaction that has an order, even one from the same batch', async () => {
    await using engine = await Engine.open();
    const data = {
      kind: 'l1-transaction',
      chainId: 0n,
      blockHash: new Uint8Array(32),
      txid: new Uint8Array(32),
    } as const;
    const commit = (): Promise<unknown> => forge(engine, data, emitted);
    const [first, second] = await Promise.allSettled([commit(), commit()]);
    expect(first?.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'transaction-rejected' } });
    await expect(commit()).rejects.toMatchObject({ code: 'transaction-rejected', details: { txOrder: '1' } });
  });
});

describe('a transaction with a row that no store accepts', () => {
  it.each(PLACES)('is refused alone: %s', async (_where, open) => {
    await using player = await open();
    const { engine } = player;
    const first = player.submit(STEP);
    const tooLong = forge(engine, blockAt(1), (state) =>
      emitted(state, [{ ...EVENT, eventData: new Uint8Array(STORE_VALUE_BYTES_MAX) }]),
    );
    const last = player.submit(STEP);
    await expect(tooLong).rejects.toMatchObject({ code: 'limit-exceeded' });
    expect([(await first).head.order, (await last).head.order]).toEqual([1n, 2n]);
    expect(engine.status().service).toBe('active');
  });
});

describe('transactions of very many rows', () => {
  /** Asks for a commit that emits `count` events, each of which takes several rows. */
  const emit = (engine: Engine, height: number, count: number): Promise<{ readonly head: Head }> =>
    forge(engine, blockAt(height), (state) =>
      emitted(
        state,
        Array.from({ length: count }, (_, index) => ({ ...EVENT, eventIndex: BigInt(index) })),
      ),
    );

  it('are as many in a group as it takes, and half as many in one that is made while another is written', async () => {
    await using engine = await Engine.open({ store: new TestStore() });
    const heads = headsOf(engine);
    const short = (count: number): ReturnType<typeof longTurn>[] =>
      Array.from({ length: count }, () => longTurn('short', 1, []));
    const [most, half] = [WRITER_GROUP_COMMITS_MAX, WRITER_BESIDE_COMMITS_MAX];
    submitTurns(engine, ...short(most + 1));
    await turnsDone(engine);
    expect(heads).toEqual([most, most + 1]);
    submitTurns(engine, longTurn('long', half + 1, []), ...short(most));
    await turnsDone(engine);
    await turnsDone(engine);
    expect(heads.slice(2, 4)).toEqual([most + 1 + half, most + 1 + 2 * half]);
  });

  it('are told of their commits in the order in which they were asked for, over several groups', async () => {
    await using player = await ChainPlayer.open();
    const count = 3 * WRITER_MEMORY_GROUP_COMMITS_MAX;
    const told: bigint[] = [];
    const orders = await Promise.all(
      Array.from({ length: count }, async () => {
        const { head } = await player.submit(STEP);
        told.push(head.order);
        return head.order;
      }),
    );
    expect(orders).toEqual(Array.from({ length: count }, (_, index) => BigInt(index + 1)));
    expect(told).toEqual(orders);
  });

  it('share a batch only as far as it has room', async () => {
    await using player = await playerOn(new TestStore());
    const { engine } = player;
    const heads = headsOf(engine);
    const commits = [20_000, 20_000, 20_000, 1, 1].map((count, height) => emit(engine, height, count));
    const orders = (await Promise.all(commits)).map(({ head }) => head.order);
    expect(orders).toEqual([1n, 2n, 3n, 4n, 5n]);
    expect(heads.length).toBeGreaterThan(1);
    expect(heads.at(-1)).toBe(5);
  });

  it.each(PLACES)('are written alone, between those before and after them: %s', async (_where, open) => {
    await using player = await open();
    const { engine } = player;
    const heads = headsOf(engine);
    const count = COMMIT_SHARED_OPERATIONS_MAX / 4 + 1;
    const [before, large, behind] = [emit(engine, 1, 1), emit(engine, 2, count), emit(engine, 3, 1)];
    const orders = (await Promise.all([before, large, behind])).map(({ head }) => head.order);
    expect(orders).toEqual([1n, 2n, 3n]);
    expect(heads).toEqual([1, 2, 3]);
    const page = await engine.events.list({ kind: 'order', from: 2n, to: 3n }, { limit: 9, descending: true });
    expect(page.data.map(({ event }) => event.eventIndex)[0]).toBe(BigInt(count - 1));
    await expect(engine.events.byHandle(EVENT.handle, { limit: 1, descending: true }).data[0]).toMatchObject({
      event: { eventSeq: BigInt(count + 1) },
    });
  });

  it('leave the shared rows as right as small ones do: an object has one owner', async () => {
    await using engine = await Engine.open();
    const large = COMMIT_SHARED_OPERATIONS_MAX / 4 + 1;
    const given = [
      give(engine, 1, 0x71),
      give(engine, 2, 0x72, large),
      give(engine, 3, 0x73),
      give(engine, 4, 0x72, large),
    ];
    await Promise.all([...given, give(engine, 5, 0x71)]);
    expect(await ownersOf(engine)).toEqual(['0x71']);
  });

  it('are refused alone when one of their rows is too long, and leave nothing', async () => {
    await using player = await playerOn(new TestStore());
    const { engine } = player;
    const count = COMMIT_SHARED_OPERATIONS_MAX / 4 + 1;
    const tooLong = forge(engine, blockAt(1), (state) =>
      emitted(
        state,
        Array.from({ length: count }, (_, index) => ({
          ...EVENT,
          eventIndex: BigInt(index),
          eventData: new Uint8Array(index === count - 1 ? STORE_VALUE_BYTES_MAX : 0),
        })),
      ),
    );
    const small = emit(engine, 2, 1);
    await expect(tooLong).rejects.toMatchObject({ code: 'limit-exceeded' });
    expect((await small).head.order).toBe(1n);
    expect(engine.status().service).toBe('active');
    expect(engine.events.byHandle(EVENT.handle, { limit: 9, descending: false }).data.length).toBe(1);
  });
});

/** Gives one object to an owner, in a transaction that emits so many events. */
function give(engine: Engine, height: number, owner: number, events = 0): Promise<unknown> {
  const id = namedObjectId(structTag(MOVEOS_STD_ADDRESS, 'test', 'Given'));
  return forge(engine, blockAt(height), (state) =>
    executionOf(state, {
      edits: [{ id, type: '0x2::test::Given', value: Uint8Array.of(height), owner: addressOf(owner) }],
      events: Array.from({ length: events }, () => ({ type: '0x2::test::Event', data: EVENT.eventData })),
    }),
  );
}

/** The owners that the index lists an object for, once for each time. Only `give` gives them objects. */
async function ownersOf(engine: Engine): Promise<string[]> {
  const owners = ['0x71', '0x72', '0x73'];
  const pages = await Promise.all(owners.map((owner) => engine.objects.list({ kind: 'owner', owner }, { limit: 9 })));
  return pages.flatMap(({ data }, at) => data.map(() => owners[at]!));
}

/** A turn of `count` forged transactions that tells its name whenever one of them is committed. */
function longTurn(
  name: string,
  count: number,
  told: string[],
  lane?: string,
): { turn: Turn; step: Step; given: () => number } {
  let left = count;
  const turn: Turn = {
    ...(lane === undefined ? {} : { lane }),
    next: () => (left-- > 0 ? { kind: 'l1-transaction', blockHash: EVENT_BYTES, txid: EVENT_BYTES } : undefined),
    committed: () => told.push(name),
    end: () => told.push(`${name} ends`),
  };
  const step: Step = (_input, { rows, head, state, now, sign }) => {
    const data = blockAt(head.order);
    const sequenced = sequence(rows, head, { data, hash: ledgerTransactionHash(data) }, now, sign);
    return { kind: 'sequenced', sequenced, output: emitted(state) };
  };
  return { turn, step, given: () => count - Math.max(left, 0) };
}

/** Lets the store take no batch until the returned function is called. */
function holdBatches(store: TestStore): () => void {
  let open = (): void => {};
  store.gate = new Promise((resolve) => {
    open = resolve;
  });
  return () => open();
}

const EVENT_BYTES = new Uint8Array(32);

function submitTurns(engine: Engine, ...turns: ReturnType<typeof longTurn>[]): void {
  for (const { turn, step } of turns) engine.inside.core.writer.submit(turn, step);
}

/** Resolves when the turns before it have been served as it is. */
async function turnsDone(engine: Engine): Promise<void> {
  await new Promise<void>((resolve) => {
    engine.inside.core.writer.submit({ next: () => undefined, committed: () => {}, end: () => resolve() });
  });
}

describe('a long turn', () => {
  it('lets others in after each batch, and goes on', async () => {
    await using engine = await Engine.open();
    const told: string[] = [];
    const max = WRITER_MEMORY_GROUP_COMMITS_MAX;
    submitTurns(engine, longTurn('long', 3 * max, told), longTurn('short', 1, told));
    await turnsDone(engine);
    await turnsDone(engine);
    expect(told.slice(0, max)).toEqual(new Array(max).fill('long'));
    expect(told[max]).toBe('short');
    expect(told.filter((name) => name === 'long').length).toBe(3 * max);
    expect(told.at(-1)).toBe('long ends');
  });

  it('gives way by what it did, not by how long that took', async () => {
    await using engine = await Engine.open();
    vi.mocked(performance.now).mockImplementation(() => {
      time += WRITER_GROUP_MS_MAX;
      return time;
    });
    const told: string[] = [];
    const max = WRITER_MEMORY_GROUP_COMMITS_MAX;
    submitTurns(engine, longTurn('long', 2 * max, told), longTurn('short', 1, told));
    await turnsDone(engine);
    await turnsDone(engine);
    expect(told.indexOf('short')).toBe(max);
    expect(told.filter((name) => name === 'long').length).toBe(2 * max);
  });

  it('is done before the next one of its lane begins', async () => {
    await using engine = await Engine.open();
    const told: string[] = [];
    const max = WRITER_MEMORY_GROUP_COMMITS_MAX;
    submitTurns(
      engine,
      longTurn('first', 2 * max, told, 'lane'),
      longTurn('second', 1, told, 'lane'),
      longTurn('other', 1, told),
    );
    await turnsDone(engine);
    await turnsDone(engine);
    expect(told.indexOf('second')).toBeGreaterThan(told.indexOf('first ends'));
    expect(told.filter((name) => name === 'first').length).toBe(2 * max);
  });

  it('goes on while its last batch is written, one batch ahead; nothing is told before it is', async () => {
    const store = new TestStore();
    await using engine = await Engine.open({ store });
    const heads = headsOf(engine);
    const open = holdBatches(store);
    const told: string[] = [];
    const max = WRITER_BESIDE_COMMITS_MAX;
    const { turn, step, given } = longTurn('long', 4 * max, told);
    const ended = new Promise<unknown>((resolve) =>
      submitTurns(engine, { turn: { ...turn, end: resolve }, step, given }),
    );
    await vi.waitUntil(() => given() >= 2 * max, PATIENCE);
    for (let round = 0; round < 50; round++) await new Promise(setImmediate);
    expect([given(), told.length, engine.head.order]).toEqual([2 * max, 0, 0n]);
    open();
    expect(await ended).toBeUndefined();
    expect(heads).toEqual([1, 2, 3, 4].map((group) => group * max));
    expect(told.length).toBe(4 * max);
    expect((await engine.transactions.list(undefined, { limit: 9, descending: true })).data[0]?.order).toBe(
      BigInt(4 * max),
    );
  });

  it('that goes on while its last batch is written lets in what has come by then, within one batch', async () => {
    const store = new TestStore();
    await using engine = await Engine.open({ store });
    const told: string[] = [];
    const heads: bigint[] = [];
    engine.on('head', ({ head }) => {
      heads.push(head.order);
      // As late as the event loop allows before the next batch is begun.
      if (heads.length === 1) setImmediate(() => submitTurns(engine, longTurn('short', 1, told)));
    });
    const { turn, step, given } = longTurn('long', 4 * WRITER_BESIDE_COMMITS_MAX, told);
    await new Promise<void>((resolve) => submitTurns(engine, { turn: { ...turn, end: () => resolve() }, step, given }));
    const order = BigInt(told.indexOf('short') + 1);
    expect(order - heads[0]!).toBeLessThanOrEqual(BigInt(WRITER_GROUP_COMMITS_MAX));
    expect(order).toBe(BigInt(2 * WRITER_BESIDE_COMMITS_MAX + 1));
  });

  it('loses what it did alongside a batch that fails, and is told once', async () => {
    const store = new TestStore();
    await using engine = await Engine.open({ store });
    const open = holdBatches(store);
    const told: string[] = [];
    const max = WRITER_BESIDE_COMMITS_MAX;
    const { turn, step, given } = longTurn('long', 4 * max, told);
    const ended = new Promise<unknown>((resolve) => {
      const end = (error: unknown): void => {
        told.push('ended');
        resolve(error);
      };
      submitTurns(engine, { turn: { ...turn, end }, step, given });
    });
    await vi.waitUntil(() => given() >= 2 * max, PATIENCE);
    store.fault = new Error('no space left on device');
    open();
    expect(await ended).toMatchObject({ code: 'store-failed' });
    await new Promise(setImmediate);
    expect([given(), told, engine.head.order]).toEqual([2 * max, ['ended'], 0n]);
  });

  it('takes turns with another one, batch by batch', async () => {
    await using engine = await Engine.open({ store: new TestStore() });
    const told: string[] = [];
    const max = WRITER_BESIDE_COMMITS_MAX;
    submitTurns(engine, longTurn('a', 3 * max, told), longTurn('b', 3 * max, told));
    for (let turn = 0; turn < 4; turn++) await turnsDone(engine);
    const batches = told.filter((name) => name.length === 1).filter((_, at) => at % max === 0);
    expect(batches.join('')).toBe('ababab');
  });

  it('that is refused in the middle keeps what it has done, and ends with the refusal', async () => {
    await using engine = await Engine.open();
    let count = 0;
    const ended = new Promise<unknown>((resolve) => {
      const { turn, step } = longTurn('long', 9, []);
      engine.inside.core.writer.submit({ ...turn, end: resolve }, (input, context) =>
        ++count > 5 ? { kind: 'refused', error: new EngineError('not-supported', 'no') } : step(input, context),
      );
    });
    expect(await ended).toMatchObject({ code: 'not-supported' });
    expect([engine.head.order, count]).toEqual([5n, 6]);
  });
});

describe('going back', () => {
  it('takes its turn: what was submitted before is undone, what was submitted after stands', async () => {
    await using player = await ChainPlayer.open();
    const { engine } = player;
    const snapshot = engine.snapshot();
    const before = [player.submit(STEP), player.submit(STEP)];
    const reverted = engine.revert(snapshot);
    const moment = player.remember();
    const after = player.submit(STEP);
    const orders = (await Promise.all([...before, after])).map(({ head }) => head.order);
    await reverted;
    expect(orders).toEqual([1n, 2n, 1n]);
    expect(engine.head.order).toBe(1n);
    expect(engine.transactions.get(1n)?.hash).toBe(toHexPrefixed((await after).record.executionInfo.txHash));
    expect(moment.model.transactions.length).toBe(3);
  });

  it('comes after all of a turn that has begun', async () => {
    await using engine = await Engine.open();
    const told: string[] = [];
    const count = 3 * WRITER_MEMORY_GROUP_COMMITS_MAX;
    const snapshot = engine.snapshot();
    submitTurns(engine, longTurn('long', count, told));
    await engine.revert(snapshot);
    expect([told.length, told.at(-1), engine.head.order]).toEqual([count + 1, 'long ends', 0n]);
  });

  it('leaves an index that knows nothing of what was undone', async () => {
    await using engine = await Engine.open();
    await give(engine, 1, 0x71);
    const snapshot = engine.snapshot();
    await give(engine, 2, 0x72);
    await engine.revert(snapshot);
    await give(engine, 3, 0x73);
    expect(await ownersOf(engine)).toEqual(['0x73']);
  });

  it('is done before a close that is asked for later', async () => {
    const player = await ChainPlayer.open();
    const snapshot = player.engine.snapshot();
    const first = player.submit(STEP);
    const reverted = player.engine.revert(snapshot);
    await player.engine.close();
    await expect(first).resolves.toMatchObject({ head: { order: 1n } });
    await expect(reverted).resolves.toBeUndefined();
    expect(player.engine.head.order).toBe(0n);
    await expect(player.engine.revert(snapshot)).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a group in memory', () => {
  it('is seen by nobody before its head is there, not even between two steps of the event loop', async () => {
    let look = (): void => {};
    // Asked while the group is made; what it queues comes as early as anything can.
    const clock = (): bigint => {
      queueMicrotask(look);
      return 5n;
    };
    await using engine = await Engine.open({ clock });
    const seen: Promise<readonly [bigint, readonly bigint[]]>[] = [];
    const whatForkHas = async (): Promise<readonly [bigint, readonly bigint[]]> => {
      await using fork = engine.fork();
      const { data } = await fork.transactions.list({ kind: 'sender', sender: '0x0' });
      return [fork.head.order, data.map(({ order }) => order)];
    };
    look = () => seen.push(whatForkHas());
    await Promise.all([1n, 2n].map((amount) => engine.dev.mint('0x42', amount)));
    look = () => {};
    const whole = [2n, [2n, 1n]];
    expect(await Promise.all(seen)).toEqual([whole, whole]);
  });
});

describe('a store that fails', () => {
  it('ends the writer with its cause; what was acknowledged can be read', async () => {
    const store = new TestStore();
    await using player = await playerOn(store);
    const { engine } = player;
    await player.submit(STEP);
    const { head } = engine;
    const cause = new Error('no space left on device');
    store.fault = cause;
    const refused = forge(engine, blockAt(1), () => {
      throw new EngineError('transaction-rejected', 'no');
    });
    const failed = await Promise.allSettled([player.submit(STEP), refused, player.submit(STEP)]);
    for (const result of failed) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'store-failed', cause } });
      expect((result as PromiseRejectedResult).reason.message).toMatch(
        /no space left on device.*reads go on, writes are refused/,
      );
    }
    store.fault = undefined;
    await expect(player.submit(STEP)).rejects.toMatchObject({ code: 'store-failed', cause });
    expect(() => engine.snapshot()).toThrow(expect.objectContaining({ code: 'not-supported' }));
    expect(engine.head).toBe(head);
    expect((await engine.transactions.list(undefined, { limit: 9, descending: true })).data.length).toBe(2);
    expect(engine.status()).toMatchObject({ service: 'maintenance', head: { order: 1n } });
  });

  it('ends the writer as well if what it refuses is large enough to be written alone', async () => {
    const store = new TestStore();
    await using engine = await Engine.open({ store });
    const cause = new Error('no space left on device');
    store.fault = cause;
    const large = COMMIT_SHARED_OPERATIONS_MAX / 4 + 1;
    await expect(give(engine, 1, 0x71, large)).rejects.toMatchObject({ code: 'store-failed', cause });
    store.fault = undefined;
    await expect(forge(engine, blockAt(2), emitted)).rejects.toMatchObject({ code: 'store-failed', cause });
    expect(engine.status()).toMatchObject({ service: 'maintenance', head: { order: 0n } });
  });

  it('refuses what waits behind the failing batch with the same cause', async () => {
    const store = new TestStore();
    await using player = await playerOn(store);
    const open = holdBatches(store);
    const { begun } = store;
    const first = player.submit(STEP);
    await vi.waitUntil(() => store.begun > begun, PATIENCE);
    const waiting = player.submit(STEP);
    store.fault = new EngineError('store-failed', 'the disk is gone');
    open();
    for (const commit of [first, waiting]) {
      await expect(commit).rejects.toMatchObject({ code: 'store-failed', message: 'the disk is gone' });
    }
  });
});

it('a chain that has only part of its state takes no turns and is not pruned', async () => {
  class OpenStore extends TestStore {
    override async close(): Promise<void> {}
  }
  const store = new OpenStore();
  const first = await Engine.open({ store });
  const { head } = first.inside.core.writer;
  await first.close();
  await store.batch([headOperation({ ...head, unloadedRoots: [new Uint8Array(32).fill(7)] })]);
  await using engine = await Engine.open({ store });
  await expect(forge(engine, blockAt(1), emitted)).rejects.toMatchObject({ code: 'read-only' });
  await expect(engine.prune()).rejects.toMatchObject({ code: 'read-only' });
  expect(engine.status()).toMatchObject({ service: 'read-only-mode', head: { order: 0n } });
});

describe('closing', () => {
  it('writes what was submitted before it, and refuses what comes later', async () => {
    const player = await playerOn(new TestStore());
    const heads = headsOf(player.engine);
    const commits = [1, 2, 3].map(() => player.submit(STEP));
    const closed = player.engine.close();
    await expect(player.submit(STEP)).rejects.toMatchObject({ code: 'closed' });
    expect((await Promise.all(commits)).map(({ head }) => head.order)).toEqual([1n, 2n, 3n]);
    await closed;
    await player.engine.close();
    expect(heads.at(-1)).toBe(3);
  });

  it('ends reads, also those that memory could answer', async () => {
    const engine = await Engine.open();
    const { id } = engine.objects.get([])!.meta;
    await engine.close();
    const refused = { code: 'closed' };
    expect(() => engine.objects.get(id)).toThrow(expect.objectContaining(refused));
    expect(() => engine.status()).toThrow(expect.objectContaining(refused));
    expect(() => engine.snapshot()).toThrow(expect.objectContaining(refused));
    expect(() => engine.fork()).toThrow(expect.objectContaining(refused));
    await expect(engine.objects.list({ kind: 'ids', ids: [] }, { limit: 1, descending: true })).rejects.toMatchObject(
      refused,
    );
  });
});
