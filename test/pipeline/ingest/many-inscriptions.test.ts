/**
 * Transactions that make and move more inscriptions than one batch, one node or one patience holds. The bounds are scaled
 * down, so that a thousand inscriptions are what a hundred thousand are to an engine in use; whole sizes are tried in
 * long runs (hostile-blocks.test.ts).
 */

import { describe, expect, it, vi } from 'vitest';
import type { LogEntry } from '../../../src/base/log.ts';
import { decodeBlock } from '../../../src/bitcoin/block.ts';
import { formatBitcoinHash, parseBitcoinHash } from '../../../src/bitcoin/hash.ts';
import { flotsam } from '../../../src/bitcoin/inscription-updater.ts';
import { spend } from '../../../src/bitcoin/mine.ts';
import { type OutPoint, toOutPoint } from '../../../src/bitcoin/outpoint.ts';
import type { BitcoinTransaction } from '../../../src/bitcoin/transaction.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { pendingBlockId } from '../../../src/execution/bitcoin-move/l1-block.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import type { Notice } from '../../../src/pipeline/feed.ts';
import type { Ingested, MinedBlockValue } from '../../../src/query/values.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { openDirectory } from '../../../src/store/directory.ts';
import { MemoryStore } from '../../../src/store/memory.ts';
import type { Store } from '../../../src/store/store.ts';
import { Model } from '../../bitcoin/model.ts';
import { expectRefusal } from '../../refusal.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { modelOf } from './chain.ts';
import { emptyEnvelopes } from './empty-envelopes.ts';

vi.mock('../../../src/store/limits.ts', async (original) => ({
  ...(await original<typeof import('../../../src/store/limits.ts')>()),
  COMMIT_PIECE_OPERATIONS: 100,
  LARGE_BATCH_HELD_OPERATIONS_MAX: 1_000,
  LARGE_BATCH_PIECE_OPERATIONS_MAX: 500,
}));

vi.mock('../../../src/base/config.ts', async (original) => ({
  ...(await original<typeof import('../../../src/base/config.ts')>()),
  COMMIT_SHARED_OPERATIONS_MAX: 1_000,
  INSCRIPTION_UPDATER_BYTES_MAX: 4_096,
  COUNTED_INSCRIPTION_BYTES_MIN: 4_096,
  INGESTED_EVENTS_MAX: 300,
  // 468 new inscriptions without content, or 684 that move.
  TRANSACTION_INSCRIPTION_BYTES_MAX: 327_680,
  BLOCK_INSCRIPTION_BYTES_MAX: 524_288,
}));

const CREATED_MAX = Math.floor(327_680 / 700);
const MOVED_MAX = Math.floor(327_680 / 479);
const TIMEOUT_MS = 300_000;
const directory = temporaryDirectories();
const STORES: Readonly<Record<string, () => Promise<Store>>> = {
  memory: async () => new MemoryStore(),
  LevelDB: () => openDirectory(directory(), { durability: 'os' }),
};

const to = DEV_ACCOUNTS[0]!.regtestAddress;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const out = ({ txid }: { readonly txid: string | Uint8Array }, vout = 0): OutPoint =>
  toOutPoint({ txid, vout }, 'outpoint');
const reveal = (coin: OutPoint, count: number, value = 10_000n): BitcoinTransaction =>
  spend([{ outpoint: coin, witness: emptyEnvelopes(count) }], [{ to, value }]);

/** A chain of mined blocks with its log. */
class Chain {
  readonly store: Store;
  readonly engine: Engine;
  readonly log: LogEntry[];
  readonly blocks: MinedBlockValue[] = [];

  private constructor(store: Store, engine: Engine, log: LogEntry[]) {
    this.store = store;
    this.engine = engine;
    this.log = log;
  }

  static async open(store: Store, reorganisationDepth = 0): Promise<Chain> {
    const log: LogEntry[] = [];
    const engine = await Engine.open({ store, reorganisationDepth, log: (entry) => log.push(entry) });
    return new Chain(store, engine, log);
  }

  async mine(...transactions: readonly BitcoinTransaction[]): Promise<MinedBlockValue> {
    const block = await this.engine.dev.mine({ to, transactions });
    this.blocks.push(block);
    return block;
  }

