import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode } from '../../../src/base/bcs.ts';
import { CHAIN_ID_MAIN } from '../../../src/base/config.ts';
import type { BitcoinAddress } from '../../../src/bitcoin/address.ts';
import { pendingStore } from '../../../src/bitcoin/block-store.ts';
import {
  BITCOIN_NETWORKS,
  type BitcoinNetwork,
  type BitcoinTransaction,
  encodeBlock,
  formatBitcoinAddress,
  formatBitcoinHash,
  type MinedBlock,
  nodeAddressOf,
  parseBitcoinAddress,
  RegtestChain,
  reveal,
  spend,
} from '../../../src/bitcoin/index.ts';
import { mineBlock } from '../../../src/bitcoin/mine.ts';
import { createTransaction } from '../../../src/bitcoin/transaction.ts';
import { PENDING_STORE_ID } from '../../../src/execution/bitcoin-move/object-id.ts';
import { DEV_ACCOUNTS, Engine, type EngineOptions } from '../../../src/index.ts';
import { WRITER_MEMORY_GROUP_COMMITS_MAX } from '../../../src/pipeline/group-filler.ts';
import { blockRules } from '../../../src/pipeline/ingest/options.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { runs } from '../../effort.ts';
import { feed } from './chain.ts';

const addresses: readonly BitcoinAddress[] = DEV_ACCOUNTS.map(({ regtestAddress }) =>
  parseBitcoinAddress(regtestAddress),
);
const [alice, bob] = addresses as [BitcoinAddress, BitcoinAddress];
const ALL = { limit: 1000, descending: true } as const;

async function owned(engine: Engine, address: BitcoinAddress): Promise<number> {
  const page = await engine.bitcoin.utxos({ kind: 'owner', owner: nodeAddressOf(address) }, ALL);
  return page.data.length;
}

