/**
 * Branches that compete, with spends and inscriptions in what is lost and in what wins: whatever the way, the engine
 * ends up like one that only ever saw the winning chain.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RegtestChain } from '../../../src/bitcoin/index.ts';
import { Engine } from '../../../src/index.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { isLong, property, randomNumbers } from '../../effort.ts';
import { Branch } from './branch.ts';
import { feed, modelOf } from './chain.ts';

/** A run takes a second or two; a busy machine makes ten of it. */
const TIMEOUT_MS = isLong ? 7_200_000 : 300_000;

describe('competing branches', () => {
  it('leave what the winning chain alone leaves', { timeout: TIMEOUT_MS }, async () => {
    let inscriptions = 0;
    let replacedBlocks = 0;
    const plan = fc.record({
      depth: fc.integer({ min: 1, max: 6 }),
      before: fc.integer({ min: 1, max: 6 }),
      // The height of the block before the first one.
      start: fc.constantFrom(-1, 99),
      rounds: fc.array(fc.record({ lost: fc.integer({ min: 1, max: 6 }), more: fc.integer({ min: 0, max: 3 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
      seed: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ depth, before, start, rounds, seed }) => {
        const store = new MemoryStore();
        await using reorganised = await Engine.open({ store, reorganisationDepth: depth });
        let branch = new Branch(randomNumbers(seed), new RegtestChain({ height: start }));
        for (let block = 0; block < before; block++) await feed(reorganised, [branch.mine()]);
        for (const { lost, more } of rounds) {
          // Even the first block, while it is pending.
          const replaced = Math.min(lost, depth, branch.chain.blocks.length);
          const winner = branch.without(replaced);
          // The losing branch gets longer, too, and is never ingested whole.
          branch.mine();
          for (let block = 0; block <= replaced + more; block++) await feed(reorganised, [winner.mine()]);
          branch = winner;
          replacedBlocks += replaced;
        }
        for (let block = 0; block < depth; block++) await feed(reorganised, [branch.mine()]);
        await using straight = await Engine.open({ reorganisationDepth: depth });
        await feed(straight, branch.chain.blocks);
        const [left, right] = [modelOf(reorganised), modelOf(straight)];
        expect(left.store).toEqual(right.store);
        expect(left.utxoDigest()).toBe(right.utxoDigest());
        expect(left.inscriptionDigest()).toBe(right.inscriptionDigest());
        expect(reorganised.bitcoin.status()).toEqual(straight.bitcoin.status());
        expect(reorganised.head.stateRoot).toBe(straight.head.stateRoot);
        expect((await verifyStore(store)).problems).toEqual([]);
        inscriptions += left.inscriptions.size;
      }),
      {
        ...property(4, 300),
        examples: [[{ depth: 3, before: 2, start: 99, rounds: [{ lost: 3, more: 1 }], seed: 1 }]],
      },
    );
    expect(replacedBlocks).toBeGreaterThan(0);
    expect(inscriptions).toBeGreaterThan(0);
  });

  it('deeper than the option says are refused, and nothing changes', { timeout: TIMEOUT_MS }, async () => {
    const plan = fc.record({
      depth: fc.integer({ min: 0, max: 5 }),
      deeper: fc.integer({ min: 1, max: 3 }),
      seed: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ depth, deeper, seed }) => {
        await using engine = await Engine.open({ reorganisationDepth: depth });
        const branch = new Branch(randomNumbers(seed));
        for (let block = 0; block < depth + deeper + 2; block++) await feed(engine, [branch.mine()]);
        const { order, stateRoot } = engine.head;
        const other = branch.without(depth + deeper);
        const competing = other.mine();
        await expect(feed(engine, [competing])).rejects.toMatchObject({
          code: 'not-supported',
          message: expect.stringContaining('reorganisationDepth') as string,
        });
        await expect(feed(engine, [other.mine()])).rejects.toThrow();
        expect([engine.head.order, engine.head.stateRoot]).toEqual([order, stateRoot]);
        await feed(engine, [branch.mine()]);
        expect(engine.bitcoin.status().pending?.blockHeight).toBe(BigInt(branch.chain.height));
      }),
      property(4, 100),
    );
  });
});
