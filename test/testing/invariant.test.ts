import { afterAll, describe, expect, test } from 'vitest';
import { compileSources } from '../../src/compile/index.ts';
import { Engine, replay } from '../../src/index.ts';
import { type InvariantBroken, invariant } from '../../src/testing/fast-check.ts';
import { PLANTED_FAULTS, type PlantedFault, sourceOf } from './planted-faults.ts';

const engine = await Engine.open();
afterAll(() => engine.close());
const [alice] = engine.accounts;

async function published(fault: PlantedFault, isBad: boolean): Promise<Engine> {
  const chain = engine.fork();
  const built = compileSources({ 'm.move': sourceOf(fault, isBad) }, { addresses: { t: alice!.address } });
  (await chain.publish(alice!, built)).orThrow();
  return chain;
}

// Time enough for the slowest machine: what is found may not depend on it.
const optionsFor = ({ name }: PlantedFault) => ({
  seed: 2,
  timeMs: 600_000,
  calls: [
    `${alice!.address}::${name}`,
    { name: 'ten seconds pass', run: (chain: Engine) => chain.dev.time.advance(10_000n) },
  ],
  holds: (chain: Engine) => chain.view({ function: `${alice!.address}::${name}::ok` })[0] === true,
});

describe.each(PLANTED_FAULTS)('$name', (fault) => {
  test('is found, in at most four calls, and again when its run is replayed', async () => {
    await using chain = await published(fault, true);
    const error = await invariant(chain, optionsFor(fault)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invariant-broken' });
    const { calls, recording } = error as InvariantBroken;
    expect(calls.length).toBeLessThanOrEqual(4);
    await using again = await replay(recording);
    expect(optionsFor(fault).holds(again)).toBe(false);
  });

  test('is not found where it is not', async () => {
    await using chain = await published(fault, false);
    const { runs } = await invariant(chain, { ...optionsFor(fault), runs: 5 });
    expect(runs).toBe(5);
  });
});

test('nothing runs any more when it has ended, also if time ran out in the middle of a sequence', async () => {
  let running = 0;
  const holds = async (): Promise<void> => {
    running++;
    await new Promise((resolve) => setTimeout(resolve, 20));
    running--;
  };
  const nothing = { name: 'nothing', run: () => {} };
  const { runs } = await invariant(engine, { calls: [nothing], holds, runs: 1_000_000, timeMs: 50 });
  expect(runs).toBeLessThan(1_000_000);
  expect(running).toBe(0);
});
