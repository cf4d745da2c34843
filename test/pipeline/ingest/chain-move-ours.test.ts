/**
 * Ingestion against the Move of our own framework, on the local chain: its bodies are ours, its functions those of
 * release 27, so its blocks are headers and its `execute_l1_tx` takes blocks that ingestion made pending. Needs no
 * reference; see chain-move.test.ts for the reference's own modules.
 */
import { describe, expect, it } from 'vitest';
import { decodeBlock, encodeBlock, RegtestChain, reveal } from '../../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import { localGenesis } from '../../../src/pipeline/local-chain.ts';
import { sharedFile, sharedPresent, skipNote } from '../../bitcoin/shared.ts';
import { readTesterFile } from '../../bitcoin/tester.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';
import { Branch } from './branch.ts';
import { Comparison, sampled, untilStuck, worldOf } from './chain-move.ts';
import { RandomBlocks } from './random-block.ts';

describe("our framework's Move and ingestion", { timeout: 3_600_000 }, () => {
  it('headers', async () => {
    const code = (await localGenesis({})).output.changeSet;
    const branch = new Branch(randomNumbers(seed));
    for (let block = 0; block < 12; block++) branch.mine();
    const [first, ...others] = branch.chain.blocks.map(({ bytes, height }) => ({ block: decodeBlock(bytes), height }));
    const comparison = new Comparison(worldOf(first!, { code, headersOnly: true, depth: 3 }));
    for (const { block, height } of [first!, ...others]) comparison.feed(block, height);
    expect(comparison.differences).toEqual([]);
    expect(comparison.executions).toBe(12);
  });

  it.each([
    ['regtest', 105],
    ['bitcoin', 824_540],
  ] as const)('transactions with random inscriptions on %s from height %i', async (network, height) => {
    const code = (await localGenesis({})).output.changeSet;
    for (let round = 0; round < runs(2, 40); round++) {
      const blocks = new RandomBlocks(randomNumbers(seed + round), height);
      const mined = Array.from({ length: 8 }, () => blocks.mine());
      const comparison = new Comparison(worldOf(mined[0]!, { code, network }));
      untilStuck(() => {
        for (const { block, height: at } of mined) comparison.processAll(block, at);
      });
      expect(comparison.differences).toEqual([]);
      expect(comparison.executions).toBeGreaterThan(1);
    }
  });

  it('an inscription that goes to fees, to the satoshi of the coinbase that it asks for', async () => {
    const code = (await localGenesis({})).output.changeSet;
    const to = DEV_ACCOUNTS[0]!.regtestAddress;
    const chain = new RegtestChain();
    const { txid } = chain.mine({ to }).transactions[0]!;
    const pointer = 4_000_000_000n;
    const toFees = reveal({ txid, vout: 0 }, { body: 'x', pointer }, [{ to, value: 0n }]);
    const halves = [1, 2].map(() => ({ to, value: 2_500_000_000n }));
    chain.mine({ to, transactions: [toFees], coinbaseOutputs: [...halves, ...halves] });
    const [first, second] = chain.blocks.map(({ bytes, height }) => ({ block: decodeBlock(bytes), height }));
    const comparison = new Comparison(worldOf(first!, { code }));
    for (const { block, height } of [first!, second!]) comparison.processAll(block, height);
    expect(comparison.differences).toEqual([]);
    expect(comparison.eventCounts['0x4::inscription_updater::InscriptionCreatedEvent']).toBe(1);
  });

  it.skipIf(!sharedPresent)(`recorded blocks${skipNote}`, async () => {
    const code = (await localGenesis({})).output.changeSet;
    const file = readTesterFile(sharedFile('data/blocks/781735.tester.genesis'), false);
    const cases = [
      { block: decodeBlock(encodeBlock(file)), height: file.height, utxos: file.utxos },
      { block: decodeBlock(sharedFile('data/blocks/818677.blob')), height: 818_677, utxos: [] },
    ];
    for (const { block: whole, height, utxos } of cases) {
      const block = sampled(whole);
      const comparison = new Comparison(worldOf({ block, height }, { code, network: 'bitcoin', utxos }));
      comparison.processAll(block, height);
      expect(comparison.differences).toEqual([]);
      expect(comparison.executions).toBe(block.transactions.length);
    }
  });
});
