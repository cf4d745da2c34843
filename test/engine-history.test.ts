/** What an engine with a bounded history says about itself, keeps and refuses. */

import { describe, expect, it, vi } from 'vitest';
import { fromHex } from '../src/base/bytes/bytes.ts';
import { EngineError } from '../src/base/error.ts';
import type { State } from '../src/chain/state/state.ts';
import { Engine } from '../src/engine/engine.ts';
import { GAS_COIN_TYPE } from '../src/execution/framework/coin.ts';
import { createRpc } from '../src/server/rpc/server.ts';
import { MemoryStore } from '../src/store/memory.ts';
import { payment } from './payment.ts';
import { asked } from './server/asked.ts';
import { temporaryDirectories } from './store/temporary.ts';

vi.mock('../src/base/config.ts', async (original) => ({
  ...(await original<typeof import('../src/base/config.ts')>()),
  PRUNE_ORDERS_MIN: 2n,
}));

const directory = temporaryDirectories();
const STRANGER = '0x77';

async function fund(engine: Engine, times: number): Promise<string[]> {
  const roots: string[] = [];
  for (let time = 0; time < times; time++) {
    roots.push((await engine.dev.mint(STRANGER, 1n)).stateRoot);
  }
  return roots;
}

function balanceAt(engine: Engine, root: string): unknown {
  return engine.at(root).view({ function: '0x3::gas_coin::balance', arguments: [STRANGER] })[0];
}

function refusalOf(read: () => unknown): EngineError {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError);
    return error as EngineError;
  }
  throw new Error('expected a refusal');
}