  /** A coin that nothing has spent. */
  async coin(): Promise<OutPoint> {
    return out((await this.mine()).transactions[0]!);
  }

  /** What the log says was left out, in order. */
  leftOut(): unknown[] {
    return this.log.filter(({ level }) => level === 'warning').map(({ details }) => details?.['count']);
  }

  /** Expects the outputs and inscriptions that a model without stores makes of the same blocks, and sound rows. */
  async expectModel(): Promise<void> {
    const model = new Model('regtest');
    for (const { height, bytes } of this.blocks) model.block(height, decodeBlock(bytes).transactions);
    const own = modelOf(this.engine);
    expect(own.store).toEqual(model.store);
    expect(own.inscriptionDigest()).toBe(model.inscriptionDigest());
    expect(own.utxoDigest()).toBe(model.utxoDigest());
    await this.expectSound();
  }

  async expectSound(): Promise<void> {
    expect((await verifyStore(this.store)).problems).toEqual([]);
  }
}

describe.each(Object.entries(STORES))('many inscriptions, %s', (_, open) => {
  it('are made and moved by one transaction each, and the chain goes on', { timeout: TIMEOUT_MS }, async () => {
    const chain = await Chain.open(await open());
    await using _engine = chain.engine;
    const [one, two] = [reveal(await chain.coin(), 250), reveal(await chain.coin(), 250)];
    await chain.mine(one, two);
    const moved = spend([{ outpoint: out(one) }, { outpoint: out(two) }], [{ to, value: 15_000n }]);
    await chain.mine(moved);
    await chain.mine();
    expect(chain.leftOut()).toEqual([]);
    const { inscriptions } = modelOf(chain.engine);
    const places = [...inscriptions.values()].map(({ inscription }) => inscription.location.outpoint);
    expect(places).toHaveLength(500);
    expect(new Set(places.map(({ txid }) => hex(txid)))).toEqual(new Set([hex(moved.txid)]));
    await chain.expectModel();
  });

  it('may stand on a branch that is replaced', { timeout: TIMEOUT_MS }, async () => {
    const chain = await Chain.open(await open(), 1);
    await using _engine = chain.engine;
    const coin = await chain.coin();
    await chain.mine();
    const { height } = await chain.mine(reveal(coin, 350));
    const other = await chain.engine.dev.mine({ to, on: height - 1 });
    expect(other.height).toBe(height);
    const next = await chain.engine.dev.mine({ to });
    await chain.engine.dev.mine({ to });
    expect(chain.engine.bitcoin.status().confirmed?.blockHeight).toBe(BigInt(next.height));
    expect(modelOf(chain.engine).inscriptions.size).toBe(0);
    await chain.expectSound();
  });

  it('are like many outputs, which may exceed what one batch holds', { timeout: TIMEOUT_MS }, async () => {
    const chain = await Chain.open(await open());
    await using _engine = chain.engine;
    const many = spend(
      [{ outpoint: await chain.coin() }],
      Array.from({ length: 600 }, () => ({ to, value: 1_000n })),
    );
    await chain.mine(many);
    const inputs = many.outputs.slice(0, 300).map((_, vout) => ({ outpoint: out(many, vout) }));
    await chain.mine(spend(inputs, [{ to, value: 1_000n }]));
    await chain.mine();
    expect(modelOf(chain.engine).utxos.size).toBe(300 + 1 + 3);
    await chain.expectModel();
  });
});