describe('ingesting blocks', () => {
  it('gives the miner a UTXO at once if no confirmations are asked for', async () => {
    await using engine = await Engine.open();
    const chain = new RegtestChain();
    const block = chain.mine({ to: alice });
    const commits = await engine.bitcoin.ingest(block.bytes, block.height);
    expect(commits.map(({ record }) => record.transaction.data.kind)).toEqual(['l1-block', 'l1-transaction']);
    expect(await owned(engine, alice)).toBe(1);
    expect(engine.bitcoin.status().confirmed?.blockHeight).toBe(0n);
    expect(engine.bitcoin.addressOf(nodeAddressOf(alice))).toBe(formatBitcoinAddress(alice, 'regtest'));
  });

  it('spends, and inscribes, and moves the inscription with its output', async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store });
    const chain = new RegtestChain();
    const first = chain.mine({ to: alice });
    const outpoint = { txid: first.transactions[0]!.txid, vout: 0 };
    const content = { contentType: 'text/plain', body: new TextEncoder().encode('hello') };
    const revealed = reveal(outpoint, content, [{ to: alice, value: 10_000n }]);
    chain.mine({ to: bob, transactions: [revealed] });
    const moved = spend([{ outpoint: { txid: revealed.txid, vout: 0 } }], [{ to: bob, value: 10_000n }]);
    chain.mine({ to: bob, transactions: [moved] });
    await feed(engine, chain.blocks);

    const inscriptions = await engine.bitcoin.inscriptions({ kind: 'owner', owner: nodeAddressOf(bob) }, ALL);
    expect(inscriptions.data).toHaveLength(1);
    expect(await owned(engine, alice)).toBe(0);
    expect(await owned(engine, bob)).toBe(3);
    const [seal] = (await engine.bitcoin.utxos({ kind: 'id', id: { txid: moved.txid, vout: 0 } }, ALL)).data;
    expect(seal!.seals[0]!.objects).toEqual([inscriptions.data[0]!.objectId]);
    expect((await verifyStore(store)).problems).toEqual([]);
  });

  it('stops at a transaction that is refused, and again when the block comes again', async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store, chainId: CHAIN_ID_MAIN });
    const unknown = (index: number): BitcoinTransaction =>
      spend([{ outpoint: { txid: new Uint8Array(32).fill(7), vout: index } }], [{ to: bob, value: 0n }]);
    const unseen = Array.from({ length: 3 * WRITER_MEMORY_GROUP_COMMITS_MAX }, (_, index) => unknown(index));
    const first = new RegtestChain();
    const { transactions } = first.mine({ to: alice });
    const known = spend([{ outpoint: { txid: transactions[0]!.txid, vout: 0 } }], [{ to: bob, value: 1n }]);
    const block = first.mine({ to: alice, transactions: [...unseen, known] });
    await engine.bitcoin.ingest(first.blocks[0]!.bytes, 0);
    await expect(engine.bitcoin.ingest(block.bytes, block.height)).rejects.toMatchObject({ code: 'not-supported' });
    const { order } = engine.head;
    expect(order, 'the block is pending, none of its transactions is processed').toBe(3n);
    await expect(engine.bitcoin.ingest(block.bytes, block.height)).rejects.toThrow(
      /expected an output of the main chain/,
    );
    expect(engine.head.order).toBe(order);
    expect((await verifyStore(store)).problems).toEqual([]);
  });

  it('keeps a block of which a part is processed, and refuses another in its place', async () => {
    await using engine = await Engine.open({ chainId: CHAIN_ID_MAIN });
    const chain = new RegtestChain();
    const { transactions } = chain.mine({ to: alice });
    const other = chain.branch(0).mine({ to: bob });
    const count = 3 * WRITER_MEMORY_GROUP_COMMITS_MAX;
    const outputs = Array.from({ length: count }, () => ({ to: alice, value: 1n }));
    const split = spend([{ outpoint: { txid: transactions[0]!.txid, vout: 0 } }], outputs);
    const moved = outputs.map((_, vout) => spend([{ outpoint: { txid: split.txid, vout } }], [{ to: bob, value: 1n }]));
    const unknown = spend([{ outpoint: { txid: new Uint8Array(32).fill(7), vout: 0 } }], [{ to: bob, value: 0n }]);
    const block = chain.mine({ to: alice, transactions: [split, ...moved, unknown] });
    await engine.bitcoin.ingest(chain.blocks[0]!.bytes, 0);
    const { order } = engine.head;
    await expect(engine.bitcoin.ingest(block.bytes, block.height)).rejects.toThrow(
      /expected an output of the main chain/,
    );
    expect(engine.head.order, 'a part is processed').toBeGreaterThan(order + 1n);
    const message = 'block 1 is being processed and cannot be replaced';
    await expect(engine.bitcoin.ingest(other.bytes, other.height)).rejects.toMatchObject({
      code: 'not-supported',
      message,
    });
    expect(engine.bitcoin.status().pending?.blockHash).toBe(formatBitcoinHash(block.hash));
  });

  it.each([0, 2])('refuses a block with a transaction of an earlier one, and goes on, at depth %i', async (depth) => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store, reorganisationDepth: depth });
    const { bitcoin } = engine;
    const first = await engine.dev.mine({ to: alice });
    const payment = spend([{ outpoint: { txid: first.transactions[0]!.txid, vout: 0 } }], [{ to: bob, value: 5n }]);
    const second = await engine.dev.mine({ to: alice, transactions: [payment] });
    const { order } = engine.head;
    await expect(engine.dev.mine({ to: alice, transactions: [payment] })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(
        /^block \w+ at height 2: expected new transactions, got \w+ at position 1, which is in an earlier block/,
      ) as string,
    });
    expect(engine.head.order).toBe(order);
    // It may be in the block's place.
    if (depth > 0) await engine.dev.mine({ to: bob, transactions: [payment], on: first.hash });
    for (let block = 0; block < 4; block++) await engine.dev.mine({ to: alice });
    expect(bitcoin.block(second.hash)?.isConfirmed).toBe(depth === 0 ? true : undefined);
    expect(await owned(engine, bob)).toBe(depth === 0 ? 1 : 2);
    expect((await verifyStore(store)).problems).toEqual([]);
  });

  it('takes no inscription before the height from which its network has them', async () => {
    // ord indexes signet from 112,402 on.
    await using engine = await Engine.open({ bitcoinNetwork: 'signet', ingest: { checkWork: false } });
    let coin = (await engine.dev.mine({ to: alice, height: 112_400 })).transactions[0]!.txid;
    const counts: number[] = [];
    for (let block = 0; block < 3; block++) {
      const inscribing = reveal({ txid: coin, vout: 0 }, { body: 'text' }, [{ to: alice, value: 10_000n }]);
      coin = (await engine.dev.mine({ to: alice, transactions: [inscribing] })).transactions[0]!.txid;
      counts.push((await engine.bitcoin.inscriptions()).data.length);
    }
    expect(counts).toEqual([0, 1, 2]);
  });

  it('recognises a block that it has', async () => {
    await using engine = await Engine.open();
    const block = new RegtestChain().mine({ to: alice });
    await engine.bitcoin.ingest(block.bytes, block.height);
    const { order } = engine.head;
    expect(await engine.bitcoin.ingest(block.bytes, block.height)).toEqual([]);
    expect(engine.head.order).toBe(order);
  });

  it('finds a block by its height, or by its hash as text or bytes', async () => {
    await using engine = await Engine.open();
    const chain = new RegtestChain();
    chain.mine({ to: alice });
    const { hash } = chain.mine({ to: bob });
    await feed(engine, chain.blocks);
    for (const reference of [1, 1n, hash, formatBitcoinHash(hash)]) {
      expect(engine.bitcoin.block(reference)).toMatchObject({ blockHeight: 1n, isConfirmed: true });
    }
    for (const unknown of [2, 2n, hash.with(0, hash[0]! ^ 1)]) {
      expect(engine.bitcoin.block(unknown)).toBeUndefined();
    }
    for (const wrong of [-1, 0.5, Number.NaN, 2 ** 53]) {
      expect(() => engine.bitcoin.block(wrong)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    }
  });

  it('refuses an invalid block, naming the fault, and the head stays', async () => {
    await using engine = await Engine.open();
    const chain = new RegtestChain();
    await feed(engine, [chain.mine({ to: alice })]);
    const { order } = engine.head;
    const next = chain.mine({ to: alice });
    const flipped = next.bytes.slice();
    flipped[40]! ^= 1;
    await expect(engine.bitcoin.ingest(flipped, next.height)).rejects.toThrow(/[Mm]erkle/);
    await expect(engine.bitcoin.ingest(next.bytes.subarray(0, -1), next.height)).rejects.toMatchObject({
      code: expect.stringMatching(/malformed-bytes|invalid-argument/) as string,
    });
    await expect(engine.bitcoin.ingest(next.bytes, next.height + 1)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(/expected its parent \w+ at height 1, which is at height 0;/),
      details: { height: '2' },
    });
    const stranger = new RegtestChain({ height: 0 }).mine({ to: bob });
    await expect(engine.bitcoin.ingest(stranger.bytes, stranger.height)).rejects.toThrow(/is not known/);
    expect(engine.head.order).toBe(order);
  });

  it('refuses more weight than Bitcoin allows where work is checked; a witness weighs a quarter', async () => {
    /** The weight as BIP 141 defines it. */
    const weightOf = (block: MinedBlock): number => {
      const bare = block.transactions.map((one) => ({
        ...one,
        inputs: one.inputs.map((input) => ({ ...input, witness: [] })),
      }));
      return 3 * encodeBlock({ header: block.header, transactions: bare }).length + block.bytes.length;
    };
    const filled = (script: number, item: number): MinedBlock => {
      const witness = [new Uint8Array(item), new Uint8Array(300), new Uint8Array(0)];
      const txid = new Uint8Array(32).fill(1);
      const output = { scriptPubkey: new Uint8Array(script).fill(0x51), value: 1n };
      return mineBlock({
        previousHash: new Uint8Array(32),
        height: 1,
        time: 0,
        to: alice,
        transactions: [spend([{ outpoint: { txid, vout: 0 }, witness }, { outpoint: { txid, vout: 1 } }], [output])],
      });
    };
    const left = 4_000_000 - weightOf(filled(900_000, 70_000));
    const full = filled(900_000 + Math.floor(left / 4), 70_000 + (left % 4));
    const over = filled(900_000 + Math.floor(left / 4), 70_000 + (left % 4) + 1);
    expect([weightOf(full), weightOf(over)]).toEqual([4_000_000, 4_000_001]);
    const refusal = 'expected a block of at most 4000000 weight units, got 4000001';
    await using checking = await Engine.open({ ingest: { checkWork: true } });
    await expect(checking.bitcoin.ingest(over.bytes, 1)).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: refusal,
    });
    expect(await checking.bitcoin.ingest(full.bytes, 1)).toHaveLength(3);
    // Tests may mine what they like.
    await using lenient = await Engine.open();
    expect(await lenient.bitcoin.ingest(over.bytes, 1)).toHaveLength(3);
  });

  it('refuses witnesses that no commitment vouches for where work is checked', async () => {
    const outpoint = { txid: new Uint8Array(32).fill(1), vout: 0 };
    const whole = spend([{ outpoint }], [{ to: alice, value: 1n }]);
    const plan = { previousHash: new Uint8Array(32), height: 1, time: 0, to: alice };
    const { header, transactions } = mineBlock({ ...plan, transactions: [whole] });
    const inputs = whole.inputs.map((input) => ({ ...input, witness: [Uint8Array.of(1)] }));
    const bytes = encodeBlock({ header, transactions: [transactions[0]!, { ...whole, inputs }] });
    await using checking = await Engine.open({ ingest: { checkWork: true } });
    const message = 'transaction 1: expected no witness in a block whose coinbase has no witness commitment';
    await expect(checking.bitcoin.ingest(bytes, 1)).rejects.toMatchObject({ code: 'invalid-argument', message });
    // Tests may mine what they like.
    await using lenient = await Engine.open();
    expect(await lenient.bitcoin.ingest(bytes, 1)).toHaveLength(3);
  });

  it('refuses a transaction that Bitcoin forbids where work is checked, naming it', async () => {
    const outpoint = { txid: new Uint8Array(32).fill(1), vout: 0 };
    const whole = spend([{ outpoint }], [{ to: alice, value: 1n }]);
    const { bytes } = mineBlock({
      previousHash: new Uint8Array(32),
      height: 1,
      time: 0,
      to: alice,
      transactions: [createTransaction({ inputs: whole.inputs, outputs: [] })],
    });
    await using checking = await Engine.open({ ingest: { checkWork: true } });
    const message = 'transaction 1: expected at least one output, got none';
    await expect(checking.bitcoin.ingest(bytes, 1)).rejects.toMatchObject({ code: 'invalid-argument', message });
    // Tests may mine what they like.
    await using lenient = await Engine.open();
    expect(await lenient.bitcoin.ingest(bytes, 1)).toHaveLength(3);
  });

  it('lists a pending block below the first one where its height lies in the cycle of the depth', async () => {
    await using engine = await Engine.open({ reorganisationDepth: 3, ingest: { checkParent: false } });
    for (const height of [5, 6, 4]) {
      const { bytes } = new RegtestChain({ height: height - 1 }).mine({ to: alice });
      await engine.bitcoin.ingest(bytes, height);
    }
    const { pendingBlocks } = decode(pendingStore, engine.objects.get(PENDING_STORE_ID)!.value);
    // Places count from the first block, height 5: it has 0, 6 has 1, and 4, one before a multiple of 3, has 2.
    expect(pendingBlocks.map(({ blockHeight }) => blockHeight)).toEqual([5n, 6n, 4n]);
  });

  it('refuses a competing block at depth 0, naming the option', async () => {
    await using engine = await Engine.open();
    const chain = new RegtestChain();
    const fork = chain.branch(-1);
    await feed(engine, [chain.mine({ to: alice })]);
    const other = fork.mine({ to: bob });
    await expect(engine.bitcoin.ingest(other.bytes, other.height)).rejects.toThrow(/reorganisationDepth/);
  });

  it('follows reorganisations to the winning chain', async () => {
    const plan = fc.record({
      depth: fc.integer({ min: 1, max: 6 }),
      before: fc.integer({ min: 1, max: 9 }),
      lost: fc.integer({ min: 1, max: 6 }),
      more: fc.integer({ min: 0, max: 8 }),
      start: fc.integer({ min: 0, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ depth, before, lost, more, start }) => {
        const replaced = Math.min(lost, depth);
        const options: EngineOptions = { reorganisationDepth: depth };
        const chain = new RegtestChain({ height: start - 1 });
        for (let block = 0; block < before; block++) chain.mine({ to: alice });
        const winner = chain.branch(chain.height);
        for (let block = 0; block < replaced; block++) chain.mine({ to: alice });
        for (let block = 0; block < replaced + more + depth; block++) winner.mine({ to: bob });
        await using reorganised = await Engine.open(options);
        await using straight = await Engine.open(options);
        await feed(reorganised, chain.blocks);
        await feed(reorganised, winner.blocks.slice(before));
        await feed(straight, winner.blocks);
        expect(reorganised.bitcoin.status()).toEqual(straight.bitcoin.status());
        for (const address of [alice, bob]) {
          expect(await owned(reorganised, address)).toBe(await owned(straight, address));
        }
        expect(reorganised.head.stateRoot).toBe(straight.head.stateRoot);
      }),
      { numRuns: runs(15) },
    );
  });
});

describe('what is checked of blocks', () => {
  it('is their parent and, except on regtest, their work, unless an option says otherwise', () => {
    for (const network of Object.keys(BITCOIN_NETWORKS) as BitcoinNetwork[]) {
      const rules = { network, checkParent: true, checkWork: network !== 'regtest', headersOnly: false };
      expect(blockRules({}, network)).toEqual(rules);
    }
  });

  it('is what the options say, on every network', () => {
    for (const network of Object.keys(BITCOIN_NETWORKS) as BitcoinNetwork[]) {
      for (const told of [true, false]) {
        const options = { checkParent: told, checkWork: told, headersOnly: told };
        expect(blockRules(options, network)).toEqual({ network, ...options });
      }
    }
  });
});
