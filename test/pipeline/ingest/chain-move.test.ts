/**
 * Ingestion against the chain's own Move: the reference's modules run on our machine, block by block and transaction by
 * transaction, and what they do is what our ingestion does, to the byte: change sets with their metadata, and events.
 *
 * The modules are those of the test network's genesis, release 23; its rules for outputs and
 * inscriptions are those of release 27 (checked below: its `execute_l1_tx` on blocks that ours made pending).
 *
 * Both sides share what is native: envelopes are found, scripts become addresses and hashes are made by the same code,
 * which other tests hold to recorded vectors. All else, from the rules of spending to the numbers, is done twice.
 *
 * Intended differences, each kept out of the comparison as the last column says, and shown to be one in
 * chain-move-differences.test.ts:
 *
 * | what | the chain | ours | here |
 * | --- | --- | --- | --- |
 * | where a chain starts | `genesis_block` is what the genesis says | the first block of an empty store sets it | the state says the first block |
 * | list of pending blocks after a reorganisation | a removed height's place is taken by the last one | ordered as if there had been no reorganisation, so that equal histories have equal roots | compared as a set, in those tests only |
 * | blocks of release 27 | `execute_l1_block` keeps headers only (spec/bitcoin.md 5.4) | so does ours where `headersOnly` says so | with the option: blocks; without it: ours submits, both execute the transactions |
 * | a coinbase that claims more than the subsidy and the fees that are known, beside inscriptions | an arithmetic error: the block is never done | counts no satoshi as lost | not fed |
 * | on the main chain, outputs worth more than the inputs | aborts with 1 | not checked, as scripts are not: Bitcoin's own nodes do | not fed |
 * | a stake in Babylon of a key that is no point of the curve | aborts | ignored, since no account can own it (ingest.test.ts) | not fed |
 * | a block with a transaction that it or an earlier block has | aborts: with the block, or with the transaction, for good | refused before anything is written | not fed |
 * | a coinbase that came before and has no unspent output | aborts, for good | replaces the one before, as BIP 30 allows | until there |
 * | a block whose parent is not known, or stands elsewhere | is taken: whoever submits blocks sees to that | refused, except in the place of the pending first block, on the same parent (reorganisation.test.ts) | not fed |
 * | a block that competes with a confirmed one | aborts with 3; by release 27, where reorganisations have a depth, only when it is to be confirmed | refused before anything is written | not fed |
 * | a confirmed block once more | release 23 aborts with 3, release 27 calls it the best block | is known, and nothing happens | not fed |
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { equalBytes, fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { CHAIN_ID_LOCAL, CHAIN_ID_MAIN, CHAIN_ID_TEST } from '../../../src/base/config.ts';
import { pendingStore } from '../../../src/bitcoin/block-store.ts';
import { type DecodedBlock, decodeBlock, encodeBlock, type MinedBlock } from '../../../src/bitcoin/index.ts';
import { equalObjectIds } from '../../../src/chain/object/object-id.ts';
import { PENDING_STORE_ID } from '../../../src/execution/bitcoin-move/object-id.ts';
import { Engine } from '../../../src/index.ts';
import { structName } from '../../../src/move/type-tag.ts';
import type { ObjectChange } from '../../../src/query/transaction-builder.ts';
import { vectors } from '../../bitcoin/chain-vectors.ts';
import { sharedFile, sharedPresent, skipNote } from '../../bitcoin/shared.ts';
import { readTesterFile, testerBytes } from '../../bitcoin/tester.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';
import { genesisFiles, hasReference, referenceNote } from '../../vm/corpus.ts';
import { Branch } from './branch.ts';
import {
  ChainWorld,
  Comparison,
  difference,
  type Effects,
  type Placed,
  type Setting,
  sampled,
  untilStuck,
  worldOf,
} from './chain-move.ts';
import { RandomBlocks } from './random-block.ts';

const { MOVELET_REFERENCE: reference } = process.env;
const note = hasReference ? skipNote : referenceNote;
const TIMEOUT_MS = 3_600_000;

/** Feeds the blocks to a chain that starts with the first one, to both; gives how many executions were compared. */
function compare(blocks: readonly Placed[], setting: Setting = {}): number {
  const comparison = new Comparison(worldOf(blocks[0]!, setting));
  for (const { block, height } of blocks) comparison.feed(block, height);
  expect(comparison.differences).toEqual([]);
  return comparison.executions;
}

