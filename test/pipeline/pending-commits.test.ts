/**
 * Commits that are made when they are looked at: whatever is done to a chain, and whatever is asked of it in between, it
 * answers as one that makes each commit at once.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { EngineError } from '../../src/base/error.ts';
import { sha3 } from '../../src/base/hash/sha3.ts';
import { accountObjectId, formatObjectId } from '../../src/chain/object/object-id.ts';
import { plainJson } from '../../src/chain/value/readable.ts';
import type { Controls } from '../../src/engine/controls.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { Snapshot } from '../../src/engine/snapshots.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { accountCoinStoreId, GAS_COIN_TYPE } from '../../src/execution/framework/coin.ts';
import { parseAddress } from '../../src/move/address.ts';
import type { Receipt } from '../../src/pipeline/receipt.ts';
import type { MemoryStore } from '../../src/store/memory.ts';
import { property } from '../effort.ts';
import { STORY } from './story.ts';
import { narrator, STORY_OPTIONS } from './story-engine.ts';

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];
const ALICE_ID = formatObjectId(accountObjectId(parseAddress(ALICE)));
const PURSE = formatObjectId(accountCoinStoreId(parseAddress(BOB), GAS_COIN_TYPE));
const DEPOSIT = '0x3::coin_store::DepositEvent';
const GAS_COIN = '0x3::gas_coin::RGas';
const PENDING_MOST = 256;

/** A chain with its forks, and what was handed out of it. */
interface World {
  /** The chain and its forks: the last one is acted on. */
  readonly engines: Engine[];
  readonly fork: (engine: Engine) => Engine;
  readonly snapshots: Map<Engine, Snapshot[]>;
  readonly receipts: Receipt[];
}

async function sent(world: World, ...receipts: Promise<Receipt>[]): Promise<unknown> {
  const ended = await Promise.allSettled(receipts);
  return ended.map((end) => {
    if (end.status === 'rejected') return failed(end.reason);
    world.receipts.push(end.value);
    const { order, hash, status, gasUsed } = end.value;
    return [order, hash, status, gasUsed];
  });
}

function failed(error: unknown): string {
  if (error instanceof EngineError) return `${error.code}: ${error.message}`;
  throw error;
}

function pay(engine: Engine, pick: number): Promise<Receipt> {
  const [from, to] = pick % 2 === 0 ? [ALICE, BOB] : [BOB, ALICE];
  const amount = pick % 5 === 0 ? 10n ** 30n : BigInt(pick);
  const call = { function: '0x3::transfer::transfer_coin', typeArguments: [GAS_COIN], arguments: [to, amount] };
  return engine.executeAs(from, call);
}

async function dumped(engine: Engine): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of engine.dump()) chunks.push(chunk);
  return toHex(sha3(Buffer.concat(chunks)));
}

const READS: readonly ((engine: Engine) => unknown)[] = [
  (engine) => [engine.balance(ALICE), engine.balance(BOB)],
  (engine) => engine.balances.get(ALICE, GAS_COIN),
  (engine) => engine.head,
  (engine) => engine.status().head,
  (engine) => engine.objects.get(PURSE),
  (engine) => engine.objects.get(ALICE_ID),
  (engine) => engine.states.get(`/object/${PURSE}`),
  (engine) => engine.states.list(`/object/${ALICE_ID}`),
  (engine) => engine.balances.list(BOB),
  (engine) => engine.transactions.list({ kind: 'sender', sender: ALICE }, { descending: true, limit: 3 }),
  (engine) => engine.transactions.get(engine.inside.head.order),
  (engine) => engine.transactions.changeSet(engine.inside.head.order),
  (engine) => engine.events.list({ kind: 'type', type: DEPOSIT }, { descending: true, limit: 3 }),
  (engine) => engine.events.ofTransaction(engine.inside.head.order),
  (engine) => engine.objects.list({ kind: 'owner', owner: ALICE }, { limit: 20 }),
  (engine) => engine.objects.history(PURSE, { limit: 3 }),
  (engine) => engine.proofs.object(PURSE),
  (engine) => engine.proofs.transaction(engine.inside.head.order),
  (engine) => engine.view({ function: '0x3::gas_coin::balance', arguments: [BOB] }),
  (engine) => engine.view({ function: '0x2::timestamp::now_milliseconds' }),
  (engine) => {
    using view = engine.at();
    return [view.balance(BOB), view.head];
  },
  (engine) => engine.at(engine.inside.head.order / 2n).balance(ALICE),
  (engine) => {
    const call = { function: '0x3::transfer::transfer_coin', typeArguments: [GAS_COIN], arguments: [BOB, 3n] };
    return engine.simulate({ sender: ALICE, action: call });
  },
  (engine) => engine.trace(engine.inside.head.order),
  dumped,
];

const LOOKS: readonly ((receipt: Receipt) => unknown)[] = [
  ({ stateRoot }) => stateRoot,
  ({ events }) => events.map(({ type, value }) => [type, value]),
  ({ framework }) => framework.events.map(({ handle, sequence, index }) => [handle, sequence, index]),
  ({ changes }) => changes,
  ({ failure }) => failure,
  (receipt) => receipt,
  String,
];

