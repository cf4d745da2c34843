/** Scanning older blocks for an owner that was added, beside chains that watched it from the start. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import {
  decodeBlock,
  formatBitcoinHash,
  type MinedBlock,
  RegtestChain,
  reveal,
  spend,
} from '../../../src/bitcoin/index.ts';
import { findings } from '../../../src/execution/bitcoin-move/findings.ts';
import { WatchedOwners } from '../../../src/execution/bitcoin-move/watch.ts';
import { DEV_ACCOUNTS, Engine, type RescanOptions } from '../../../src/index.ts';
import { blockRules, watchedOwners } from '../../../src/pipeline/ingest/options.ts';
import { rescan } from '../../../src/pipeline/ingest/rescan.ts';
import { Scan, scanDifference } from '../../../src/pipeline/ingest/scan.ts';
import { single } from '../../../src/pipeline/turn.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { formatSatPoint } from '../../bitcoin/shared.ts';
import { property, randomNumbers } from '../../effort.ts';
import { Cluster, reached } from '../../log/cluster.ts';
import { Branch } from './branch.ts';
import { feed } from './chain.ts';
import { shown } from './shown.ts';

const people = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress);
const [alice, bob, carol] = people as [string, string, string];

const blocksOf = ({ chain: { blocks } }: Pick<Branch, 'chain'>): RescanOptions => ({
  blocks: (height) => blocks.find((block) => block.height === height)!.bytes,
});

describe('scanning older blocks', () => {
  it('adds what a chain has that watched the owners from the start, also after reorganisations', async () => {
    let [outputs, inscriptions, pieces] = [0, 0, 0];
    const plan = fc.record({
      depth: fc.integer({ min: 0, max: 3 }),
      owners: fc.shuffledSubarray(people, { minLength: 2 }),
      known: fc.integer({ min: 1, max: 3 }),
      seed: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ depth, owners, known, seed }) => {
        const store = new MemoryStore();
        const before = owners.slice(0, Math.min(known, owners.length - 1));
        await using always = await Engine.open({ reorganisationDepth: depth, ingest: { owners } });
        await using later = await Engine.open({ store, reorganisationDepth: depth, ingest: { owners: before } });
        let branch = new Branch(randomNumbers(seed));
        const mine = async (count: number): Promise<void> => {
          for (; count > 0; count--) {
            const block = branch.mine();
            for (const engine of [always, later]) await feed(engine, [block]);
          }
        };
        await mine(7);
        branch = depth === 0 ? branch : branch.without(depth);
        await mine(depth + 4);
        later.bitcoin.watch(owners);
        const result = await later.bitcoin.rescan(blocksOf(branch));
        expect(shown(later)).toEqual(shown(always));
        // A second one finds nothing.
        expect(await later.bitcoin.rescan(blocksOf(branch))).toMatchObject({ transactions: 0 });
        // What was added to pending blocks goes with those that are replaced, and is processed in the others.
        branch = depth < 2 ? branch : branch.without(depth - 1);
        await mine(depth + 3);
        expect(shown(later)).toEqual(shown(always));
        expect((await verifyStore(store)).problems).toEqual([]);
        outputs += result.outputs;
        inscriptions += result.inscriptions;
        pieces += result.transactions;
      }),
      { ...property(4, 300), examples: [[{ depth: 1, owners: people, known: 1, seed: 1 }]] },
    );
    expect([outputs > 0, inscriptions > 0, pieces > 0]).toEqual([true, true, true]);
  });
});

describe('a scan of older blocks', () => {
  /** A chain that watches one owner from `from` on, and the blocks that it was fed. */
  async function watching(owner: string, chain: RegtestChain, from = 0, depth = 0): Promise<Engine> {
    const engine = await Engine.open({ reorganisationDepth: depth, ingest: { owners: [owner] } });
    await feed(
      engine,
      chain.blocks.filter(({ height }) => height >= from),
    );
    return engine;
  }

  const values = async (engine: Engine): Promise<string[]> => {
    const { data } = await engine.bitcoin.utxos();
    return data.map(({ value, owner }) => `${value} ${String(owner).slice(0, 10)}`).sort();
  };

  function mined(people: readonly string[]): RegtestChain {
    const chain = new RegtestChain();
    for (const to of people) chain.mine({ to });
    return chain;
  }

  it('follows the chain when blocks come meanwhile', async () => {
    const chain = mined([alice, bob, alice, bob]);
    await using engine = await watching(alice, chain, 0, 1);
    engine.bitcoin.watch([alice, bob]);
    const asked: number[] = [];
    const { height, outputs } = await engine.bitcoin.rescan({
      blocks: async (at) => {
        asked.push(at);
        // Beside the second block, and beside the pending one, for which it is too late.
        if (asked.length === 2 || asked.length === 4) await feed(engine, [chain.mine({ to: bob })]);
        return chain.blocks[at]!.bytes;
      },
    });
    // That of the pending block comes with its coinbase, which is always kept.
    expect([height, outputs]).toEqual([4, 1]);
    await using always = await Engine.open({ reorganisationDepth: 1, ingest: { owners: [alice, bob] } });
    await feed(always, chain.blocks);
    expect(await values(engine)).toEqual(await values(always));
    expect(asked.slice(0, 4)).toEqual([0, 1, 2, 3]);
  });

  it('scans pending blocks again if the chain left them and came back meanwhile', async () => {
    const chain = mined([alice, bob, alice]);
    const other = chain.branch(2);
    const payment = (of: RegtestChain) =>
      spend([{ outpoint: { txid: of.blocks[1]!.transactions[0]!.txid, vout: 0 } }], [{ to: bob, value: 1n }]);
    for (const branch of [chain, other]) {
      branch.mine({ to: carol, transactions: [payment(branch)] });
      branch.mine({ to: carol });
    }
    await using engine = await watching(alice, chain, 0, 2);
    engine.bitcoin.watch([alice, bob]);
    let asked = 0;
    await rescan(
      {
        chainId: engine.chainId,
        rules: blockRules({ owners: [alice, bob] }, 'regtest'),
        state: () => engine.inside.state,
        // When the scan's turn comes, the chain is back.
        submit: (turn) => void feed(engine, chain.blocks.slice(3)).then(() => engine.inside.core.writer.submit(turn)),
      },
      {
        blocks: async (at) => {
          if (++asked === 4) await feed(engine, other.blocks.slice(3));
          const hash = engine.bitcoin.block(at)!.blockHash;
          return [...chain.blocks, ...other.blocks].find((block) => formatBitcoinHash(block.hash) === hash)!.bytes;
        },
      },
    );
    await using always = await Engine.open({ reorganisationDepth: 2, ingest: { owners: [alice, bob] } });
    await feed(always, chain.blocks);
    for (const each of [engine, always]) for (let block = 5; block < 8; block++) await each.dev.mine({ to: carol });
    expect(await values(engine)).toEqual(await values(always));
  });

  it('may begin below the chain or above it', async () => {
    const chain = mined([bob, alice, bob, alice, bob]);
    for (const [from, expected] of [
      [0, 4],
      [2, 3],
      [4, 2],
    ] as const) {
      await using engine = await watching(alice, chain, 2);
      engine.bitcoin.watch([alice, bob]);
      await engine.bitcoin.rescan({ from, blocks: (height) => chain.blocks[height]!.bytes });
      // Alice's coin at height 1 is below the chain; those at 3 and, from `from` on, Bob's.
      expect((await values(engine)).length).toBe(from === 0 ? expected + 1 : expected);
    }
  });

  it('gives an inscription that was unbound its place, or drops it if it has left', async () => {
    const chain = mined([bob, bob]);
    const coin = (height: number) => ({ txid: chain.blocks[height]!.transactions[0]!.txid, vout: 0 });
    const [stays, leaves] = [0, 1].map((height) =>
      reveal(coin(height), { body: 'text' }, [{ to: alice, value: 10_000n }]),
    );
    chain.mine({ to: carol, transactions: [stays!, leaves!] });
    const away = spend([{ outpoint: { txid: leaves!.txid, vout: 0 } }], [{ to: carol, value: 10_000n }]);
    chain.mine({ to: carol, transactions: [away] });
    await using engine = await watching(alice, chain);
    const places = async () =>
      (await engine.inside.bitcoin.inscriptions()).data.map(({ location }) => formatSatPoint(location));
    const unbound = `${'0'.repeat(64)}:0:`;
    expect((await places()).map((place) => place.slice(0, -1))).toEqual([unbound, unbound]);
    engine.bitcoin.watch([alice, bob]);
    const options = { blocks: (height: number) => chain.blocks[height]!.bytes };
    expect(await engine.bitcoin.rescan(options)).toMatchObject({ inscriptions: 1, outputs: 0, transactions: 1 });
    const [place, ...others] = await places();
    expect([place?.endsWith(':0:0'), place?.startsWith('0000'), others]).toEqual([true, false, []]);
    // And from there on it moves.
    const onward = spend([{ outpoint: { txid: stays!.txid, vout: 0 } }], [{ to: bob, value: 10_000n }]);
    await feed(engine, [chain.mine({ to: carol, transactions: [onward] })]);
    const { data } = await engine.bitcoin.inscriptions({ kind: 'owner', owner: bob });
    expect(data.length).toBe(1);
  });

  it('adds much in pieces, any number of which may have been added before', async () => {
    const chain = mined([bob, bob, bob, bob]);
    const body = new Uint8Array(400_000).fill(0x61);
    const reveals = chain.blocks.map(({ transactions }) =>
      reveal({ txid: transactions[0]!.txid, vout: 0 }, { body }, [{ to: bob, value: 10_000n }]),
    );
    for (const transaction of reveals) chain.mine({ to: carol, transactions: [transaction] });
    await using engine = await watching(alice, chain);
    await using always = await watching(bob, chain);
    engine.bitcoin.watch([bob]);
    const options = { blocks: (height: number) => chain.blocks[height]!.bytes };
    // A fork gets the first piece alone, as if its process had ended then.
    const fork = engine.fork();
    const scan = await Scan.begin({ network: 'regtest', chainId: engine.chainId, owners: watchedBy([bob]) });
    for (const { bytes, height } of chain.blocks) scan.add(decodeBlock(bytes), height);
    const compared = { chain: fork.inside.state, scan, owners: watchedBy([bob]), pending: [] };
    const [first, ...rest] = scanDifference(compared).pieces;
    expect(rest.length).toBe(1);
    const { turn, commit } = single({ kind: 'control', control: { kind: 'rescan', found: encode(findings, first!) } });
    fork.inside.core.writer.submit(turn);
    await commit;
    expect(shown(fork)).not.toEqual(shown(always));
    fork.bitcoin.watch([bob]);
    expect(await fork.bitcoin.rescan(options)).toMatchObject({ transactions: 1 });
    expect(shown(fork)).toEqual(shown(always));
    await fork.close();
    expect(await engine.bitcoin.rescan(options)).toMatchObject({ outputs: 4, inscriptions: 4, transactions: 2 });
    expect(shown(engine)).toEqual(shown(always));
  });

  /**
   * A chain that watches Alice alone while a block is pending that pays Bob beside her and holds, or is followed by,
   * what spends Bob's output; it watches both before the block is confirmed.
   */
  async function late(onward: 'same' | 'next', target: string): Promise<[engine: Engine, chain: RegtestChain]> {
    const chain = mined([alice]);
    const coin = { txid: chain.blocks[0]!.transactions[0]!.txid, vout: 0 };
    const outputs = [bob, alice].map((to) => ({ to, value: 10_000n }));
    const both = reveal(coin, { body: 'to Bob' }, outputs);
    const away = spend([{ outpoint: { txid: both.txid, vout: 0 } }], [{ to: target, value: 10_000n }]);
    chain.mine({ to: carol, transactions: onward === 'same' ? [both, away] : [both] });
    chain.mine({ to: carol, transactions: onward === 'same' ? [] : [away] });
    const engine = await watching(alice, chain, 0, 2);
    engine.bitcoin.watch([alice, bob]);
    for (let block = 0; block < 2; block++) await feed(engine, [chain.mine({ to: carol })]);
    return [engine, chain];
  }

  it.each([
    ['same', carol],
    ['next', carol],
    ['same', bob],
    ['next', bob],
  ] as const)(
    'removes what a pending block paid to an owner who came later if the %s one spends it',
    async (onward, target) => {
      const [engine, chain] = await late(onward, target);
      await using always = await Engine.open({ reorganisationDepth: 2, ingest: { owners: [alice, bob] } });
      await feed(always, chain.blocks);
      expect(shown(engine)).not.toEqual(shown(always));
      const blocks = (height: number) => chain.blocks[height]!.bytes;
      const before = (await values(engine)).length;
      const outputs = target === carol ? 0 : 1;
      expect(await engine.bitcoin.rescan({ blocks })).toMatchObject({ outputs, removedOutputs: 1 });
      expect((await values(engine)).length).toBe(before + outputs - 1);
      expect(shown(engine)).toEqual(shown(always));
      expect(await engine.bitcoin.rescan({ blocks })).toMatchObject({ transactions: 0 });
      // And the inscription moves from where it is.
      const { data } = await engine.bitcoin.inscriptions();
      const moves = data.map(({ location: { outpoint } }) => spend([{ outpoint }], [{ to: alice, value: 10_000n }]));
      const next = [
        chain.mine({ to: carol, transactions: moves }),
        chain.mine({ to: carol }),
        chain.mine({ to: carol }),
      ];
      for (const each of [engine, always]) await feed(each, next);
      expect(shown(engine)).toEqual(shown(always));
      await engine.close();
    },
  );

  it('removes the coins of a block that were spent while nobody watched their owner', async () => {
    const chain = mined([alice]);
    await using engine = await Engine.open({ reorganisationDepth: 2, ingest: { owners: [alice] } });
    await feed(engine, chain.blocks);
    const coin = chain.mine({ to: bob });
    const outpoint = { txid: coin.transactions[0]!.txid, vout: 0 };
    const away = chain.mine({ to: carol, transactions: [spend([{ outpoint }], [{ to: carol, value: 10_000n }])] });
    await feed(engine, [coin, away]);
    engine.bitcoin.watch([alice, bob]);
    await feed(engine, [chain.mine({ to: carol }), chain.mine({ to: carol })]);
    expect(await values(engine)).toHaveLength(2);
    const counts = await engine.bitcoin.rescan({ blocks: (height) => chain.blocks[height]!.bytes });
    expect(counts).toMatchObject({ outputs: 0, removedOutputs: 1, removedInscriptions: 0 });
    expect(await values(engine)).toHaveLength(1);
  });

  it('is recorded without spent outputs as it was before they were known', () => {
    const found = { confirmed: new Uint8Array(32), inscriptions: [], outputs: [], gone: [], pending: [] };
    const bytes = new Uint8Array(32 + 4);
    expect(encode(findings, { ...found, spent: [] })).toEqual(bytes);
    expect(decode(findings, bytes)).toEqual({ ...found, spent: [] });
    const spent = [{ txid: new Uint8Array(32).fill(1), vout: 2 }];
    expect(decode(findings, encode(findings, { ...found, spent }))).toEqual({ ...found, spent });
    // One form for one value.
    expect(() => decode(findings, new Uint8Array(32 + 5))).toThrow('expected at least one spent output');
  });

  it('holds no more in memory for many blocks than for few', async () => {
    const scan = await Scan.begin({ network: 'regtest', chainId: 4n, owners: watchedBy([alice]) });
    const nodes: number[] = [];
    for (const { bytes, height } of mined(Array.from({ length: 120 }, () => bob)).blocks) {
      scan.add(decodeBlock(bytes), height);
      nodes.push(scan.nodes);
    }
    // The shape of a tree varies by a few nodes.
    expect(Math.max(...nodes.slice(30))).toBeLessThanOrEqual(Math.max(...nodes.slice(0, 30)) + 10);
  });

  it("refuses blocks that are not the chain's, and changes nothing", async () => {
    const [chain, other] = [mined([alice, bob, bob]), mined([carol, carol, carol])];
    await using engine = await watching(alice, chain, 1);
    engine.bitcoin.watch([alice, bob]);
    const { order } = engine.head;
    const given = (...blocks: readonly MinedBlock[]): Promise<unknown> =>
      engine.bitcoin.rescan({ from: 0, blocks: (height) => blocks[height]!.bytes });
    await expect(given(chain.blocks[0]!, other.blocks[1]!)).rejects.toThrow(/which the chain has at height 1, got/);
    await expect(given(other.blocks[0]!, chain.blocks[1]!)).rejects.toThrow(/at height 1: expected it to stand on/);
    const damaged = Uint8Array.from(chain.blocks[0]!.bytes);
    damaged[damaged.length - 1]! ^= 1;
    const broken = engine.bitcoin.rescan({ from: 0, blocks: () => damaged });
    await expect(broken).rejects.toMatchObject({ code: 'invalid-argument' });
    const blocks = (height: number): Uint8Array => chain.blocks[height]!.bytes;
    await expect(engine.bitcoin.rescan({ from: 3, blocks })).rejects.toThrow('from: expected at most 2');
    const told: unknown[] = [];
    const onProgress = (progress: unknown): void => {
      if (told.push(progress) === 2) throw new Error('enough');
    };
    await expect(engine.bitcoin.rescan({ blocks, onProgress })).rejects.toThrow('enough');
    // From the chain's first block on.
    expect(told).toEqual([1, 2].map((height) => ({ height, from: 1, to: 2 })));
    expect(engine.head.order).toBe(order);
  });

  it('needs owners, and a confirmed block', async () => {
    const blocks = (): Uint8Array => new Uint8Array(0);
    await using everybody = await Engine.open();
    await expect(everybody.bitcoin.rescan({ blocks })).rejects.toMatchObject({ code: 'not-supported' });
    await using empty = await Engine.open({ ingest: { owners: [alice] } });
    await expect(empty.bitcoin.rescan({ blocks })).rejects.toThrow('no confirmed Bitcoin block');
  });

  it('is repeated by a reader that executes everything, without the blocks', async () => {
    await using cluster = new Cluster();
    const options = { ingest: { owners: [alice] } };
    const writer = await cluster.writer(options);
    const reader = await cluster.reader({ ...options, reexecute: 'all' });
    const chain = mined([alice, bob, bob]);
    await feed(writer, chain.blocks);
    writer.bitcoin.watch([alice, bob]);
    await writer.bitcoin.rescan({ blocks: (height) => chain.blocks[height]!.bytes });
    await reached(reader, writer.head.order);
    expect(String(reader.head.stateRoot)).toBe(String(writer.head.stateRoot));
    expect((await reader.bitcoin.utxos()).data.length).toBe(3);
  });
});

const watchedBy = (owners: readonly string[]): WatchedOwners => new WatchedOwners(watchedOwners(owners, 'owners'));
