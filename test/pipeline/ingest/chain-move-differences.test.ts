/**
 * The intended differences between ingestion and the chain's own Move, one by one: see the table in
 * chain-move.test.ts, which would be out of date if one of these were gone.
 */
import { describe, expect, it } from 'vitest';
import { decode } from '../../../src/base/bcs.ts';
import { CHAIN_ID_MAIN } from '../../../src/base/config.ts';
import { decodeBlock, encodeBlock, RegtestChain, reveal, spend } from '../../../src/bitcoin/index.ts';
import { inscriptionStore } from '../../../src/bitcoin/inscription.ts';
import { mineBlock, type PlannedBlock } from '../../../src/bitcoin/mine.ts';
import { INSCRIPTION_STORE_ID } from '../../../src/execution/bitcoin-move/object-id.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { displayStruct } from '../../../src/move/type-tag.ts';
import { hasReference, referenceNote } from '../../vm/corpus.ts';
import { ChainWorld, Comparison, difference, MoveFailure, type Placed, worldOf } from './chain-move.ts';

const to = DEV_ACCOUNTS[0]!.regtestAddress;

function mine(plan: Partial<PlannedBlock> & { readonly height: number }): Placed {
  const { bytes, height } = mineBlock({ previousHash: new Uint8Array(32), time: 1_800_000_000, to, ...plan });
  return { block: decodeBlock(bytes), height };
}

function chainOf(count: number): Placed[] {
  const chain = new RegtestChain();
  for (let block = 0; block < count; block++) chain.mine({ to });
  return chain.blocks.map(({ bytes, height }) => ({ block: decodeBlock(bytes), height }));
}

/** Where the chain fails: its module, and the abort's code or the status. */
function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (!(error instanceof MoveFailure)) throw error;
    const { status, subStatus, location } = error.failure;
    return `${location?.module?.name} ${subStatus ?? status}`;
  }
  return 'none';
}

const coinbaseOf = ({ block }: Placed): Uint8Array => block.transactions[0]!.txid;