describe('a bounded history', () => {
  it('keeps that many states behind the head and says so', async () => {
    await using engine = await Engine.open({ store: directory(), history: 3 });
    const roots = await fund(engine, 9);
    const history = await engine.prune();
    expect(history).toMatchObject({ kept: 3, oldestOrder: 6n });
    expect(history.oldestRoot).toEqual(roots[5]);
    expect(roots.slice(5).map((root) => String(balanceAt(engine, root)))).toEqual(['6', '7', '8', '9']);
    expect(engine.transactions.missingChangeSets()).toEqual([]);
    expect(engine.transactions.changeSet(7n)).toBeDefined();
    expect(engine.transactions.changeSet(0n)).toBeDefined();
  });

  it('refuses an older root and names it, the oldest one and its order', async () => {
    await using engine = await Engine.open({ history: 1 });
    const [first] = await fund(engine, 4);
    await engine.prune();
    const { oldestRoot } = engine.status().history;
    const error = refusalOf(() => balanceAt(engine, first!));
    expect(error.code).toBe('pruned');
    expect(error.message).toContain(first);
    expect(error.message).toContain(`the oldest root that is kept is ${oldestRoot}, at order 3`);
    // The change set of the oldest order leads to the oldest root from one that is gone.
    for (const order of [2n, 3n]) {
      expect(refusalOf(() => engine.transactions.changeSet(order))).toMatchObject({ code: 'pruned' });
    }
    expect(engine.transactions.changeSet(4n)).toBeDefined();
    const rpc = createRpc(engine);
    expect(await asked(rpc, 'chain_getStates', ['/object/0x3', { stateRoot: first }])).toMatchObject({
      error: { code: 2, data: { code: 'pruned', expected: `the root ${oldestRoot} at order 3, or a later one` } },
    });
    const history = { kept: '1', oldest_order: '3', oldest_root: oldestRoot.toString() };
    expect(await asked(rpc, 'chain_status')).toMatchObject({ result: { history_status: history } });
    await rpc.close();
  });

  it('is pruned as commits are made', async () => {
    await using engine = await Engine.open({ history: 1 });
    await fund(engine, 12);
    // A piece of pruning that is due comes before the next commit.
    expect(engine.status().history.oldestOrder).toBeGreaterThan(6n);
  });

  it('keeps what forks and pinned views need', async () => {
    const engine = await Engine.open({ store: directory(), history: 1, treeCacheNodesMax: 0 });
    const [first] = await fund(engine, 2);
    const fork = engine.fork();
    const chain = engine.at();
    await fund(engine, 5);
    await engine.prune();
    expect(chain.at(first!).inside.state.object('0x2::timestamp::Timestamp')).toBeDefined();
    expect(String(chain.balances.amount(STRANGER, GAS_COIN_TYPE))).toBe('2');
    chain[Symbol.dispose]();
    expect(String(balanceAt(fork, first!))).toBe('1');
    await fund(fork, 3);
    expect(String(balanceAt(fork, first!))).toBe('1');
    expect(refusalOf(() => balanceAt(engine, first!))).toMatchObject({ code: 'pruned' });
    await fork.close();
    await engine.close();
  });

  it('goes back with a snapshot', async () => {
    await using engine = await Engine.open({ history: 1, treeCacheNodesMax: 0 });
    const [first] = await fund(engine, 2);
    const snapshot = engine.snapshot();
    await fund(engine, 6);
    await engine.prune();
    await engine.revert(snapshot);
    expect(String(balanceAt(engine, first!))).toBe('1');
    await fund(engine, 6);
    expect(await engine.prune()).toMatchObject({ kept: 1, oldestOrder: 7n });
    expect(String(engine.balances.amount(STRANGER, GAS_COIN_TYPE))).toBe('8');
  });

  it('still knows the funded accounts and decodes what listeners are told', async () => {
    await using engine = await Engine.open({ history: 1 });
    const decoded: unknown[] = [];
    engine.on('event', ({ decoded: value }) => decoded.push(value));
    await Promise.all(Array.from({ length: 8 }, () => engine.dev.mint(STRANGER, 1n)));
    await engine.prune();
    await engine.dev.mint(STRANGER, 1n);
    expect(decoded.length).toBeGreaterThan(8);
    expect(engine.accounts).toHaveLength(10);
  });

  it('says what transactions did whose state was never kept, and why they failed', async () => {
    await using engine = await Engine.open({ history: 1 });
    const [alice, bob] = engine.accounts;
    const transfer = (amount: bigint) => engine.executeAs(alice!.address, payment(bob!.address, amount));
    // In one batch, which keeps its last state only.
    const receipts = await Promise.all(
      Array.from({ length: 20 }, (_, index) => transfer(index % 2 === 0 ? 1n : 2n ** 200n)),
    );
    expect(refusalOf(() => engine.at(receipts[1]!.stateRoot).inside.layouts).code).toBe('pruned');
    for (const [index, { events, framework, failure }] of receipts.entries()) {
      expect([...events, ...framework.events].map(({ value }) => value)).not.toContain(undefined);
      expect(framework.changes.map(({ value }) => value).length).toBeGreaterThan(0);
      const found = failure && [failure.module, failure.function, failure.abortName, failure.instruction];
      expect(found).toEqual(
        index % 2 === 0 ? undefined : ['0x3::account_coin_store', 'withdraw_from', 'ErrorInsufficientBalance', 'Abort'],
      );
    }
  });

  it('is remembered by the directory, and can be changed on opening it', async () => {
    const store = directory();
    await (await Engine.open({ store, history: 2 })).close();
    const again = await Engine.open({ store });
    await fund(again, 5);
    expect(await again.prune()).toMatchObject({ kept: 2, oldestOrder: 3n });
    await again.close();
    await using all = await Engine.open({ store, history: 'all' });
    await fund(all, 5);
    expect(await all.prune()).toMatchObject({ kept: 'all', oldestOrder: 3n });
  });

  it('is off unless it was asked for', async () => {
    await using engine = await Engine.open({ store: new MemoryStore() });
    const [first] = await fund(engine, 3);
    expect(await engine.prune()).toMatchObject({ kept: 'all', oldestOrder: 0n });
    expect(String(balanceAt(engine, first!))).toBe('1');
    expect(refusalOf(() => balanceAt(engine, '0'.repeat(64)))).toMatchObject({ code: 'not-found' });
  });

  it('reports how far pruning has got, and ends if the listener throws', async () => {
    await using engine = await Engine.open({ history: 1, store: directory() });
    await fund(engine, 3);
    const told: [bigint, bigint][] = [];
    await engine.prune({ onProgress: ({ done, total }) => told.push([done, total]) });
    expect(told.at(-1)).toEqual([2n, 2n]);
    await fund(engine, 1);
    const stop = new Error('stop');
    await expect(
      engine.prune({
        onProgress: () => {
          throw stop;
        },
      }),
    ).rejects.toBe(stop);
    expect(await engine.prune()).toMatchObject({ oldestOrder: 3n });
  });
});

it('the array in which a root was given may be used for another one', async () => {
  await using engine = await Engine.open();
  const [first, last] = await fund(engine, 2);
  const ids = engine.inside.state.fields([], { after: undefined, limit: 1_000 }).map(({ object }) => object.meta.id);
  const roots = (state: State): unknown[] => ids.map((id) => state.object(id)?.meta.stateRoot);
  const expected = roots(engine.inside.state);

  const root = fromHex(first!);
  const before = engine.at(root).inside.state;
  // Often enough for the tree to be followed from root to root.
  for (let time = 0; time < 2; time++) expect(roots(before)).not.toEqual(expected);
  root.set(fromHex(last!));
  expect(roots(engine.inside.state)).toEqual(expected);
  expect(roots(before)).not.toEqual(expected);
});
