/**
 * Mutated blocks through the engine: each is refused by an error that has a name, or is a block; either way the head is
 * whole. `MOVELET_FUZZ_RUNS` and `MOVELET_FUZZ_SEED` choose, as in test/bitcoin/fuzz.test.ts.
 */
import { describe, expect, it } from 'vitest';
import { RegtestChain, reveal, spend } from '../../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS, Engine, EngineError } from '../../../src/index.ts';
import { mutate } from '../../bitcoin/mutate.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';
import { feed } from './chain.ts';

const RUNS = runs(400, 100_000);
const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress) as [string, string];

function chainWithNext(): { known: RegtestChain; next: readonly { bytes: Uint8Array; height: number }[] } {
  const known = new RegtestChain();
  for (let block = 0; block < 4; block++) known.mine({ to: alice });
  const [first, second] = known.blocks.map(({ transactions }) => ({ txid: transactions[0]!.txid, vout: 0 }));
  const revealing = reveal(
    first!,
    [
      { contentType: 'text/plain', body: 'a' },
      { pointer: 9n, metaprotocol: 'm' },
    ],
    [{ to: bob, value: 1_000n }],
  );
  const moving = spend(
    [{ outpoint: { txid: revealing.txid, vout: 0 } }, { outpoint: second! }],
    [{ to: bob, value: 1n }],
  );
  const competing = known.branch(2);
  const next = [
    known.branch(3).mine({ to: alice, transactions: [revealing, moving] }),
    known.branch(3).mine({ to: bob }),
    competing.mine({ to: bob, transactions: [revealing] }),
  ];
  return { known, next };
}

describe(`mutated blocks through the engine, seed ${seed}`, () => {
  it.each([0, 2])(`${RUNS} of them, at depth %i`, { timeout: 240_000 + 20 * RUNS }, async (reorganisationDepth) => {
    const random = randomNumbers(seed);
    const { known, next } = chainWithNext();
    await using engine = await Engine.open({ reorganisationDepth });
    await feed(engine, known.blocks);
    const snapshot = engine.snapshot();
    const outcomes = new Map<string, number>();
    for (let run = 0; run < RUNS; run++) {
      const { bytes, height } = next[run % next.length]!;
      const wanted = random(20) === 0 ? random(6) : height;
      let outcome = 'taken';
      try {
        await engine.bitcoin.ingest(mutate(bytes, random), wanted);
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        outcome = error.code;
      }
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome !== 'taken') {
        expect([engine.head.order, engine.head.stateRoot]).toEqual([snapshot.order, snapshot.stateRoot]);
      }
      // A header may say another time or version: on regtest that is another block.
      else await engine.revert(snapshot);
    }
    expect([...outcomes.keys()].filter((code) => !EXPECTED.includes(code))).toEqual([]);
    expect(outcomes.get('malformed-bytes') ?? 0).toBeGreaterThan(RUNS / 20);
    expect(outcomes.get('invalid-argument') ?? 0).toBeGreaterThan(RUNS / 20);
    expect(outcomes.get('taken') ?? 0).toBeLessThan(RUNS / 3);
    await feed(engine, [known.mine({ to: bob })]);
    expect(engine.bitcoin.status().pending?.blockHeight).toBe(4n);
  });
});

const EXPECTED = ['taken', 'malformed-bytes', 'invalid-argument', 'not-supported', 'limit-exceeded'];