function recorded(name: string): DecodedBlock {
  return decodeBlock(sharedFile(`data/blocks/${name}.blob`));
}

describe.skipIf(!hasReference || !sharedPresent)(
  `the chain's own Move and ours${note}`,
  { timeout: TIMEOUT_MS },
  () => {
    it.each([
      ['before the jubilee', 'chain_low'],
      ['after the jubilee', 'chain_jubilant'],
    ] as const)('the synthetic chain %s', (_name, chain) => {
      const blocks = vectors[chain].map(({ raw, height }) => ({ block: decodeBlock(fromHex(raw)), height }));
      expect(compare(blocks)).toBe(22);
      expect(compare(blocks, { depth: 3 })).toBeLessThan(22);
    });

    it.each([
      ['regtest', CHAIN_ID_LOCAL],
      ['bitcoin', CHAIN_ID_LOCAL],
      ['testnet', CHAIN_ID_TEST],
    ] as const)('91812 and 91842, which share a coinbase, on %s', (network, chainId) => {
      const blocks = [91_812, 91_842].map((height) => ({ block: recorded(`${height}`), height }));
      expect(compare(blocks, { network, chainId })).toBe(5);
    });

    it('818677 fed alone', () => {
      const block = sampled(recorded('818677'));
      expect(compare([{ block, height: 818_677 }], { network: 'bitcoin' })).toBe(1 + block.transactions.length);
    });

    it('2821527 of testnet fed alone', () => {
      const path = `${reference}/crates/rooch-framework-tests/blocks/testnet/2821527.blob`;
      const block = sampled(decodeBlock(new Uint8Array(readFileSync(path))));
      const setting = { network: 'testnet', chainId: CHAIN_ID_TEST } as const;
      expect(compare([{ block, height: 2_821_527 }], setting)).toBe(1 + block.transactions.length);
    });

    it.each([100_000, 781_735, 794_970, 832_918, 864_790])(
      '%i with the outputs that it spends, on the main chain',
      (height) => {
        const file = readTesterFile(testerBytes(height)!, height === 864_790);
        const block = sampled(decodeBlock(encodeBlock(file)));
        const setting = { network: 'bitcoin', chainId: CHAIN_ID_MAIN, utxos: file.utxos } as const;
        expect(compare([{ block, height }], setting)).toBe(1 + block.transactions.length);
      },
    );

    it('the test network as it is: an engine on its genesis has the roots and events of its Move', async () => {
      const ingest = { checkWork: false };
      await using engine = await Engine.open({ genesis: new Uint8Array(genesisFiles()[1]!), ingest });
      const world = new ChainWorld();
      expect(engine.head.stateRoot.slice(2)).toBe(toHex(world.state.root));
      const branch = new Branch(randomNumbers(seed));
      let executions = 0;
      for (let count = 0; count < 16; count++) {
        const mined = branch.mine();
        for (const { record, events } of await engine.bitcoin.ingest(mined.bytes, mined.height)) {
          const { data } = engine.inside.transactions.get(record.order)!.transaction;
          const chain =
            data.kind === 'l1-transaction'
              ? world.moveTransaction(data.blockHash, data.txid)
              : world.moveBlock(decodeBlock(mined.bytes), BigInt(mined.height));
          world.apply(chain.changeSet);
          expect(record.executionInfo.stateRoot.slice(2)).toBe(toHex(world.state.root));
          expect(events.map(({ event }) => [event.eventType, event.eventData])).toEqual(
            chain.events.map(({ eventType, eventData }) => [structName(eventType), eventData]),
          );
          executions++;
        }
      }
      // Ten blocks stay pending.
      expect(executions).toBeGreaterThan(16);
      expect(engine.bitcoin.status().confirmed?.blockHeight).toBe(5n);
    });

    it('random chains, with confirmations and without', () => {
      let executions = 0;
      for (let round = 0; round < runs(4, 60); round++) {
        const next = randomNumbers(seed + round);
        const branch = new Branch(next);
        for (let block = 0; block < 12; block++) branch.mine();
        executions += compare(branch.chain.blocks.map(placed), { depth: next(4) });
      }
      expect(executions).toBeGreaterThan(0);
    });

    it.each([
      ['regtest', 105],
      ['bitcoin', 767_426],
      ['bitcoin', 824_540],
      ['testnet', 2_544_188],
    ] as const)('random inscriptions on %s from height %i', (network, height) => {
      const counts: Record<string, number> = {};
      for (let round = 0; round < runs(3, 60); round++) {
        const blocks = new RandomBlocks(randomNumbers(seed + round), height);
        const first = blocks.mine();
        const comparison = new Comparison(worldOf(first, { network }));
        comparison.feed(first.block, first.height);
        untilStuck(() => {
          for (let count = 0; count < 10; count++) {
            const { block, height: at } = blocks.mine();
            comparison.feed(block, at);
          }
        });
        expect(comparison.differences).toEqual([]);
        for (const [type, count] of Object.entries(comparison.eventCounts)) counts[type] = (counts[type] ?? 0) + count;
      }
      expect(Object.keys(counts)).toEqual(
        expect.arrayContaining([
          '0x4::bitcoin::UTXONotExistsEvent',
          '0x4::inscription_updater::InscriptionCreatedEvent',
          '0x4::inscription_updater::InscriptionTransferredEvent',
        ]),
      );
    });

    it('reorganisations, but for the order of the list of pending blocks', () => {
      for (let round = 0; round < runs(4, 60); round++) reorganise(seed + round, {});
    });

    it('the headers of release 27, with reorganisations and without', () => {
      const newest = { code: 27, headersOnly: true } as const;
      for (let round = 0; round < runs(4, 60); round++) {
        const next = randomNumbers(seed + round);
        const branch = new Branch(next);
        for (let block = 0; block < 12; block++) branch.mine();
        expect(compare(branch.chain.blocks.map(placed), { ...newest, depth: next(4) })).toBe(12);
        reorganise(seed + round, newest);
      }
    });

    it('the transactions of release 27', () => {
      const file = readTesterFile(testerBytes(781_735)!, false);
      const block = sampled(decodeBlock(encodeBlock(file)));
      const setting = { network: 'bitcoin', chainId: CHAIN_ID_MAIN, utxos: file.utxos, code: 27 } as const;
      const comparison = new Comparison(worldOf({ block, height: file.height }, setting));
      comparison.processAll(block, file.height);
      expect(comparison.differences).toEqual([]);
      expect(comparison.executions).toBe(block.transactions.length);
    });
  },
);

