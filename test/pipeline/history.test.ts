/**
 * A chain with a bounded history answers like one that keeps all: at the head, at every root it keeps, and to whoever
 * holds an older moment. Its clock stands still and its values are few, so that states return to what they were.
 */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { HEAD_KEY, storedHead } from '../../src/chain/ledger/head.ts';
import { readStateRoot } from '../../src/chain/ledger/transactions.ts';
import { Engine } from '../../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { verifyStore } from '../../src/query/verify/verify.ts';
import { openDirectory } from '../../src/store/directory.ts';
import { dumpStore, loadDump } from '../../src/store/dump.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import type { ReadableStore, Store } from '../../src/store/store.ts';
import { EMPTY_ROOT } from '../../src/store/tree/tree.ts';
import type { ActionKind, ScriptAction, ScriptStep } from '../arbitraries/chain.ts';
import { property, randomNumbers, runs, seed } from '../effort.ts';
import { ChainPlayer, PlayerClock } from '../journeys/chain-player.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { keptOrders, objectsAt, storedNodes } from './kept-states.ts';

// Pieces of a few rows, due at once: every place where pruning can be interrupted is met.
vi.mock('../../src/base/config.ts', async (original) => ({
  ...(await original<typeof import('../../src/base/config.ts')>()),
  PRUNE_ORDERS_MIN: 1n,
  PRUNE_PIECE_OPERATIONS: 7,
}));

const directory = temporaryDirectories();

const create: ScriptAction = { kind: 'create', pick: 0, owner: 0, type: 0, value: Uint8Array.of(0) };
const step: ScriptStep = { kind: 'l2-transaction', sender: 0, advance: 0, actions: [], events: [], isQueued: false };

/**
 * Scripts on three objects whose values and owners are one of two, at one time after genesis: what was written once is
 * written again, in the same group of commits and in later ones.
 */
function returningScripts(
  steps: number,
  others: readonly ActionKind[] = ['create', 'create-child', 'add-field', 'delete', 'reset'],
): fc.Arbitrary<readonly ScriptStep[]> {
  const action = fc.record<ScriptAction>({
    kind: fc.oneof(
      { weight: 6, arbitrary: fc.constant<ActionKind>('modify') },
      { weight: 2, arbitrary: fc.constant<ActionKind>('transfer') },
      { weight: 2, arbitrary: fc.constantFrom(...others) },
    ),
    pick: fc.nat({ max: 3 }),
    owner: fc.nat({ max: 1 }),
    type: fc.nat({ max: 1 }),
    value: fc.nat({ max: 1 }).map((byte) => Uint8Array.of(byte)),
  });
  const some = fc.array(fc.record({ actions: fc.array(action, { maxLength: 3 }), isQueued: fc.boolean() }), {
    minLength: 1,
    maxLength: steps,
  });
  return some.map((made) => [
    // Players never change what has the time of genesis.
    { ...step, advance: 5 },
    { ...step, actions: [create, create, create] },
    ...made.map((one) => ({ ...step, ...one })),
  ]);
}

interface Held {
  readonly root: Uint8Array;
  readonly rows: ReadableStore;
  release(): unknown;
}

/** A view, or a fork, of a store at its present root. */
function hold(store: Store, root: Uint8Array, isFork: boolean): Held {
  const rows = isFork ? store.fork() : store.view();
  return { root, rows, release: () => ('release' in rows ? rows.release() : rows.close()) };
}

async function playBoth(script: readonly ScriptStep[], history: number, store: Store): Promise<void> {
  const whole = new MemoryStore();
  const all = await ChainPlayer.open({ store: whole }, new PlayerClock());
  const bounded = await ChainPlayer.open({ store, history, treeCacheNodesMax: 0 }, new PlayerClock());
  const held: Held[] = [];
  for (let at = 0; at < script.length; ) {
    const end = script.findIndex((step, index) => index >= at && !step.isQueued);
    const piece = script.slice(at, end === -1 ? script.length : end + 1);
    await Promise.all([all.play(piece), bounded.play(piece)]);
    at += piece.length;
    const { head } = bounded.engine;
    expect(head.stateRoot.slice(2)).toBe(all.engine.head.stateRoot.slice(2));
    if (at % 3 === 0) held.push(hold(store, fromHex(head.stateRoot), at % 2 === 0));
    // Pruning goes on meanwhile, in a directory on other threads.
    const view = store.view();
    const kept = keptOrders(view);
    const root = readStateRoot(view, kept[(at * 7) % kept.length]!);
    expect(objectsAt(view, root)).toEqual(objectsAt(whole, root));
    view.release();
  }
  await bounded.engine.prune();
  const { order } = bounded.engine.head;
  const kept = keptOrders(store);
  expect(order - kept[0]!).toBeGreaterThanOrEqual(order < BigInt(history) ? order : BigInt(history));
  for (const each of kept) {
    const root = readStateRoot(store, each);
    expect(objectsAt(store, root)).toEqual(objectsAt(whole, root));
  }
  expect((await verifyStore(store)).problems).toEqual([]);
  for (const { root, rows, release } of held) {
    expect(objectsAt(rows, root)).toEqual(objectsAt(whole, root));
    await release();
  }
  await all.engine.close();
}