describe.skipIf(!hasReference)(`intended differences from the chain's Move${referenceNote}`, () => {
  it('where a chain starts: the first block of an empty store sets it', () => {
    const { block, height } = mine({ height: 7 });
    const world = new ChainWorld();
    const found = difference(world.moveBlock(block, BigInt(height)), world.ourBlock(block, BigInt(height)));
    expect(found?.split('\n')).toEqual([expect.stringMatching(/^ours: .*0x4::bitcoin::BitcoinBlockStore/)]);
  });

  it('the list of pending blocks after a reorganisation: the chain puts the last one in a removed place', () => {
    const chain = new RegtestChain();
    for (let block = 0; block < 7; block++) chain.mine({ to });
    const branch = chain.branch(3);
    for (let block = 0; block < 4; block++) branch.mine({ to });
    const blocks = [...chain.blocks, ...branch.blocks.slice(4)];
    const [first, ...others] = blocks.map(({ bytes, height }) => ({ block: decodeBlock(bytes), height }));
    const comparison = new Comparison(worldOf(first!, { depth: 4 }));
    for (const { block, height } of [first!, ...others]) comparison.feed(block, height);
    expect(comparison.differences).not.toEqual([]);
    for (const found of comparison.differences) {
      const lines = found.split('\n').slice(1);
      expect(lines).toEqual(lines.map(() => expect.stringMatching(/0x4::pending_block::PendingStore/)));
    }
  });

  it('a block that competes with a confirmed one: both refuse it', async () => {
    const chain = chainOf(3);
    const other = mine({ height: 1, previousHash: chain[0]!.block.hash, extraNonce: 9 });
    for (const setting of [{}, { code: 27, headersOnly: true }]) {
      const comparison = new Comparison(worldOf(chain[0]!, setting));
      for (const { block, height } of chain) comparison.feed(block, height);
      expect(failure(() => comparison.world.moveBlock(other.block, 1n))).toBe('bitcoin 3');
    }
    await using engine = await Engine.open();
    for (const { block, height } of chain) await engine.bitcoin.ingest(encodeBlock(block), height);
    await expect(engine.bitcoin.ingest(encodeBlock(other.block), 1)).rejects.toMatchObject({ code: 'not-supported' });
  });

  it('a confirmed block once more: release 23 aborts, release 27 calls it the best one, ours knows it', async () => {
    const chain = chainOf(3);
    const again = chain[1]!;
    const worlds = [{}, { code: 27, headersOnly: true }].map((setting) => {
      const comparison = new Comparison(worldOf(chain[0]!, setting));
      for (const { block, height } of chain) comparison.feed(block, height);
      return comparison.world;
    });
    expect(failure(() => worlds[0]!.moveBlock(again.block, 1n))).toBe('bitcoin 3');
    const { changeSet } = worlds[1]!.moveBlock(again.block, 1n);
    expect(changeSet.changes.map(([, { meta }]) => displayStruct(meta.objectType))).toEqual([
      '0x4::pending_block::PendingStore',
    ]);
    await using engine = await Engine.open();
    for (const { block, height } of chain) await engine.bitcoin.ingest(encodeBlock(block), height);
    expect(await engine.bitcoin.ingest(encodeBlock(again.block), 1)).toEqual([]);
  });

  it('a transaction that came before: the chain cannot go on, ours refuses the block', async () => {
    const first = mine({ height: 0 });
    const payment = spend([{ outpoint: { txid: coinbaseOf(first), vout: 0 } }], [{ to, value: 1n }]);
    const twice = mine({ height: 1, previousHash: first.block.hash, transactions: [payment, payment] });
    const once = mine({ height: 1, previousHash: first.block.hash, transactions: [payment] });
    const again = mine({ height: 2, previousHash: once.block.hash, transactions: [payment] });
    const comparison = new Comparison(worldOf(first));
    comparison.feed(first.block, 0);
    const { world } = comparison;
    expect(failure(() => world.moveBlock(twice.block, 1n))).toMatch(/^object /);
    comparison.feed(once.block, 1);
    comparison.submit(again.block, 2);
    expect(failure(() => world.moveTransaction(again.block.hash, payment.txid))).toMatch(/^(table|object) /);
    await using engine = await Engine.open();
    for (const { block, height } of [first, once]) await engine.bitcoin.ingest(encodeBlock(block), height);
    for (const { block, height } of [again, { ...twice, height: 2 }]) {
      await expect(engine.bitcoin.ingest(encodeBlock(block), height)).rejects.toMatchObject({
        code: 'invalid-argument',
      });
    }
  });

  it('a coinbase that came before and has no unspent output: the chain cannot go on', () => {
    const first = mine({ height: 0 });
    const payment = spend([{ outpoint: { txid: coinbaseOf(first), vout: 0 } }], [{ to, value: 1n }]);
    const second = mine({ height: 1, previousHash: first.block.hash, transactions: [payment] });
    const third = { ...mine({ height: 0, previousHash: second.block.hash }), height: 2 };
    const comparison = new Comparison(worldOf(first));
    for (const { block, height } of [first, second]) comparison.feed(block, height);
    comparison.submit(third.block, 2);
    const { world } = comparison;
    expect(coinbaseOf(third)).toEqual(coinbaseOf(first));
    expect(failure(() => world.moveTransaction(third.block.hash, coinbaseOf(third)))).toMatch(/^(table|object) /);
    expect(world.ourTransaction(third.block.hash, coinbaseOf(third)).events).not.toEqual([]);
  });

  it('the parent: the chain does not ask for it, and ours does, except in the place of the first block', async () => {
    const first = mine({ height: 7, previousHash: new Uint8Array(32).fill(1) });
    const sibling = mine({ height: 7, previousHash: new Uint8Array(32).fill(1), extraNonce: 9 });
    const stranger = mine({ height: 7, previousHash: new Uint8Array(32).fill(2) });
    for (const setting of [{ depth: 4 }, { depth: 4, code: 27, headersOnly: true } as const]) {
      const comparison = new Comparison(worldOf(first, setting));
      comparison.feed(first.block, 7);
      for (const { block } of [sibling, stranger]) {
        expect(failure(() => comparison.world.moveBlock(block, 7n))).toBe('none');
      }
    }
    await using engine = await Engine.open({ reorganisationDepth: 4 });
    for (const { block, height } of [first, sibling]) await engine.bitcoin.ingest(encodeBlock(block), height);
    await expect(engine.bitcoin.ingest(encodeBlock(stranger.block), 7)).rejects.toMatchObject({
      code: 'invalid-argument',
    });
  });

  it('a coinbase that claims more than there is, beside inscriptions: the chain cannot go on', () => {
    const first = mine({ height: 0 });
    const outpoint = { txid: coinbaseOf(first), vout: 0 };
    const toFees = reveal(outpoint, { body: 'x' }, [{ to, value: 0n }]);
    const coinbaseOutputs = [{ to, value: 100_000_000_000n }];
    const second = mine({ height: 1, previousHash: first.block.hash, transactions: [toFees], coinbaseOutputs });
    const comparison = new Comparison(worldOf(first));
    comparison.feed(first.block, 0);
    comparison.submit(second.block, 1);
    comparison.process(second.block.hash, toFees.txid);
    expect(comparison.differences).toEqual([]);
    const { world } = comparison;
    expect(failure(() => world.moveTransaction(second.block.hash, coinbaseOf(second)))).toBe(
      'inscription_updater 4017',
    );
    world.apply(world.ourTransaction(second.block.hash, coinbaseOf(second)).changeSet);
    expect(decode(inscriptionStore, world.state.object(INSCRIPTION_STORE_ID)!.value).lostSats).toBe(0n);
  });

  it('outputs worth more than the inputs, on the main chain: the chain cannot go on', () => {
    const first = mine({ height: 800_000 });
    const greedy = spend([{ outpoint: { txid: coinbaseOf(first), vout: 0 } }], [{ to, value: 100_000_000_000n }]);
    const second = mine({ height: 800_001, previousHash: first.block.hash, transactions: [greedy] });
    const comparison = new Comparison(worldOf(first, { network: 'bitcoin', chainId: CHAIN_ID_MAIN }));
    comparison.feed(first.block, first.height);
    comparison.submit(second.block, second.height);
    const { world } = comparison;
    expect(failure(() => world.moveTransaction(second.block.hash, greedy.txid))).toBe('inscription_updater 1');
    expect(world.ourTransaction(second.block.hash, greedy.txid).events).toEqual([]);
  });
});