function placed({ bytes, height }: MinedBlock): Placed {
  return { block: decodeBlock(bytes), height };
}

/** Feeds a random chain whose last blocks are replaced again and again, as deep as it may. */
function reorganise(from: number, setting: Setting): void {
  const next = randomNumbers(from);
  const depth = 1 + next(5);
  let branch = new Branch(next);
  const first = placed(branch.mine());
  const comparison = new Comparison(worldOf(first, { ...setting, depth }), differenceButOrder);
  const feed = ({ block, height }: Placed): void => comparison.feed(block, height);
  feed(first);
  for (let block = 0; block < depth; block++) feed(placed(branch.mine()));
  for (let fork = 0; fork < 3; fork++) {
    const lost = 1 + next(Math.min(depth, branch.chain.blocks.length - 1));
    branch = branch.without(lost);
    for (let block = 0; block <= lost; block++) feed(placed(branch.mine()));
  }
  expect(comparison.differences).toEqual([]);
  expect(comparison.eventCounts['0x4::pending_block::ReorgEvent']).toBeGreaterThanOrEqual(3);
}

/** As `difference`, with the pending blocks in the order of their heights. */
function differenceButOrder(chain: Effects, ours: Effects): string | undefined {
  return difference(inOrder(chain), inOrder(ours));
}

function inOrder({ changeSet, events }: Effects): Effects {
  const changes = changeSet.changes.map(([key, change]): [Uint8Array, ObjectChange] => {
    const { meta, value } = change;
    if (!equalObjectIds(meta.id, PENDING_STORE_ID) || value === undefined || value.kind === 'delete') {
      return [key, change];
    }
    const store = decode(pendingStore, value.value);
    const pendingBlocks = [...store.pendingBlocks].sort((left, right) => Number(left.blockHeight - right.blockHeight));
    const sorted = encode(pendingStore, { ...store, pendingBlocks });
    return [key, { ...change, value: equalBytes(sorted, value.value) ? value : { ...value, value: sorted } }];
  });
  const { stateRoot, globalSize } = changeSet;
  return { changeSet: { stateRoot, globalSize, changes }, events };
}