describe('many inscriptions', () => {
  it('that one transaction would make beyond the bound are not made', { timeout: TIMEOUT_MS }, async () => {
    const chain = await Chain.open(new MemoryStore());
    await using _engine = chain.engine;
    const told: Notice[] = [];
    chain.engine.on('notice', (notice) => told.push(notice));
    const transaction = reveal(await chain.coin(), CREATED_MAX + 379);
    const { hash: blockHash } = await chain.mine(transaction);
    expect(chain.leftOut()).toEqual([379]);
    const { txid } = transaction;
    expect(told).toEqual([{ kind: 'inscriptions-left-out', blockHash, txid: formatBitcoinHash(txid), count: 379 }]);
    const { inscriptions, store } = modelOf(chain.engine);
    expect([inscriptions.size, store.nextSequenceNumber]).toEqual([CREATED_MAX, CREATED_MAX]);
    await chain.mine(reveal(await chain.coin(), 2));
    expect(modelOf(chain.engine).store.nextSequenceNumber).toBe(CREATED_MAX + 2);
    await chain.expectSound();
  });

  it('that one transaction would move beyond the bound stay where they were', { timeout: TIMEOUT_MS }, async () => {
    const chain = await Chain.open(new MemoryStore());
    await using _engine = chain.engine;
    const [one, two] = [reveal(await chain.coin(), 400), reveal(await chain.coin(), 400)];
    await chain.mine(one);
    await chain.mine(two);
    const moved = spend([{ outpoint: out(one) }, { outpoint: out(two) }], [{ to, value: 15_000n }]);
    await chain.mine(moved);
    expect(chain.leftOut()).toEqual([800 - MOVED_MAX]);
    const model = modelOf(chain.engine);
    const counts = new Map<string, number>();
    for (const { inscription } of model.inscriptions.values()) {
      const at = hex(inscription.location.outpoint.txid);
      counts.set(at, (counts.get(at) ?? 0) + 1);
    }
    expect(counts.get(hex(moved.txid))).toBe(MOVED_MAX);
    expect(counts.get(hex(two.txid))).toBe(800 - MOVED_MAX);
    // No output lists those that stayed, so what spends the rest finds room again.
    await chain.mine(spend([{ outpoint: out(moved) }], [{ to, value: 1_000n }]));
    expect(chain.leftOut()).toEqual([800 - MOVED_MAX]);
    await chain.expectSound();
  });

  it('that a block moves again and again are bounded for the block', { timeout: TIMEOUT_MS }, async () => {
    const chain = await Chain.open(new MemoryStore());
    await using _engine = chain.engine;
    const first = reveal(await chain.coin(), 400);
    await chain.mine(first);
    const again: BitcoinTransaction[] = [];
    for (let last = first; again.length < 6; last = again.at(-1)!) {
      again.push(spend([{ outpoint: out(last) }], [{ to, value: 5_000n - BigInt(again.length) }]));
    }
    await chain.mine(...again);
    // Two moves of 400 take 383,200 of 524,288 bytes; the third has room for 294, the fourth for none.
    expect(chain.leftOut()).toEqual([106, 294]);
    await chain.mine(spend([{ outpoint: out(again.at(-1)!) }], [{ to, value: 1_000n }]));
    expect(chain.leftOut()).toEqual([106, 294]);
    await chain.expectSound();
  });

  it('that the transactions of a block make are bounded for the block', { timeout: TIMEOUT_MS }, async () => {
    const chain = await Chain.open(new MemoryStore());
    await using _engine = chain.engine;
    const coins = [await chain.coin(), await chain.coin(), await chain.coin()];
    await chain.mine(...coins.map((coin) => reveal(coin, 350)));
    // Two take 490,000 of 524,288 bytes; the third has room for 48.
    expect(chain.leftOut()).toEqual([302]);
    expect(modelOf(chain.engine).store.nextSequenceNumber).toBe(748);
    await chain.mine(reveal(await chain.coin(), 2));
    expect(modelOf(chain.engine).store.nextSequenceNumber).toBe(750);
    await chain.expectSound();
  });

  it('that go to fees are written once, not by every transaction after them', { timeout: TIMEOUT_MS }, async () => {
    const chain = await Chain.open(new MemoryStore(), 1);
    await using _engine = chain.engine;
    const coins = [await chain.coin(), await chain.coin(), await chain.coin()];
    const sizes: number[] = [];
    chain.engine.on('transaction', () => {
      const { pending } = chain.engine.bitcoin.status();
      for (const block of pending === undefined ? [] : chain.blocks) sizes.push(updaterLength(chain.engine, block));
    });
    const paying = coins.slice(0, 2).map((coin) => reveal(coin, 150, 0n));
    await chain.mine(...paying, spend([{ outpoint: coins[2]! }], [{ to, value: 7n }]));
    await chain.mine();
    expect(Math.max(...sizes)).toBeGreaterThan(0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4_096);
    chain.blocks.pop();
    await chain.expectModel();
    expect(modelOf(chain.engine).inscriptions.size).toBe(300);
  });
});

