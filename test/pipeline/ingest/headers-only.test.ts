/** Ingestion with headers only: the cases of bitcoin.md 5.5, and what must not be there. */
import { describe, expect, it } from 'vitest';
import { type MinedBlock, RegtestChain } from '../../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { modelOf } from './chain.ts';

const temporaryDirectory = temporaryDirectories();
const to = DEV_ACCOUNTS[0]!.regtestAddress;

function open(reorganisationDepth: number, store = new MemoryStore()): Promise<Engine> {
  return Engine.open({ store, reorganisationDepth, ingest: { headersOnly: true } });
}

/** A first block, three blocks on it, and a branch that differs from the second on. */
function branches(): { start: MinedBlock; main: readonly MinedBlock[]; other: RegtestChain } {
  const chain = new RegtestChain();
  const start = chain.mine({ to });
  const other = chain.branch(0);
  for (let block = 0; block < 3; block++) chain.mine({ to });
  return { start, main: chain.blocks.slice(1), other };
}

const confirmed = (engine: Engine, { hash }: MinedBlock): boolean | undefined =>
  engine.bitcoin.block(hash)?.isConfirmed;

describe('headers only', () => {
  it('confirms a header at once if reorganisations have no depth, and makes no objects', async () => {
    const store = new MemoryStore();
    await using engine = await open(0, store);
    const { start } = branches();
    const commits = await engine.bitcoin.ingest(start.bytes, start.height);
    expect(commits).toHaveLength(1);
    expect(commits[0]!.events).toEqual([]);
    expect(confirmed(engine, start)).toBe(true);
    const model = modelOf(engine);
    expect([model.utxos.size, model.inscriptions.size]).toEqual([0, 0]);
    expect((await verifyStore(store)).problems).toEqual([]);
  });

  it('replaces a pending header by another', async () => {
    await using engine = await open(2);
    const { start, main, other } = branches();
    const winner = [1, 2, 3].map(() => other.mine({ to }));
    for (const { bytes, height } of [start, main[0]!, ...winner]) await engine.bitcoin.ingest(bytes, height);
    expect(confirmed(engine, winner[0]!)).toBe(true);
    expect(engine.bitcoin.block(main[0]!.hash)).toBeUndefined();
  });

  it('confirms one header when enough stand on it', async () => {
    await using engine = await open(2);
    const { start, main } = branches();
    for (const { bytes, height } of [start, ...main.slice(0, 2)]) await engine.bitcoin.ingest(bytes, height);
    expect(main.map((block) => confirmed(engine, block))).toEqual([false, false, undefined]);
    await engine.bitcoin.ingest(main[2]!.bytes, main[2]!.height);
    expect(main.map((block) => confirmed(engine, block))).toEqual([true, false, false]);
  });

  it('refuses a header that competes with a confirmed one', async () => {
    await using engine = await open(1);
    const { start, main, other } = branches();
    for (const { bytes, height } of [start, ...main]) await engine.bitcoin.ingest(bytes, height);
    const { order } = engine.head;
    const late = other.mine({ to });
    await expect(engine.bitcoin.ingest(late.bytes, late.height)).rejects.toMatchObject({ code: 'not-supported' });
    expect(engine.head.order).toBe(order);
  });

  it('keeps to the mode of the pending blocks', async () => {
    const store = temporaryDirectory();
    const { start, main } = branches();
    {
      await using engine = await Engine.open({ store, reorganisationDepth: 1, ingest: { headersOnly: true } });
      await engine.bitcoin.ingest(start.bytes, start.height);
    }
    await using engine = await Engine.open({ store });
    await expect(engine.bitcoin.ingest(main[0]!.bytes, main[0]!.height)).rejects.toMatchObject({
      code: 'not-supported',
      message: expect.stringContaining('headersOnly'),
    });
  });
});