const ACTS = {
  tell: (world, engine, pick) => sent(world, engine.execute(STORY[pick % STORY.length]!.sign(narrator(engine)))),
  pay: (world, engine, pick) => sent(world, pay(engine, pick)),
  payTogether: (world, engine, pick) =>
    sent(world, ...Array.from({ length: 4 }, (_, index) => pay(engine, pick + index))),
  again: (world, engine, pick) => {
    const signed = STORY[pick % STORY.length]!.sign(narrator(engine));
    return sent(world, engine.execute(signed), engine.execute(signed));
  },
  control: (world, engine, pick) => sent(world, CONTROLS[pick % CONTROLS.length]!(engine.dev, pick)),
  mine: (_, engine) => engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress }),
  read: (_, engine, pick) => READS[pick % READS.length]!(engine),
  look: ({ receipts }, _, pick) => {
    const receipt = receipts[pick % Math.max(receipts.length, 1)];
    return receipt && LOOKS[pick % LOOKS.length]!(receipt);
  },
  fork: (world, engine) => void world.engines.push(world.fork(engine)),
  drop: async ({ engines }) => {
    if (engines.length > 1) await engines.pop()!.close();
  },
  snapshot: ({ snapshots }, engine) => {
    const snapshot = engine.snapshot();
    snapshots.set(engine, [...(snapshots.get(engine) ?? []), snapshot]);
    return [snapshot.order, snapshot.stateRoot];
  },
  revert: async ({ snapshots }, engine, pick) => {
    const own = snapshots.get(engine) ?? [];
    if (own.length === 0) await engine.reset();
    else await engine.revert(own[pick % own.length]!);
  },
} as const satisfies Record<string, (world: World, engine: Engine, pick: number) => unknown>;

const CONTROLS: readonly ((dev: Controls, pick: number) => Promise<Receipt>)[] = [
  (dev, pick) => dev.mint(BOB, BigInt(pick)),
  (dev, pick) => dev.setBalance(ALICE, BigInt(pick) * 10n ** 9n),
  (dev) => dev.setObject(PURSE, { owner: ALICE }),
];

type Act = readonly [kind: keyof typeof ACTS, pick: number];

/** What a chain answered to each of the acts, and its rows at the end. */
async function answers(acts: readonly Act[], pendingMost: number): Promise<unknown[]> {
  const held = (engine: Engine): Engine => {
    const { pending } = engine.inside.core.writer;
    if (pending === undefined) throw new Error('expected a chain whose commits may be pending');
    pending.commitsMax = pendingMost;
    return engine;
  };
  const root = held(await Engine.open(STORY_OPTIONS));
  const world: World = { engines: [root], fork: (engine) => held(engine.fork()), snapshots: new Map(), receipts: [] };
  const told: unknown[] = [];
  const run = async (act: () => unknown): Promise<void> => {
    try {
      told.push(JSON.stringify(plainJson(await act())));
    } catch (error) {
      told.push(failed(error));
    }
  };
  for (const [kind, pick] of acts) await run(() => ACTS[kind](world, world.engines.at(-1)!, pick));
  for (const engine of [...world.engines].reverse()) {
    await run(() => dumped(engine));
    await engine.close();
  }
  for (const receipt of world.receipts) await run(() => receipt.stateRoot);
  return told;
}

const kinds = Object.keys(ACTS) as (keyof typeof ACTS)[];
const often: (keyof typeof ACTS)[] = ['tell', 'tell', 'pay', 'pay', 'pay', 'read', 'look', 'look'];
const act: fc.Arbitrary<Act> = fc.tuple(fc.constantFrom(...kinds, ...often), fc.nat(1_000));

describe('commits that are made when they are looked at', () => {
  it('are those of a story that nobody looks at before its end', async () => {
    const story = STORY.map((_, line): Act => ['tell', line]);
    expect(await answers(story, PENDING_MOST)).toEqual(await answers(story, 0));
  });

  it('are not made by reads of balances, events and changes, nor by a chain that goes back', async () => {
    await using engine = await Engine.open();
    engine.inside.core.writer.pending!.commitsMax = PENDING_MOST;
    const store = engine.inside.core.writer.storeSoFar as MemoryStore;
    const snapshot = engine.snapshot();
    const { size } = store;
    const receipt = await pay(engine, 1);
    expect(engine.balance(ALICE)).toBeGreaterThan(0n);
    expect(receipt.events.map(({ value }) => value).length).toBeGreaterThan(0);
    expect(receipt.changes.length).toBeGreaterThan(0);
    await pay(engine, 5);
    expect(store.size).toBe(size);
    await engine.revert(snapshot);
    await pay(engine, 3);
    expect(store.size).toBe(size);
    expect(receipt.stateRoot).not.toBe(engine.head.stateRoot);
    expect(store.size).toBeGreaterThan(size);
  });

  it('leave what was read before them as it was', async () => {
    await using engine = await Engine.open();
    engine.inside.core.writer.pending!.commitsMax = PENDING_MOST;
    await pay(engine, 1);
    const { state } = engine.inside;
    const purse = (): Uint8Array => state.object(PURSE)!.value;
    const before = purse();
    await pay(engine, 3);
    expect(purse()).toEqual(before);
    expect(engine.inside.state.object(PURSE)!.value).not.toEqual(before);
  });

  it('are the commits that would have been made at once', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
        const expected = await answers(acts, 0);
        for (const most of [1, 3, PENDING_MOST]) expect(await answers(acts, most)).toEqual(expected);
      }),
      property(12, 100),
    );
  });
});