it('inscriptions that went to fees are decoded by the coinbase only', { timeout: TIMEOUT_MS }, async () => {
  const chain = await Chain.open(new MemoryStore());
  await using _engine = chain.engine;
  const many = spend(
    [{ outpoint: await chain.coin() }],
    Array.from({ length: 40 }, () => ({ to, value: 1_000n })),
  );
  await chain.mine(many);
  const [write, read] = [vi.spyOn(flotsam, 'write'), vi.spyOn(flotsam, 'read')];
  await chain.mine(...many.outputs.map((_, vout) => reveal(out(many, vout), 1, 0n)));
  // Some exceed the record and are encoded again, apart. Each transaction decoded all before it: 800.
  expect(write.mock.calls.length).toBeLessThanOrEqual(2 * 40);
  expect(read.mock.calls.length).toBe(40);
  vi.restoreAllMocks();
  expect(modelOf(chain.engine).inscriptions.size).toBe(40);
  await chain.expectModel();
});

it('inscriptions that went to fees wait for the coinbase, even if the process ends before it', {
  timeout: TIMEOUT_MS,
}, async () => {
  const store = new MemoryStore();
  const begin = store.begin.bind(store);
  const chain = await Chain.open(store);
  const coins = [await chain.coin(), await chain.coin()];
  // Of this block only the coinbase is written in pieces.
  store.begin = () => {
    throw new Error('the process ends');
  };
  const paying = coins.map((coin) => reveal(coin, 150, 0n));
  const spending = spend([{ outpoint: out(paying[0]!) }], [{ to, value: 0n }]);
  await expect(chain.mine(...paying, spending)).rejects.toThrow('the process ends');
  store.begin = begin;
  // The store as another process would find it: the engine whose writer has ended still has this one.
  await using engine = await Engine.open({ store: store.fork() });
  expect(engine.bitcoin.status().pending).toBeDefined();
  // What is already spent is looked for among the transactions of the pending block.
  const again = spend([{ outpoint: out(paying[0]!) }], [{ to, value: 1n }]);
  const { height } = await engine.dev.mine({ to, transactions: [again] });
  expect(engine.bitcoin.status().confirmed?.blockHeight).toBe(BigInt(height));
  expect(modelOf(engine).inscriptions.size).toBe(300);
});

it('ingesting gives many inscriptions’ events, at hand or in the ledger', { timeout: TIMEOUT_MS }, async () => {
  const chain = await Chain.open(new MemoryStore());
  await using engine = chain.engine;
  await using other = await Engine.open();
  const before = other.snapshot();
  await chain.mine(reveal(await chain.coin(), 250), reveal(await chain.coin(), 250));
  const taken: Ingested[] = [];
  for (const { bytes, height } of chain.blocks) taken.push(...(await other.bitcoin.ingest(bytes, height)));
  const counts = taken.map(({ events }) => events.length).filter((count) => count > 200);
  expect(counts).toHaveLength(2);
  for (const { record, events } of taken) {
    const stored = engine.events.ofTransaction(record.order);
    expect(events.map(({ event }) => hex(event.eventData))).toEqual(stored.map(({ event }) => hex(event.eventData)));
  }
  await other.revert(before);
  const made = taken.filter(({ record }) => record.transaction.data.kind === 'l1-transaction');
  expect(made[0]!.events.length).toBeGreaterThan(0);
  expectRefusal(() => made.at(-1)!.events, 'not-found', 'reverted');
});

/** How many bytes the record that a block's transactions hand on takes; 0 if there is none. */
function updaterLength(engine: Engine, { hash }: MinedBlockValue): number {
  const fields = engine.inside.state.fields(pendingBlockId(parseBitcoinHash(hash)), {
    after: undefined,
    limit: 1_000,
  });
  const lengths = fields
    .filter(({ object }) =>
      object.meta.objectType.typeArguments.some(
        (type) => 'struct' in type && type.struct.name === 'InscriptionUpdater',
      ),
    )
    .map(({ object }) => object.value.length);
  return lengths[0] ?? 0;
}
