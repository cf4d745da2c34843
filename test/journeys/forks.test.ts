/**
 * Forks, snapshots and reverts in any order: every engine is what its own model says, whatever happens to the engines
 * that it came from and to those that came from it.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readHeld } from '../../src/query/reader.ts';
import { verifyStore } from '../../src/query/verify/verify.ts';
import { MemoryStore } from '../../src/store/index.ts';
import { type ScriptStep, scriptStepArbitrary } from '../arbitraries/chain.ts';
import { property } from '../effort.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { ChainPlayer, PlayerClock } from './chain-player.ts';
import { expectSame, expectSameStates } from './compare.ts';

const directory = temporaryDirectories();

/** Something done to one of the existing engines; the choices are taken modulo what exists. */
type Move =
  | { readonly kind: 'step'; readonly engine: number; readonly step: ScriptStep }
  | { readonly kind: 'fork' | 'snapshot' | 'wait'; readonly engine: number }
  | { readonly kind: 'revert'; readonly engine: number; readonly snapshot: number };

const choice = fc.nat({ max: 20 });
const moveArbitrary: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('step' as const), engine: choice, step: scriptStepArbitrary }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('fork' as const, 'snapshot' as const, 'wait' as const),
      engine: choice,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('revert' as const), engine: choice, snapshot: choice }) },
);

/** An engine under play, with the snapshots that were taken of it and the moments of the model that they stand for. */
interface Branch {
  readonly player: ChainPlayer;
  readonly snapshots: {
    readonly taken: ReturnType<ChainPlayer['engine']['snapshot']>;
    readonly moment: ReturnType<ChainPlayer['remember']>;
  }[];
  pending: Promise<unknown>[];
}

const ENGINES_MAX = 5;

class Game {
  readonly branches: Branch[] = [];
  #serial = 0;

  constructor(player: ChainPlayer) {
    this.branches.push({ player, snapshots: [], pending: [] });
  }

  /** Snapshots and forks cover what is written, so both wait for what was submitted; a revert takes its turn. */
  async play(move: Move): Promise<void> {
    const branch = this.branches[move.engine % this.branches.length]!;
    const { player } = branch;
    switch (move.kind) {
      case 'step':
        branch.pending.push(player.submit(move.step));
        if (!move.step.isQueued) await this.settle(branch);
        return;
      case 'wait':
        return this.settle(branch);
      case 'fork':
        await this.settle(branch);
        if (this.branches.length === ENGINES_MAX) return;
        this.#serial += 1_000_000;
        this.branches.push({ player: player.fork(this.#serial), snapshots: [], pending: [] });
        return;
      case 'snapshot':
        await this.settle(branch);
        if (player.engine.inside.core.writer.store.kind === 'level') return;
        branch.snapshots.push({ taken: player.engine.snapshot(), moment: player.remember() });
        return;
      case 'revert': {
        const chosen = branch.snapshots[move.snapshot % Math.max(1, branch.snapshots.length)];
        if (chosen === undefined) return;
        branch.pending.push(player.engine.revert(chosen.taken));
        player.restore(chosen.moment);
      }
    }
  }

  async settle(branch: Branch): Promise<void> {
    await Promise.all(branch.pending);
    branch.pending = [];
  }

  /** Forks before what they came from. */
  async close(): Promise<void> {
    for (const { player } of [...this.branches].reverse()) await player.engine.close();
  }
}

async function playAll(game: Game, moves: readonly Move[]): Promise<void> {
  for (const move of moves) await game.play(move);
  for (const branch of game.branches) await game.settle(branch);
}

const walk = { limit: 7, descending: true };

describe('engines in memory', () => {
  it('fork, revert and go on independently', { timeout: 900_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moveArbitrary, { minLength: 5, maxLength: 30 }), async (moves) => {
        const game = new Game(await ChainPlayer.open({}, new PlayerClock(true)));
        await playAll(game, moves);
        for (const { player } of game.branches) await expectSame(player.engine, player.model, walk);
        await game.close();
      }),
      property(3, 300),
    );
  });

  it('keep their stores whole through all of it', { timeout: 900_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moveArbitrary, { minLength: 5, maxLength: 20 }), async (moves) => {
        const store = new MemoryStore();
        const game = new Game(await ChainPlayer.open({ store }, new PlayerClock(true)));
        await playAll(game, moves);
        expect((await verifyStore(store)).problems).toEqual([]);
        await game.close();
      }),
      property(2, 200),
    );
  });
});