describe('a chain that keeps some roots', () => {
  it.each([1, 4])(
    'answers at each of them like one that keeps all roots: %i',
    { timeout: 600_000 },
    async (history) => {
      await fc.assert(
        fc.asyncProperty(returningScripts(20), async (script) => {
          await playBoth(script, history, new MemoryStore());
        }),
        property(2, 2_000),
      );
    },
  );

  it('does so in a directory', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(returningScripts(20), fc.integer({ min: 1, max: 5 }), async (script, history) => {
        const store = await openDirectory(directory());
        await playBoth(script, history, store);
        await store.close();
      }),
      property(2, 500),
    );
  });

  it('has the nodes of those roots and no others once it is pruned', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(returningScripts(30), async (script) => {
        const store = new MemoryStore();
        const { engine, play } = await boundedPlayer(store, 1);
        await play(script);
        await engine.prune();
        // States within a batch have no root of their own, so the one before the head may be older.
        expect(keptOrders(store).length).toBeLessThanOrEqual(2);
        expect(await storedNodes(store)).toEqual(reachedNodes(store));
      }),
      property(4, 1_000),
    );
  });
});

describe('Bitcoin blocks with a bounded history', () => {
  it('leave no nodes of what was kept only while they were processed', async () => {
    const store = new MemoryStore();
    // A block waits for the next one, so what is kept for it is stored.
    const engine = await Engine.open({ store, history: 1, reorganisationDepth: 1 });
    const to = DEV_ACCOUNTS[0]!.regtestAddress;
    for (let height = 0; height < 6; height++) await engine.dev.mine({ to });
    await engine.prune();
    expect(await storedNodes(store)).toEqual(reachedNodes(store));
    expect((await verifyStore(store)).problems).toEqual([]);
    await engine.close();
  });
});

/** How many objects the long run may have before it deletes some: each of its rounds reads all of them. */
const OBJECTS_MAX = 400;

/** Steps that delete objects wherever they are, with everything in them. */
function deletions(next: () => number): ScriptStep[] {
  const actions = (): ScriptAction[] => Array.from({ length: 10 }, () => ({ ...create, kind: 'delete', pick: next() }));
  return Array.from({ length: 10 }, (_, index) => ({ ...step, actions: actions(), isQueued: index % 2 === 0 }));
}

/** Bytes of the files of a directory. */
function diskBytes(path: string): number {
  return readdirSync(path).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
}

describe('a long run with a bounded history', () => {
  it('answers at kept roots as it did when they were new, and takes as much room as a fresh dump', {
    timeout: 7_200_000,
  }, async () => {
    const [path, copy] = [directory(), directory()];
    const commits = runs(120, 100_000);
    const store = await openDirectory(path, { durability: 'os' });
    const { engine, player, play } = await boundedPlayer(store, 25);
    const next = randomNumbers(seed);
    const seen = new Map<bigint, string>();
    const changing = returningScripts(24);
    for (let round = 0; engine.head.order < commits; round++) {
      const [script] = fc.sample(changing, { seed: next(1 << 30), numRuns: 1 });
      await play(round === 0 ? script! : script!.slice(2));
      if (player.model.objects.size > OBJECTS_MAX) await play(deletions(() => next(1 << 30)));
      const view = store.view();
      const read = (order: bigint): string => objectsAt(view, readStateRoot(view, order)).join();
      seen.set(storedHead(view).order, read(storedHead(view).order));
      const kept = keptOrders(view).filter((order) => seen.has(order));
      const asked = kept[next(kept.length)]!;
      expect(read(asked), `order ${asked}, seed ${seed}`).toBe(seen.get(asked));
      for (const order of seen.keys()) if (order < kept[0]!) seen.delete(order);
      view.release();
    }
    await engine.close();
    const again = await openDirectory(path);
    const reopened = await Engine.open({ store: again });
    // LevelDB drops what was deleted when it merges two tables: with those of one run alone it merges none.
    await reopened.dev.mint('0x77', 1n);
    await reopened.prune();
    expect(keptOrders(again).length).toBeLessThanOrEqual(26);
    expect(await storedNodes(again)).toEqual(reachedNodes(again));
    const loaded = await openDirectory(copy);
    await loadDump(loaded, dumpStore(again), { headKey: HEAD_KEY });
    await loaded.compact();
    await Promise.all([loaded.close(), reopened.close()]);
    expect(diskBytes(path)).toBeLessThan(1.2 * diskBytes(copy));
  });
});

/** The hash of every node that a kept state of a store reaches. */
function reachedNodes(store: ReadableStore): Set<string> {
  const reached = new Set<string>();
  for (const order of keptOrders(store)) objectsAt(store, readStateRoot(store, order), (hash) => reached.add(hash));
  reached.delete(toHex(EMPTY_ROOT));
  return reached;
}

async function boundedPlayer(store: Store, history: number) {
  const player = await ChainPlayer.open({ store, history }, new PlayerClock());
  return { player, engine: player.engine, play: (script: readonly ScriptStep[]) => player.play(script) };
}
