/**
 * Branches that compete, with spends and inscriptions in what is lost and in what wins: whatever the way, the engine
 * ends where one ends that only ever saw the winning chain.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MinedBlock, RegtestChain, reveal, spend } from '../../src/bitcoin/mine.ts';
import type { OutPoint } from '../../src/bitcoin/outpoint.ts';
import type { BitcoinTransaction } from '../../src/bitcoin/transaction.ts';
import { toHexPrefixed } from '../../src/bytes/hex.ts';
import { Engine } from '../../src/engine.ts';
import { DEV_ACCOUNTS } from '../../src/framework/accounts.ts';
import { verifyStore } from '../../src/pipeline/verify.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { property, randomNumbers } from '../effort.ts';
import { feed, modelOf } from './chain.ts';

const people = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress);
const OP_RETURN = Uint8Array.of(0x6a);

interface Coin {
  readonly outpoint: OutPoint;
  readonly value: bigint;
}

/** A chain that knows its unspent outputs, and spends and inscribes at random. */
class Branch {
  readonly chain: RegtestChain;
  #coins: Coin[][];
  readonly #next: (below: number) => number;

  constructor(next: (below: number) => number, chain: RegtestChain = new RegtestChain(), coins: Coin[][] = []) {
    this.#next = next;
    this.chain = chain;
    this.#coins = coins;
  }

  mine(): MinedBlock {
    const coins = [...(this.#coins.at(-1) ?? [])];
    const transactions: BitcoinTransaction[] = [];
    for (let count = this.#next(4); count > 0 && coins.length > 0; count--) {
      const transaction = this.#transaction(coins);
      transactions.push(transaction);
      coins.push(...coinsOf(transaction));
    }
    const block = this.chain.mine({ to: this.#person(), transactions });
    coins.push(...coinsOf(block.transactions[0]!));
    this.#coins.push(coins);
    return block;
  }

  /** Another branch without the last `count` blocks. */
  without(count: number): Branch {
    return new Branch(this.#next, this.chain.branch(this.chain.height - count), this.#coins.slice(0, -count));
  }

  #person(): string {
    return people[this.#next(people.length)]!;
  }

  /** Spends one or two coins, with a fee, to some people, with or without inscriptions; now and then it burns. */
  #transaction(coins: Coin[]): BitcoinTransaction {
    const spent = Array.from({ length: Math.min(1 + this.#next(2), coins.length) }, () => {
      return coins.splice(this.#next(coins.length), 1)[0]!;
    });
    const total = spent.reduce((sum, { value }) => sum + value, 0n);
    const share = total / BigInt(2 + this.#next(2));
    const outputs = [
      { to: this.#person(), value: share },
      this.#next(5) === 0 ? { scriptPubkey: OP_RETURN, value: share } : { to: this.#person(), value: share },
    ];
    if (this.#next(2) === 0) return spend(spent, outputs);
    const contents = Array.from({ length: 1 + this.#next(2) }, (_, index) => ({
      contentType: 'text/plain',
      body: `${this.chain.height} ${index}`,
      ...(this.#next(3) === 0 && { pointer: BigInt(this.#next(Number(total % 1_000_000n) + 1)) }),
      ...(this.#next(3) === 0 && { metaprotocol: 'test' }),
    }));
    const [first, ...others] = spent as [Coin, ...Coin[]];
    const { inputs } = reveal(first.outpoint, contents, outputs);
    return spend([{ outpoint: first.outpoint, witness: inputs[0]!.witness }, ...others], outputs);
  }
}

function coinsOf({ txid, outputs }: BitcoinTransaction): Coin[] {
  return outputs.flatMap(({ value, scriptPubkey }, vout) =>
    scriptPubkey[0] === 0x6a ? [] : [{ outpoint: { txid, vout }, value }],
  );
}

describe('competing branches', () => {
  it('leave what the winning chain alone leaves', { timeout: 300_000 }, async () => {
    let inscriptions = 0;
    let replacedBlocks = 0;
    const plan = fc.record({
      depth: fc.integer({ min: 1, max: 6 }),
      before: fc.integer({ min: 2, max: 6 }),
      rounds: fc.array(fc.record({ lost: fc.integer({ min: 1, max: 6 }), more: fc.integer({ min: 0, max: 3 }) }), {
        minLength: 1,
        maxLength: 3,
      }),
      seed: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ depth, before, rounds, seed }) => {
        const store = new MemoryStore();
        await using reorganised = await Engine.open({ store, reorganisationDepth: depth });
        let branch = new Branch(randomNumbers(seed));
        for (let block = 0; block < before; block++) await feed(reorganised, [branch.mine()]);
        for (const { lost, more } of rounds) {
          const replaced = Math.min(lost, depth, branch.chain.blocks.length - 1);
          const winner = branch.without(replaced);
          // What loses gets longer, too, and is never ingested whole.
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
        expect(toHexPrefixed(reorganised.head.stateRoot)).toBe(toHexPrefixed(straight.head.stateRoot));
        expect((await verifyStore(store)).problems).toEqual([]);
        inscriptions += left.inscriptions.size;
      }),
      property(12, 300),
    );
    expect(replacedBlocks).toBeGreaterThan(0);
    expect(inscriptions).toBeGreaterThan(0);
  });

  it('deeper than the option says are refused, and nothing changes', { timeout: 120_000 }, async () => {
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
      property(8, 100),
    );
  });
});