describe('forks of a durable engine', () => {
  it('stay where it was, while it goes on', { timeout: 900_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(moveArbitrary, { minLength: 5, maxLength: 20 }), async (moves) => {
        const game = new Game(await ChainPlayer.open({ store: directory(), durability: 'os' }, new PlayerClock(true)));
        await game.play({ kind: 'fork', engine: 0 });
        await playAll(game, moves);
        for (const { player } of game.branches) await expectSame(player.engine, player.model, walk);
        await game.close();
      }),
      property(2, 100),
    );
  });
});

describe('a snapshot', () => {
  const step: ScriptStep = {
    kind: 'l2-transaction',
    sender: 0,
    advance: 1,
    actions: [{ kind: 'create', pick: 0, owner: 0, type: 1, value: Uint8Array.of(1) }],
    events: [],
    isQueued: false,
  };

  it('is never consumed, and leads forward as well as back', async () => {
    await using player = await ChainPlayer.open();
    const { engine } = player;
    const moments = [{ taken: engine.snapshot(), moment: player.remember() }];
    for (let round = 0; round < 4; round++) {
      await player.submit(step);
      moments.push({ taken: engine.snapshot(), moment: player.remember() });
    }
    for (const index of [2, 0, 4, 1, 4, 3, 0, 2]) {
      const { taken, moment } = moments[index]!;
      await engine.revert(taken);
      player.restore(moment);
      expect(engine.head.order).toBe(BigInt(index));
      expect(engine.head.stateRoot).toEqual(taken.stateRoot);
      expect(taken.order).toBe(BigInt(index));
      expectSameStates(engine, player.model, walk);
    }
    await player.submit({ ...step, sender: 1 });
    expect(engine.head.order).toBe(3n);
  });

  it('belongs to its engine; durable engines have none', async () => {
    await using player = await ChainPlayer.open();
    const fork = player.fork(9);
    await expect(fork.engine.revert(player.engine.snapshot())).rejects.toMatchObject({ code: 'invalid-argument' });
    await expect(player.engine.revert(fork.engine.snapshot())).rejects.toMatchObject({ code: 'invalid-argument' });
    await player.submit(step);
    expect(player.engine.head.order, 'a refused revert changes nothing').toBe(1n);
    await using durable = await ChainPlayer.open({ store: directory() });
    const refused = { code: 'not-supported', message: expect.stringContaining('fork') };
    expect(() => durable.engine.snapshot()).toThrow(expect.objectContaining(refused));
    await expect(durable.engine.revert(player.engine.snapshot())).rejects.toMatchObject(refused);
  });

  it('is of one moment, even while commits are written', async () => {
    await using player = await ChainPlayer.open();
    const { engine } = player;
    for (let round = 0; round < 20; round++) {
      const commits = [player.submit(step), player.submit(step)];
      for (let turn = 0; turn < round; turn++) await Promise.resolve();
      const taken = engine.snapshot();
      await Promise.all(commits);
      await engine.revert(taken);
      expect(engine.head.order).toBe(taken.order);
      expect(engine.transactions.get(taken.order)?.executionInfo.stateRoot).toEqual(taken.stateRoot);
      expect(engine.transactions.get(taken.order + 1n)).toBeUndefined();
      expect(engine.status().head.order).toBe(taken.order);
      const moment = player.remember();
      expect(moment.model.transactions.length).toBeGreaterThan(0);
    }
  });
});

describe('reads during a revert', () => {
  it('stay on their moment, though its nodes are gone', async () => {
    await using player = await ChainPlayer.open({ treeCacheNodesMax: 0 });
    const { engine } = player;
    const before = engine.snapshot();
    await player.submit({
      kind: 'l2-transaction',
      sender: 0,
      advance: 1,
      actions: [{ kind: 'create', pick: 0, owner: 0, type: 1, value: Uint8Array.of(1, 2, 3) }],
      events: [{ type: 0, handle: 0, data: Uint8Array.of(1) }],
      isQueued: false,
    });
    const created = player.model.indexed('object').at(-1)!;
    const id = [Buffer.from(created.id.slice(2), 'hex')];
    const value = await readHeld(engine.inside.core, async (reader) => {
      await engine.revert(before);
      expect(reader.head.order).toBe(1n);
      return reader.state.object(id)?.value;
    });
    expect(value).toEqual(Uint8Array.of(1, 2, 3));
    expect(engine.objects.get(id)).toBeUndefined();
  });
});
